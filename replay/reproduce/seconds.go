package reproduce

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// seconds says how long the runs of each row took, by the clock.
func (t *planned) seconds() string {
	var all float64
	var words []string
	for i := range t.rows {
		r, s := &t.rows[i], 0.
		for _, label := range slices.Sorted(maps.Keys(r.units)) { // a sum in one order
			for _, x := range r.units[label].results {
				s += x.Performance.WallSeconds
			}
		}
		all += s
		words = append(words, fmt.Sprintf("%s %.1f", r.workload.Name, s))
	}
	return fmt.Sprintf("%.1f s of runs: %s", all, strings.Join(words, "; "))
}
