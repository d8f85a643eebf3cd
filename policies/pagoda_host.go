package policies

import (
	"gpureplay/model"
	"gpureplay/policies/pagoda"
)

// pagodaRun is Pagoda on the machine: the host's spawning thread in this file,
// what comes back in pagoda_wait.go, the MasterKernel in pagoda_gpu.go, the data
// structures in package pagoda.
//
// Choices beyond those of package pagoda:
//
//  1. The MasterKernel runs when the program begins; its launch is not counted.
//  2. Inputs and entries share the engine to the device in the order asked for;
//     outputs, polls and copies back share the other one. An entry has the 168
//     bytes of the artifact's (nine words and sixteen pointers); the paper's list
//     of its fields needs 64 (pagoda-entry-bytes). Every call of a copy keeps its
//     thread for host.copy_call_ns, and a spawn for pagoda-spawn-ns; each begins when its call does.
//  3. Interleaved (figure 1a), there are two threads. One copies a task's input,
//     waits for it, and spawns the task; the other waits for the oldest task and
//     copies its output: the nested tasks of the figure. A wait reads the ready
//     field of the task's entry, 4 bytes, again and again. When the program
//     has nothing to spawn before a task has ended, the first thread does as
//     waitAll does: it reads the counter of ended tasks, 4 bytes, and then the
//     table. The paper's waits have a timeout of no stated length; the artifact
//     polls.
//  4. Phased (the artifact's programs), one thread copies the inputs of all tasks
//     without waiting between, waits, spawns all, polls until all have ended, and
//     copies all outputs. Tasks that the program spawns later, since they wait for
//     others, are spawned when they can be; those without an input at once.
//  5. A task's output is copied when the host has seen it end.
//  6. Idle executor warps poll their exec flag; those polls are not issued. An
//     idle scheduler warp's steps to no effect are not issued either, but its
//     place in the column moves on at the pace of one entry a scan.
//  7. The entry's accesses by scheduler and executor warps go through the memory
//     model as table accesses do; WarpTable, counters and the tree of shared
//     memory lie in shared memory and are free of bank conflicts. The counter of
//     ended tasks is incremented with the store that frees the entry.
//  8. An executor warp leaves a task when its stores are acknowledged, so that a
//     task that the host sees as ended has its output in memory.
//  9. Line 3 of algorithm 1 walks the column entry by entry. With a load from the
//     L2 for each, a sweep of 32 rows takes some 8 us, and since every release
//     waits for the one before it, that allows one task in 4 to 8 us: less than
//     HyperQ launches, against everything that the paper measures. So the lanes
//     read 32 entries at once, as they do in pSched and in the allocator;
//     pagoda-scan=entry is the listing to the letter. The artifact has neither
//     trouble: the scheduler warp that finds a successor's entry schedules the
//     predecessor itself (pagoda-release=successor), so that no release waits.
//  10. A task that needs more registers than the MasterKernel has is run as it
//     was recorded: the spills that the cap would add are in no trace.
type pagodaRun struct {
	shape   pagodaShape
	m       *model.TaskMachine
	table   *pagoda.Table
	spawner *pagoda.Spawner
	mtbs    []*mtb
	code    pagodaCode
	entries []*model.Task // by pagoda.ID
	left    []uint32      // threadblocks of the task that have not ended, likewise
	scan    model.Time    // an idle scheduler warp's time for an entry

	// The spawning thread.
	queue   taskQueue // ready, no copy begun
	inputs  taskQueue // of a phase: to be copied
	loaded  taskQueue // of a phase: the calls of their inputs are made
	offered taskQueue // inputs there, to be spawned, in the order of the spawner
	loading *model.Task
	copies  int        // of loading, or of the first of inputs, that are made
	there   model.Time // arrival of the last input of a phase
	drained bool
	free    model.Time // when the thread is
	waits   bool       // it waits for a copy
	turned  model.Time // an event stands for both threads to act
	sent    model.Time // arrival of the last entry sent
	target  pagoda.ID  // entry that is copied back
	ended   int        // that a poll will find
	done    []pagoda.ID

	waiter pagodaWaiter
	outs   taskQueue // seen done, outputs not copied
	back   map[uint32]*model.Task
}

// Kinds of events.
const (
	pagodaFree   = iota // the spawning thread has made its call
	pagodaInput         // inputs are on the device
	pagodaEntry         // an entry arrives
	pagodaRead          // a copy back is asked for
	pagodaShot          // its transfer begins
	pagodaSeen          // and ends
	pagodaPoll          // the transfer of the counter begins
	pagodaPolled        // and ends
	pagodaPeek          // the waiting thread's transfer of a ready field begins
	pagodaPeeked        // and ends
	pagodaWait          // the waiting thread is free
	pagodaOutput        // arg: kernel; its output is on the host
	pagodaLook          // scheduler warps that idle look again
)

// wordBytes is what a poll carries: a word.
const wordBytes = 4

// Window is of [model.TaskRuntime].
func (r *pagodaRun) Window() int {
	if !r.beside() {
		return 0
	}
	return 1 << 13
}

// beside reports whether copies stand beside their tasks, so that there are two
// threads; without copies there are no phases, but one thread all the same.
func (r *pagodaRun) beside() bool { return r.shape.copies == model.CopiesInterleaved }

// Start is of [model.TaskRuntime].
func (r *pagodaRun) Start(m *model.TaskMachine) error {
	r.m = m
	r.back, r.turned = map[uint32]*model.Task{}, model.Unset
	columns := m.SMs() * r.mtbsOf(m.Config())
	var err error
	if r.table, err = pagoda.NewTable(columns, r.shape.rows); err != nil {
		return err
	}
	r.entries = make([]*model.Task, int(r.table.ID(columns-1, r.shape.rows-1))+1)
	r.left = make([]uint32, len(r.entries))
	r.scan = scanCycles(m.Config())
	if r.spawner, err = pagoda.NewSpawner(r.table, r.shape.batch); err != nil {
		return err
	}
	return r.startGPU(columns)
}

// Ready is of [model.TaskRuntime].
func (r *pagodaRun) Ready(task *model.Task, t model.Time) error {
	if err := r.shape.mtb.Admits(entryOf(task)); err != nil {
		return err
	}
	if r.shape.copies == model.CopiesFree {
		task.InBytes, task.OutBytes = 0, 0
	}
	r.drained = false
	r.queue.push(task)
	r.turn(t)
	return nil
}

// entryOf is what the table says about a task.
func entryOf(k *model.Task) pagoda.Task {
	return pagoda.Task{Kernel: k.Kernel, Blocks: k.Blocks, Threads: k.Threads, SharedBytes: k.SharedBytes, Sync: k.Sync}
}

// Drain is of [model.TaskRuntime].
func (r *pagodaRun) Drain(t model.Time) error {
	r.drained = true
	r.turn(t)
	return nil
}

// turn lets the threads act once the program has said all that it says at t.
func (r *pagodaRun) turn(t model.Time) {
	if r.turned != t {
		r.turned = t
		r.m.At(t, pagodaFree, 0)
	}
}

// act lets the spawning thread go on until it is busy, waits for a copy, or has
// nothing to do.
func (r *pagodaRun) act(t model.Time) {
	for !r.waits && t >= r.free {
		if !r.input(t) && !r.spawn(t) && !r.output(t) {
			break
		}
	}
	r.serve(t)
}

// call keeps the spawning thread for a call that begins at t.
func (r *pagodaRun) call(took, t model.Time) {
	r.free = t + took
	if r.free > t {
		r.m.At(r.free, pagodaFree, 0)
	}
}

// input goes on with the copies of inputs, and reports whether there was
// something to be done.
func (r *pagodaRun) input(t model.Time) bool {
	if !r.beside() {
		return r.phase(t)
	}
	if r.loading == nil {
		if r.queue.len() == 0 || r.spawner.Offered() > 0 {
			return false
		}
		r.loading, r.copies = r.queue.pop(), 0
		r.loading.Record.Spawn = t
	}
	if r.copies == r.loading.Copies() {
		r.offer(r.loading)
		r.loading = nil
		return true
	}
	_, end := r.m.Copy(true, r.loading.CopyBytes(r.copies), t)
	r.copies++
	r.waits = true // cudaMemcpy returns when the copy has ended
	r.m.At(max(end, t+r.m.CopyCall()), pagodaInput, 0)
	return true
}

// phase is input where all inputs are copied first.
func (r *pagodaRun) phase(t model.Time) bool {
	for r.queue.len() > 0 {
		switch task := r.queue.first(); {
		case r.inputs.len()+r.loaded.len() > 0 || task.InBytes > 0:
			r.inputs.push(r.queue.pop())
		default:
			task.Record.Spawn = t
			r.offer(r.queue.pop())
		}
	}
	switch {
	case r.inputs.len() > 0 && (r.drained || r.loaded.len() > 0 || r.copies > 0):
		task := r.inputs.first()
		if r.copies == 0 {
			task.Record.Spawn = t
		}
		if r.copies == task.Copies() {
			r.loaded.push(r.inputs.pop())
			r.copies = 0
			return true
		}
		_, r.there = r.m.Copy(true, task.CopyBytes(r.copies), t)
		r.copies++
		r.call(r.m.CopyCall(), t)
		return true
	case r.loaded.len() > 0 && t < r.there:
		r.waits = true
		r.m.At(r.there, pagodaInput, 0)
		return true
	}
	for r.loaded.len() > 0 {
		r.offer(r.loaded.pop())
	}
	return false
}

func (r *pagodaRun) offer(task *model.Task) {
	r.offered.push(task)
	r.spawner.Offer(entryOf(task))
}

// tells is what the program waits for, as far as the spawner is to know.
func (r *pagodaRun) tells() pagoda.Wait {
	switch {
	case r.queue.len()+r.inputs.len() > 0 || r.loading != nil:
		return pagoda.WaitNone
	case !r.drained:
		return pagoda.WaitIdle
	case !r.beside() && r.m.Held() == 0:
		return pagoda.WaitAll
	}
	return pagoda.WaitAny
}

// spawn does what the spawner is for.
func (r *pagodaRun) spawn(t model.Time) bool {
	r.spawner.Wait(r.tells())
	switch a := r.spawner.Next(); a.Act {
	case pagoda.ActSend:
		r.send(a, t)
	case pagoda.ActCopyBack:
		r.target, r.waits = a.ID, true
		r.free = t + r.m.CopyCall()
		r.m.At(max(t, r.sent), pagodaRead, 0)
	case pagoda.ActPoll:
		r.waits = true
		r.free = t + r.m.CopyCall()
		start, end := r.m.Copy(false, wordBytes, t)
		r.m.At(start, pagodaPoll, 0)
		r.m.At(max(end, r.free), pagodaPolled, 0)
	default:
		return false
	}
	return true
}

// send copies an entry to the GPU.
func (r *pagodaRun) send(a pagoda.Action, t model.Time) {
	if !a.Release {
		task := r.offered.pop()
		r.entries[a.ID], r.left[a.ID] = task, task.Blocks
		if r.beside() {
			r.waiter.tasks.push(spawnedTask{a.ID, task.Kernel})
		}
	}
	_, r.sent = r.m.Copy(true, r.shape.entryBytes, t)
	r.m.At(r.sent, pagodaEntry, 0)
	r.call(r.spawnCall(), t)
}

// spawnCall is how long a spawn keeps the spawning thread.
func (r *pagodaRun) spawnCall() model.Time {
	if r.shape.spawnNs < 0 {
		return r.m.CopyCall()
	}
	return r.m.Cycles(int64(r.shape.spawnNs))
}

// Event is of [model.TaskRuntime].
func (r *pagodaRun) Event(kind uint8, arg uint64, t model.Time) error {
	switch kind {
	case pagodaFree:
		r.turned = model.Unset
		r.act(t)
	case pagodaInput:
		r.waits = false
		r.act(t)
	case pagodaEntry:
		r.arrive(t)
	case pagodaLook:
		r.look(t)
	default:
		r.returned(kind, arg, t)
	}
	return nil
}

// arrive ends the copy of an entry.
func (r *pagodaRun) arrive(t model.Time) {
	id := r.table.Arrive()
	rec := &r.entries[id].Record
	if rec.Copied == model.Unset {
		rec.Copied = t
	}
	if r.table.GPU(id).Sched {
		rec.Schedulable = t
	}
	r.look(t)
	r.serve(t)
}
