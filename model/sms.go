package model

import (
	"gpureplay/model/exec"
	"gpureplay/model/program"
)

// toSMs is the machine as its SMs see it.
type toSMs struct{ m *Machine }

// newSMs makes the SMs of a machine.
func newSMs(m *Machine, n int, t *program.Timing) (all []*exec.SM) {
	setup := exec.Setup{Config: m.cfg, Timing: t, Library: m.lib, Memory: m.mem, Warps: m.policy.Warp}
	setup.Accesses, _ = m.obs.(exec.AccessObserver)
	setup.Insts, _ = m.obs.(exec.InstObserver)
	_, setup.Detached = m.policy.Launch.(NeverJoins)
	_, setup.Keeps = m.policy.Dependency.(AccessDependency)
	switch m.policy.Dependency.(type) {
	case WarpDependency, ResidentDependency:
		setup.Marks = true
	}
	for i := range n {
		s := exec.New(toSMs{m}, i, setup)
		s.Holder = NoKernel
		all = append(all, s)
	}
	return all
}

func (x toSMs) Now() Time           { return x.m.now }
func (x toSMs) Wake(sm int, t Time) { x.m.wake(sm, t) }
func (x toSMs) Fail(err error)      { x.m.fail(err) }

func (x toSMs) Launch(s *exec.SM, w *exec.Warp, at int, t Time) (Time, error) {
	return x.m.children.ask(s, w, at, t)
}

func (x toSMs) Blocked(s *exec.SM, w *exec.Warp, sectors []uint64) bool {
	on, why := x.m.access.Blocked(w.CTA.Kernel.Order, sectors)
	if on < 0 {
		return false
	}
	x.m.held.waiting[on] = append(x.m.held.waiting[on], accessWaiter{s, w, why})
	return true
}

// Horizon is the next event of another unit, if every kernel that has CTAs has one here. Then none of them ends
// before the SM has ended a CTA, and no kernel that waits for one of them can come. And none of them may have a
// fitting CTA to place.
func (x toSMs) Horizon(s *exec.SM, t, next Time) Time {
	m := x.m
	end := min(m.queue.Next(), m.sampler.next)
	if next >= end || m.ctas.resident != nil || m.tasks.count > 0 || m.sum.LaunchesRequested > 0 {
		return t
	}
	if n := len(m.ctas.entries); n == 0 || n > mostKernels || m.ctas.resumes.Len() > 0 {
		return t
	}
	for _, k := range m.ctas.entries {
		if k.smCTAs[s.ID] == 0 || k.launch != nil || k.code.Launches || k.Left > 0 && s.Fits(&k.seen) {
			return t
		}
	}
	return end
}

// mostKernels is with how many kernels in the distributor it is worth asking.
const mostKernels = 4

func (x toSMs) Placed(c *exec.CTA) {
	m, warps := x.m, c.Live
	switch {
	case c.Rec.Held:
		warps = c.Kernel.Resources.Warps
		m.ctas.forwarding.held++
	case !c.Rec.Resident:
		m.tasks.warp(warps)
	}
	m.sum.Warps += uint64(warps)
	if m.placed != nil && !(c.Rec.Held && m.untold) {
		m.placed.Placed(&c.Rec)
	}
}

func (x toSMs) Exited(c *exec.CTA, began, t Time) {
	x.m.tasks.warp(-1)
	if u := x.m.children; u.watcher != nil && of(c).launch() != nil {
		u.watcher.WarpEnded(t, t+1-began)
	}
}

func (x toSMs) Drained(c *exec.CTA, t Time) Time {
	if x.m.access == nil {
		return 0
	}
	return x.m.access.Exited(c.Kernel.Order, &c.Trace, t)
}

func (x toSMs) Ended(on *exec.CTA, t Time) {
	m, c := x.m, of(on)
	k := c.kernel
	if m.access != nil {
		m.access.Ended(k.Order, c.Rec.CTA, t)
	}
	k.rec.Work.book(&c.Rec, k.seen.Resources.Warps)
	k.rec.WarpInsts += c.Rec.WarpInsts
	k.rec.ThreadInsts += c.ThreadInsts
	m.sum.CTAs++
	if !c.Rec.Held || !m.untold {
		m.obs.CTA(&c.Rec)
	}
	if c.task != nil {
		m.tasks.ctaEnded(c, t)
		return
	}
	m.ctas.ended(c, t)
	if c.finished = c.Children > 0; !c.finished {
		m.kernels.spareCTAs = append(m.kernels.spareCTAs, c)
	}
}

func (x toSMs) Suspended(c *exec.CTA, t Time) {
	if x.m.swapped != nil {
		x.m.swapped.Suspended(&c.Rec, t)
	}
	x.m.ctas.left(of(c), t)
}

func (x toSMs) Resumed(c *exec.CTA, t Time) {
	x.m.ctas.arrived(of(c))
	if x.m.swapped != nil {
		x.m.swapped.Resumed(&c.Rec, t)
	}
}
