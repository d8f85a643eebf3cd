package policies

import "gpureplay/model"

// taskHost is a host thread that makes the calls of a runtime one after another:
// each keeps it for host.copy_call_ns, and the copy begins when the call does.
type taskHost struct {
	m    *model.TaskMachine
	free model.Time // when the thread is
	end  model.Time // of the last copy
	outs map[uint32]*model.Task
}

// copy makes the call of a copy at t or when the thread is free, and returns when the copy ends.
func (h *taskHost) copy(in bool, bytes uint64, t model.Time) (end model.Time) {
	at := max(t, h.free)
	_, h.end = h.m.Copy(in, bytes, at)
	h.free = at + h.m.CopyCall()
	return h.end
}

// wait lets the thread wait for the last copy.
func (h *taskHost) wait() { h.free = max(h.free, h.end) }

// inputs copies a task's input.
func (h *taskHost) inputs(k *model.Task, t model.Time) {
	k.Record.Spawn = max(t, h.free)
	for i := range k.Copies() {
		h.copy(true, k.CopyBytes(i), t)
	}
}

// output copies a task's output; the event gets its kernel, for [taskHost.back].
func (h *taskHost) output(k *model.Task, event uint8, t model.Time) {
	if h.outs == nil {
		h.outs = map[uint32]*model.Task{}
	}
	h.outs[k.Kernel] = k
	end := h.copy(false, k.OutBytes, t)
	h.m.At(end, event, uint64(k.Kernel))
}

// back returns a task whose output has been copied.
func (h *taskHost) back(kernel uint64) *model.Task {
	k := h.outs[uint32(kernel)]
	delete(h.outs, uint32(kernel))
	return k
}
