package model

import "gpureplay/trace"

// taskStreams runs tasks as kernels in streams (HyperQ): each task goes to the
// next of 32 streams; its input copy, its launch and its output copy follow one
// another there. One host thread makes the calls; a launch keeps it for
// host.launch_overhead_ns. Under a serial policy there is one stream, and a task
// waits for the one before it.
type taskStreams struct {
	m     *TaskMachine
	queue fifo[*Task]
	free  Time // when the host thread is
	next  uint64
	wake  Time // for which an event stands
}

// taskStreamCount is how many streams tasks go to in turn (Pagoda section 6.1:
// 32 connections).
const taskStreamCount = 32

// taskStreamBase keeps the streams of tasks apart from those of the program.
const taskStreamBase = 1 << 62

func newTaskStreams() *taskStreams { return &taskStreams{} }

// Start is of [TaskRuntime].
func (r *taskStreams) Start(m *TaskMachine) error {
	r.m = m
	return nil
}

// Window is of [TaskRuntime].
func (r *taskStreams) Window() int {
	if r.m.m.policy.Host.serial() {
		return 1
	}
	return taskWindow
}

// Ready is of [TaskRuntime].
func (r *taskStreams) Ready(task *Task, t Time) error {
	r.queue.push(task)
	return r.step(t)
}

// Drain is of [TaskRuntime].
func (r *taskStreams) Drain(Time) error { return nil }

// Event is of [TaskRuntime]: the host thread is free.
func (r *taskStreams) Event(_ uint8, _ uint64, t Time) error {
	return r.step(t)
}

// step issues tasks until the host thread is busy or the launch queue is full.
func (r *taskStreams) step(t Time) error {
	h := r.m.m.host
	for r.queue.len() > 0 && h.open+3 <= maxOpen {
		if t < r.free {
			if r.wake != r.free {
				r.wake = r.free
				r.m.At(r.free, 0, 0)
			}
			return nil
		}
		if err := r.issue(r.queue.pop(), t); err != nil {
			return err
		}
	}
	return nil
}

// issue puts a task's operations in the next stream.
func (r *taskStreams) issue(task *Task, t Time) error {
	m := r.m.m
	st := m.host.stream(taskStreamBase + r.next%taskStreamCount)
	r.next++
	k, err := m.launch(task.Kernel, st)
	if err != nil {
		return err
	}
	task.Record.Spawn, task.Record.Copied = t, t
	k.narrow, k.rec.Stream = true, st.id%taskStreamBase+1
	if m.policy.FreeTaskCopies {
		task.InBytes, task.OutBytes = 0, 0
	}
	if task.InBytes > 0 {
		m.host.push(st, streamOp{kind: trace.OpCopyH2D, array: trace.NoArray, bytes: task.InBytes, task: task}, t)
	}
	m.host.push(st, streamOp{kind: trace.OpLaunch, run: k, task: task, last: task.OutBytes == 0}, t)
	m.queue.post(t+Time(m.cfg.Host.LaunchLatency), evArrive, k.slot, 0)
	if task.OutBytes > 0 {
		m.host.push(st, streamOp{kind: trace.OpCopyD2H, array: trace.NoArray, bytes: task.OutBytes, task: task, last: true}, t)
	}
	r.free = t + r.m.Cycles(int64(m.cfg.Host.LaunchOverheadNs))
	return nil
}

// streamOpEnded notes what the end of a stream's operation means for its task.
func (u *tasks) streamOpEnded(op *streamOp, t Time) {
	rec := &op.task.Record
	switch op.kind {
	case trace.OpCopyH2D:
		rec.Copied = t
	case trace.OpLaunch:
		k := &op.run.rec
		rec.Schedulable, rec.FirstWarp, rec.End = max(k.Arrive, rec.Copied), k.FirstCTA, k.End
		u.over(t)
	}
	if op.last {
		u.finish(op.task, t)
	}
	u.m.queue.post(t, evTask, 0, tasksRoom)
}
