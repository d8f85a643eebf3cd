package model

import (
	"fmt"
	"slices"

	"gpureplay/model/clock"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/trace"
)

// tasks takes the narrow tasks of a trace from the host's program to the
// policy's runtime. It hands a task over when it has arrived and the tasks that it depends
// on have ended. Later tasks pass one that waits for others (docs/model, "Narrow tasks").
type tasks struct {
	*core
	view     View
	kernels  *kernels
	ctas     *ctaScheduler
	host     *host.Host
	rt       TaskRuntime
	as       host.AsTasks
	live     map[uint32]*Task   // read from the program and not finished
	behind   map[uint32][]*Task // those that wait for a task
	done     []uint64           // bit per kernel: finished
	readied  clock.FIFO[*Task]
	spare    []*Task
	kernel   trace.Kernel
	launches host.LaunchOrder
	waiting  bool             // the program waits for tasks
	slots    []*PersistentCTA // by number

	running int  // tasks with a threadblock on the device, or a core
	since   Time // running is not 0
	compute Time // cycles with a task running
	warps   int  // of tasks, on SMs
	peak    int  // of warps on SMs, of tasks or not, from the first task on
	first   Time // earliest spawn
	last    Time // latest output back
	count   uint64
}

// taskWindow is how many tasks the host reads ahead of those that have ended,
// unless the runtime says less.
const taskWindow = 1 << 13

// The kinds of the unit's own events, their second argument. From runtimeEvents on they are
// the runtime's.
const (
	tasksReadied = iota // tasks whose dependences have ended
	tasksRoom           // the launch queue has room
	warpTimed           // a resident warp whose work is inferred has ended
	runtimeEvents
)

// newTasks returns the unit; the runtime starts with the first task.
func newTasks(m *core, as host.AsTasks) *tasks {
	u := &tasks{core: m, rt: m.policy.Tasks, as: as, first: Unset}
	u.live, u.behind = make(map[uint32]*Task), make(map[uint32][]*Task)
	if u.rt == nil {
		u.rt = newTaskStreams()
	}
	u.launches.Init()
	return u
}

// spawn takes a task from the program. again: the host waits and comes back
// with the same operation.
func (u *tasks) spawn(op *trace.HostOp, t Time) (again bool, err error) {
	h := u.host
	if at := host.Cycles(op.ArrivalNs, u.cfg); at > t {
		h.Sleep(at-t, t)
		return true, nil
	}
	if u.count == 0 {
		u.peak = u.warps
		if err := u.rt.Start(&TaskMachine{PersistentMachine{u.view}}); err != nil {
			return false, err
		}
	}
	if w := u.rt.Window(); w > 0 && len(u.live) >= w {
		if err := u.rt.Drain(t); err != nil {
			return false, err
		}
		if len(u.live) >= w {
			h.WaitFor(func() bool { return len(u.live) < w })
		}
		return true, nil
	}
	task, err := u.make(op)
	if err != nil {
		return false, err
	}
	u.count++
	u.waiting = false
	u.live[task.Kernel] = task
	for _, d := range op.Deps {
		if _, pending := u.live[d]; pending && d != task.Kernel {
			u.behind[d] = append(u.behind[d], task)
			task.waits++
		} else if !u.isDone(d) {
			return false, fmt.Errorf("task %d depends on task %d, which is not spawned before it", task.Kernel, d)
		}
	}
	if task.waits > 0 {
		return false, nil
	}
	return false, u.ready(task, t)
}

// make reads a task's kernel.
func (u *tasks) make(op *trace.HostOp) (*Task, error) {
	k := &u.kernel
	if err := u.tr.Kernel(op.Kernel, k); err != nil {
		return nil, err
	}
	if u.live[k.ID] != nil || u.isDone(k.ID) {
		return nil, fmt.Errorf("task %d is spawned twice", k.ID)
	}
	blocks, threads := k.Grid.Count(), k.Block.Count()
	if trace.InferredOf(k).Held() && blocks*threads == 0 { // not even a grid: one warp
		blocks, threads = 1, hardware.WarpSize
	}
	if blocks == 0 || threads == 0 || blocks >= 1<<31 || threads >= 1<<31 {
		return nil, fmt.Errorf("task %d: a grid of %d CTAs of %d threads is not one of a narrow task", k.ID, blocks, threads)
	}
	task := new(Task)
	if n := len(u.spare); n > 0 {
		task, u.spare = u.spare[n-1], u.spare[:n-1]
	}
	*task = Task{
		Kernel: k.ID, InBytes: op.InBytes, InCopies: op.InCopies, OutBytes: op.OutBytes,
		Sync: op.Sync, Blocks: uint32(blocks), Threads: uint32(threads),
		Registers: k.Registers, SharedBytes: k.SharedBytes, ThreadInsts: k.ThreadInsts,
	}
	task.Record = TaskRecord{
		Kernel: k.ID, Spawn: Unset, Copied: Unset, Schedulable: Unset, FirstWarp: Unset, End: Unset, Back: Unset, Worker: -1,
		Warps: uint32(blocks) * task.Warps(), SharedBytes: k.SharedBytes,
	}
	return task, nil
}

func (u *tasks) ready(task *Task, t Time) error {
	task.Record.Spawn = t
	return u.rt.Ready(task, t)
}

func (u *tasks) isDone(kernel uint32) bool {
	i := int(kernel >> 6)
	return i < len(u.done) && u.done[i]>>(kernel&63)&1 != 0
}

// event handles an evTask.
func (u *tasks) event(arg, kind uint64, t Time) error {
	switch kind {
	case tasksReadied:
	case tasksRoom:
		return u.rt.Event(0, 0, t)
	case warpTimed:
		u.slots[arg>>8].Over(int(arg&255), t)
		return nil
	default:
		return u.rt.Event(uint8(kind-runtimeEvents), arg, t)
	}
	for u.readied.Len() > 0 {
		if err := u.ready(u.readied.Pop(), t); err != nil {
			return err
		}
	}
	if err := u.host.Run(t); err != nil || !u.waiting || len(u.live) == 0 {
		return err
	}
	return u.rt.Drain(t)
}

// finish completes a task: those behind it become ready, and the host may go on.
func (u *tasks) finish(task *Task, t Time) {
	if task.open > 0 {
		panic(fmt.Sprintf("%T finishes task %d at %d, %d of its threadblocks run", u.rt, task.Kernel, t, task.open))
	}
	task.Record.Back = t
	u.sum.Cycles = max(u.sum.Cycles, t)
	if u.first == Unset || task.Record.Spawn < u.first {
		u.first = task.Record.Spawn
	}
	u.last = max(u.last, t)
	u.obs.Task(&task.Record)
	delete(u.live, task.Kernel)
	for int(task.Kernel>>6) >= len(u.done) {
		u.done = append(u.done, 0)
	}
	u.done[task.Kernel>>6] |= 1 << (task.Kernel & 63)
	for _, b := range u.behind[task.Kernel] {
		if b.waits--; b.waits == 0 {
			u.readied.Push(b)
		}
	}
	delete(u.behind, task.Kernel)
	u.spare = append(u.spare, task)
	u.queue.Post(t, evTask, 0, tasksReadied)
}

// drain notifies the runtime that the program waits.
func (u *tasks) drain(t Time) error {
	if u == nil || len(u.live) == 0 {
		return nil
	}
	u.waiting = true
	return u.rt.Drain(t)
}

// idle reports whether every task has ended; u may be nil.
func (u *tasks) idle() bool { return u == nil || len(u.live) == 0 }

// began and over keep the time during which a task runs.
func (u *tasks) began(t Time) {
	if u.running++; u.running == 1 {
		u.since = t
	}
}

func (u *tasks) over(t Time) {
	if u.running--; u.running == 0 {
		u.compute += t - u.since
	}
}

// report adds the unit's counts to the summary.
func (u *tasks) report() {
	if u == nil || u.count == 0 {
		return
	}
	m := &u.metrics
	m.set("tasks", float64(u.count))
	m.set("tasks_end_to_end_cycles", float64(u.last-max(0, u.first)))
	m.set("tasks_compute_cycles", float64(u.compute))
	places := float64(len(u.sms) * u.cfg.SM.MaxWarps)
	m.set("gpu_occupancy_peak_pct", 100*float64(u.peak)/places)
	if u.compute > 0 {
		m.set("gpu_occupancy_mean_pct", 100*float64(u.sum.ActiveWarpCycles)/(places*float64(u.compute)))
	}
}

// stuck lists tasks that can never end.
func (u *tasks) stuck(add func(string, ...any)) {
	if u == nil || len(u.live) == 0 {
		return
	}
	add("%d tasks were spawned and have not ended", len(u.live))
}

// warp keeps the largest number of warps that were on SMs together.
func (u *tasks) warp(n int) {
	u.warps += n
	u.peak = max(u.peak, u.warps)
}

// issue performs an operation of the host if it is one of a program of tasks. done: the
// host goes on with the next, or waits; again: it comes again with this one.
func (u *tasks) issue(op *trace.HostOp, t Time) (done, again bool, err error) {
	if u.as != host.NotTasks {
		ok, err := u.launches.Convert(u.tr, u.as, op)
		if !ok || err != nil {
			return true, false, err
		}
	}
	switch op.Kind {
	case trace.OpSpawn:
		again, err = u.spawn(op, t)
		return true, again, err
	case trace.OpWaitTask:
		var of []uint32
		for _, k := range append(op.Deps, op.Kernel) {
			if !u.isDone(k) && u.live[k] != nil {
				of = append(of, k)
			}
		}
		if len(of) > 0 {
			u.host.WaitFor(func() bool { return !slices.ContainsFunc(of, func(k uint32) bool { return !u.isDone(k) }) })
		}
		return true, false, u.drain(t)
	case trace.OpSyncDevice:
		return false, false, u.drain(t)
	}
	return false, false, nil
}
