package policies

import (
	"gpureplay/model"
	"gpureplay/policies/pagoda"
)

// pagodaWaiter is the thread of the nested tasks of figure 1(a), beside the one
// that spawns: it waits for the oldest task and copies outputs.
type pagodaWaiter struct {
	tasks queueOf[spawnedTask]
	busy  bool
	state pagoda.State // that the transfer under way carries
}

// spawnedTask is a task by its entry, which later tasks may have too.
type spawnedTask struct {
	id     pagoda.ID
	kernel uint32
}

// serve lets the waiting thread go on: an output first, then a wait. There is no
// such thread where copies are phased; while the program has nothing to spawn,
// the spawning thread sees what ends.
func (r *pagodaRun) serve(t model.Time) {
	w := &r.waiter
	if !r.beside() || w.busy {
		return
	}
	if r.outs.len() > 0 {
		w.busy = true
		r.takeBack(t)
		r.m.At(t+r.m.CopyCall(), pagodaWait, 0)
		return
	}
	for w.tasks.len() > 0 && !r.lives(w.tasks.first()) {
		w.tasks.pop()
	}
	r.spawner.Wait(r.tells())
	if w.tasks.len() == 0 || r.spawner.Polling() || r.entries[w.tasks.first().id].Record.Copied == model.Unset {
		return
	}
	w.busy = true
	start, end := r.m.Copy(false, wordBytes, t)
	r.m.At(start, pagodaPeek, 0)
	r.m.At(max(end, t+r.m.CopyCall()), pagodaPeeked, 0)
}

// lives reports whether a task has not been seen done.
func (r *pagodaRun) lives(x spawnedTask) bool {
	task := r.entries[x.id]
	return task != nil && task.Kernel == x.kernel
}

// returned handles what comes back from the device.
func (r *pagodaRun) returned(kind uint8, arg uint64, t model.Time) {
	switch kind {
	case pagodaRead:
		r.read(t)
	case pagodaShot:
		r.spawner.Start(r.target)
	case pagodaSeen:
		r.seen(t)
	case pagodaPoll:
		r.ended = r.table.Ended()
	case pagodaPolled:
		r.waits = false
		r.spawner.Polled(r.ended)
		r.act(t)
	case pagodaPeek:
		if x := r.waiter.tasks.first(); r.lives(x) {
			r.waiter.state = r.table.GPU(x.id).State
		}
	case pagodaPeeked:
		r.peeked(t)
	case pagodaWait:
		r.waiter.busy = false
		r.act(t)
	case pagodaOutput:
		task := r.back[uint32(arg)]
		delete(r.back, uint32(arg))
		r.m.Finish(task, t)
	}
}

// peeked ends a wait's copy of a ready field.
func (r *pagodaRun) peeked(t model.Time) {
	w := &r.waiter
	w.busy = false
	if x := w.tasks.first(); r.lives(x) && r.spawner.Learn(x.id, w.state) {
		r.over(x.id, t)
	}
	r.act(t)
}

// read asks for a copy back: all entries sent before have arrived.
func (r *pagodaRun) read(t model.Time) {
	bytes := r.shape.entryBytes
	if r.target == pagoda.NoID {
		bytes *= uint64(r.table.Columns() * r.table.Rows())
	}
	r.m.Count("pagoda_copies_back")
	start, end := r.m.Copy(false, bytes, t)
	r.m.At(start, pagodaShot, 0)
	r.m.At(max(end, r.free), pagodaSeen, 0)
}

// seen ends a copy back.
func (r *pagodaRun) seen(t model.Time) {
	r.waits = false
	r.done = r.spawner.CopiedBack(r.done[:0])
	for _, id := range r.done {
		r.over(id, t)
	}
	r.act(t)
}

// over notes that a task is seen done.
func (r *pagodaRun) over(id pagoda.ID, t model.Time) {
	task := r.entries[id]
	r.entries[id] = nil
	if task.OutBytes == 0 {
		r.m.Finish(task, t)
		return
	}
	r.outs.push(task)
}

// output copies the outputs of a phase when all of its tasks have been seen done.
func (r *pagodaRun) output(t model.Time) bool {
	idle := r.drained && r.queue.len()+r.inputs.len()+r.loaded.len()+r.spawner.Offered()+r.spawner.Live() == 0
	if r.beside() || !idle || r.outs.len() == 0 {
		return false
	}
	r.takeBack(t)
	r.call(r.m.CopyCall(), t)
	return true
}

// takeBack copies the output of the first task that is seen done and waits for it.
func (r *pagodaRun) takeBack(t model.Time) {
	task := r.outs.pop()
	r.back[task.Kernel] = task
	_, end := r.m.Copy(false, task.OutBytes, t)
	r.m.At(end, pagodaOutput, uint64(task.Kernel))
}
