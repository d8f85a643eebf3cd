package model

// WorkScheduler is a [CTAScheduler] that also chooses what of a kernel goes next: CTAs
// of its own grid, or of one of the groups that have joined it. The machine asks
// PlaceWork in place of Place.
type WorkScheduler interface {
	CTAScheduler
	// PlaceWork returns a kernel, an index into v.Kernels, the Index of something in
	// v.Work(kernel) and the SM that takes its next CTA.
	PlaceWork(v *CTAView) (kernel, work, sm int, ok bool)
}

// Work is what of a kernel can be placed now: its own grid, or a group.
type Work struct {
	Index    int    // as PlaceWork names it
	Child    uint32 // the kernel of the group in the trace; NoKernel: the kernel's own grid
	Left     uint64 // CTAs not yet placed
	Since    Time   // it is in the distributor, or in the list of its kernel
	Level    int    // 0: of the host; 1: of a child of that; and so on
	Parent   CTAName
	ParentSM int // SM of the CTA that asked for it; -1: it is the host's
}

// Work returns what v.Kernels[k] can give, its own grid first, then groups in the
// order of their coming. It is valid until the next call.
func (v *CTAView) Work(k int) []Work {
	u, kernel := v.m.ctas, v.m.ctas.view[k]
	v.work = v.work[:0]
	if kernel.next < kernel.native {
		w := Work{Index: ownGrid, Child: NoKernel, Left: kernel.native - kernel.next, Since: kernel.rec.Dispatch, ParentSM: -1}
		if kernel.launch != nil {
			w.askedBy(kernel.launch.parent)
		}
		v.work = append(v.work, w)
	}
	for i := range kernel.groups.Len() {
		g := kernel.groups.At(i)
		if !u.groupReady(g, v.m.now) {
			continue
		}
		w := Work{Index: i, Child: g.launch.child, Left: uint64(g.launch.ctas), Since: g.since}
		if g.run != nil {
			w.Left = g.run.run.native - g.run.run.next
		}
		w.askedBy(g.launch.parent)
		v.work = append(v.work, w)
	}
	return v.work
}

func (w *Work) askedBy(c *ctaRun) { w.Level, w.Parent, w.ParentSM = c.level+1, c.name(), c.SM.ID }

// someReady reports whether some CTA of k can be placed in cycle t.
func (u *ctaScheduler) someReady(k *kernelRun, t Time) bool {
	if k.next < k.native {
		return true
	}
	for i := range k.groups.Len() {
		if u.groupReady(k.groups.At(i), t) {
			return true
		}
	}
	return false
}

// Now is the cycle.
func (v *CTAView) Now() Time { return v.m.now }

// WakeAt has the scheduler asked again at t, which is later than now.
func (v *CTAView) WakeAt(t Time) { v.m.ctas.wakeAt(t) }

// Load returns when a record of the scheduler's own that is known by a number is on
// chip, which is read from global memory now.
func (v *CTAView) Load(number uint64) Time {
	return v.m.mem.ReadSector(0, schedulerRecords+number, v.m.now)
}

// schedulerRecords is where such records lie, in sectors, apart from every address of
// a trace.
const schedulerRecords = 1<<58 + 1<<57

// FreeWarps is how many more warps SM sm has places for.
func (v *CTAView) FreeWarps(sm int) int { return v.m.cfg.SM.MaxWarps - v.m.sms[sm].Used.Warps }
