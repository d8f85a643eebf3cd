package model

import (
	"gpureplay/model/exec"
	"gpureplay/model/host"
	"gpureplay/trace"
)

// Policy is a composition of five decisions, and of the host's way to run its
// program. Every named policy is a preset of these; each can be replaced alone.
// A nil decision takes the meaning that its field states.
type Policy struct {
	Name      string
	Launch    LaunchControl // nil: every marked request becomes a device kernel
	Admission Admission
	// AccessDependency or CTADependency; nil: a kernel starts when its stream's earlier ones have ended
	Dependency Dependency
	CTA        CTAScheduler
	Warp       exec.WarpScheduler
	Host       host.Mode
	Tasks      TaskRuntime // runs narrow tasks; nil: as kernels in streams
	TaskCopies TaskCopies  // where tasks are kernels in streams
}

// TaskCopies is when the inputs and outputs of narrow tasks are copied.
type TaskCopies uint8

const (
	CopiesInterleaved TaskCopies = iota // a task's input before it, its output behind it
	CopiesPhased                        // all inputs, then all tasks, then all outputs, between waits of the program
	CopiesFree                          // they take no time
)

// Admission decides which pending kernel enters the kernel distributor.
type Admission interface {
	// Queue returns the hardware work queue, 0 ≤ q < queues, that holds the
	// kernels of a stream, the n-th that the machine has seen. Kernels of one
	// queue run one after another.
	Queue(n, queues int) int
}

// LaunchControl decides on a request for a child kernel.
type LaunchControl interface {
	// Decide is called for each requesting lane in turn, at the time of the call.
	Decide(r *LaunchRequest) (d Decision, reason string)
}

// NeverLaunches is a [LaunchControl] that refuses every request. A loop that was made a child is
// then run as captured, without the launch instruction (trace.Function.Loop).
type NeverLaunches interface {
	LaunchControl
	NeverLaunches()
}

// NeverJoins is a [LaunchControl] under which no parent waits for its children: a device-side synchronisation waits
// for nothing.
type NeverJoins interface {
	LaunchControl
	NeverJoins()
}

// ChildWatcher is a [LaunchControl] that follows child CTAs and warps. Queued is called when a
// child's CTAs reach the KMU, or a group's the SMX scheduler, before any SM acts in cycle t.
// Started and Ended are called for each CTA, WarpEnded for each warp, with the cycles it took.
type ChildWatcher interface {
	Queued(ctas int64, t Time)
	Started(t Time)
	Ended(t, took Time)
	WarpEnded(t, took Time)
}

// LaunchRequest is one lane's request as the launch control sees it.
type LaunchRequest struct {
	Time     Time   // of the call, cycles
	Parent   uint32 // kernel id
	Child    *trace.Kernel
	Workload uint32 // items
	CTAs     uint64
	Marked   bool
	Lanes    int    // lanes of the warp that ask at this point
	Pending  int    // launches that have been made and have not started
	Overhead Time   // from the call to the KMU for one launch, cycles
	Noted    *Notes // numbers of the control for its record; nil: none
}

// PlacementObserver is an [Observer] that is also called when work is placed. The
// machine looks for it once.
type PlacementObserver interface {
	Dispatched(*KernelRecord) // a kernel has entered the distributor
	Released(*KernelRecord)   // a kernel has left it before its end, to wait for children
	Placed(*CTARecord)        // a CTA has been placed on an SM
}

// SuspensionObserver is an [Observer] that is also called when a CTA gives back its place on
// its SM to wait for its children, and when it takes it again.
type SuspensionObserver interface {
	Suspended(r *CTARecord, t Time)
	Resumed(r *CTARecord, t Time)
}
