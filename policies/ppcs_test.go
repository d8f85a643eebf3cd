package policies_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/trace/tracetest"
)

// deadlock is a program that cannot end on one SM for one CTA under PPCS's text: CTA n of kernel 0 needs page n,
// kernel 1 needs pages 0 and 1. When CTA 0 has ended, kernel 1 owns the only available page and gets the SM. It
// waits for page 1, which kernel 0 owns, whose CTA 1 waits for the SM.
const deadlock = `
array P bytes=12K input output
read P
h2d P
launch a grid=2 block=32
cta 0..1
 warp 0
  load R2 <- R1 @P+4 cta=4096
  store <- R1 R2 @P+4 cta=4096
  exit
launch b grid=1 block=32
cta 0
 warp 0
  load R2 <- R1 @P+4
  load R3 <- R1 @P[0x1000]+4
  exit
d2h P
`

func TestDeadlockIsNamed(t *testing.T) {
	_, _, err := replay(t, tracetest.FromText(t, deadlock), tiny(t, 1, 1), "ppcs,guard=off", 0)
	var stuck *model.StuckError
	if !errors.As(err, &stuck) {
		t.Fatalf("got %v, want a deadlock", err)
	}
	for _, want := range []string{
		"CTA 0 of kernel 1 on SM 0 waits for page 0x100001 of kernel 0",
		"which has 1 to place and no SM that is free of other kernels",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say: %s", err, want)
		}
	}
	if strings.Contains(err.Error(), "wait at barriers") {
		t.Errorf("%v\nnames a CTA of which no warp waits at a barrier", err)
	}
	if d := stuck.Time - 3*unit; d < 0 || d > unit/20 {
		t.Errorf("found at %d: the last event is the arrival of page 2 at %d", stuck.Time, 3*unit)
	}
}

// Where a warp of the CTA waits at a barrier for the one that waits for the page, that
// is said too.
func TestDeadlockBehindABarrier(t *testing.T) {
	text := strings.Replace(deadlock, "launch b grid=1 block=32", "launch b grid=1 block=64", 1)
	text = strings.Replace(text, "@P[0x1000]+4\n  exit", "@P[0x1000]+4\n  barrier\n  exit\n warp 1\n  barrier\n  exit", 1)
	_, _, err := replay(t, tracetest.FromText(t, text), tiny(t, 1, 1), "ppcs,guard=off", 0)
	const want = "CTA 0 of kernel 1 on SM 0: of 2 warps 1 wait at barriers and 0 for 0 children"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v\ndoes not say: %s", err, want)
	}
}

// The guard gives the idle SM to kernel 0, which has CTAs left and no SM.
func TestGuardPreventsDeadlock(t *testing.T) {
	l, sum := run(t, deadlock, tiny(t, 1, 1), "ppcs,crcs-profiler=off")
	if got := metric(sum, "ppcs_guard_decisions"); got != 1 {
		t.Errorf("the guard decided %v times, want 1", got)
	}
	about(t, "CTA 1 of kernel 0", l.cta(t, 0, 1).Start, 2*unit)
	// Where the share alone decides, the guard counts nothing.
	if _, sum := run(t, writeThenRead, tiny(t, 2, 1), "ppcs"); metric(sum, "ppcs_guard_decisions") != 0 {
		t.Error("the guard decided where there is nothing to guard")
	}
}

// Under CRCS with first come, first served, kernel 0's CTAs are all placed before
// kernel 1's: the same program ends.
func TestNoDeadlockInOrder(t *testing.T) {
	l, _ := run(t, deadlock, tiny(t, 1, 1), crcsFree)
	if a, b := l.cta(t, 0, 1), l.cta(t, 1, 0); b.Dispatch < a.End {
		t.Errorf("kernel 1 is placed at %d, before kernel 0 ends at %d", b.Dispatch, a.End)
	}
}

// One kernel alone is scheduled first come, first served: CTAs 2 and 3 take the
// places of CTAs 0 and 1 as these end, at t1 and t2, not when the SM is idle.
func TestPPCSOneKernel(t *testing.T) {
	l, _ := run(t, `
array P bytes=16K input
read P
h2d P
launch k grid=4 block=32
cta 0..3
 warp 0
  load R2 <- R1 @P+4 cta=4096
  exit
`, tiny(t, 1, 2), "ppcs,crcs-profiler=off")
	about(t, "CTA 2", l.cta(t, 0, 2).Dispatch, unit)
	about(t, "CTA 3", l.cta(t, 0, 3).Dispatch, 2*unit)
}

// switchProgram has a first kernel whose two CTAs on the one SM end at different
// times after the prelude, with a third CTA to place.
const switchProgram = `
array P bytes=4K input
read P
h2d P
launch a grid=3 block=32
cta 0
 warp 0
  load R2 <- R1 @P+4
  exit
cta 1
 warp 0
  load R2 <- R1 @P+4
  int R2 <- R2 x200
  exit
cta 2
 warp 0
  load R2 <- R1 @P+4
  exit
launch b grid=1 block=32
cta 0
 warp 0
  load R2 <- R1 @P+4
  exit
`

// After the prelude PPCS fills places as they become free; with the switch off
// it waits for the SM to be idle.
func TestPPCSSwitch(t *testing.T) {
	l, _ := run(t, switchProgram, tiny(t, 1, 2), "ppcs,crcs-profiler=off")
	about(t, "CTA 2 with the switch", l.cta(t, 0, 2).Dispatch, unit)
	l, _ = run(t, switchProgram, tiny(t, 1, 2), "ppcs,crcs-profiler=off,switch=off")
	about(t, "CTA 2 without", l.cta(t, 0, 2).Dispatch, l.cta(t, 0, 1).End)
}

// An SM is filled with its share of the remaining CTAs: 5 CTAs on 3 SMs of 4 places go 2, 2 and 1; 13 go 4, 4 and
// 4, and the last where a place becomes free.
func TestFillingSpreads(t *testing.T) {
	const program = `
array P bytes=4K input output
read P
h2d P
launch a grid=%d block=32
cta 0..%d
 warp 0
  load R2 <- R1 @P+4
  exit
launch b grid=1 block=32
cta 0
 warp 0
  load R2 <- R1 @P+4
  exit
d2h P
`
	for _, policy := range []string{"crcs", "ppcs"} {
		for ctas, want := range map[int][]int32{5: {0, 0, 1, 1, 2}, 13: {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}} {
			l, _ := run(t, fmt.Sprintf(program, ctas, ctas-1), tiny(t, 3, 4), policy)
			for n, sm := range want {
				if got := l.cta(t, 0, uint32(n)).SM; int32(got) != sm {
					t.Errorf("%s, %d CTAs: CTA %d is on SM %d, want %d", policy, ctas, n, got, sm)
				}
			}
		}
	}
}

// An SM that is full has been filled: when two SMs of one place are free again, both CTAs having waited for a page,
// the turn is SM 0's. SM 1 came last.
func TestFullIsFilled(t *testing.T) {
	const program = `
array P bytes=4K input output
read P
h2d P
launch a grid=4 block=32
cta 0..3
 warp 0
  load R2 <- R1 @P+4
  exit
d2h P
`
	c := tiny(t, 2, 1)
	c.KMU.CTAsPerCycle = 0.02
	l, _ := run(t, program, c, "crcs")
	for n, sm := range []int{0, 1, 0, 1} {
		if got := l.cta(t, 0, uint32(n)).SM; int(got) != sm {
			t.Errorf("CTA %d is on SM %d, want %d", n, got, sm)
		}
	}
}

// Kernel 1 writes page 1, which is not copied in: its ready bit is set from the start. When SM 0 has become idle
// page 0 is there and belongs to kernel 2. By the words kernel 2 owns all available pages. By the ready bits it
// owns half, and kernel 1 the other: of two kernels that are on no SM the older goes first.
func TestAvailablePages(t *testing.T) {
	const program = `
array P bytes=8K input
array Q bytes=4K output
read P
h2d P
launch a grid=2 block=32
cta 0..1
 warp 0
  load R2 <- R1 @P+4 cta=4096
  exit
launch b grid=1 block=32
cta 0
 warp 0
  store <- R1 R2 @Q+4
  exit
launch c grid=1 block=32
cta 0
 warp 0
  load R2 <- R1 @P+4
  exit
d2h Q
`
	for pages, first := range map[string]uint32{"ready": 1, "text": 2} {
		l, _ := run(t, program, tiny(t, 2, 1), "ppcs,crcs-profiler=off,guard=off,pages="+pages)
		b, c := l.cta(t, 1, 0), l.cta(t, 2, 0)
		if got := map[bool]uint32{true: 1, false: 2}[b.Start < c.Start]; got != first {
			t.Errorf("%s: kernel %d goes first (kernel 1 at %d, kernel 2 at %d), want kernel %d", pages, got, b.Start,
				c.Start, first)
		}
	}
}

// Three kernels read page 1 only, which the first idle SM finds there. All own the same share of the available
// pages, and none is on an SM. Ties go to the oldest, again and again, whatever their number.
func TestPPCSTiesGoToTheOldest(t *testing.T) {
	const program = `
array P bytes=8K input
read P
h2d P
launch a grid=1 block=32
cta 0
 warp 0
  load R2 <- R1 @P+4
  exit
launch b grid=1 block=32
cta 0
 warp 0
  load R2 <- R1 @P[0x1000]+4
  exit
launch c grid=1 block=32
cta 0
 warp 0
  load R2 <- R1 @P[0x1000]+4
  exit
launch d grid=1 block=32
cta 0
 warp 0
  load R2 <- R1 @P[0x1000]+4
  exit
`
	l, _ := run(t, program, tiny(t, 1, 1), "ppcs,crcs-profiler=off,guard=off,switch=off")
	for k := range uint32(3) {
		if a, b := l.cta(t, k, 0), l.cta(t, k+1, 0); a.Dispatch >= b.Dispatch {
			t.Errorf("kernel %d is placed at %d, kernel %d at %d", k, a.Dispatch, k+1, b.Dispatch)
		}
	}
}

// CTA 0 of kernel 1 reads the data of CTA 0 of kernel 0, in a page that the longer CTA 1 writes too: at the grain
// of pages it waits for both, at the grain of sectors for one.
func TestOracleGrain(t *testing.T) {
	const program = `
array P bytes=4K output
launch a grid=2 block=32
cta 0
 warp 0
  store <- R1 @P+4
  exit
cta 1
 warp 0
  int R1 <- R1 x400
  store <- R1 @P[0x800]+4
  exit
launch b grid=1 block=32
cta 0
 warp 0
  load R2 <- R1 @P+4
  exit
d2h P
`
	for grain, waits := range map[string]bool{"page": true, "sector": false} {
		l, _ := run(t, program, tiny(t, 2, 1), "oracle,grain="+grain)
		if start, end := l.cta(t, 1, 0).Start, l.cta(t, 0, 1).End; (start > end) != waits {
			t.Errorf("%s: kernel 1 starts at %d, CTA 1 of kernel 0 ends at %d", grain, start, end)
		}
	}
}
