package capture

import (
	"cmp"
	"slices"
	"strings"

	"gpureplay/internal/intervals"
)

// A Rank is the share of one process in the time of a job, in nanoseconds. Compute,
// Collectives, Copies and Idle add up to Ns.
type Rank struct {
	Name        string
	Kernels     int
	Ns          int64 // end to end
	Compute     int64 // with a kernel that is no collective
	Collectives int64 // with a collective and no other kernel: the rank waits, or moves data
	Copies      int64 // with a copy and no kernel
	Idle        int64 // with none of them
}

// RankOf sums the activity of one process.
func RankOf(name string, a *Activity) Rank {
	var sets [3]intervals.Set // compute, with collectives, with copies
	for _, k := range a.Kernels {
		at := 0
		if k.Collective {
			at = 1
		}
		sets[at].Add(k.From, k.To)
	}
	for _, c := range a.Copies {
		sets[2].Add(c.From, c.To)
	}
	r := Rank{Name: name, Kernels: len(a.Kernels), Ns: a.Ns, Compute: sets[0].Length()}
	sets[1].Join(&sets[0])
	kernels := sets[1].Length()
	sets[2].Join(&sets[1])
	busy := sets[2].Length()
	r.Ns = max(r.Ns, busy)
	r.Collectives, r.Copies, r.Idle = kernels-r.Compute, busy-kernels, r.Ns-busy
	return r
}

// Slowest is the rank that the others wait for: it spends the least time in collectives
// alone. It returns nil where a rank has no collective, or all have as much.
func Slowest(ranks []Rank) *Rank {
	least := func(a, b Rank) int {
		return cmp.Or(cmp.Compare(a.Collectives, b.Collectives), strings.Compare(a.Name, b.Name))
	}
	if len(ranks) < 2 {
		return nil
	}
	slow := slices.MinFunc(ranks, least)
	if slow.Collectives == 0 || slices.MaxFunc(ranks, least).Collectives == slow.Collectives {
		return nil
	}
	return &slow
}
