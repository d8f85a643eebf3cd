package model

import (
	"fmt"
	"slices"
)

// note makes c what a record says, but for what its caller sets.
func (c *childLaunch) note(r *LaunchRecord) {
	*c = childLaunch{
		time: r.Time, arrive: r.Arrive, kernel: r.Parent, cta: r.CTA, warp: r.Warp, child: r.Child, workload: r.Workload,
		ctas: r.CTAs, agt: r.AGT, lane: r.Lane, decision: r.Decision, marked: r.Marked,
	}
	if r.Noted != nil {
		c.noted = new(Notes)
		*c.noted = *r.Noted
	}
}

// tell makes the record of c, but for what its caller sets.
func (c *childLaunch) tell(r *LaunchRecord) {
	*r = LaunchRecord{
		Parent: c.kernel, CTA: c.cta, Warp: c.warp, Lane: c.lane, Child: c.child, Time: c.time, Workload: c.workload,
		CTAs: c.ctas, Marked: c.marked, Decision: c.decision, Eligible: c.eligible, AGT: c.agt, Spilled: c.spilled, Arrive: c.arrive,
	}
	r.Noted = c.noted
}

// reason numbers the words of a decision, of which a policy has a few.
func (u *children) reason(words string) uint8 {
	i := slices.Index(u.reasons, words)
	if i < 0 {
		i = len(u.reasons)
		u.reasons = append(u.reasons, words)
	}
	if i > 255 {
		panic(fmt.Sprintf("policy %T has more than 256 reasons", u.m.policy.Launch))
	}
	return uint8(i)
}

func (c *childLaunch) String() string {
	return fmt.Sprintf("child kernel %d of kernel %d, CTA %d", c.child, c.kernel, c.cta)
}
