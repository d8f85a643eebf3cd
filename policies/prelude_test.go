package policies_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
)

// Promises of the overlapped host. The order in which pages become ready is read
// from the page records.

const twoArrays = `
array A bytes=16K input
array B bytes=8K input
read A
read B
h2d A
h2d B
launch k grid=1 block=32
cta 0
 warp 0
  load R2 <- R1 @A+4
  exit
`

// arrivals lists the pages in the order in which they become ready: array and
// page of the array, and checks that they come a unit apart.
func arrivals(t *testing.T, l *log) []string {
	t.Helper()
	bases := []uint64{0x100000, 0x100010}
	var all []string
	for _, r := range l.pages {
		if r.Ready && r.From == r.To {
			all = append(all, fmt.Sprintf("%c%d", 'A'+rune(r.Array), r.Page-bases[r.Array]))
			about(t, all[len(all)-1], r.Time, model.Time(len(all))*unit)
		}
	}
	return all
}

// 1. The prelude reads one page of each array in turn, or an array after the
// other; or in an order that the seed alone fixes.
func TestPrelude1Order(t *testing.T) {
	orders := map[string][]string{}
	for _, o := range []string{"interleaved", "sequential", "random", "random,prelude-seed=1", "random,prelude-seed=2"} {
		l, _ := run(t, twoArrays, tiny(t, 1, 1), "crcs,profiler=off,prelude-order="+o)
		orders[o] = arrivals(t, l)
	}
	if want := []string{"A0", "B0", "A1", "B1", "A2", "A3"}; !slices.Equal(orders["interleaved"], want) {
		t.Errorf("interleaved: %v, want %v", orders["interleaved"], want)
	}
	in := []string{"A0", "A1", "A2", "A3", "B0", "B1"}
	if !slices.Equal(orders["sequential"], in) {
		t.Errorf("sequential: %v, want %v", orders["sequential"], in)
	}
	first, again, other := orders["random"], orders["random,prelude-seed=1"], orders["random,prelude-seed=2"]
	if !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Errorf("random: %v, then %v with the same seed, %v with another", first, again, other)
	}
	if sorted := slices.Sorted(slices.Values(other)); !slices.Equal(sorted, in) {
		t.Errorf("random reads %v, want each page once", sorted)
	}
}

// 1b. The pages of one call are interleaved, the pages of the next call come behind them: one array after another,
// with the pages of each in any order.
func TestPrelude1Calls(t *testing.T) {
	apart := strings.Replace(twoArrays, "read B\nh2d A\n", "h2d A\nread B\n", 1)
	in := []string{"A0", "A1", "A2", "A3", "B0", "B1"}
	l, _ := run(t, apart, tiny(t, 1, 1), "crcs,profiler=off")
	if got := arrivals(t, l); !slices.Equal(got, in) {
		t.Errorf("two calls: %v, want %v", got, in)
	}
	l, _ = run(t, twoArrays, tiny(t, 1, 1), "crcs,profiler=off,prelude-order=random-arrays,prelude-seed=3")
	got := arrivals(t, l)
	if slices.Equal(got, in) ||
		!slices.Equal(slices.Concat(slices.Sorted(slices.Values(got[:4])), slices.Sorted(slices.Values(got[4:]))), in) {
		t.Errorf("random-arrays: %v, want the pages of A in another order, then those of B", got)
	}
}

// 1c. The copy of an array has its fixed cost once, at its first page on the link: A's at
// cycle 10,000, B's at 50,000. The pages behind them are read a unit later and find the link free.
func TestPrelude1FixedCost(t *testing.T) {
	cfg := tiny(t, 1, 1)
	cfg.Host.CopyLatencyNs = 100
	l, _ := run(t, twoArrays, cfg, "crcs,profiler=off,prelude-order=sequential")
	var got []model.Time
	for _, r := range l.pages {
		if r.Ready && r.From == r.To {
			got = append(got, r.Time)
		}
	}
	if want := []model.Time{unit + 100, 2 * unit, 3 * unit, 4 * unit, 5*unit + 100, 6 * unit}; !slices.Equal(got, want) {
		t.Errorf("pages are ready at %d, want %d", got, want)
	}
}

// 2. A page in which two arrays lie is sent when both have written their part.
// A: half a page, B: the other half and a whole page.
func TestPrelude2SharedPage(t *testing.T) {
	l, _ := run(t, `
array A base=0x100000000 bytes=2K input
array B base=0x100000800 bytes=6K input
read A
read B
h2d A
h2d B
launch k grid=2 block=32
cta 0
 warp 0
  load R2 <- R1 @A+4
  exit
cta 1
 warp 0
  load R2 <- R1 @B[0x800]+4
  exit
`, tiny(t, 1, 2), "crcs,profiler=off,prelude-order=sequential")
	about(t, "load of the shared page", l.cta(t, 0, 0).Start, unit)
	about(t, "load of B's own page", l.cta(t, 0, 1).Start, 2*unit)
}

// 3. Arrays that no file fills are sent at once; the rest of a partly filled array, too.
func TestPrelude3WithoutFile(t *testing.T) {
	l, _ := run(t, `
array A bytes=12K input
array B bytes=4K input
read A 4096
h2d A
h2d B
launch k grid=2 block=32
cta 0
 warp 0
  load R2 <- R1 @A[0x1000]+4
  load R3 <- R1 @B+4
  exit
cta 1
 warp 0
  load R2 <- R1 @A+4
  exit
`, tiny(t, 1, 2), crcsFree)
	about(t, "load of what no file fills", l.cta(t, 0, 0).Start, 0)
	about(t, "load of what the file fills", l.cta(t, 0, 1).Start, unit)
}

// 4. A copy, a memset or a synchronisation between launches waits for the kernels
// before it, and those after wait for it.
func TestPrelude4Barriers(t *testing.T) {
	both := independent("", "")
	at := strings.Index(both, "launch k1")
	first, second := both[:at], both[at:]
	for _, op := range []string{"h2d P", "d2h P", "memset P", "d2d P", "sync"} {
		l, _ := run(t, first+op+"\n"+second, tiny(t, 2, 1), crcsFree)
		if a, b := l.kernels[0], l.kernels[1]; b.FirstCTA < a.End {
			t.Errorf("%s: the second kernel starts at %d, before the first ends at %d", op, b.FirstCTA, a.End)
		}
	}
	l, _ := run(t, first+second, tiny(t, 2, 1), crcsFree)
	if l.cta(t, 1, 0).Start > unit/20 {
		t.Errorf("without anything between, the second kernel starts at %d", l.cta(t, 1, 0).Start)
	}
}

// 5. The bandwidth of the link bounds the arrivals where it is the slower one:
// 4096 bytes at 0.1024 GB/s are four units.
func TestPrelude5Link(t *testing.T) {
	cfg := tiny(t, 1, 1)
	cfg.Host.PCIeGBs = 0.1024
	l, _ := run(t, `
array P bytes=8K input output
read P
h2d P
launch k grid=2 block=32
cta 0..1
 warp 0
  load R2 <- R1 @P+4 cta=4096
  exit
d2h P
write P
`, cfg, crcsFree)
	about(t, "load of page 0", l.cta(t, 0, 0).Start, 5*unit)
	about(t, "load of page 1", l.cta(t, 0, 1).Start, 9*unit)
	for _, s := range l.stages {
		switch s.Stage {
		case model.StageH2D:
			about(t, "copy in", s.End, 9*unit)
		case model.StageD2H: // page 0 from 5 on, page 1 from 9 on
			about(t, "copy out", s.End, 13*unit)
		case model.StagePostlude:
			about(t, "postlude", s.End, 14*unit)
		}
	}
}

// 6. An array that starts and ends within a page is read and written to its last
// byte, and no more: half a unit for each of its two pages. The first page goes
// back at once, for no kernel touches it; the second at one unit.
func TestPrelude6Unaligned(t *testing.T) {
	l, sum := run(t, `
array A base=0x100000800 bytes=4K input output
read A
h2d A
launch k grid=1 block=32
cta 0
 warp 0
  load R2 <- R1 @A[0xf00]+4
  exit
d2h A
write A
`, tiny(t, 1, 1), crcsFree)
	about(t, "load of the last page", l.cta(t, 0, 0).Start, unit)
	about(t, "end", sum.Cycles, 3*unit/2)
}
