package policies_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/trace/tracetest"
)

// randomChain is a random program of kernels that each read data of the one before, and a machine for it.
type randomChain struct {
	t    *testing.T
	seed uint64
	r    *rand.Rand // for further choices
	text string
	cfg  *hardware.Config
}

// randomChains yields so many of them, half with triggers. An SM holds so many CTAs at least.
func randomChains(t *testing.T, many, stream uint64, ctas int) iter.Seq[*randomChain] {
	return func(yield func(*randomChain) bool) {
		for seed := range many {
			r := rand.New(rand.NewPCG(seed, stream))
			text := overlapping(r, seed%2 == 0)
			if !yield(&randomChain{t, seed, r, text, tiny(t, 1+r.IntN(3), ctas+r.IntN(3))}) {
				return
			}
		}
	}
}

// under yields the audited records of a chain under each policy, and a name for the run.
func (c *randomChain) under(policies ...string) iter.Seq2[string, *log] {
	return func(yield func(string, *log) bool) {
		for _, policy := range policies {
			name := fmt.Sprintf("seed %d, %s", c.seed, policy)
			l, _, err := replay(c.t, tracetest.FromText(c.t, c.text), c.cfg, policy, 0)
			if err != nil {
				c.t.Fatalf("%s: %v", name, err)
			}
			if c.t.Failed() {
				c.t.Fatal(name)
			}
			if !yield(name, l) {
				return
			}
		}
	}
}

// overlapping is kernels that each read data of the one before, behind a load that needs nothing of it.
func overlapping(r *rand.Rand, trigger bool) string {
	var b strings.Builder
	b.WriteString("array a base=0x10000 bytes=64K\narray b base=0x20000 bytes=64K\narray w base=0x40000 bytes=64K\n")
	for k := range 3 + r.IntN(3) {
		ctas, warps := 1+r.IntN(5), 1+r.IntN(2)
		fmt.Fprintf(&b, "launch k%d grid=%d block=%d\n", k, ctas, 32*warps)
		from, to := 0x10000+k%2*0x10000, 0x20000-k%2*0x10000
		for c := range ctas {
			fmt.Fprintf(&b, "cta %d\n", c)
			for w := range warps {
				fmt.Fprintf(&b, "warp %d\nload R1 <- R2 @0x%x+4\nint R3 <- R1 x%d\n", w, 0x40000+r.IntN(64)*128, 1+r.IntN(9))
				if trigger && r.IntN(3) > 0 {
					b.WriteString("PREEXIT control\n")
				}
				if trigger {
					b.WriteString("ACQBULK control\n")
				}
				fmt.Fprintf(&b, "load R4 <- R5 @0x%x+4\nint R6 <- R4 x%d\nstore <- R6 @0x%x+4\nexit\n", from+r.IntN(16)*128,
					1+r.IntN(5), to+(c*warps+w)*128)
			}
		}
		if r.IntN(4) == 0 {
			b.WriteString([]string{"sync\n", "h2d w bytes=4096\n", "record 1\n"}[r.IntN(3)])
		}
	}
	return b.String()
}
