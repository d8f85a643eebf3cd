package audit

import (
	"math"

	"gpureplay/model"
	"gpureplay/model/hardware"
)

// presence is how long an SM has held CTAs, and how many warps of them: the books of "cycles-add-up". For each SM
// the cycles with CTAs and the cycles without add up to the run. The machine's counts of its warps must fit into
// the former.
type presence struct {
	since model.Time
	busy  model.Time // cycles with a CTA
	warps float64    // warps that the CTAs have room for, times cycles
	held  usage
}

// change brings the books up to t and takes or gives back a CTA's resources.
func (p *presence) change(res *hardware.Resources, sign int, t model.Time) {
	if p.held.ctas > 0 {
		p.busy += t - p.since
	}
	p.warps += float64(float64(p.held.warps) * float64(t-p.since))
	p.since = t
	p.held.take(res, sign)
}

// cycles checks the sums of the run against presence. Threadblocks of tasks on a
// residence are on no SM of their own, so that their runs are not checked.
func (a *Auditor) cycles(sum *model.Summary) {
	var busy model.Time
	var warps float64
	for i := range a.present {
		p := &a.present[i]
		if p.busy > sum.Cycles {
			a.fail("cycles-add-up", sum.Cycles, "SM %d held CTAs for %d cycles of %d", i, p.busy, sum.Cycles)
		}
		busy += p.busy
		warps += p.warps
	}
	if a.tasks.spawned > 0 {
		return
	}
	if all := uint64(sum.Cycles) * uint64(a.cfg.SM.Count); sum.ActiveSMCycles > uint64(busy) || uint64(busy) > all {
		a.fail("cycles-add-up", sum.Cycles, "%d SM cycles with warps, %d with CTAs, %d in all", sum.ActiveSMCycles, busy, all)
	}
	if float64(sum.ActiveWarpCycles) > warps {
		a.fail("cycles-add-up", sum.Cycles, "%d warp cycles, the CTAs had room for %.0f", sum.ActiveWarpCycles, warps)
	}
	if sum.IssuedInsts > sum.IssueSlots {
		a.fail("issue-slots", sum.Cycles, "%d instructions issued in %d slots", sum.IssuedInsts, sum.IssueSlots)
	}
	if a.warps != sum.Warps {
		a.fail("warps-once", sum.Cycles, "%d warps have run, the launched kernels have %d", sum.Warps, a.warps)
	}
}

// issue checks that a CTA did not issue more than its schedulers can.
func (a *Auditor) issue(r *model.CTARecord) {
	slots := uint64(r.Active) * uint64(a.cfg.SM.Schedulers*max(1, a.cfg.SM.IssueWidth))
	if r.WarpInsts > slots {
		a.fail("issue-slots", r.End, "CTA %d of kernel %d issued %d instructions in %d cycles, which have %d slots", r.CTA,
			owner(r), r.WarpInsts, r.Active, slots)
	}
}

// traffic checks that the traffic of each port, slice and channel fits the run. Requests that are left in the
// queues at its end are on top. So is data that copies left in the L2: it is evicted at once when other data comes.
func (a *Auditor) traffic(sum *model.Summary) {
	c := a.cfg
	cycles := func(mhz float64) float64 { return float64(sum.Cycles)*mhz/c.Clock.CoreMHz + 1 }
	perChannel := (c.L2.Slices + c.DRAM.Channels - 1) / c.DRAM.Channels
	perRequest := float64(c.L1.SectorBytes / sectorBytes) // at most
	burst := math.Ceil(sectorBytes / float64(c.DRAM.BusBytes*max(1, c.DRAM.DataRate)))
	for _, m := range sum.Memory {
		if m.Index < 0 {
			continue
		}
		var carried, most float64
		switch m.Level {
		case "l1":
			carried, most = float64(m.Misses+m.WriteSectors)/perRequest, cycles(c.Clock.IcntMHz)+float64(c.L1.MissQueue)
		case "l2":
			carried, most = float64(m.Accesses)/perRequest, cycles(c.Clock.L2MHz)+float64(c.L2.Queue)
		case "dram":
			left := float64(c.DRAM.Window+perChannel*(c.L2.MissQueue+c.L2.LineBytes/sectorBytes)) +
				float64(a.warmed)/sectorBytes/float64(c.DRAM.Channels)
			carried, most = float64(m.Accesses)*burst, cycles(c.Clock.DRAMMHz)+float64(left*burst)
		}
		if carried > most {
			a.fail("link-bandwidth", sum.Cycles, "%s %d has carried for %.0f of its cycles, the run has %.0f", m.Level,
				m.Index, carried, most)
		}
	}
}

const sectorBytes = 32
