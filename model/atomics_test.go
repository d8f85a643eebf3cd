package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace/tracetest"
)

var conflictRules = []string{"merged", "split", "serial"}

// Warps of many SMs that count in one word are bound by its slice, which takes a lane a cycle unless lanes are
// merged. Warps with a word each are not.
func TestCounterIsBoundByItsSlice(t *testing.T) {
	const ctas, atomics = 16, 64
	for _, c := range []struct {
		rule, address string
		turns         int
	}{
		{"merged", "@0x1000+0", 1}, {"split", "@0x1000+0", 32}, {"serial", "@0x1000+0", 32},
		{"split", "mask=0000003f @0x1000,0x1000,0x1004,0x1000,0x1004,0x1008", 3},
		{"serial", "mask=0000003f @0x1000,0x1000,0x1004,0x1000,0x1004,0x1008", 3},
		{"split", "mask=000000ff @0x101c-4", 1}, {"serial", "mask=000000ff @0x1000+4", 1},
	} {
		text := fmt.Sprintf("launch count grid=%d block=32\ncta 0..%d\nwarp 0\nrepeat %d\natomic %s\nend\nexit\n", ctas,
			ctas-1, atomics, c.address)
		got := cyclesOf(t, text, "sm.count=4", "icnt.latency=1", "sm.atomic_conflicts="+c.rule)
		if low := model.Time(ctas * atomics * c.turns); got < low || got > low+200 {
			t.Errorf("%s, %s: %d cycles, want %d and what the first and the last take", c.rule, c.address, got, low)
		}
	}
}

// The cost of conflicts on presets: a kernel that counts in one word, and one of a histogram. With -v it prints the
// cycles under each rule.
func TestConflictsOnPresets(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	for _, gpu := range []string{"rtx3070", "h100"} {
		for _, bins := range []int{1, 64, 1024} {
			text, cycles := histogram(92, 8, 16, bins), map[string]model.Time{}
			for _, rule := range conflictRules {
				c, err := hardware.Preset(gpu)
				if err == nil {
					err = c.Set("sm.atomic_conflicts", rule)
				}
				if err != nil {
					t.Fatal(err)
				}
				e := &ends{end: map[uint32]model.Time{}}
				replay(t, tracetest.FromText(t, text), c, "hyperq", e)
				cycles[rule] = e.end[0]
			}
			pct := func(rule string) float64 { return 100 * (float64(cycles[rule])/float64(cycles["merged"]) - 1) }
			t.Logf("%-12s %4d bins: merged %7d cycles, split %+8.1f %%, serial %+8.1f %%", gpu, bins, cycles["merged"],
				pct("split"), pct("serial"))
			// Where the queue of a slice is behind the ROP delay, its gate looks at requests, not at their turns: the
			// 64 bins take 78,793 cycles with split and 90,310 with serial on rtx3070.
			if noFewer := func(a, b string) bool {
				return 100*cycles[a] >= 99*cycles[b]
			}; !noFewer("serial", "merged") || !noFewer("split", "merged") {
				t.Errorf("%s, %d bins: %v cycles, want no fewer the more requests and turns there are, but for their order", gpu,
					bins, cycles)
			}
		}
	}
}

// histogram is a kernel whose lanes add to bins drawn at random.
func histogram(ctas, warps, steps, bins int) string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(1, 2))
	fmt.Fprintf(&b, "launch histogram grid=%d block=%d\n", ctas, 32*warps)
	for c := range ctas {
		fmt.Fprintf(&b, "cta %d\n", c)
		for w := range warps {
			fmt.Fprintf(&b, "warp %d\n", w)
			for range steps {
				lanes := make([]string, 32)
				for i := range lanes {
					lanes[i] = fmt.Sprintf("0x%x", 0x100000+4*r.IntN(bins))
				}
				fmt.Fprintf(&b, "atomic @%s\n", strings.Join(lanes, ","))
			}
			b.WriteString("exit\n")
		}
	}
	return b.String()
}
