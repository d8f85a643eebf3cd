package replay

import (
	"fmt"
	"strconv"

	"gpureplay/model"
	"gpureplay/model/hardware"
)

// SpreadCycles is how many cycles the last launch of a spread comes later than the first.
const SpreadCycles = 4

// Spread returns five variants of a machine whose launches take 0 to 4 cycles longer. Queues that are full decide by
// the cycle in which requests meet. So one cycle can move a whole program, here and in GPGPU-Sim. A launch latency
// that the machine cannot have is an error.
func Spread(cfg *hardware.Config) ([]Variant, error) {
	var all []Variant
	for i := range SpreadCycles + 1 {
		changed, cycles := *cfg, cfg.Host.LaunchLatency+i
		changed.Host.LaunchLatency = cycles
		if err := changed.Validate(); err != nil {
			return nil, fmt.Errorf("a launch %d cycles later: %w", i, err)
		}
		all = append(all, Variant{"host.launch_latency", strconv.Itoa(cycles),
			func(c *hardware.Config) { c.Host.LaunchLatency = cycles }})
	}
	return all, nil
}

// Range is the shortest and the longest run of a policy over the variants of its machine.
type Range struct {
	Trace, Policy string
	Least, Most   model.Time
}

// Percent is how much longer the longest run is than the shortest.
func (r *Range) Percent() float64 {
	if r.Least == 0 {
		return 0
	}
	return 100 * (float64(r.Most)/float64(r.Least) - 1)
}

// Ranges returns the range of each policy on each trace, in the order of the results. Runs that were cut off are left
// out.
func Ranges(results []*Result) []*Range {
	var all []*Range
	of := map[[2]string]*Range{}
	for _, r := range results {
		if r.Run.Incomplete {
			continue
		}
		key, t := [2]string{r.Trace, r.Policy}, r.Run.Cycles
		x := of[key]
		if x == nil {
			x = &Range{Trace: r.Trace, Policy: r.Policy, Least: t, Most: t}
			of[key], all = x, append(all, x)
		}
		x.Least, x.Most = min(x.Least, t), max(x.Most, t)
	}
	return all
}
