package model

import (
	"slices"

	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/trace"
)

// AccessDependency decides when a warp's global access may go ahead, beyond the order
// of streams. Kernels are then on the GPU before their input, so that it also
// carries out the host's program.
type AccessDependency interface {
	Dependency
	// Start binds it to its machine, before anything else.
	Start(m *AccessMachine) error
	// Issue performs one operation of the host in cycle t and returns for how many cycles it
	// keeps the host. wait: the host repeats the call when a kernel has ended.
	Issue(op *trace.HostOp, t Time) (busy Time, wait bool, err error)
	// Event is called at the time given to [AccessMachine.At].
	Event(what, arg uint64, t Time) error
	// Blocked is asked about an access to sectors of 32 bytes by a kernel, named by its program order. It returns a
	// number for the reason to wait, and the stall that is booked for it; < 0: the access goes ahead. The warp
	// waits until [AccessMachine.Wake] names the number.
	Blocked(order uint64, sectors []uint64) (on int32, why exec.Stall)
	// Exited is called when the warps of a CTA have exited, or if it has none, and returns
	// how much longer it holds its place. Ended reports the end of that.
	Exited(order uint64, c *trace.CTA, t Time) (held Time)
	Ended(order uint64, cta uint32, t Time)
	// Completed is called when a kernel has ended.
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

// AccessMachine is the handle of an [AccessDependency]: it runs the host's program and keeps warps back.
type AccessMachine struct {
	DependencyMachine
	waiting map[int32][]accessWaiter // warps by the number that [AccessDependency.Blocked] returned
}

// HostOps reads the host's program from its beginning.
func (x *AccessMachine) HostOps() trace.Cursor[trace.HostOp] { return x.m.tr.HostOps() }

// At schedules a call of [AccessDependency.Event] at t.
func (x *AccessMachine) At(t Time, what, arg uint64) { x.m.queue.Post(t, evAccess, what, arg) }

// Launch adds a kernel to the machine, next in program order. It returns the error of
// reading its header.
func (x *AccessMachine) Launch(id uint32) (Launched, error) {
	k, err := x.m.kernels.launch(id, nil)
	if err != nil {
		return Launched{}, err
	}
	k.Ready = true
	return Launched{&k.KernelView, &k.tk, k}, nil
}

// Enter sends a launched kernel to a hardware work queue of the KMU, where it arrives at t.
func (x *AccessMachine) Enter(k Launched, queue int, t Time) {
	k.run.HWQ = queue
	x.m.queue.Post(t, evArrive, k.run.Slot, 0)
}

// Entered returns the kernel of an id that is in the distributor, or nil.
func (x *AccessMachine) Entered(id uint32) *KernelView {
	for _, k := range x.m.ctas.entries {
		if k.ID == id {
			return &k.KernelView
		}
	}
	return nil
}

// LaunchQueue is how many kernels the host may be ahead of the device.
func (x *AccessMachine) LaunchQueue() int { return host.MaxOpen }

// Storage is how many cycles the storage takes for bytes.
func (x *AccessMachine) Storage(bytes uint64) Time { return x.m.host.Storage.Cycles(bytes) }

// Link is how many cycles the link takes for bytes of a kind of copy.
func (x *AccessMachine) Link(kind trace.OpKind, bytes uint64) Time {
	return x.m.host.Link[host.EngineOf(kind)].Cycles(bytes)
}

// File starts a read or write of a file by the host at t and returns how many cycles it takes.
func (x *AccessMachine) File(op *trace.HostOp, t Time) Time { return x.m.host.File(op, t) }

// Warm notes that a copy to the device has ended.
func (x *AccessMachine) Warm(addr, bytes uint64, t Time) { x.m.mem.Warm(addr, bytes, t) }

// Stage passes an interval of the host's program to the observer.
func (x *AccessMachine) Stage(r *StageRecord) { x.m.tellStage(r) }

// Page passes an event of a page to the observer.
func (x *AccessMachine) Page(r *PageRecord) { x.m.obs.Page(r) }

// Look runs the CTA scheduler again in cycle t.
func (x *AccessMachine) Look(t Time) { x.m.ctas.wake(t) }

// Wake lets the warps that wait for a number of [AccessDependency.Blocked] try again from
// cycle t on.
func (x *AccessMachine) Wake(on int32, t Time) {
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
func (x *AccessMachine) waits() (all []AccessWait) {
	for on, ws := range x.waiting {
		c := of(ws[0].w.CTA)
		all = append(all, AccessWait{c.kernel.ID, c.Trace.ID, ws[0].sm.ID, on})
	}
	slices.SortFunc(all, func(a, b AccessWait) int { return int(a.On) - int(b.On) })
	return all
}
