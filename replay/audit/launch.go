package audit

import "gpureplay/model"

// Launch checks a request for a child kernel whose outcome is final.
func (a *Auditor) Launch(r *model.LaunchRecord) {
	made := r.Decision != model.Inline
	at := r.Time
	if made {
		at = r.FirstCTA
	}
	a.tick(at)
	a.asked[r.Decision]++
	switch {
	case made && (r.Arrive < r.Time || r.FirstCTA < r.Arrive):
		a.fail("launch-order", at, "child kernel %d: requested at %d, arrived %d, first CTA %d", r.Child, r.Time, r.Arrive,
			r.FirstCTA)
	case !made && (r.Arrive != model.Unset || r.FirstCTA != model.Unset || r.FootprintBytes != 0):
		a.fail("launch-order", at, "child kernel %d was refused at %d, but arrived at %d and took %d bytes", r.Child,
			r.Time, r.Arrive, r.FootprintBytes)
	case r.AGT >= 0 && (r.Spilled || r.Decision != model.Group):
		a.fail("agt", at, "child kernel %d has AGT entry %d, but is no group, or its record is in memory", r.Child, r.AGT)
	case r.Eligible && r.Decision != model.Group:
		a.fail("agt", at, "child kernel %d found an eligible kernel and is no group", r.Child)
	}
	if r.AGT >= 0 {
		a.entry(r)
	}
	if a.order != nil {
		a.order.launched(r)
	}
}

// agtBook is the group that has an entry of the aggregated group table, or had it
// last.
type agtBook struct {
	child uint32
	used  bool
	until model.Time
}

// tableEntries is the size of a policy's aggregated group table; 0: it has none.
func tableEntries(p *model.Policy) int {
	if g, ok := p.Launch.(model.GroupUnit); ok {
		return g.Entries()
	}
	return 0
}

// entry checks that a group's entry of the table was free when its record arrived.
func (a *Auditor) entry(r *model.LaunchRecord) {
	if grow := int(r.AGT) + 1 - len(a.agt); grow > 0 {
		a.agt = append(a.agt, make([]agtBook, grow)...)
	}
	b := &a.agt[r.AGT]
	if b.used || r.Arrive < b.until {
		a.fail("agt", r.FirstCTA, "child kernels %d and %d have AGT entry %d at the same time", b.child, r.Child, r.AGT)
	}
	if n := a.entries; n > 0 && int(r.AGT) >= n {
		a.fail("agt", r.FirstCTA, "child kernel %d has AGT entry %d of %d", r.Child, r.AGT, n)
	}
	b.child, b.used = r.Child, true
	a.holds[r.Child] = r.AGT
}

// groupEnded gives back a group's table entry.
func (a *Auditor) groupEnded(child uint32, t model.Time) {
	if e, ok := a.holds[child]; ok {
		delete(a.holds, child)
		a.agt[e].used, a.agt[e].until = false, t
	}
	if a.order != nil {
		a.order.childEnded(child, t)
	}
}

// launches checks that every request had one outcome.
func (a *Auditor) launches(sum *model.Summary) {
	made := a.asked[model.DeviceKernel] + a.asked[model.Group]
	if made != sum.LaunchesMade || a.asked[model.Inline] != sum.LaunchesInlined || made+
		sum.LaunchesInlined != sum.LaunchesRequested {
		a.fail("totals", sum.Cycles, "%d children were launched and %d inlined, the summary says %d and %d of %d",
			made, a.asked[model.Inline], sum.LaunchesMade, sum.LaunchesInlined, sum.LaunchesRequested)
	}
}

// Suspended gives back the resources of a CTA that waits for its children.
func (a *Auditor) Suspended(r *model.CTARecord, t model.Time) {
	a.tick(t)
	a.giveBack(r, &a.book(owner(r), t).res, t+1) // it has issued in cycle t
	if a.order != nil {
		a.order.left(r, t)
	}
}

// Resumed takes it again.
func (a *Auditor) Resumed(r *model.CTARecord, t model.Time) {
	a.tick(t)
	a.hold(r, &a.book(owner(r), t).res, t)
	if a.order != nil {
		a.order.back(r, t)
	}
}
