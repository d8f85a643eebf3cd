package command

import (
	"fmt"

	"gpureplay/replay"
)

// printSpread prints how far the cycles of each policy lie apart over the launches of --spread.
func (a *app) printSpread(results []*replay.Result) {
	ranges := replay.Ranges(results)
	several := len(ranges) > 0 && ranges[0].Trace != ranges[len(ranges)-1].Trace
	for _, r := range ranges {
		name := r.Policy
		if several {
			name = r.Trace + ", " + name
		}
		fmt.Fprintf(a.out, "spread of %s: %s to %s cycles (%.2f %%), launches 0 to %d cycles later\n", name,
			commas(int64(r.Least)), commas(int64(r.Most)), r.Percent(), replay.SpreadCycles)
	}
}

// printStops says that slices of the L2 had no room for requests, and how often in the run with the most of them.
func (a *app) printStops(results []*replay.Result) {
	most := uint64(0)
	for _, r := range results {
		for i := range r.Run.Memory {
			if m := &r.Run.Memory[i]; m.Level == "l2" && m.Index < 0 {
				most = max(most, m.Stops)
			}
		}
	}
	if most > 0 {
		fmt.Fprintf(a.out, "L2 slices stopped %s times for lack of room: a launch one cycle later can move the run "+
			"by some percent (--spread prints the range)\n", commas(most))
	}
}
