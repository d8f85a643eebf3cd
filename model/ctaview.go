package model

// CTAScheduler decides which kernel's CTA goes on which SM next.
type CTAScheduler interface {
	// Place returns the kernel, an index into v.Kernels, and the SM that takes
	// its next CTA. !ok: nothing goes anywhere in this cycle. It is called
	// again after each placement and whenever something changed.
	Place(v *CTAView) (kernel, sm int, ok bool)
}

// CTAView is the machine as a CTA scheduler sees it. It is valid during one call.
type CTAView struct {
	// Kernels holds the kernels of the distributor with CTAs left to give,
	// first come first.
	Kernels []*KernelView
	// Held holds kernels with CTAs left whose CTAs the dependency all keeps back.
	Held []*KernelView
	View
	work []Work
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
	return v.m.ctas.fits(kernel, s)
}

// Dependency is the run's dependency, nil if there is none, for a scheduler that belongs to
// one.
func (v *CTAView) Dependency() Dependency { return v.m.policy.Dependency }

// Resident returns the number of CTAs on SM sm.
func (v *CTAView) Resident(sm int) int { return len(v.m.sms[sm].CTAs) }

// Holder returns the kernel id whose CTA was placed last on SM sm, or NoKernel
// if none ever was.
func (v *CTAView) Holder(sm int) uint32 { return v.m.sms[sm].Holder }

// WorkScheduler is a [CTAScheduler] that also chooses the part of a kernel that goes next:
// its own grid, or one of the groups that have joined it. The machine calls PlaceWork in
// place of Place.
type WorkScheduler interface {
	CTAScheduler
	// PlaceWork returns a kernel, an index into v.Kernels, the Index of something in
	// v.Work(kernel) and the SM that takes its next CTA.
	PlaceWork(v *CTAView) (kernel, work, sm int, ok bool)
}

// Work is a part of a kernel that can be placed now: its own grid, or a group.
type Work struct {
	Index    int    // as PlaceWork names it
	Child    uint32 // the kernel of the group in the trace; NoKernel: the kernel's own grid
	Left     uint64 // CTAs not yet placed
	Since    Time   // it is in the distributor, or in the list of its kernel
	Level    int    // 0: of the host; 1: of a child of that; and so on
	Parent   CTAName
	ParentSM int // SM of the CTA that requested it; -1: it is the host's
}

// Work returns the parts of v.Kernels[k] that can be placed: its own grid first, then groups
// in order of arrival. It is valid until the next call.
func (v *CTAView) Work(k int) []Work {
	u, kernel := v.m.ctas, v.m.ctas.view[k]
	v.work = v.work[:0]
	if kernel.next < kernel.native {
		w := Work{Index: ownGrid, Child: NoKernel, Left: kernel.native - kernel.next, ParentSM: -1}
		w.Since = kernel.rec.Dispatch
		if kernel.launch != nil {
			w.launchedBy(kernel.launch.parent)
		}
		v.work = append(v.work, w)
	}
	for i := range kernel.groups.Len() {
		g := kernel.groups.At(i)
		if !u.groupReady(g, v.m.now) {
			continue
		}
		w := Work{Index: i, Child: g.launch.child, Left: uint64(g.launch.ctas), Since: g.Since}
		if g.run != nil {
			w.Left = g.run.run.native - g.run.run.next
		}
		w.launchedBy(g.launch.parent)
		v.work = append(v.work, w)
	}
	return v.work
}

func (w *Work) launchedBy(c *ctaRun) { w.Level, w.Parent, w.ParentSM = c.level+1, c.name(), c.SM.ID }

// WakeAt calls the scheduler again at t, which is later than now.
func (v *CTAView) WakeAt(t Time) { v.m.ctas.wakeAt(t) }

// Load reads one of the scheduler's own records, given by a number, from global memory now
// and returns when it is on chip.
func (v *CTAView) Load(number uint64) Time {
	return v.m.mem.ReadSector(0, schedulerRecords+number, v.m.now)
}

// schedulerRecords is where such records lie, in sectors, apart from every address of
// a trace.
const schedulerRecords = 1<<58 + 1<<57

// FreeWarps is how many more warps SM sm has places for.
func (v *CTAView) FreeWarps(sm int) int { return v.m.cfg.SM.MaxWarps - v.m.sms[sm].Used.Warps }
