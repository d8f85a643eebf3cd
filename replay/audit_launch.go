package replay

import "gpureplay/model"

// Launch checks a request for a child kernel whose outcome is final.
func (a *auditor) Launch(r *model.LaunchRecord) {
	made := r.Decision != model.Inline
	at := r.Time
	if made {
		at = r.FirstCTA
	}
	a.tick(at)
	a.asked[r.Decision]++
	switch {
	case made && (r.Arrive < r.Time || r.FirstCTA < r.Arrive):
		a.fail("launch-order", at, "child kernel %d: asked for at %d, arrived %d, first CTA %d", r.Child, r.Time, r.Arrive, r.FirstCTA)
	case !made && (r.Arrive != model.Unset || r.FirstCTA != model.Unset || r.FootprintBytes != 0):
		a.fail("launch-order", at, "child kernel %d was refused at %d, but arrived at %d and took %d bytes", r.Child, r.Time, r.Arrive, r.FootprintBytes)
	case r.AGT >= 0 && (r.Spilled || r.Decision != model.Group):
		a.fail("agt", at, "child kernel %d has AGT entry %d, but is no group, or its record is in memory", r.Child, r.AGT)
	case r.Eligible && r.Decision != model.Group:
		a.fail("agt", at, "child kernel %d found an eligible kernel and is no group", r.Child)
	}
}

// launches checks that every request had one outcome.
func (a *auditor) launches(sum *model.Summary) {
	made := a.asked[model.DeviceKernel] + a.asked[model.Group]
	if made != sum.LaunchesMade || a.asked[model.Inline] != sum.LaunchesInlined || made+sum.LaunchesInlined != sum.LaunchesRequested {
		a.fail("totals", sum.Cycles, "%d children were launched and %d inlined, the summary says %d and %d of %d",
			made, a.asked[model.Inline], sum.LaunchesMade, sum.LaunchesInlined, sum.LaunchesRequested)
	}
}

// Suspended gives back what a CTA that waits for its children holds.
func (a *auditor) Suspended(r *model.CTARecord, t model.Time) {
	a.tick(t)
	a.sms[r.SM].take(&a.book(owner(r), t).res, -1)
}

// Resumed takes it again.
func (a *auditor) Resumed(r *model.CTARecord, t model.Time) {
	a.tick(t)
	a.hold(r, &a.book(owner(r), t).res, t)
}
