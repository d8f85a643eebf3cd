package pagoda

import (
	"gpureplay/model"
	"gpureplay/model/clock"
)

// Runtime is Pagoda on the machine: the host's spawning thread in this file, its waits
// in wait.go, the MasterKernel in gpu.go.
//
// Choices beyond those of the data structures:
//
//  1. The MasterKernel runs when the program begins; its launch is not counted.
//  2. Inputs and entries share the engine to the device in the order requested;
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
//     entries that have a task. The paper's waits have a timeout of no stated length; the artifact
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
type Runtime struct {
	shape   Shape
	m       *model.TaskMachine
	table   *Table
	spawner *Spawner
	mtbs    []*masterCTA
	code    machineCode
	entries []*model.Task // by ID
	left    []uint32      // threadblocks of the task that have not ended, likewise
	scan    model.Time    // an idle scheduler warp's time for an entry

	// The spawning thread.
	queue   clock.FIFO[*model.Task] // ready, no copy begun
	inputs  clock.FIFO[*model.Task] // of a phase: to be copied
	loaded  clock.FIFO[*model.Task] // of a phase: the calls of their inputs are made
	offered clock.FIFO[*model.Task] // inputs there, to be spawned, in the order of the spawner
	loading *model.Task
	copies  int        // of loading, or of the first of inputs, that are made
	there   model.Time // arrival of the last input of a phase
	drained bool
	free    model.Time // when the thread is
	waits   bool       // it waits for a copy
	turned  model.Time // an event stands for both threads to act
	sent    model.Time // arrival of the last entry sent
	target  ID         // entry that is copied back
	ended   int        // that a poll will find
	done    []ID

	waiter waiter
	outs   clock.FIFO[*model.Task] // seen done, outputs not copied
	back   map[uint32]*model.Task
}

// Kinds of events.
const (
	eventFree   = iota // the spawning thread has made its call
	eventInput         // inputs are on the device
	eventEntry         // an entry arrives
	eventRead          // a copy back is requested
	eventShot          // its transfer begins
	eventSeen          // and ends
	eventPoll          // the transfer of the counter begins
	eventPolled        // and ends
	eventPeek          // the waiting thread's transfer of a ready field begins
	eventPeeked        // and ends
	eventWait          // the waiting thread is free
	eventOutput        // arg: kernel; its output is on the host
	eventLook          // scheduler warps that idle look again
	eventLeave         // arg: column; executors leave their tasks
)

// wordBytes are the bytes of a poll.
const wordBytes = 4

// Window is of [model.TaskRuntime].
func (r *Runtime) Window() int {
	if !r.beside() {
		return 0
	}
	return 1 << 13
}

// beside reports whether copies stand beside their tasks, so that there are two
// threads; without copies there are no phases, but one thread all the same.
func (r *Runtime) beside() bool { return r.shape.Copies == model.CopiesInterleaved }

// Start is of [model.TaskRuntime].
func (r *Runtime) Start(m *model.TaskMachine) error {
	r.m = m
	r.back, r.turned = map[uint32]*model.Task{}, model.Unset
	columns := m.SMs() * r.mtbsOf(m.Config())
	var err error
	if r.table, err = NewTable(columns, r.shape.Rows); err != nil {
		return err
	}
	r.entries = make([]*model.Task, int(r.table.ID(columns-1, r.shape.Rows-1))+1)
	r.left = make([]uint32, len(r.entries))
	r.scan = scanCycles(m.Config())
	if r.spawner, err = NewSpawner(r.table, r.shape.Batch); err != nil {
		return err
	}
	return r.startGPU(columns)
}

// Ready is of [model.TaskRuntime].
func (r *Runtime) Ready(task *model.Task, t model.Time) error {
	if err := r.shape.MTB.Admits(entryOf(task)); err != nil {
		return err
	}
	if r.shape.Copies == model.CopiesFree {
		task.InBytes, task.OutBytes = 0, 0
	}
	r.drained = false
	r.queue.Push(task)
	r.turn(t)
	return nil
}

// entryOf is a task's entry of the table.
func entryOf(k *model.Task) Task {
	return Task{Kernel: k.Kernel, Blocks: k.Blocks, Threads: k.Threads, SharedBytes: k.SharedBytes, Sync: k.Sync}
}

// Drain is of [model.TaskRuntime].
func (r *Runtime) Drain(t model.Time) error {
	r.drained = true
	r.turn(t)
	return nil
}

// turn lets the threads act once the program has said all that it says at t.
func (r *Runtime) turn(t model.Time) {
	if r.turned != t {
		r.turned = t
		r.m.At(t, eventFree, 0)
	}
}

// act lets the spawning thread go on until it is busy, waits for a copy, or has
// nothing to do.
func (r *Runtime) act(t model.Time) {
	for !r.waits && t >= r.free {
		if !r.input(t) && !r.spawn(t) && !r.output(t) {
			break
		}
	}
	r.serve(t)
}

// call keeps the spawning thread for a call that begins at t.
func (r *Runtime) call(took, t model.Time) {
	r.free = t + took
	if r.free > t {
		r.m.At(r.free, eventFree, 0)
	}
}

// input goes on with the copies of inputs, and reports whether there was
// something to be done.
func (r *Runtime) input(t model.Time) bool {
	if !r.beside() {
		return r.phase(t)
	}
	if r.loading == nil {
		if r.queue.Len() == 0 || r.spawner.Offered() > 0 {
			return false
		}
		r.loading, r.copies = r.queue.Pop(), 0
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
	r.m.At(max(end, t+r.m.CopyCall()), eventInput, 0)
	return true
}

// phase is input where all inputs are copied first.
func (r *Runtime) phase(t model.Time) bool {
	for r.queue.Len() > 0 {
		switch task := *r.queue.First(); {
		case r.inputs.Len()+r.loaded.Len() > 0 || task.InBytes > 0:
			r.inputs.Push(r.queue.Pop())
		default:
			task.Record.Spawn = t
			r.offer(r.queue.Pop())
		}
	}
	switch {
	case r.inputs.Len() > 0 && (r.drained || r.loaded.Len() > 0 || r.copies > 0):
		task := *r.inputs.First()
		if r.copies == 0 {
			task.Record.Spawn = t
		}
		if r.copies == task.Copies() {
			r.loaded.Push(r.inputs.Pop())
			r.copies = 0
			return true
		}
		_, r.there = r.m.Copy(true, task.CopyBytes(r.copies), t)
		r.copies++
		r.call(r.m.CopyCall(), t)
		return true
	case r.loaded.Len() > 0 && t < r.there:
		r.waits = true
		r.m.At(r.there, eventInput, 0)
		return true
	}
	for r.loaded.Len() > 0 {
		r.offer(r.loaded.Pop())
	}
	return false
}

func (r *Runtime) offer(task *model.Task) {
	r.offered.Push(task)
	r.spawner.Offer(entryOf(task))
}

// tells is the program's wait, as far as the spawner is to know.
func (r *Runtime) tells() Wait {
	switch {
	case r.queue.Len()+r.inputs.Len() > 0 || r.loading != nil:
		return WaitNone
	case !r.drained:
		return WaitIdle
	case !r.beside() && r.m.Held() == 0:
		return WaitAll
	}
	return WaitAny
}

// spawn performs the spawner's next action.
func (r *Runtime) spawn(t model.Time) bool {
	r.spawner.Wait(r.tells())
	switch a := r.spawner.Next(); a.Act {
	case ActSend:
		r.send(a, t)
	case ActCopyBack:
		r.target, r.waits = a.ID, true
		r.free = t + r.m.CopyCall()
		r.m.At(max(t, r.sent), eventRead, 0)
	case ActPoll:
		r.waits = true
		r.free = t + r.m.CopyCall()
		start, end := r.m.Copy(false, wordBytes, t)
		r.m.At(start, eventPoll, 0)
		r.m.At(max(end, r.free), eventPolled, 0)
	default:
		return false
	}
	return true
}

// send copies an entry to the GPU.
func (r *Runtime) send(a Action, t model.Time) {
	if !a.Release {
		task := r.offered.Pop()
		r.entries[a.ID], r.left[a.ID] = task, task.Blocks
		if r.beside() {
			r.waiter.tasks.Push(spawnedTask{a.ID, task.Kernel})
		}
	}
	_, r.sent = r.m.Copy(true, r.shape.EntryBytes, t)
	r.m.At(r.sent, eventEntry, 0)
	r.call(r.spawnCall(), t)
}

// spawnCall is how long a spawn keeps the spawning thread.
func (r *Runtime) spawnCall() model.Time {
	if r.shape.SpawnNs < 0 {
		return r.m.CopyCall()
	}
	return r.m.Cycles(int64(r.shape.SpawnNs))
}

// Event is of [model.TaskRuntime].
func (r *Runtime) Event(kind uint8, arg uint64, t model.Time) error {
	switch kind {
	case eventFree:
		r.turned = model.Unset
		r.act(t)
	case eventInput:
		r.waits = false
		r.act(t)
	case eventEntry:
		r.arrive(t)
	case eventLook:
		r.look(t)
	case eventLeave:
		r.mtbs[arg].leaveDue(t)
	default:
		r.returned(kind, arg, t)
	}
	return nil
}

// arrive ends the copy of an entry.
func (r *Runtime) arrive(t model.Time) {
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
