package pagoda

import (
	"gpureplay/model"
	"gpureplay/model/clock"
)

// waiter is the thread of the nested tasks of figure 1(a), beside the one
// that spawns: it waits for the oldest task and copies outputs.
type waiter struct {
	tasks clock.FIFO[spawnedTask]
	busy  bool
	state State // that the transfer under way carries
}

// spawnedTask is a task by its entry, which later tasks may have too.
type spawnedTask struct {
	id     ID
	kernel uint32
}

// serve lets the waiting thread go on: an output first, then a wait. There is no such thread where copies are
// phased; while the program has nothing to spawn, the spawning thread sees tasks end.
func (r *Runtime) serve(t model.Time) {
	w := &r.waiter
	if !r.beside() || w.busy {
		return
	}
	if r.outs.Len() > 0 {
		w.busy = true
		r.takeBack(t)
		r.m.At(t+r.m.CopyCall(), eventWait, 0)
		return
	}
	for w.tasks.Len() > 0 && !r.lives(*w.tasks.First()) {
		w.tasks.Pop()
	}
	r.spawner.Wait(r.tells())
	if w.tasks.Len() == 0 || r.spawner.Polling() || r.entries[w.tasks.First().id].Record.Copied == model.Unset {
		return
	}
	w.busy = true
	start, end := r.m.Copy(false, wordBytes, t)
	r.m.At(start, eventPeek, 0)
	r.m.At(max(end, t+r.m.CopyCall()), eventPeeked, 0)
}

// lives reports whether a task has not been seen done.
func (r *Runtime) lives(x spawnedTask) bool {
	task := r.entries[x.id]
	return task != nil && task.Kernel == x.kernel
}

// returned handles events of copies back from the device.
func (r *Runtime) returned(kind uint8, arg uint64, t model.Time) {
	switch kind {
	case eventRead:
		r.read(t)
	case eventShot:
		r.spawner.Start(r.target)
	case eventSeen:
		r.seen(t)
	case eventPoll:
		r.ended = r.table.Ended()
	case eventPolled:
		r.waits = false
		r.spawner.Polled(r.ended)
		r.act(t)
	case eventPeek:
		if x := *r.waiter.tasks.First(); r.lives(x) {
			r.waiter.state = r.table.GPU(x.id).State
		}
	case eventPeeked:
		r.peeked(t)
	case eventWait:
		r.waiter.busy = false
		r.act(t)
	case eventOutput:
		task := r.back[uint32(arg)]
		delete(r.back, uint32(arg))
		r.m.Finish(task, t)
	}
}

// peeked ends a wait's copy of a ready field.
func (r *Runtime) peeked(t model.Time) {
	w := &r.waiter
	w.busy = false
	if x := *w.tasks.First(); r.lives(x) && r.spawner.Learn(x.id, w.state) {
		r.over(x.id, t)
	}
	r.act(t)
}

// read requests a copy back: all entries sent before have arrived.
func (r *Runtime) read(t model.Time) {
	bytes := r.shape.EntryBytes
	if r.target == NoID {
		bytes *= uint64(r.table.Span())
	}
	r.m.Count("pagoda_copies_back")
	start, end := r.m.Copy(false, bytes, t)
	r.m.At(start, eventShot, 0)
	r.m.At(max(end, r.free), eventSeen, 0)
}

// seen ends a copy back.
func (r *Runtime) seen(t model.Time) {
	r.waits = false
	r.done = r.spawner.CopiedBack(r.done[:0])
	for _, id := range r.done {
		r.over(id, t)
	}
	r.act(t)
}

// over notes that a task is seen done.
func (r *Runtime) over(id ID, t model.Time) {
	task := r.entries[id]
	r.entries[id] = nil
	if task.OutBytes == 0 {
		r.m.Finish(task, t)
		return
	}
	r.outs.Push(task)
}

// output copies the outputs of a phase when all of its tasks have been seen done.
func (r *Runtime) output(t model.Time) bool {
	idle := r.drained && r.queue.Len()+r.inputs.Len()+r.loaded.Len()+r.spawner.Offered()+r.spawner.Live() == 0
	if r.beside() || !idle || r.outs.Len() == 0 {
		return false
	}
	r.takeBack(t)
	r.call(r.m.CopyCall(), t)
	return true
}

// takeBack copies the output of the first task that is seen done and waits for it.
func (r *Runtime) takeBack(t model.Time) {
	task := r.outs.Pop()
	r.back[task.Kernel] = task
	_, end := r.m.Copy(false, task.OutBytes, t)
	r.m.At(end, eventOutput, uint64(task.Kernel))
}
