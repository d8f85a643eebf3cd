package model

import (
	"math"

	"gpureplay/model/clock"
)

// pendingLaunches keeps the books of children that have been launched and have
// not started, and of what those that started waited and ran.
type pendingLaunches struct {
	bytes   uint64    // of parameters and records, now
	area    clock.Sum // bytes times cycles
	at      Time
	starts  uint64
	first   Time      // when the first of them started
	waited  clock.Sum // launch call to first CTA, over those that started
	queued  clock.Sum // from the arrival at the KMU, or at its kernel, to the first CTA
	spilled uint64

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

// finish adds the metrics of a run in which children were asked for.
func (u *children) finish() {
	m, p := u.m, &u.pending
	if m.sum.LaunchesRequested == 0 {
		return
	}
	p.change(0, m.sum.Cycles)
	set := m.metrics.set
	set("resource_utilisation_pct", m.use.percent(m.sum.Cycles))
	set("child_ctas_resident_most", float64(m.use.childMost))
	set("last_parent_cycle", float64(p.lastParent))
	set("pending_launch_mean_bytes", p.area.Mean(uint64(max(1, m.sum.Cycles))))
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
	if u.agt != nil {
		set("agt_spilled_groups", float64(p.spilled))
		set("agt_most_used_entries", float64(u.agt.most))
	}
}
