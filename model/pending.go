package model

import (
	"fmt"
	"math"
	"slices"

	"gpureplay/model/clock"
)

// pendingLaunches keeps the books of children that have been launched and have not started,
// and sums the waiting and running times of the others.
type pendingLaunches struct {
	bytes  uint64    // of parameters and records, now
	area   clock.Sum // bytes times cycles
	at     Time
	starts uint64
	first  Time      // when the first of them started
	waited clock.Sum // launch call to first CTA, over those that started
	queued clock.Sum // from the arrival at the KMU, or at its kernel, to the first CTA

	lastParent Time // when the last CTA of the host's kernels that asked ended
	lastChild  Time // when the last child CTA ended

	ctas     uint64 // child CTAs that have ended
	took     clock.Sum
	tookSqrd clock.Sum
}

// change books bytes that are reserved or given back in cycle t.
func (p *pendingLaunches) change(bytes int64, t Time) {
	p.area.Add(p.bytes, uint64(t-p.at))
	p.at = t
	p.bytes += uint64(bytes)
}

// started books a child whose first CTA has been placed.
func (p *pendingLaunches) started(r *LaunchRecord, t Time) {
	p.change(-int64(r.FootprintBytes), t)
	if p.starts == 0 {
		p.first = t
	}
	p.starts++
	p.waited.Add(uint64(t-r.Time), 1)
	p.queued.Add(uint64(t-r.Arrive), 1)
}

// ended books a child CTA that ran for a time.
func (p *pendingLaunches) ended(took Time) {
	p.ctas++
	p.took.Add(uint64(took), 1)
	p.tookSqrd.Add(uint64(took), uint64(took))
}

// finish adds the metrics of a run in which children were requested.
func (u *launchUnit) finish(use *utilisation) {
	p := &u.pending
	if u.sum.LaunchesRequested == 0 {
		return
	}
	p.change(0, u.sum.Cycles)
	set := u.metrics.set
	set("resource_utilisation_pct", use.percent(u.sum.Cycles))
	set("child_ctas_resident_most", float64(use.childMost))
	set("last_parent_cycle", float64(p.lastParent))
	set("pending_launch_mean_bytes", p.area.Mean(uint64(max(1, u.sum.Cycles))))
	if p.starts > 0 {
		set("first_child_cycle", float64(p.first))
		set("child_waiting_mean_cycles", p.waited.Mean(p.starts))
		set("child_queueing_mean_cycles", p.queued.Mean(p.starts))
	}
	if p.ctas > 0 {
		set("last_child_cycle", float64(p.lastChild))
		set("child_cta_mean_cycles", p.took.Mean(p.ctas))
		set("child_cta_deviation_cycles", math.Sqrt(clock.Variance(&p.took, &p.tookSqrd, p.ctas)))
	}
	if u.groups != nil {
		u.groups.Finish()
	}
}

// note fills c from a record, apart from the fields that its caller sets.
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

// tell fills the record of c, apart from the fields that its caller sets.
func (c *childLaunch) tell(r *LaunchRecord) {
	*r = LaunchRecord{
		Parent: c.kernel, CTA: c.cta, Warp: c.warp, Lane: c.lane, Child: c.child, Time: c.time, Workload: c.workload,
		CTAs: c.ctas, Marked: c.marked, Decision: c.decision, Eligible: c.eligible, AGT: c.agt, Spilled: c.spilled,
		Arrive: c.arrive,
	}
	r.Noted = c.noted
}

// reason numbers the words of a decision. A policy has a few.
func (u *launchUnit) reason(words string) uint8 {
	i := slices.Index(u.reasons, words)
	if i < 0 {
		i = len(u.reasons)
		u.reasons = append(u.reasons, words)
	}
	if i > 255 {
		panic(fmt.Sprintf("policy %T has more than 256 reasons", u.policy.Launch))
	}
	return uint8(i)
}

func (c *childLaunch) String() string {
	return fmt.Sprintf("child kernel %d of kernel %d, CTA %d", c.child, c.kernel, c.cta)
}
