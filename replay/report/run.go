package report

import (
	"gpureplay/replay/capture"
	"math"
	"slices"
	"strings"
)

// run is one replay.
type run struct {
	names
	fidelity         string
	baselines        []string // policies that its own is compared with
	cut              bool     // it did not run to its end
	cycles, ns       int64
	recordedNs       int64  // of a capture; 0: it is none
	speedup          number // over the group's baseline at the same settings
	inferred         int64  // kernels whose work is
	sampled          bool   // it has classes of kernels that were not all simulated
	kernels, ctas    int64
	insts            int64
	occupancy, issue number // per cent
	l1, l2           number
	made, inlined    int64 // child launches
	coalesced        int64 // of those that were made

	stalls    [len(stallReasons)]float64
	known     int64 // CTAs with stalls
	unknown   int64 // those whose stalls are no finding
	over      *series
	kernel    map[int64]*progress // of those whose progress is shown
	waiting   spread              // of child launches, cycles
	latency   spread              // of tasks, ns
	parallel  float64             // warps that the GPU holds at most; 0: unknown
	recorded  *capture.Activity   // the capture, at the first run of its group; nil: it is none
	story     *capture.Activity   // the run of a capture; nil: it is none, or is not shown
	bandwidth float64             // of its device memory, GB/s; 0: unknown
}

// inferredNote says which figures are estimates, over the traces with inferred work.
func inferredNote(runs []*run) string {
	var of []*run // the first run of each trace
	var inferred, kernels int64
	for _, r := range runs {
		if r.inferred > 0 && !slices.ContainsFunc(of, func(o *run) bool { return o.trace == r.trace }) {
			of = append(of, r)
			inferred, kernels = inferred+r.inferred, kernels+r.kernels
		}
	}
	if len(of) == 0 {
		return ""
	}
	share, name := commas(inferred)+" of "+commas(kernels), of[0].trace
	if inferred == kernels {
		share = "All " + commas(kernels)
	}
	if len(of) > 1 {
		name = commas(int64(len(of))) + " traces"
	}
	if r := of[0]; r.sampled || slices.Contains(r.axes, "approximate") {
		return " The run is sampled: " + share + " kernels of " + name + " were not simulated, and take the time of " +
			"earlier ones. Counts are of simulated kernels."
	}
	return " " + share + " kernels of " + name + " have inferred work: cache, stall and instruction figures are " +
		"estimates, not measurements."
}

// clock is the axis of time of runs that are shown together: cycles, or ms where all
// that is known of kernels is how long they took. A cycle is per of its unit.
func clock(runs []*run) (unit string, per float64) {
	for _, r := range runs {
		if r.fidelity == "kernel" && r.cycles > 0 && r.ns > 0 {
			return "ms", float64(r.ns) / float64(r.cycles) / 1e6
		}
	}
	return "cycles", 1
}

// instant is a time on such an axis as text.
func instant(unit string, x float64) string {
	if unit == "ms" {
		return significant(x)
	}
	return commas(int64(math.Round(x)))
}

// name is the run's policy, with the reason if it cannot be compared.
func (r *run) name() string {
	if r.cut {
		return r.policy + " (cut off)"
	}
	return r.policy
}

// number is a figure that may be absent.
type number struct {
	x  float64
	ok bool
}

func (s *source) add(n names, r row) {
	x := &run{
		names: n, fidelity: r.text("fidelity"), cycles: r.int("cycles"), ns: r.int("time_ns"),
		recordedNs: r.int("recorded_ns"), cut: r.text("complete") == "false",
		kernels: r.int("kernels"), ctas: r.int("ctas"), insts: r.int("warp_instructions"), made: r.int("launches_made"),
		inlined:   r.int("launches_inlined"),
		coalesced: r.int("launches_coalesced"), inferred: r.int("kernels_inferred"),
	}
	if names := r.text("baseline"); names != "" { // a sweep's
		x.baselines = []string{names}
	} else if names := r.text("baselines"); names != "" {
		x.baselines = strings.Split(names, ",")
	}
	for column, to := range map[string]*number{"occupancy_pct": &x.occupancy, "issue_utilisation_pct": &x.issue,
		"l1_hit_pct": &x.l1, "l2_hit_pct": &x.l2} {
		to.x, to.ok = r.float(column)
	}
	s.runs = append(s.runs, x)
	s.byKey[n.key()] = x
}

// group is the runs that are compared with each other: of one trace on one GPU.
type group struct {
	trace, gpu string
	base       string   // the policy that speed-ups refer to; "": none
	policies   []string // the baseline first, then as they come
	runs       []*run
}

func (g *group) title() string { return g.trace + " on " + g.gpu }

// of returns the runs of a policy.
func (g *group) of(policy string) []*run {
	var all []*run
	for _, r := range g.runs {
		if r.policy == policy {
			all = append(all, r)
		}
	}
	return all
}

// groups are in the order of the runs.
func (s *source) groups() []*group {
	var all []*group
	byName := map[string]*group{}
	for _, r := range s.runs {
		key := r.trace + "\x00" + r.gpu
		g := byName[key]
		if g == nil {
			g = &group{trace: r.trace, gpu: r.gpu}
			byName[key] = g
			all = append(all, g)
		}
		g.runs = append(g.runs, r)
	}
	for _, g := range all {
		for _, r := range g.runs {
			if !slices.Contains(g.policies, r.policy) {
				g.policies = append(g.policies, r.policy)
			}
		}
		g.compare(s.named)
	}
	return all
}

// compare chooses the baseline of a group and sets the speed-ups over it.
func (g *group) compare(named string) {
	g.base = g.baseline(named)
	if i := slices.Index(g.policies, g.base); i > 0 {
		g.policies = slices.Insert(slices.Delete(g.policies, i, i+1), 0, g.base)
	}
	cycles := map[string]int64{}
	for _, r := range g.of(g.base) {
		if !r.cut {
			cycles[strings.Join(r.settings, "\x00")] = r.cycles
		}
	}
	for _, r := range g.runs {
		base, ok := cycles[strings.Join(r.settings, "\x00")]
		if ok = ok && r.cycles > 0 && !r.cut; ok {
			r.speedup = number{float64(base) / float64(r.cycles), true}
		}
	}
}

// baseline is the policy that speed-ups of a group refer to: the one that was
// named, else the one that most of its runs are compared with by their papers, else
// one that others build on; none if no run is of it.
func (g *group) baseline(named string) string {
	if named != "" {
		if slices.Contains(g.policies, named) {
			return named
		}
		return ""
	}
	votes := map[string]int{}
	best := ""
	for _, r := range g.runs {
		for _, b := range r.baselines {
			if slices.Contains(g.policies, b) {
				if votes[b]++; votes[b] > votes[best] {
					best = b
				}
				break
			}
		}
	}
	for _, b := range []string{"serial", "hyperq", "flat", "cdp"} {
		if best == "" && slices.Contains(g.policies, b) {
			best = b
		}
	}
	return best
}
