package policies_test

import (
	"errors"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/trace/tracetest"
)

// deadlock is a program that cannot end on one SM for one CTA under PPCS's text:
// CTA n of kernel 0 needs page n, kernel 1 needs pages 0 and 1. When CTA 0 has
// ended, kernel 1 owns the only available page and gets the SM; it waits for
// page 1, which kernel 0 owns, whose CTA 1 waits for the SM.
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
	if d := stuck.Time - 3*unit; d < 0 || d > unit/20 {
		t.Errorf("found at %d: the last event is the arrival of page 2 at %d", stuck.Time, 3*unit)
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
