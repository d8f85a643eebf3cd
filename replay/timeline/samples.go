package timeline

import (
	"slices"
	"strings"
)

// counters are the columns of the table timeline that are shown as counters.
var counters = []string{"parent_ctas", "child_ctas", "active_warps", "registers_used", "shared_used_bytes",
	"pending_kernels", "kde_used",
	"agt_used", "warp_instructions", "l2_bytes", "dram_read_bytes", "dram_write_bytes"}

// firstAmount is the first of the counters that a window sums; the others are levels at its end.
var firstAmount = slices.Index(counters, "warp_instructions")

// maxSamples is how many windows are shown. More are merged: of levels the highest
// stays, amounts are summed.
const maxSamples = 4096

// sample is a window, or some that follow each other.
type sample struct {
	to     int64
	values []int64
}

// samples writes a counter's value at the end of its window, which is when it
// holds.
func (v *view) samples() (func(row), func()) {
	var all []sample
	merged, n := 1, 0 // windows of a sample, and of the last
	each := func(r row) {
		from, to := r.int(0), r.int(1)
		if !v.shown(from, to) {
			return
		}
		values := make([]int64, len(counters))
		for i := range values {
			values[i] = r.int(2 + i)
		}
		if n > 0 && n < merged {
			all[len(all)-1].merge(sample{to, values})
			n++
			return
		}
		if len(all) == maxSamples {
			for i := range maxSamples / 2 {
				all[2*i].merge(all[2*i+1])
				all[i] = all[2*i]
			}
			all = all[:maxSamples/2]
			merged *= 2
		}
		all, n = append(all, sample{to, values}), 1
	}
	return each, func() {
		if len(all) == 0 {
			return
		}
		heads := v.group("Counters", 6)
		for i, c := range counters {
			unit := ""
			if strings.HasSuffix(c, "_bytes") {
				unit = "bytes"
			}
			track := v.p.counter(heads.heading(), c, unit, i)
			for _, s := range all {
				v.p.count(track, v.ticks.Ns(s.to), s.values[i])
			}
		}
	}
}

func (s *sample) merge(next sample) {
	s.to = next.to
	for i, x := range next.values {
		if i >= firstAmount {
			s.values[i] += x
		} else {
			s.values[i] = max(s.values[i], x)
		}
	}
}
