package reproduce

import (
	"math"
	"strconv"
	"strings"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/replay"
)

// none is a figure that is not there.
var none = math.NaN()

// over is the speedup of one run over another, by cycles.
func over(policy, base string) func(r *Row) float64 {
	return func(r *Row) float64 {
		a, b := r.run(policy), r.run(base)
		if a == nil || b == nil || a.Run.Cycles == 0 {
			return none
		}
		return float64(b.Run.Cycles) / float64(a.Run.Cycles)
	}
}

// speedups is a column for each policy: its speedup over base.
func speedups(base string, labels ...string) []Column {
	var all []Column
	for _, l := range labels {
		all = append(all, Column{Name: l, Digits: 3, Of: over(l, base), Mean: true})
	}
	return all
}

// of is a figure of one policy's run.
func of(policy string, f func(r *replay.Result) float64) func(*Row) float64 {
	return func(r *Row) float64 {
		x := r.run(policy)
		if x == nil {
			return none
		}
		return f(x)
	}
}

// launched is the number of children that a policy made.
func launched(policy string) func(*Row) float64 {
	return of(policy, func(x *replay.Result) float64 { return float64(x.Run.LaunchesMade) })
}

// joined is the share of the children that joined a kernel, in per cent.
func joined(policy string) func(*Row) float64 {
	return of(policy, func(x *replay.Result) float64 {
		if x.Run.LaunchesMade == 0 {
			return none
		}
		return 100 * float64(x.Run.LaunchesCoalesced) / float64(x.Run.LaunchesMade)
	})
}

// fills reports whether the parents of a row could keep the GPU full by themselves.
func fills(r *Row) bool { return parentWarps(r) >= float64(r.config.SM.Count*r.config.SM.MaxWarps) }

// parentWarps is how many warps of one kernel of the host ask for children, at most.
func parentWarps(r *Row) float64 {
	if r.work == nil {
		return none
	}
	return float64(r.work.Warps)
}

// ruleShare is the share of the requests that the program's own rule launches, in per
// cent.
func ruleShare(r *Row) float64 {
	if r.work == nil || r.work.Requests == 0 {
		return none
	}
	return 100 * float64(r.work.Marked) / float64(r.work.Requests)
}

// occupancy is the occupancy of the SMs that have work, in per cent.
func occupancy(policy string) func(*Row) float64 {
	return of(policy, func(x *replay.Result) float64 {
		return 100 * float64(x.Run.ActiveWarpCycles) / float64(max(1, x.Run.ActiveSMCycles*uint64(x.Run.MaxWarps)))
	})
}

// activity is the share of the lanes of warp instructions that are active, in per cent.
func activity(policy string) func(*Row) float64 {
	return of(policy, func(x *replay.Result) float64 {
		return 100 * float64(x.Run.ThreadInsts) / float64(max(1, 32*x.Run.WarpInsts))
	})
}

// dramEfficiency and l2Hits are as in the table runs, the hits in per cent.
func dramEfficiency(policy string) func(*Row) float64 {
	return of(policy, func(x *replay.Result) float64 { return x.Run.DRAMEfficiency() })
}

func l2Hits(policy string) func(*Row) float64 {
	return of(policy, func(x *replay.Result) float64 { return x.Run.HitPct("l2") })
}

func l1Hits(policy string) func(*Row) float64 {
	return of(policy, func(x *replay.Result) float64 { return x.Run.HitPct("l1") })
}

// waiting is the mean time from a launch call to the child's first CTA, in kilocycles.
func waiting(policy string) func(*Row) float64 {
	return of(policy, func(x *replay.Result) float64 { return x.Run.WaitingMean / 1e3 })
}

// pendingKB is the most memory that pending launches took at once.
func pendingKB(policy string) func(*Row) float64 {
	return of(policy, func(x *replay.Result) float64 { return float64(x.Run.PendingLaunchPeakBytes) / 1024 })
}

// quotient and less are one column's figure over, or less, another's.
func quotient(a, b func(*Row) float64) func(*Row) float64 {
	return func(r *Row) float64 {
		if b(r) == 0 {
			return none
		}
		return a(r) / b(r)
	}
}

func less(a, b func(*Row) float64) func(*Row) float64 {
	return func(r *Row) float64 { return a(r) - b(r) }
}

// deviation is the standard deviation of child CTA times, in per cent of their mean.
func deviation(policy string) func(*Row) float64 {
	return func(r *Row) float64 {
		return 100 * quotient(metric(policy, "child_cta_deviation_cycles", 1), metric(policy, "child_cta_mean_cycles", 1))(r)
	}
}

// metric is a figure that a policy adds to its run, scaled; 0 if it has none.
func metric(policy, name string, scale float64) func(*Row) float64 {
	return of(policy, func(x *replay.Result) float64 {
		for _, m := range x.Run.Extra {
			if m.Name == name {
				return m.Value * scale
			}
		}
		return 0
	})
}

// milliseconds is the time of a run on the machine.
func milliseconds(policy string) func(*Row) float64 {
	return func(r *Row) float64 {
		x := r.run(policy)
		if x == nil {
			return none
		}
		return float64(x.Run.Cycles) / r.config.Clock.CoreMHz / 1e3
	}
}

// stageShare is the share of stages in all stages of a run, in per cent; the pre-profilers, which run beside them,
// are no stage of the program.
func stageShare(policy string, stages ...model.StageKind) func(*Row) float64 {
	return of(policy, func(x *replay.Result) float64 {
		var some, all model.Time
		for k, t := range x.Stages {
			if model.StageKind(k) != model.StageProfiler {
				all += t
			}
		}
		for _, k := range stages {
			some += x.Stages[k]
		}
		return 100 * float64(some) / float64(all)
	})
}

// settled is the label of the threshold that a search settled on; "": it has
// not run.
func (r *Row) settled(search string) string {
	best := r.run(search)
	if best == nil {
		return ""
	}
	found := ""
	for label, x := range r.runs {
		n, ok := strings.CutPrefix(label, "threshold=")
		if ok && x.Run.Cycles == best.Run.Cycles && x.Run.LaunchesMade == best.Run.LaunchesMade &&
			(found == "" || value(n) > value(found)) {
			found = n
		}
	}
	return found
}

func value(threshold string) float64 {
	v, err := strconv.ParseFloat(threshold, 64)
	if err != nil {
		return none
	}
	return v
}

// threshold is where a search settled, in items.
func threshold(search string) func(*Row) float64 {
	return func(r *Row) float64 { return value(r.settled(search)) }
}

// offloaded is the share of the work that a search leaves to children, in per
// cent.
func offloaded(search string) func(*Row) float64 {
	return func(r *Row) float64 {
		v := value(r.settled(search))
		if math.IsNaN(v) || r.work == nil {
			return none
		}
		return 100 * r.work.Share(uint32(v))
	}
}

// atMost is the speedup over base of the search's run that leaves the largest
// share of the work to children that is not above a share in per cent.
func atMost(share int, base string) func(*Row) float64 {
	return func(r *Row) float64 {
		best, found := "", -1.
		for label := range r.runs {
			n, ok := strings.CutPrefix(label, "threshold=")
			if !ok || r.work == nil {
				continue
			}
			if s := r.work.Share(uint32(value(n))); s <= float64(share)/100 && s > found {
				best, found = label, s
			}
		}
		return over(best, base)(r)
	}
}

// cost is one line of the hardware that a policy adds to a machine, scaled.
func cost(policy, gpu, line string, scale float64) func() (float64, error) {
	return func() (float64, error) {
		cs, err := policies.Parse(policy, nil)
		if err != nil {
			return 0, err
		}
		cfg, err := hardware.Preset(gpu)
		if err != nil {
			return 0, err
		}
		for _, l := range cs[0].Cost(cfg) {
			if strings.HasPrefix(l.What, line) {
				return l.Value * scale, nil
			}
		}
		return none, nil
	}
}
