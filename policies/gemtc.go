package policies

import (
	"fmt"

	"gpureplay/model"
	"gpureplay/model/clock"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

func init() {
	Register(Policy{
		Name: "gemtc", Title: "batches of tasks from one FIFO queue on the threadblocks of a SuperKernel",
		Source: "Pagoda paper, sections 1, 4.2 and 6 (GeMTC)",
		Doc: "A batch of tasks is copied to the device, and a SuperKernel starts whose threadblocks are workers: each " +
			"takes a task from the one queue, under " +
			"a lock, runs it as a threadblock, and puts the result into another queue under its lock. The batch ends with " +
			"its longest task; then the next " +
			"begins. There is neither shared memory nor synchronisation for tasks.",
		Tasks: true,
		Params: append([]Param{
			{"gemtc-batch", "0", "tasks of a batch; 0: as many threadblocks as the SuperKernel has workers"},
			{"gemtc-workers", "0", "threadblocks of the SuperKernel per SM; 0: as many as fit"},
		}, taskParams...),
		Adjust: adjustTasks,
		Needs: func(f *TraceProfile) string {
			switch {
			case f.TaskShared > 0:
				return "tasks of it use shared memory, which GeMTC's workers do not give"
			case f.TaskSyncs > 0:
				return "threadblocks of its tasks synchronise, for which GeMTC's workers have no barrier"
			}
			return needsTasks(f)
		},
		Compose: func(p *model.Policy, a Args) error {
			batch, err := a.Integer("gemtc-batch", 0, 1<<30)
			if err != nil {
				return err
			}
			workers, err := a.Integer("gemtc-workers", 0, 1<<10)
			if err != nil {
				return err
			}
			copies, err := a.taskCopies()
			p.Tasks = &gemtc{size: int(batch), perSM: int(workers), copies: copies}
			return err
		},
	})
}

// gemtc is GeMTC. Choices:
//
//  1. The SuperKernel is launched for each batch, after the batch has been copied,
//     with the threads and registers of the batch's most demanding task.
//  2. A worker takes a task as the public SuperKernel does: it takes the queue's
//     lock by compare-and-swap, reads Front, reads the entry, writes Front, and
//     gives the lock back, five accesses of the L2 each of which waits for the one
//     before; it puts the result into a second queue in the same way. Workers get
//     a lock in the order in which they ask; what those that wait read meanwhile
//     is not issued. The accesses are priced as atomic operations.
//  3. A task of several threadblocks is that many entries of the queue.
//  4. A batch begins when it is full or when nothing more comes. Its descriptions
//     are queued and its results taken as QueueJobs.cu does with a batch, by four
//     copies one after another: the queue's record, pointers (8 bytes a task),
//     descriptions (24 bytes a task) and the record's new end. One host thread makes the calls.
//  5. Inputs are copied before their batch and outputs behind it, or, phased, all
//     before the first batch and behind the last.
type gemtc struct {
	m      *model.TaskMachine
	host   taskHost
	size   int // of a batch; 0: a fill of the GPU
	perSM  int
	copies model.TaskCopies

	queue   clock.FIFO[*model.Task]
	flush   int // tasks of queue that are not to wait for a full batch
	drained bool
	inputs  clock.FIFO[*model.Task] // phased: not copied
	outs    clock.FIFO[*model.Task] // phased: ended, outputs not copied
	batch   []*model.Task
	shape   trace.Kernel // of a worker
	next    int          // task that is taken next
	block   uint32
	left    int // threadblocks whose result is not queued
	workers []*gemtcWorker
	take    gemtcLock // of the queue of tasks
	give    gemtcLock // of the queue of results
}

// gemtcLock is a lock in device memory, and the workers that wait for it.
type gemtcLock struct {
	address uint64
	held    bool
	waiting clock.FIFO[int]
	entry   uint64 // accessed under it next
}

// gemtcWorker is a threadblock of the SuperKernel.
type gemtcWorker struct {
	run   *gemtc
	index int
	res   *model.PersistentCTA
}

// Events of gemtc.
const (
	gemtcCopied  = iota // the batch is on the device
	gemtcStarted        // the SuperKernel is there
	gemtcAsk            // arg: a worker that requests a task
	gemtcTaken          // arg: a worker that has taken one
	gemtcResult         // arg: a worker whose threadblock has ended
	gemtcGiven          // arg: a worker that has queued its result
	gemtcEnded          // the batch has ended
	gemtcBack           // its results are on the host
	gemtcOutput         // arg: kernel; its output is too
)

const (
	gemtcPointer     = 8  // bytes of an entry
	gemtcWord        = 4  // bytes of a flag
	gemtcDescription = 24 // of a task: three integers and a pointer, aligned
	gemtcRecord      = 24 // of a queue: a pointer and four integers
	gemtcAccesses    = 5  // under a lock
)

// gemtcQueues is where the queues lie, apart from every address of a trace.
const gemtcQueues = 1 << 57

// Start is of [model.TaskRuntime].
func (r *gemtc) Start(m *model.TaskMachine) error {
	r.m, r.host = m, taskHost{m: m}
	return nil
}

// Window is of [model.TaskRuntime].
func (r *gemtc) Window() int {
	if r.copies == model.CopiesPhased {
		return 0
	}
	return max(1<<13, 2*r.size)
}

// Limits is of [model.LimitedRuntime].
func (r *gemtc) Limits(c *hardware.Config) model.ResidentLimits {
	return model.ResidentLimits{CTAs: c.SM.MaxCTAs, SharedUnit: 1}
}

// Ready is of [model.TaskRuntime].
func (r *gemtc) Ready(task *model.Task, t model.Time) error {
	if task.SharedBytes > 0 || task.Sync {
		return fmt.Errorf("task %d uses shared memory or synchronises", task.Kernel)
	}
	if r.copies == model.CopiesFree {
		task.InBytes, task.OutBytes = 0, 0
	}
	r.drained = false
	if r.copies == model.CopiesPhased && (task.InBytes > 0 || r.inputs.Len() > 0) {
		r.inputs.Push(task)
		return nil
	}
	r.queue.Push(task)
	return r.begin(t)
}

// Drain is of [model.TaskRuntime].
func (r *gemtc) Drain(t model.Time) error {
	r.drained = true
	for ; r.inputs.Len() > 0; r.queue.Push(r.inputs.Pop()) {
		r.host.inputs(*r.inputs.First(), t)
	}
	r.flush = r.queue.Len()
	return r.begin(t)
}

// begin starts the next batch if none runs, or copies the outputs behind the last.
func (r *gemtc) begin(t model.Time) error {
	if len(r.batch) > 0 {
		return nil
	}
	n, full, err := r.fill()
	if err != nil {
		return err
	}
	if n == 0 && r.drained {
		r.outputs(&r.outs, t)
	}
	if n == 0 || !full && r.flush == 0 {
		return nil
	}
	r.flush = max(0, r.flush-n)
	r.left, r.next, r.block = 0, 0, 0
	for range n {
		k := r.queue.Pop()
		if r.copies != model.CopiesPhased || k.InBytes == 0 {
			r.host.inputs(k, t)
		}
		r.batch = append(r.batch, k)
		r.left += int(k.Blocks)
	}
	r.host.wait()
	r.handOver(true, n, t)
	r.m.At(max(t, r.host.free), gemtcCopied, 0)
	return nil
}

// handOver copies descriptions to the device or back.
func (r *gemtc) handOver(in bool, n int, t model.Time) {
	for i, bytes := range []uint64{gemtcRecord, gemtcPointer * uint64(n), gemtcDescription * uint64(n), gemtcWord} {
		r.host.copy(in && i > 0 || i == 3, bytes, t)
		r.host.wait()
	}
}

// fill returns how many of the queue's tasks are the next batch, and whether it
// holds no more.
func (r *gemtc) fill() (n int, full bool, err error) {
	var f gpuFill
	for i := range r.queue.Len() {
		k := *r.queue.At(i)
		if r.size > 0 && n == r.size {
			break
		}
		fits, err := f.add(r.m, k, r.perSM)
		if err != nil {
			return 0, false, fmt.Errorf("a worker %w", err)
		}
		if n > 0 && r.size == 0 && !fits {
			return n, true, nil
		}
		n, r.shape = n+1, f.capped
	}
	return n, r.size > 0 && n == r.size, nil
}

// Event is of [model.TaskRuntime].
func (r *gemtc) Event(kind uint8, arg uint64, t model.Time) error {
	switch kind {
	case gemtcCopied:
		c := r.m.Config()
		r.host.free = t + r.m.LaunchCall()
		at := t + model.Time(c.Host.LaunchLatency) + model.Time(c.KMU.DispatchLatency)
		for _, k := range r.batch {
			k.Record.Copied, k.Record.Schedulable = t, at
		}
		r.m.At(at, gemtcStarted, 0)
	case gemtcStarted:
		return r.start(t)
	case gemtcAsk:
		r.ask(int(arg), t)
	case gemtcTaken:
		err := r.taken(r.workers[arg], t)
		r.release(&r.take, gemtcTaken, t)
		return err
	case gemtcResult:
		r.give.waiting.Push(int(arg))
		r.acquire(&r.give, gemtcGiven, t)
	case gemtcGiven:
		if r.left--; r.left == 0 {
			r.m.At(t, gemtcEnded, 0)
		} else {
			r.ask(int(arg), t)
		}
		r.release(&r.give, gemtcGiven, t)
	case gemtcEnded:
		for _, w := range r.workers {
			w.res.Release()
		}
		r.workers = r.workers[:0]
		r.handOver(false, len(r.batch), t)
		r.m.At(max(t, r.host.free), gemtcBack, 0)
	case gemtcBack:
		return r.over(t)
	case gemtcOutput:
		r.m.Finish(r.host.back(arg), t)
	}
	return nil
}

// over ends a batch whose results are on the host.
func (r *gemtc) over(t model.Time) error {
	ended := r.batch
	r.batch = nil
	for _, k := range ended {
		switch {
		case k.OutBytes == 0:
			r.m.Finish(k, t)
		default:
			r.outs.Push(k)
		}
	}
	if r.copies != model.CopiesPhased {
		r.outputs(&r.outs, t)
	}
	return r.begin(max(t, r.host.free))
}

// outputs copies outputs, one call each.
func (r *gemtc) outputs(q *clock.FIFO[*model.Task], t model.Time) {
	for q.Len() > 0 {
		r.host.output(q.Pop(), gemtcOutput, t)
	}
}

// start puts the SuperKernel on the SMs; every worker requests a task.
func (r *gemtc) start(t model.Time) error {
	per, _ := r.m.PersistentPerSM(&r.shape)
	if r.perSM > 0 {
		per = min(per, r.perSM)
	}
	r.take, r.give = gemtcLock{address: gemtcQueues}, gemtcLock{address: gemtcQueues + 1<<20}
	for n := range per * r.m.SMs() {
		w := &gemtcWorker{run: r, index: n}
		var err error
		if w.res, err = r.m.Reserve(n%r.m.SMs(), &r.shape, w); err != nil {
			return err
		}
		r.workers = append(r.workers, w)
	}
	for n := range r.workers {
		r.ask(n, t)
	}
	return nil
}

// acquire gives a lock that is free to the first worker that waits for it, and
// makes the accesses under it.
func (r *gemtc) acquire(l *gemtcLock, done uint8, t model.Time) {
	if l.held || l.waiting.Len() == 0 {
		return
	}
	l.held = true
	worker := l.waiting.Pop()
	l.entry += gemtcPointer
	entry := l.address + 4096 + l.entry%(1<<16)
	for i := range gemtcAccesses {
		address := l.address
		if i == gemtcAccesses/2 {
			address = entry
		}
		t = max(t, r.m.Atomic(r.workers[worker].res.SM(), address, t))
	}
	r.m.At(t, done, uint64(worker))
}

func (r *gemtc) release(l *gemtcLock, done uint8, t model.Time) {
	l.held = false
	r.acquire(l, done, t)
}

// ask lets a worker ask for a task; one that comes when the queue is empty is done.
func (r *gemtc) ask(worker int, t model.Time) {
	if r.next == len(r.batch) {
		return
	}
	r.take.waiting.Push(worker)
	r.acquire(&r.take, gemtcTaken, t)
}

// taken gives a worker the next threadblock of the queue.
func (r *gemtc) taken(w *gemtcWorker, t model.Time) error {
	task, block := r.batch[r.next], r.block
	if r.block++; r.block == task.Blocks {
		r.next, r.block = r.next+1, 0
	}
	if r.next == len(r.batch) { // the others wait for the end
		r.take.waiting = clock.FIFO[int]{}
	}
	cta, err := w.res.OpenCTA(task, block, t)
	if err != nil {
		return err
	}
	if task.Record.FirstWarp == model.Unset {
		task.Record.FirstWarp, task.Record.Worker = t, int32(w.index)
	}
	for i := range min(w.res.Warps(), int(task.Warps())) {
		w.res.RunTask(i, cta, uint32(i), t+1)
	}
	return nil
}

// ProgramEnded is of [model.PersistentRuntime]: workers run no programs.
func (w *gemtcWorker) ProgramEnded(*model.PersistentCTA, int, model.Time) {}

// WarpEnded is of [model.PersistentRuntime]: a worker waits for its whole threadblock.
func (w *gemtcWorker) WarpEnded(*model.PersistentCTA, int, model.Time) {}

// CTAEnded is of [model.PersistentRuntime]: the worker queues the result.
func (w *gemtcWorker) CTAEnded(_ *model.PersistentCTA, _ *model.Task, _ uint32, t model.Time) {
	w.run.m.At(t+1, gemtcResult, uint64(w.index))
}
