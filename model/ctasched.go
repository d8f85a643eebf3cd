package model

import (
	"fmt"
	"slices"

	"gpureplay/model/clock"
	"gpureplay/model/exec"
)

// ctaScheduler is the kernel distributor with the CTA scheduler behind it. The policy
// chooses the kernel and SM of the next CTA; the unit enforces limits and time.
type ctaScheduler struct {
	*core
	kernels    *kernels
	kmu        *kmu
	children   *launchUnit
	tasks      *tasks
	gate       CTADependency             // nil: CTAs wait for nothing but their kernel
	resident   ResidentDependency        // gate; nil: CTAs are on SMs themselves
	warps      WarpDependency            // gate; nil: warps do not wait for kernels
	held       map[heldBy][]accessWaiter // warps that wait at their points
	access     AccessDependency          // nil: nor do their accesses
	use        *utilisation
	sampler    *sampler
	pace       clock.Pace
	entries    []*kernelRun // in the distributor, first come first
	view       []*kernelRun // those with CTAs left, parallel to ctaView.Kernels
	list       GroupList    // the last that the launch control was told of
	pass       CTAView
	posted     Time // an evCTAs stands for this cycle
	at         Time // last cycle in which it ran
	given      int  // CTAs placed in it
	forwarding fastForward
	onSMs      int                 // CTAs on SMs
	works      WorkScheduler       // nil: a kernel's own grid goes first, then its groups in order
	resumes    clock.FIFO[*ctaRun] // suspended CTAs whose children have ended
	early      bool                // CTAs need not stay on SMs for their stores
}

func newCTAScheduler(m *core, k *kernels) *ctaScheduler {
	u := &ctaScheduler{core: m, kernels: k, use: newUtilisation(m), posted: Unset}
	u.pace = clock.NewPace(m.cfg.KMU.CTAsPerCycle)
	u.works, _ = m.policy.CTA.(WorkScheduler)
	u.early = !m.cfg.SM.StoresHoldCTA && !m.cfg.CycleMemory() && !m.cfg.SM.Collectors() // or else it is without effect
	return u
}

// admit puts a kernel into the distributor.
func (u *ctaScheduler) admit(k *kernelRun, t Time) {
	k.rec.Dispatch = t
	u.entries = append(u.entries, k)
	if u.resident != nil {
		u.resident.Entered(k.Order)
	}
	if u.placed != nil && k.fused == nil { // observers see the tasks of a fused kernel in its place
		u.placed.Dispatched(&k.rec)
	}
	if k.launch != nil && u.children.groups != nil {
		u.children.groups.Entered(GroupKernel{k}, t)
	}
	if k.CTAs == 0 {
		u.end(k, t)
		return
	}
	u.wake(t)
}

// wake makes the scheduler look at cycle t.
func (u *ctaScheduler) wake(t Time) {
	if u.posted != t {
		u.posted = t
		u.wakeAt(t)
	}
}

func (u *ctaScheduler) wakeAt(t Time) { u.queue.Post(t, evCTAs, 0, 0) }

// run places CTAs in cycle t.
func (u *ctaScheduler) run(t Time) error {
	if u.posted == t {
		u.posted = Unset
	}
	if t < u.forwarding.ahead {
		return nil
	}
	if u.at != t { // several events may stand for one cycle
		u.at, u.given = t, 0
		if u.resident != nil {
			u.resident.Act(t)
		}
	}
	if u.forwarding.k == nil {
		if k := u.forwardable(); k != nil {
			u.enterForward(k, t)
		}
	}
	if u.forwarding.k != nil {
		u.forward(t)
		return nil
	}
	most := u.pace.In(t)
	if most == 0 {
		if u.resumes.Len() > 0 || slices.ContainsFunc(u.entries, func(k *kernelRun) bool { return k.Left > 0 }) {
			u.wake(u.pace.Next(t))
		}
		return nil
	}
	for ; u.given < most; u.given++ {
		if u.restore(t) {
			continue
		}
		u.refresh(t)
		if len(u.view) == 0 {
			return nil
		}
		k, group, sm, ok := u.choose()
		if !ok {
			return nil
		}
		if err := u.place(u.view[k], group, u.sms[sm], t); err != nil {
			return err
		}
	}
	u.wake(u.pace.Next(t + 1))
	return nil
}

// refresh lists the kernels with CTAs left that can be placed in cycle t.
func (u *ctaScheduler) refresh(t Time) {
	u.view, u.pass.Kernels, u.pass.Held = u.view[:0], u.pass.Kernels[:0], u.pass.Held[:0]
	first := true // no kernel so far had groups without a placed CTA
	for _, k := range u.entries {
		if k.Left == 0 {
			continue
		}
		if u.gated(k) {
			if _, ok := u.gate.Next(k.Order); !ok {
				u.pass.Held = append(u.pass.Held, &k.KernelView)
				continue
			}
		}
		if u.look(k, first, t) {
			first = false
		}
		if u.works == nil && u.firstReady(k, t) || u.works != nil && u.someReady(k, t) {
			u.view = append(u.view, k)
			u.pass.Kernels = append(u.pass.Kernels, &k.KernelView)
		}
	}
}

// choose asks the policy.
func (u *ctaScheduler) choose() (kernel, group, sm int, ok bool) {
	if u.works != nil {
		return u.works.PlaceWork(&u.pass)
	}
	if kernel, sm, ok = u.policy.CTA.Place(&u.pass); !ok {
		return 0, 0, 0, false
	}
	return kernel, u.view[kernel].first(), sm, true
}

// place puts a CTA of a group of k on an SM.
func (u *ctaScheduler) place(k *kernelRun, group int, s *exec.SM, t Time) error {
	if !u.fits(k, s) {
		panic(fmt.Sprintf("CTA scheduler %T places kernel %d on SM %d, which has no room", u.policy.CTA, k.ID, s.ID))
	}
	c, err := u.nextCTA(k, group)
	if err != nil {
		return err
	}
	k.Left--
	c.SM, c.Posts = s, u.leavesEarly(k, group)
	if u.resident != nil {
		u.resident.Take(k.Order, c.Trace.ID, s.ID, TaskCTA{c}, t)
		return nil
	}
	k.seen.Ahead = u.warps != nil && u.warps.Holds(k.Order)
	u.came(c, t)
	if l := c.launch(); l != nil {
		u.children.started(l, t)
		if w := u.children.watcher; w != nil {
			w.Started(t)
		}
	}
	if x := k.merged; x != nil && x.Prologue != nil {
		c.Prologue = func(w *exec.Warp) { u.children.prologue(w, x) }
	}
	s.Start(&c.CTA, t)
	return nil
}

// fits reports whether a CTA of k has room on an SM.
func (u *ctaScheduler) fits(k *kernelRun, s *exec.SM) bool {
	if u.resident != nil {
		return u.resident.Room(s.ID)
	}
	return s.Fits(&k.seen)
}

// came books a CTA that begins on its SM.
func (u *ctaScheduler) came(c *ctaRun, t Time) {
	u.arrived(c)
	k := c.kernel
	if k.rec.FirstCTA == Unset {
		k.rec.FirstCTA = t
		if k.narrow {
			u.tasks.began(t)
		}
	}
	k.rec.LastCTA = t
}

// leavesEarly reports whether CTAs of a group of k leave their SMs before their stores are
// acknowledged: those for whose end nothing waits but their kernel's (docs/model, choice 36).
func (u *ctaScheduler) leavesEarly(k *kernelRun, group int) bool {
	return u.early && (u.gate == nil || u.warps != nil) && u.access == nil && group == ownGrid && k.launch == nil &&
		k.fused == nil &&
		!k.narrow && !k.code.Launches
}

// restore puts the first suspended CTA that can go on back on its SM.
func (u *ctaScheduler) restore(t Time) bool {
	if u.resumes.Len() == 0 {
		return false
	}
	c := *u.resumes.First()
	if !c.SM.Fits(&c.kernel.seen) {
		return false
	}
	u.resumes.Pop()
	c.SM.Restore(&c.CTA, t)
	return true
}

// resume lets a CTA go on whose children have all ended in cycle t; next is the
// first cycle in which it can be placed.
func (u *ctaScheduler) resume(c *ctaRun, t, next Time) {
	if !c.Suspended() {
		c.SM.Release(&c.CTA, t)
		return
	}
	u.resumes.Push(c)
	u.wake(next)
}

// end posts the end of a kernel.
func (u *ctaScheduler) end(k *kernelRun, t Time) {
	k.ending = true
	u.queue.Post(t, evKernelEnd, k.Slot, 0)
}

// ended takes note of a CTA that ended on s in cycle t.
func (u *ctaScheduler) ended(c *ctaRun, t Time) {
	if l := c.launch(); l != nil {
		if w := u.children.watcher; w != nil {
			w.Ended(t, t-c.Rec.Dispatch)
		}
		u.children.pending.ended(t - c.Rec.Dispatch)
		u.children.pending.lastChild = t
	} else if c.asked {
		u.children.pending.lastParent = t
	}
	if g := c.group; g != nil {
		if g.left--; g.left == 0 {
			u.children.ended(g.launch, t, t+1)
		}
	}
	k := c.kernel
	k.done++
	if u.gated(k) {
		u.gate.Ended(k.Order, c.Rec.CTA, t)
		u.follow(k, t)
	}
	if u.children.keeper != nil {
		u.children.tellEnded(c, t)
	}
	u.left(c, t)
	if k.waves != nil {
		if err := u.waveEnded(k, c, t); err != nil {
			u.fail(err)
		}
	}
	if k.posted = max(k.posted, c.Posted()); k.done == k.CTAs && k.children == 0 {
		u.end(k, max(t, k.posted)+1+k.waves.later())
	}
}

// arrived and left keep the books of a kernel's CTAs on SMs.
func (u *ctaScheduler) arrived(c *ctaRun) {
	u.use.change(c, 1, u.now)
	u.onSMs++
	k := c.kernel
	k.Resident++
	if k.smCTAs[c.SM.ID]++; k.smCTAs[c.SM.ID] == 1 {
		k.SMs++
		k.came(c.SM.ID, u.now)
	}
}

// left also notes when a kernel has nothing on an SM and nothing to place, but
// waits for children: it gives back its entry and its hardware work queue, or
// children behind it could never start (docs/model, choice 14).
func (u *ctaScheduler) left(c *ctaRun, t Time) {
	u.use.change(c, -1, t)
	u.onSMs--
	if c.Rec.Held {
		u.forwarding.held--
	}
	k := c.kernel
	k.Resident--
	if k.smCTAs[c.SM.ID]--; k.smCTAs[c.SM.ID] == 0 {
		k.SMs--
		k.went(c.SM.ID, t, u.cfg.SM.MaxWarps)
	}
	if k.Resident == 0 && k.Left == 0 && k.children > 0 && !k.released {
		u.queue.Post(t+1, evRelease, k.Slot, 0)
	}
	u.wake(t + 1)
}

// release takes a kernel that waits for children out of the distributor, unless
// it has got work meanwhile.
func (u *ctaScheduler) release(k *kernelRun, t Time) error {
	if k.released || k.ending || k.Resident > 0 || k.Left > 0 || k.children == 0 {
		return nil
	}
	k.released = true
	u.remove(k)
	if u.placed != nil {
		u.placed.Released(&k.rec)
	}
	return u.kmu.complete(k, t)
}

// remove takes a kernel that has ended out of the distributor.
func (u *ctaScheduler) remove(k *kernelRun) {
	for i, e := range u.entries {
		if e == k {
			u.entries = append(u.entries[:i], u.entries[i+1:]...)
			return
		}
	}
}
