package model

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/trace"
)

// Dependency decides how kernels that depend on each other may overlap: access by
// access ([AccessDependency]) or CTA by CTA ([CTADependency]).
type Dependency interface {
	// Window is how many kernels of one stream may be on the GPU at once; 0: any number.
	Window() int
}

// AccessDependency decides when a warp's global access may go ahead, beyond the order
// of streams. Kernels are then on the GPU before their input, so that it also
// carries out the host's program.
type AccessDependency interface {
	Dependency
	// Start binds it to its machine, before anything else.
	Start(m *DependencyMachine) error
	// Issue performs one operation of the host in cycle t and returns for how many cycles it
	// keeps the host. wait: the host repeats the call when a kernel has ended.
	Issue(op *trace.HostOp, t Time) (busy Time, wait bool, err error)
	// Event is called at the time given to [DependencyMachine.At].
	Event(what, arg uint64, t Time) error
	// Blocked is asked about an access to sectors of 32 bytes by a kernel, named by its program order. It returns a
	// number for the reason to wait, and the stall that is booked for it; < 0: the access goes ahead. The warp
	// waits until [DependencyMachine.Wake] names the number.
	Blocked(order uint64, sectors []uint64) (on int32, why exec.Stall)
	// Exited tells that the warps of a CTA have exited, or that it has none, and returns
	// how much longer it holds its place. Ended tells of the end of that.
	Exited(order uint64, c *trace.CTA, t Time) (held Time)
	Ended(order uint64, cta uint32, t Time)
	// Completed tells that a kernel has ended.
	Completed(order uint64, t Time) error
	// Apart reports whether CTAs of two kernels are kept off the same SM.
	Apart() bool
	// Grain is the logarithm of the size in bytes of a block that is kept in order as a
	// whole. Owned is how many of the blocks on the device belong to a kernel. Auditors and
	// the timeline use both.
	Grain(c *hardware.Config) uint
	Owned(order uint64) int
	// Stuck lists the waits of a run in which nothing can move.
	Stuck(waits []AccessWait, add func(format string, args ...any))
}

// AccessWait is a warp whose access is kept back, with the number of the reason.
type AccessWait struct {
	Kernel, CTA uint32
	SM          int
	On          int32
}

// Launched is a kernel that a dependency has launched.
type Launched struct {
	*KernelView
	Header *trace.Kernel
	run    *kernelRun
}

// CTADependency keeps kernels of one stream in order CTA by CTA: they are on the GPU
// together, and it says which CTAs may be placed. A kernel completes in its stream
// when those before it have. Copies and other operations between kernels of a stream keep
// their order. It does not order kernels of different streams.
type CTADependency interface {
	Dependency
	// Start binds it to its machine, before the first kernel.
	Start(m *DependencyMachine)
	// Opened tells that a kernel of the host may enter the GPU: fewer than Window of
	// its stream that came before it have not completed, and nothing but kernels.
	Opened(k *KernelView, t Time) error
	// Next returns the CTA of a kernel, by its program order, that may be placed next.
	Next(order uint64) (cta uint32, ok bool)
	// Placed and Ended tell of a CTA of such a kernel, the latter in the cycle in which
	// its stores have been acknowledged. CTAs that it releases are placed in a later one.
	Placed(order uint64, cta uint32, t Time)
	Ended(order uint64, cta uint32, t Time)
	// Waits reports whether the host waits where its program synchronises.
	Waits() bool
	// Completed tells that a kernel and all before it in its stream have ended.
	Completed(order uint64, t Time)
}

// DependencyMachine is the handle of a [Dependency].
type DependencyMachine struct {
	View
	waiting map[int32][]accessWaiter // warps by the number that [AccessDependency.Blocked] returned
}

// CTAs hands over the CTAs of a kernel in order, as the trace has them.
func (x *DependencyMachine) CTAs(kernel uint32, do func(*trace.CTA)) error {
	cursor, err := x.m.tr.CTAs(kernel, 0)
	if err != nil {
		return err
	}
	var c trace.CTA
	for {
		switch err := cursor.Next(&c); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("kernel %d: %w", kernel, err)
		}
		do(&c)
	}
}

// Kernel reads the header of a kernel.
func (x *DependencyMachine) Kernel(id uint32, k *trace.Kernel) error { return x.m.tr.Kernel(id, k) }

// HostOps reads the host's program from its beginning.
func (x *DependencyMachine) HostOps() trace.Cursor[trace.HostOp] { return x.m.tr.HostOps() }

// At schedules a call of [AccessDependency.Event] at t.
func (x *DependencyMachine) At(t Time, what, arg uint64) { x.m.queue.Post(t, evAccess, what, arg) }

// Launch adds a kernel to the machine, next in program order. It returns the error of
// reading its header.
func (x *DependencyMachine) Launch(id uint32) (Launched, error) {
	k, err := x.m.kernels.launch(id, nil)
	if err != nil {
		return Launched{}, err
	}
	k.Ready = true
	return Launched{&k.KernelView, &k.tk, k}, nil
}

// Enter sends a launched kernel to a hardware work queue of the KMU, where it arrives at t.
func (x *DependencyMachine) Enter(k Launched, queue int, t Time) {
	k.run.HWQ = queue
	x.m.queue.Post(t, evArrive, k.run.Slot, 0)
}

// Entered returns the kernel of an id that is in the distributor, or nil.
func (x *DependencyMachine) Entered(id uint32) *KernelView {
	for _, k := range x.m.ctas.entries {
		if k.ID == id {
			return &k.KernelView
		}
	}
	return nil
}

// LaunchQueue is how many kernels the host may be ahead of the device.
func (x *DependencyMachine) LaunchQueue() int { return host.MaxOpen }

// Storage is how many cycles the storage takes for bytes.
func (x *DependencyMachine) Storage(bytes uint64) Time { return x.m.host.Storage.Cycles(bytes) }

// Link is how many cycles the link takes for bytes of a kind of copy.
func (x *DependencyMachine) Link(kind trace.OpKind, bytes uint64) Time {
	return x.m.host.Link[host.EngineOf(kind)].Cycles(bytes)
}

// File starts a read or write of a file by the host at t and returns how many cycles it takes.
func (x *DependencyMachine) File(op *trace.HostOp, t Time) Time { return x.m.host.File(op, t) }

// Warm notes that a copy to the device has ended.
func (x *DependencyMachine) Warm(addr, bytes uint64, t Time) { x.m.mem.Warm(addr, bytes, t) }

// Stage passes an interval of the host's program to the observer.
func (x *DependencyMachine) Stage(r *StageRecord) { x.m.tellStage(r) }

// Page passes an event of a page to the observer.
func (x *DependencyMachine) Page(r *PageRecord) { x.m.obs.Page(r) }

// Look runs the CTA scheduler again in cycle t.
func (x *DependencyMachine) Look(t Time) { x.m.ctas.wake(t) }

// Wake lets the warps that wait for a number of [AccessDependency.Blocked] try again from
// cycle t on.
func (x *DependencyMachine) Wake(on int32, t Time) {
	all := x.waiting[on]
	if len(all) == 0 {
		return
	}
	delete(x.waiting, on)
	for _, a := range all {
		a.sm.Resume(a.w, a.why, max(t, x.m.now+1))
	}
}

// accessWaiter is a warp whose access is kept back.
type accessWaiter struct {
	sm  *exec.SM
	w   *exec.Warp
	why exec.Stall
}

// waits lists one warp of those that each thing keeps back.
func (x *DependencyMachine) waits() (all []AccessWait) {
	for on, ws := range x.waiting {
		c := of(ws[0].w.CTA)
		all = append(all, AccessWait{c.kernel.ID, c.Trace.ID, ws[0].sm.ID, on})
	}
	slices.SortFunc(all, func(a, b AccessWait) int { return int(a.On) - int(b.On) })
	return all
}
