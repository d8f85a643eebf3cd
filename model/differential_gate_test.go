package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// gateTrace is a random program of kernels whose CTAs touch parts of three arrays.
func gateTrace(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("array a bytes=3000 base=0x10000\narray b bytes=1700 base=0x10c00\narray c bytes=2500 base=0x20000\n")
	streams, widest := 1+r.IntN(5)/4, []int{20, 100, 900}[r.IntN(3)]
	for k := range 2 + r.IntN(7) {
		ctas, warps := 1+r.IntN(7), 1+r.IntN(2)
		fmt.Fprintf(&b, "launch k%d grid=%d block=%d shared=%d stream=%d%s\n", k, ctas, 32*warps, r.IntN(3)*2000,
			r.IntN(streams),
			[]string{"", "", "", "", "", "", "", " irregular"}[r.IntN(8)])
		for c := range ctas {
			fmt.Fprintf(&b, "cta %d\n", c)
			for range 1 + r.IntN(4)*r.IntN(2) {
				lo := r.IntN(1600)
				fmt.Fprintf(&b, "range %s %s %d..%d\n", []string{"a", "b", "c"}[r.IntN(3)],
					[]string{"read", "write", "readwrite"}[r.IntN(3)], lo,
					lo+1+r.IntN(widest)*r.IntN(3)/2)
			}
			for w := range warps {
				fmt.Fprintf(&b, "warp %d\n", w)
				for range r.IntN(4) {
					randomInst(r, &b)
				}
				fmt.Fprintf(&b, "int R1 <- R1 x%d\nexit\n", 1+r.IntN(30))
			}
		}
		if r.IntN(4) == 0 {
			b.WriteString([]string{"sync\n", "memset a\n", "d2h c\n", "h2d b async\n", "work ns=300\n", "record 1\n",
				"wait 1\n", "syncstream 0\n"}[r.IntN(8)])
		}
	}
	return b.String()
}

// Kernels that overlap CTA by CTA: the two machines agree.
func TestGateAgainstReference(t *testing.T) {
	compareMany(t, 2*time.Second, 80, func(r *rand.Rand) (text string, machine []string) {
		return gateTrace(r), append(randomMachine(r), "policy="+[]string{"blockmaestro", "blockmaestro,window=5",
			"blockmaestro,window=4,deps=raw", "blockmaestro,priority=consumer", "blockmaestro,deps=raw",
			"blockmaestro,deps=raw,priority=consumer,window=4",
			"blockmaestro,window=3", "blockmaestro,parents=1", "blockmaestro,deps=kernel",
			"blockmaestro,window=8,parents=2,priority=consumer"}[r.IntN(10)])
	})
}
