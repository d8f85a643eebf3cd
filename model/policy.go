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
	Name       string
	Launch     LaunchControl // nil: every marked request becomes a device kernel
	Admission  Admission
	Dependency Dependency // nil: a kernel starts when those before it in its stream have ended; else an AccessDependency or a CTADependency
	CTA        CTAScheduler
	Warp       exec.WarpScheduler
	Host       host.Mode
	Tasks      TaskRuntime // runs narrow tasks; nil: as kernels in streams
	AGT        int         // entries of the aggregated group table, a power of two; 0: there is none
	HashedAGT  bool        // the launching hardware thread names the entry; false: any free one
	Match      GroupMatch
	Fallback   GroupFallback
	ReadAhead  int        // records of spilled groups that are read at a time, the next ones of the first kernel that has some; 0: all are at hand
	TaskCopies TaskCopies // where tasks are kernels in streams
}

// TaskCopies is when the inputs and outputs of narrow tasks are copied.
type TaskCopies uint8

const (
	CopiesInterleaved TaskCopies = iota // a task's input before it, its output behind it
	CopiesPhased                        // all inputs, then all tasks, then all outputs, as far as the program does not wait between
	CopiesFree                          // they take no time
)

// GroupMatch is which kernels an aggregated group may join.
type GroupMatch uint8

const (
	MatchDistributor GroupMatch = iota // those in the kernel distributor (DTBL paper, section 4.2)
	MatchLaunched                      // and those that earlier groups have become and that are on their way to it
	MatchNone                          // none: each group takes an entry of the distributor of its own (DTBL paper, section 4.3)
)

// GroupFallback is how a group that may join no kernel becomes a device kernel.
type GroupFallback uint8

const (
	FallbackHardware GroupFallback = iota // the SMX scheduler hands it to the KMU in the next cycle
	FallbackAPI                           // the warp makes the rest of the calls that launch a device kernel
)

// Admission decides which pending kernel enters the kernel distributor.
type Admission interface {
	// Queue returns the hardware work queue, 0 ≤ q < queues, that holds the
	// kernels of a stream, the n-th that the machine has seen. Kernels of one
	// queue run one after another.
	Queue(n, queues int) int
}

// CTAScheduler decides which kernel's CTA goes on which SM next.
type CTAScheduler interface {
	// Place returns the kernel, an index into v.Kernels, and the SM that takes
	// its next CTA. !ok: nothing goes anywhere in this cycle. It is called
	// again after each placement and whenever something changed.
	Place(v *CTAView) (kernel, sm int, ok bool)
}

// CTAView is what a CTA scheduler sees. It is valid during one call.
type CTAView struct {
	// Kernels holds the kernels of the distributor with CTAs left to give,
	// first come first.
	Kernels []*KernelView
	// Held holds those that have CTAs left of which the dependency lets none go.
	Held []*KernelView
	m    *Machine
	work []Work
}

// KernelView is a kernel of the distributor.
type KernelView struct {
	ID       uint32 // kernel id of the trace
	Order    uint64 // program order
	Function uint32
	Stream   uint64 // as the trace has it; of a device kernel its parent's
	Left     uint64 // CTAs not yet placed
	Resident int    // CTAs on SMs
	SMs      int    // SMs that hold at least one of its CTAs
}

// SMs returns the number of SMs.
func (v *CTAView) SMs() int { return len(v.m.sms) }

// Fits reports whether the next CTA of v.Kernels[k] has room on SM sm. A
// dependency may keep CTAs of two kernels apart.
func (v *CTAView) Fits(k, sm int) bool {
	s, kernel := v.m.sms[sm], v.m.ctas.view[k]
	if v.m.access != nil && len(s.CTAs) > 0 && s.Order != kernel.Order && v.m.access.Apart() {
		return false
	}
	return s.Fits(&kernel.seen)
}

// Dependency is the run's, nil if there is none: a scheduler that goes with one asks it
// for more.
func (v *CTAView) Dependency() Dependency { return v.m.policy.Dependency }

// Count counts an event of the policy; the counts stand in the run's metrics.
func (v *CTAView) Count(name string) { v.m.metrics.count(name) }

// Resident returns the number of CTAs on SM sm.
func (v *CTAView) Resident(sm int) int { return len(v.m.sms[sm].CTAs) }

// Holder returns the kernel id whose CTA was placed last on SM sm, or NoKernel
// if none ever was.
func (v *CTAView) Holder(sm int) uint32 { return v.m.sms[sm].Holder }

// LaunchControl decides on a request for a child kernel.
type LaunchControl interface {
	// Decide is asked for each asking lane in turn, at the time of the call.
	Decide(r *LaunchRequest) (d Decision, reason string)
}

// ChildWatcher is a [LaunchControl] that is told of child CTAs and warps: of CTAs that
// will come of a request that has been let through, of each that is placed and that has
// ended, and of each warp that has exited, with the cycles that they took.
type ChildWatcher interface {
	Admitted(ctas int64, t Time)
	Started(t Time)
	Ended(t, took Time)
	WarpEnded(t, took Time)
}

// LaunchRequest is one lane's request as the launch control sees it.
type LaunchRequest struct {
	Time     Time
	Parent   uint32 // kernel id
	Child    *trace.Kernel
	Workload uint32
	CTAs     uint64
	Marked   bool
	Lanes    int    // lanes of the warp that ask at this point
	Overhead Time   // from the call to the KMU for one launch, cycles
	Noted    *Notes // what the control notes of it, for its record; nil: nothing
}

// Notes are numbers that a launch control notes of a request, in an order of its own.
type Notes [7]int64

// PlacementObserver is an [Observer] that is also told when work is placed. The
// machine looks for it once.
type PlacementObserver interface {
	Dispatched(*KernelRecord) // a kernel has entered the distributor
	Released(*KernelRecord)   // a kernel has left it before its end, to wait for children
	Placed(*CTARecord)        // a CTA has been placed on an SM
}

// SuspensionObserver is an [Observer] that is also told when a CTA gives back
// what it holds of its SM to wait for its children, and when it takes it again.
type SuspensionObserver interface {
	Suspended(r *CTARecord, t Time)
	Resumed(r *CTARecord, t Time)
}
