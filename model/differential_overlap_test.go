package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// overlapTrace is a random program of dependent kernels over three arrays, with its files, its copies and now and
// then a wait between kernels. Two arrays share a page.
func overlapTrace(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("array a bytes=3000 base=0x10000\narray b bytes=1700 base=0x10c00\narray c bytes=2500 base=0x20000\n")
	for _, array := range []string{"a", "b", "c"} {
		if r.IntN(3) > 0 {
			fmt.Fprintf(&b, "read %s%s\n", array, []string{"", "", " 700", " 1700"}[r.IntN(4)])
		}
		if r.IntN(4) == 0 {
			fmt.Fprintf(&b, "work ns=%d\n", 10*r.IntN(60))
		}
	}
	for _, array := range []string{"a", "b", "c"} {
		if r.IntN(4) > 0 {
			fmt.Fprintf(&b, "h2d %s\n", array)
		}
	}
	for k := range 1 + r.IntN(6) {
		overlapKernel(r, &b, k)
		if r.IntN(5) == 0 {
			b.WriteString([]string{"sync\n", "memset a\n", "d2h c\n", "h2d b\n", "work ns=300\n", "read b 600\n", "d2d a\n",
				"write c 300\n"}[r.IntN(8)])
		}
	}
	for _, array := range []string{"a", "b", "c"} {
		if r.IntN(3) > 0 {
			fmt.Fprintf(&b, "d2h %s\n", array)
		}
	}
	for _, array := range []string{"c", "a"} {
		if r.IntN(2) > 0 {
			fmt.Fprintf(&b, "write %s\n", array)
		}
	}
	return b.String()
}

func overlapKernel(r *rand.Rand, b *strings.Builder, k int) {
	ctas, warps := 1+r.IntN(5), 1+r.IntN(2)
	fmt.Fprintf(b, "launch k%d grid=%d block=%d shared=%d%s\n", k, ctas, 32*warps, r.IntN(3)*2000,
		[]string{"", "", "", "", " irregular"}[r.IntN(5)])
	bytes := map[string]int{"a": 3000, "b": 1700, "c": 2500}
	ranges := r.IntN(3) == 0
	for c := range ctas {
		fmt.Fprintf(b, "cta %d\n", c)
		if ranges {
			for _, array := range []string{"a", "b", "c"} {
				fmt.Fprintf(b, "range %s %s 0..%d\n", array, []string{"read", "write", "readwrite"}[r.IntN(3)], bytes[array]+
					r.IntN(3000))
			}
		}
		for w := range warps {
			fmt.Fprintf(b, "warp %d\n", w)
			for range 1 + r.IntN(8) {
				if r.IntN(3) == 0 {
					randomInst(r, b)
					continue
				}
				array := []string{"a", "b", "c"}[r.IntN(3)]
				stride := []int{0, 4, 4, 8, 40}[r.IntN(5)]
				at := fmt.Sprintf("@%s[%d]+%d", array, 4*r.IntN((bytes[array]-31*stride)/4), stride)
				fmt.Fprintf(b, "%s %s\n", []string{"load R1 <- R2", "load R3 <- R1", "store <- R3 R2", "atomic R2 <- R1",
					"load texture R4 <- R1"}[r.IntN(5)], at)
			}
			if r.IntN(5) > 0 {
				b.WriteString("exit\n")
			}
		}
	}
}

func overlapMachine(r *rand.Rand) []string {
	all := randomMachine(r)
	set := func(key string, values ...any) {
		all = append(all, fmt.Sprintf("%s=%v", key, values[r.IntN(len(values))]))
	}
	set("host.page_bytes", 512, 1024)
	set("host.storage_mb_s", 500, 3000, 20000)
	set("host.pcie_gb_s", 1, 7, 0)
	bits := []string{"", ",counter-bits=1", ",counter-bits=2", ",counter-bits=0"}[r.IntN(4)]
	order := []string{"", ",prelude-order=sequential", ",prelude-order=random-arrays"}[r.IntN(3)]
	cost := []string{"", ",profiler=off"}[r.IntN(2)]
	pages := []string{"", ",pages=text"}[r.IntN(2)]
	policy := []string{
		"crcs" + bits + order + cost, "crcs,cta=fifo" + bits + order, "ppcs" + bits + order + cost + pages,
		"ppcs,switch=off" + pages + cost, "oracle" + []string{"", ",grain=sector"}[r.IntN(2)] + order +
			strings.Replace(pages, "pages", "ppcs-pages", 1),
	}[r.IntN(5)]
	return append(all, "policy="+policy)
}

// Dependent kernels that overlap: the two machines agree in all of it, and in the
// stages of the host's program.
func TestOverlapAgainstReference(t *testing.T) {
	compareMany(t, 3*time.Second, 100, func(r *rand.Rand) (text string, machine []string) {
		return overlapTrace(r), overlapMachine(r)
	})
}
