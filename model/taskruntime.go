package model

import (
	"gpureplay/model/hardware"
	"gpureplay/model/host"
)

// TaskRuntime carries out narrow tasks in the way of one policy. The machine
// hands it each task that has arrived and whose dependences have ended; the
// runtime copies, launches or schedules by means of a [TaskMachine], and ends
// every task with [TaskMachine.Finish].
//
// All methods are called while units act, before the SMs of the cycle.
type TaskRuntime interface {
	// Start binds the runtime to its machine, before the first task.
	Start(m *TaskMachine) error
	// Ready hands over a task. The machine keeps it until Finish.
	Ready(task *Task, t Time) error
	// Drain is called when no further task comes before one has ended.
	Drain(t Time) error
	// Event is called at the time given to [TaskMachine.At].
	Event(kind uint8, arg uint64, t Time) error
	// Window is how many tasks may be handed over and not finished; 0: any
	// number.
	Window() int
}

// PersistentRuntime runs the warps of a [PersistentCTA]. The machine calls it while the SM
// acts in cycle t: warps that it starts there may issue from t+1 on, and it reaches other
// units through [TaskMachine.At] with a later time.
type PersistentRuntime interface {
	// ProgramEnded is called when a warp has issued the last instruction of a
	// program given by [PersistentCTA.Run].
	ProgramEnded(r *PersistentCTA, warp int, t Time)
	// WarpEnded is called when a warp has issued the last instruction of a task's warp given by
	// [PersistentCTA.RunTask], and it is known when all of them end: at PersistentCTA.Acknowledged, maybe later.
	WarpEnded(r *PersistentCTA, warp int, t Time)
	// CTAEnded is called when a threadblock has ended, its stores acknowledged.
	CTAEnded(r *PersistentCTA, task *Task, block uint32, t Time)
}

// Task is one narrow task.
type Task struct {
	Kernel      uint32 // in the trace
	InBytes     uint64 // copied to the device before it
	InCopies    uint32 // calls that copy them; 0: one
	OutBytes    uint64 // copied back after it
	Sync        bool   // its threadblocks synchronise
	Blocks      uint32 // threadblocks
	Threads     uint32 // per threadblock
	Registers   uint32 // per thread
	SharedBytes uint32 // per threadblock
	ThreadInsts uint64 // executed, as the trace counts them

	// Record holds the times that the runtime notes. Spawn is the time of Ready unless the
	// runtime changes it; Finish sets Back.
	Record TaskRecord

	waits int        // tasks that must end before it
	run   *kernelRun // while one of its threadblocks is on an SM
	open  int        // threadblocks on SMs
	ended uint32     // threadblocks

	stream *host.Stream // of its operations, under taskStreams
}

// Warps returns the warps of one threadblock.
func (k *Task) Warps() uint32 { return (k.Threads + hardware.WarpSize - 1) / hardware.WarpSize }

// Copies returns how many calls copy the task's input.
func (k *Task) Copies() int {
	if k.InBytes == 0 {
		return 0
	}
	return int(min(max(1, uint64(k.InCopies)), k.InBytes))
}

// CopyBytes returns the bytes of the i-th copy: equal parts of the input, the first ones a
// byte larger where the input does not divide.
func (k *Task) CopyBytes(i int) uint64 {
	n := uint64(k.Copies())
	if uint64(i) < k.InBytes%n {
		return k.InBytes/n + 1
	}
	return k.InBytes / n
}

// LimitedRuntime is a [TaskRuntime] that keeps tasks on an SM within limits of
// its own, which an auditor may check.
type LimitedRuntime interface {
	Limits(c *hardware.Config) ResidentLimits
}

// ResidentLimits are the resources of one SM that threadblocks of tasks may hold together.
type ResidentLimits struct {
	CTAs        int
	SharedBytes int
	SharedUnit  int // smallest block, bytes; blocks are powers of two. 0: a threadblock holds no more than it states
	Barriers    int // threadblocks that synchronise
}

// TaskMachine is the handle of a [TaskRuntime].
type TaskMachine struct{ PersistentMachine }

// At schedules a call of [TaskRuntime.Event] at t. The time is not in the past, and is
// later than now while an SM acts.
func (x *TaskMachine) At(t Time, kind uint8, arg uint64) {
	x.m.queue.Post(t, evTask, arg, uint64(kind)+runtimeEvents)
}

// CopyCall is how many cycles the call of an asynchronous copy keeps a host thread.
func (x *TaskMachine) CopyCall() Time { return x.Cycles(int64(x.m.cfg.Host.CopyCallNs)) }

// LaunchCall is how many cycles the call of a launch keeps a host thread.
func (x *TaskMachine) LaunchCall() Time { return x.Cycles(int64(x.m.cfg.Host.LaunchOverheadNs)) }

// Held is the number of unfinished tasks that other tasks depend on.
func (x *TaskMachine) Held() int { return len(x.m.tasks.behind) }

// Atomic returns when an atomic operation that an SM issues at t is done.
func (x *TaskMachine) Atomic(sm int, address uint64, t Time) Time {
	return x.m.mem.AtomicSector(sm, address>>hardware.SectorShift, t+Time(x.m.cfg.L1.BypassLatency))
}

// Finish ends a task whose threadblocks have ended and whose output is on the host at t,
// which is now.
func (x *TaskMachine) Finish(task *Task, t Time) { x.m.tasks.finish(task, t) }

// Began starts the running time of a task of a runtime whose tasks run on no SM.
func (x *TaskMachine) Began(t Time) { x.m.tasks.began(t) }

// Over ends the running time that Began started.
func (x *TaskMachine) Over(t Time) { x.m.tasks.over(t) }
