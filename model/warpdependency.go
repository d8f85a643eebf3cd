package model

import (
	"cmp"
	"maps"
	"slices"

	"gpureplay/model/exec"
	"gpureplay/model/host"
	"gpureplay/trace"
)

// WarpDependency is a [CTADependency] whose kernels overlap within their CTAs (programmatic dependent launch). The
// kernel behind another of its stream enters the GPU when all CTAs of that one have passed their triggers. Its warps
// wait at a point of their paths until that one has completed.
type WarpDependency interface {
	CTADependency
	// Points returns the points of each warp of a CTA that is placed, which stay the caller's until the next call.
	// nil: the kernel has no triggers, and its warps do not wait.
	Points(order uint64, c *trace.CTA) []exec.Points
	// Triggered is called when all warps of a CTA have passed their triggers or exited.
	Triggered(order uint64, cta uint32, t Time)
	// Programmatic reports whether a kernel, which has not entered, may do so before the one before it has completed.
	Programmatic(k *KernelView) bool
	// Follows reports whether all CTAs of a kernel have passed their triggers, or ended without.
	Follows(order uint64) bool
	// Reached reports whether a kernel has come to a port: all its CTAs have begun, or passed their triggers. It is false
	// of kernels that are not on the GPU.
	Reached(order uint64, port trace.Port) bool
	// Behind names kernels of other streams that a kernel follows programmatically, before it is opened.
	Behind(order uint64, kernels []uint64)
	// Holds reports whether warps of a kernel wait at their points.
	Holds(order uint64) bool
}

// warpGate is such a dependency as the host sees it.
type warpGate struct {
	hostGate
	u *ctaScheduler
}

// Opens is of [host.Gate]: at most two kernels of a stream are on the GPU.
func (g warpGate) Opens(place int, before, k *host.Kernel) bool {
	return place == 0 || place == 1 && before != nil && k != nil && g.u.warps.Follows(before.Number) &&
		!g.u.warps.Holds(before.Number) &&
		g.u.warps.Programmatic(&g.runs[k.Slot].KernelView)
}

// Opened hands over the kernel, with the kernels of other streams that it follows.
func (g warpGate) Opened(k *host.Kernel, t Time) error {
	if len(k.Behind) > 0 {
		g.u.warps.Behind(k.Number, k.Behind)
	}
	return g.hostGate.Opened(k, t)
}

// Reached is of [host.Ports].
func (g warpGate) Reached(order uint64, port trace.Port) bool { return g.u.warps.Reached(order, port) }

// Completed lets warps go on that waited for a kernel's completion.
func (g warpGate) Completed(order uint64, t Time) {
	g.hostGate.Completed(order, t)
	g.u.letGo(t)
}

// mark gives the warps of a CTA their points.
func (u *ctaScheduler) mark(k *kernelRun, c *ctaRun) {
	if u.warps == nil {
		return
	}
	c.untriggered = 0
	defer u.follow(k, u.now)
	points := u.warps.Points(k.Order, &c.Trace)
	if points == nil {
		return
	}
	c.Points = append(c.points[:0], points...)
	c.points = c.Points
	for i := range points {
		if points[i].Trigger != exec.NoPoint {
			c.untriggered++
		}
	}
}

// follow has the host look whether the kernel behind k may enter, once, and once whether an event waits for k's begin.
func (u *ctaScheduler) follow(k *kernelRun, t Time) {
	if u.warps == nil {
		return
	}
	if !k.followed && u.warps.Follows(k.Order) {
		k.followed = true
		u.queue.Post(t+1, evFollow, k.Slot, k.Order)
	}
	if !k.begun && u.warps.Reached(k.Order, trace.PortBegun) {
		if k.begun = true; k.In != nil && k.In.AwaitsBegin(k.Order) {
			u.queue.Post(t+1, evFollow, k.Slot, k.Order)
		}
	}
}

// followed lets the kernel enter that is behind one in its stream, unless that one has ended.
func (u *ctaScheduler) followed(slot, order uint64, t Time) {
	if k := u.kernels.runs[slot]; k.Order == order && k.In != nil {
		if err := u.kmu.host.Reached(k.In, order, t); err != nil {
			u.fail(err)
		}
		u.kmu.host.OpenKernels(k.In, t)
	}
}

// heldBy is the kernel, by its order, whose warps wait at their points, or one task of it.
type heldBy struct {
	order uint64
	cta   uint32
}

// letGo has the warps go on in cycle t whose kernels need not wait any more.
func (u *ctaScheduler) letGo(t Time) {
	byOrder := func(a, b heldBy) int { return cmp.Compare(a.order, b.order) }
	for _, of := range slices.SortedFunc(maps.Keys(u.held), byOrder) {
		if u.warps.Holds(of.order) {
			continue
		}
		for _, x := range u.held[of] {
			x.sm.Resume(x.w, x.why, max(t, u.now+1))
		}
		delete(u.held, of)
	}
}

// Waits is of [exec.Device].
func (x toSMs) Waits(s *exec.SM, w *exec.Warp) bool {
	u, of := x.m.ctas, heldBy{order: w.CTA.Kernel.Order}
	if u.resident != nil {
		of.cta = w.CTA.Rec.CTA
		if !u.resident.Holds(of.order, of.cta) {
			return false
		}
	} else if !u.warps.Holds(of.order) {
		s.Refresh(w.CTA.Kernel, u.now)
		return false
	}
	u.held[of] = append(u.held[of], accessWaiter{s, w, exec.StallPageNotOwned})
	return true
}

// Passed is of [exec.Device].
func (x toSMs) Passed(c *exec.CTA, t Time) {
	run := of(c)
	if run.untriggered--; run.untriggered == 0 {
		x.m.ctas.warps.Triggered(run.kernel.Order, c.Rec.CTA, t)
		x.m.ctas.follow(run.kernel, t)
	}
}
