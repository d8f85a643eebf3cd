package model

import "fmt"

// ctaScheduler is the kernel distributor with the CTA scheduler behind it. The
// policy says which kernel's CTA goes where; the unit sees to limits and time.
type ctaScheduler struct {
	m       *Machine
	entries []*kernelRun // in the distributor, first come first
	view    []*kernelRun // those with CTAs left, parallel to ctaView.Kernels
	pass    CTAView
	posted  Time // an evCTAs stands for this cycle
}

// admit puts a kernel into the distributor.
func (u *ctaScheduler) admit(k *kernelRun, t Time) {
	k.rec.Dispatch = t
	u.entries = append(u.entries, k)
	if u.m.placed != nil {
		u.m.placed.Dispatched(&k.rec)
	}
	if k.total == 0 {
		u.m.queue.post(t, evKernelEnd, k.slot, 0)
		return
	}
	u.wake(t)
}

// wake makes the scheduler look at cycle t.
func (u *ctaScheduler) wake(t Time) {
	if u.posted != t {
		u.posted = t
		u.m.queue.post(t, evCTAs, 0, 0)
	}
}

// run places CTAs in cycle t.
func (u *ctaScheduler) run(t Time) error {
	if u.posted == t {
		u.posted = Unset
	}
	for range max(1, u.m.cfg.KMU.CTAsPerCycle) {
		u.refresh()
		if len(u.view) == 0 {
			return nil
		}
		k, sm, ok := u.m.policy.CTA.Place(&u.pass)
		if !ok {
			return nil
		}
		if err := u.place(u.view[k], u.m.sms[sm], t); err != nil {
			return err
		}
	}
	u.wake(t + 1)
	return nil
}

// refresh lists the kernels with CTAs left.
func (u *ctaScheduler) refresh() {
	u.view, u.pass.Kernels = u.view[:0], u.pass.Kernels[:0]
	for _, k := range u.entries {
		if k.Left > 0 {
			u.view = append(u.view, k)
			u.pass.Kernels = append(u.pass.Kernels, &k.KernelView)
		}
	}
}

func (u *ctaScheduler) place(k *kernelRun, s *sm, t Time) error {
	if !s.fits(k) {
		panic(fmt.Sprintf("CTA scheduler %T places kernel %d on SM %d, which has no room", u.m.policy.CTA, k.ID, s.id))
	}
	c, err := u.m.nextCTA(k)
	if err != nil {
		return err
	}
	k.Left--
	k.Resident++
	if k.smCTAs[s.id]++; k.smCTAs[s.id] == 1 {
		k.SMs++
	}
	if k.rec.FirstCTA == Unset {
		k.rec.FirstCTA = t
	}
	k.rec.LastCTA = t
	s.start(c, t)
	return nil
}

// ended takes note of a CTA that ended on s in cycle t.
func (u *ctaScheduler) ended(c *ctaRun, t Time) {
	k := c.kernel
	k.Resident--
	k.done++
	if k.smCTAs[c.sm.id]--; k.smCTAs[c.sm.id] == 0 {
		k.SMs--
	}
	if k.done == k.total {
		u.m.queue.post(t+1, evKernelEnd, k.slot, 0)
	}
	u.wake(t + 1)
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
