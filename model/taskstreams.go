package model

import (
	"gpureplay/model/clock"
	"gpureplay/model/host"
	"gpureplay/trace"
)

// taskStreams runs tasks as kernels in streams (HyperQ): each task goes to the
// next of 32 streams; its input copies, its launch and its output copy follow
// one another there. One host thread makes the calls, each of which keeps it:
// host.copy_call_ns for an asynchronous copy, host.launch_overhead_ns for a
// launch. [TaskCopies] says in which order. Under a serial policy there is one
// stream, and a task waits for the one before it.
type taskStreams struct {
	*TaskMachine
	calls clock.FIFO[taskCall] // to be made, in order
	free  Time                 // when the host thread is
	next  uint64
	wake  Time // for which an event stands

	// Of [CopiesPhased].
	drained  bool
	gathered []*Task // wait until the program waits
	copied   []*Task // calls of their inputs are made, or to be made
	copying  int     // input copies that have not ended
	running  int     // tasks to be launched, or launched and not ended
	outs     []*Task // ended, outputs not copied
}

// taskCall is a call of the host for a task.
type taskCall struct {
	kind  trace.OpKind
	task  *Task
	bytes uint64
	last  bool // the task's last operation
}

// taskStreamCount is how many streams tasks go to in turn (Pagoda section 6.1:
// 32 connections).
const taskStreamCount = 32

// taskStreamBase keeps the streams of tasks apart from the program's.
const taskStreamBase = 1 << 62

func newTaskStreams() *taskStreams { return &taskStreams{} }

// Start is of [TaskRuntime].
func (r *taskStreams) Start(m *TaskMachine) error {
	r.TaskMachine = m
	return nil
}

// Window is of [TaskRuntime].
func (r *taskStreams) Window() int {
	switch p := r.m.policy; {
	case p.Host.Serial():
		return 1
	case p.TaskCopies == CopiesPhased:
		return 0
	}
	return taskWindow
}

// Ready is of [TaskRuntime].
func (r *taskStreams) Ready(task *Task, t Time) error {
	phased := r.m.policy.TaskCopies == CopiesPhased
	if r.m.policy.TaskCopies == CopiesFree {
		task.InBytes, task.OutBytes = 0, 0
	}
	r.drained = false
	switch {
	case !phased:
		r.inputs(task)
		r.launches(task, task.OutBytes == 0)
		if task.OutBytes > 0 {
			r.calls.Push(taskCall{trace.OpCopyD2H, task, task.OutBytes, true})
		}
	case task.InBytes == 0 && len(r.gathered)+len(r.copied) == 0:
		r.running++
		r.launches(task, task.OutBytes == 0)
	default:
		r.gathered = append(r.gathered, task)
	}
	return r.step(t)
}

// inputs makes the calls that copy a task's input.
func (r *taskStreams) inputs(task *Task) {
	for i := range task.Copies() {
		r.calls.Push(taskCall{trace.OpCopyH2D, task, task.CopyBytes(i), false})
	}
}

func (r *taskStreams) launches(task *Task, last bool) {
	r.calls.Push(taskCall{kind: trace.OpLaunch, task: task, last: last})
}

// Drain is of [TaskRuntime].
func (r *taskStreams) Drain(t Time) error {
	r.drained = true
	return r.step(t)
}

// Event is of [TaskRuntime]: the host thread is free, or an operation has ended.
func (r *taskStreams) Event(_ uint8, _ uint64, t Time) error {
	return r.step(t)
}

// step makes calls until the host thread is busy or the launch queue is full.
func (r *taskStreams) step(t Time) error {
	h := r.m.host
	for {
		if r.calls.Len() == 0 && !r.advance() || h.Open >= host.MaxOpen {
			return nil
		}
		if t < r.free {
			if r.wake != r.free {
				r.wake = r.free
				r.At(r.free, 0, 0)
			}
			return nil
		}
		if err := r.call(r.calls.Pop(), t); err != nil {
			return err
		}
	}
}

// advance goes on to the next phase when the host has waited for the one before
// it, and reports whether there are calls to be made.
func (r *taskStreams) advance() bool {
	switch {
	case r.copying > 0:
	case len(r.copied) > 0:
		for _, task := range r.copied {
			r.running++
			r.launches(task, task.OutBytes == 0)
		}
		clear(r.copied)
		r.copied = r.copied[:0]
	case r.drained && len(r.gathered) > 0:
		r.gathered, r.copied = r.copied, r.gathered
		for _, task := range r.copied {
			r.inputs(task)
		}
		return r.calls.Len() > 0 || r.advance()
	case r.drained && r.running == 0:
		for _, task := range r.outs {
			r.calls.Push(taskCall{trace.OpCopyD2H, task, task.OutBytes, true})
		}
		clear(r.outs)
		r.outs = r.outs[:0]
	}
	return r.calls.Len() > 0
}

// call makes one call.
func (r *taskStreams) call(c taskCall, t Time) error {
	m, task := r.m.tasks, c.task
	if task.stream == nil {
		task.stream = m.host.Stream(taskStreamBase + r.next%taskStreamCount)
		r.next++
		task.Record.Spawn, task.Record.Copied = t, t
	}
	op := host.StreamOp{Kind: c.kind, Array: trace.NoArray, Bytes: c.bytes, Owner: task, Last: c.last}
	cost := m.cfg.Host.CopyCallNs
	switch c.kind {
	case trace.OpLaunch:
		k, err := m.kernels.launch(task.Kernel, task.stream)
		if err != nil {
			return err
		}
		k.narrow, k.rec.Stream, op.Run = true, task.stream.ID%taskStreamBase+1, &k.Kernel
		cost = m.cfg.Host.LaunchOverheadNs
	case trace.OpCopyH2D:
		r.copying++
	}
	m.host.Push(task.stream, op, t)
	if op.Run != nil {
		m.queue.Post(t+Time(m.cfg.Host.LaunchLatency), evArrive, op.Run.Slot, 0)
	}
	r.free = t + r.Cycles(int64(cost))
	return nil
}

// streamOpEnded updates a task at the end of one of its stream's operations.
func (u *tasks) streamOpEnded(op *host.StreamOp, t Time) {
	task, r := op.Owner.(*Task), u.rt.(*taskStreams)
	rec := &task.Record
	switch op.Kind {
	case trace.OpCopyH2D:
		rec.Copied = t
		r.copying--
	case trace.OpLaunch:
		k := &u.kernels.runs[op.Run.Slot].rec
		rec.Schedulable, rec.FirstWarp, rec.End = max(k.Arrive, rec.Copied), k.FirstCTA, k.End
		u.over(t)
		if u.policy.TaskCopies == CopiesPhased {
			if r.running--; !op.Last {
				r.outs = append(r.outs, task)
			}
		}
	}
	if op.Last {
		u.finish(task, t)
	}
	u.queue.Post(t, evTask, 0, tasksRoom)
}
