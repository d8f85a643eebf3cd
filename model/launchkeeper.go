package model

import (
	"fmt"

	"gpureplay/model/exec"
	"gpureplay/trace"
)

// LaunchKeeper is a [LaunchControl] that sees a warp's whole call. It may keep
// requests ([Keep]) and launch them together or later, and have warps execute
// instructions of its own for that.
//
// All methods but Start are called while an SM acts: their launches reach other units in a
// later cycle.
type LaunchKeeper interface {
	LaunchControl
	// Start binds it to its machine, before the first call.
	Start(m *LaunchMachine)
	// Before returns the code that a warp executes in place of a launch instruction that it
	// has issued. The launch instruction in that code makes the call. nil: the call is made
	// at once. The requests have not been decided on.
	Before(c *LaunchCall) *AddedCode
	// Called reports a call with kept requests.
	Called(c *LaunchCall)
	// CTAEnded is called when a CTA has ended, and KernelEnded when all CTAs of a kernel
	// have, not counting its children. KernelEnded is called for every kernel.
	CTAEnded(c CTAName, t Time)
	KernelEnded(order uint64, t Time)
}

// CTAName names a CTA among all of a run.
type CTAName struct {
	Kernel uint32
	Order  uint64 // of its kernel, as KernelView has it
	Child  uint32 // of a request that joined the kernel: the kernel of that; else NoKernel
	CTA    uint32
}

func (c *ctaRun) name() CTAName {
	return CTAName{Kernel: c.Rec.Kernel, Order: c.kernel.Order, Child: c.Rec.Child, CTA: c.Rec.CTA}
}

// LaunchCall is one launch call of a warp. It is valid during one method.
type LaunchCall struct {
	Time     Time // of the call, cycles
	CTA      CTAName
	SM       int
	Block    uint64 // threads of the CTA
	Warp     uint32
	Requests []trace.Launch // of its lanes, in their order
	Kept     []KeptLaunch   // the kept ones, in Called

	launched []*childLaunch // by lanes of the warp
	u        *launchUnit
}

// KeptLaunch is a request that is kept.
type KeptLaunch struct {
	Child, Workload, CTAs uint32 // Workload in items
	Lane                  uint8
	c                     *childLaunch
}

// MergedLaunch is one kernel made of kept requests of one function: their CTAs follow
// one another in the order of the requests. Each has the threads, registers and shared
// memory of the most demanding one.
type MergedLaunch struct {
	Requests []KeptLaunch
	Reason   string
	// Prologue returns the code that a warp of the CTA with an index executes first; nil:
	// none.
	Prologue func(cta uint64, warp uint32) *AddedCode

	most trace.Kernel // the largest of each need
}

// AddedCode is code of a policy that a warp executes beside its program: a warp of a function
// that the trace does not have. The warp may be used again when the call
// that returned it has ended; the function must stay.
type AddedCode struct {
	Function *trace.Function
	Warp     *trace.Warp
}

// LaunchMachine is the handle of a [LaunchKeeper].
type LaunchMachine struct{ View }

// Kernel returns the function of a kept request's child, and the threads of its CTAs.
func (x *LaunchMachine) Kernel(r KeptLaunch) (function uint32, threads uint64) {
	k := &x.m.children.kernel
	x.m.fail(x.m.tr.Kernel(r.Child, k))
	return k.Function, k.Block.Count()
}

// Launch launches a kernel from a lane of the calling warp. Each kernel of a call belongs to
// another lane: the call takes as long as one of so many lanes, and holds the warp as other
// launches do.
func (c *LaunchCall) Launch(k *MergedLaunch) { c.launched = append(c.launched, c.u.merge(k)) }

// FunctionOf returns the function of a kernel.
func (x *LaunchMachine) FunctionOf(kernel uint32) uint32 {
	k := &x.m.children.merging
	x.m.fail(x.m.tr.Kernel(kernel, k))
	return k.Function
}

// LaunchAt sends a kernel to the KMU, where it arrives at t, which is later than now.
func (x *LaunchMachine) LaunchAt(k *MergedLaunch, t Time) {
	u := x.m.children
	if t <= u.now {
		panic(fmt.Sprintf("%T launches at %d, in cycle %d", u.keeper, t, u.now))
	}
	c := new(call)
	c.groups = append(c.groups, u.merge(k))
	u.post(t, evChild, c)
}

// merge makes one launch of kept requests: the first one's, with the others behind it.
func (u *launchUnit) merge(k *MergedLaunch) *childLaunch {
	lead := k.Requests[0].c
	for i, r := range k.Requests {
		r.c.reason = u.reason(k.Reason)
		if i > 0 {
			r.c.decision = Group
		}
		u.fail(u.tr.Kernel(r.Child, &u.kernel))
		if i == 0 {
			k.most = u.kernel
			continue
		}
		k.most.Registers = max(k.most.Registers, u.kernel.Registers)
		k.most.SharedBytes = max(k.most.SharedBytes, u.kernel.SharedBytes)
		if u.kernel.Block.Count() > k.most.Block.Count() {
			k.most.Block = u.kernel.Block
		}
	}
	u.merged[lead] = k
	u.kept -= len(k.Requests)
	return lead
}

// unfold gives the kernel of a merged launch the CTAs of the requests behind the first.
func (u *launchUnit) unfold(k *kernelRun, x *MergedLaunch) {
	delete(u.merged, k.launch)
	k.merged = x
	k.tk.Block, k.tk.Registers, k.tk.SharedBytes = x.most.Block, x.most.Registers, x.most.SharedBytes
	k.seen.Resources = u.cfg.CTAResources(&k.tk)
	for _, r := range x.Requests[1:] {
		n := uint64(r.CTAs)
		r.c.arrive = k.launch.arrive
		k.groups.Push(JoinedGroup{launch: r.c, first: k.CTAs, Since: u.now})
		k.Left, k.CTAs, k.rec.CTAs = k.Left+n, k.CTAs+n, k.rec.CTAs+n
	}
}

// prologue has a warp of a merged launch's CTA, which is being placed, execute the
// policy's code first.
func (u *launchUnit) prologue(w *exec.Warp, x *MergedLaunch) {
	c := of(w.CTA)
	at := uint64(c.Rec.CTA)
	if g := c.group; g != nil {
		at += g.first
	}
	if code := x.Prologue(at, w.ID); code != nil {
		u.added(w, code, nil)
	}
}

// before notifies the policy of a call, and reports whether w executes code of it first.
func (u *launchUnit) before(s *exec.SM, w *exec.Warp, reqs []trace.Launch, t Time) bool {
	c := u.callOf(s, w, reqs, t)
	if w.Code.Added {
		return false
	}
	x := u.keeper.Before(c)
	if x != nil {
		u.added(w, x, reqs)
	}
	return x != nil
}

// callOf describes the launch call of w.
func (u *launchUnit) callOf(s *exec.SM, w *exec.Warp, reqs []trace.Launch, t Time) *LaunchCall {
	c := &u.lastCall
	*c = LaunchCall{
		Time: t, CTA: of(w.CTA).name(), SM: s.ID, Block: w.CTA.Kernel.Header.Block.Count(), Warp: w.ID,
		Requests: reqs, Kept: c.Kept[:0], launched: c.launched[:0], u: u,
	}
	return c
}

// added has w execute code of the policy before it goes on; reqs are the requests of
// the launch instruction in it.
func (u *launchUnit) added(w *exec.Warp, x *AddedCode, reqs []trace.Launch) {
	if !w.Stack.Insert(u.lib, x.Function, x.Warp, reqs) {
		panic(fmt.Sprintf("the code that %T has a warp execute in place of its call does not make the call", u.keeper))
	}
}

// tellEnded notifies the policy of a CTA that has ended, and of its kernel's last.
func (u *launchUnit) tellEnded(c *ctaRun, t Time) {
	u.keeper.CTAEnded(c.name(), t)
	if k := c.kernel; k.done == k.CTAs {
		u.keeper.KernelEnded(k.Order, t)
	}
}
