package policies_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
)

// fan is a kernel of one CTA, and one of several CTAs. All of these read the word that the first kernel writes.
func fan(ctas int) string {
	var b strings.Builder
	b.WriteString("array a base=0x10000 bytes=4K\nlaunch a grid=1 block=32\ncta 0\nwarp 0\nint R1 <- R2 x2\n" +
		"store <- R1 @0x10000+4\nexit\n")
	fmt.Fprintf(&b, "launch b grid=%d block=32\n", ctas)
	for cta := range ctas {
		fmt.Fprintf(&b, "cta %d\nwarp 0\nload R1 <- R2 @0x10000+4\nint R1 <- R1 x9\nexit\n", cta)
	}
	return b.String()
}

// A scheduler warp decides on one task after another, 50 cycles each, and a task begins 90 cycles behind its decision.
// Two warps, of one SM or of two, take tasks in turn.
func TestSchedulerWarpsDecideInTurn(t *testing.T) {
	for _, c := range []struct {
		sms    int
		policy string
		begin  [4]model.Time // of the four tasks, behind the end of the first
	}{
		{1, "schedulers=1,decision=50", [4]model.Time{140, 190, 240, 290}},
		{1, "schedulers=2,decision=50", [4]model.Time{140, 140, 190, 190}},
		{1, "schedulers=4,decision=50", [4]model.Time{140, 140, 140, 140}},
		{2, "schedulers=1,decision=50", [4]model.Time{140, 140, 190, 190}},
		{1, "schedulers=1", [4]model.Time{90, 90, 90, 90}},
	} {
		cfg := tiny(t, c.sms, 8)
		cfg.KMU.CTAsPerCycle = 8
		l, _ := run(t, fan(4), cfg, "megakernel,prefetch=0,workers=4,task-latency=90,"+c.policy)
		end := l.cta(t, 0, 0).End
		for cta, want := range c.begin {
			if got := l.cta(t, 1, uint32(cta)).Dispatch - end; got != want {
				t.Errorf("%d SMs, %s: task %d begins %d cycles behind its producer, want %d", c.sms, c.policy, cta, got, want)
			}
		}
	}
}

// Tasks that leave a queue of two entries let others in a cycle later, however many tasks go in a cycle.
func TestEntriesInTurn(t *testing.T) {
	cfg := tiny(t, 1, 8)
	cfg.KMU.CTAsPerCycle = 8
	l, _ := run(t, fan(8), cfg, "megakernel,prefetch=0,workers=8,task-latency=90,queue=2")
	end := l.cta(t, 0, 0).End
	for cta := range uint32(8) {
		if got, want := l.cta(t, 1, cta).Dispatch-end, model.Time(90+cta/2); got != want {
			t.Errorf("task %d begins %d cycles behind its producer, want %d", cta, got, want)
		}
	}
}

// Two streams share a hardware work queue. In it the second stream's kernel waits for all kernels of the first.
// Its tasks are ready before, and keep no task of the first out of a queue of one entry.
func TestQueueHoldsTasksThatCanGo(t *testing.T) {
	text := crossed() + "launch c grid=4 block=32 stream=1\n"
	for cta := range 4 {
		text += fmt.Sprintf("cta %d\nwarp 0\nint R1 <- R1 x9\nexit\n", cta)
	}
	cfg := tiny(t, 1, 8)
	cfg.KMU.HWQs = 1
	l, _ := run(t, text, cfg, "megakernel,prefetch=0,workers=1,queue=1")
	for cta := range uint32(4) {
		if at, end := l.cta(t, 2, cta).Dispatch, l.kernels[1].End; at < end {
			t.Errorf("task %d of the other stream begins in cycle %d, the kernels before it end in %d", cta, at, end)
		}
	}
}

// crossed is two kernels of four CTAs. CTA i of the second reads the word of CTA 3-i of the first, so that the last one
// is ready first. All take longer than the latency of a task.
func crossed() string {
	var b strings.Builder
	b.WriteString("array a base=0x10000 bytes=4K\nlaunch a grid=4 block=32\n")
	for cta := range 4 {
		fmt.Fprintf(&b, "cta %d\nwarp 0\nint R1 <- R1 x9\nstore <- R1 @0x%x+4\nexit\n", cta, 0x10000+0x100*cta)
	}
	b.WriteString("launch b grid=4 block=32\n")
	for cta := range 4 {
		fmt.Fprintf(&b, "cta %d\nwarp 0\nload R1 <- R2 @0x%x+4\nint R1 <- R1 x9\nexit\n", cta, 0x10000+0x100*(3-cta))
	}
	return b.String()
}

// One worker runs the first kernel, while three tasks of the second become ready: 3, 2, 1. A queue of many gives the
// task with the lowest number, 1, and task 0 is ready before that has ended. A queue of one entry holds task 3; the
// scheduler warp keeps tasks 2 and 1 back, and gives them in the order of its decisions. A queue of two entries holds 3
// and 2, and gives 2. Task 1 comes in, and goes next; then task 0 does, before 3.
func TestFullQueueKeepsTasksBack(t *testing.T) {
	for queue, want := range map[int][]uint32{1024: {1, 0, 2, 3}, 1: {3, 2, 1, 0}, 2: {2, 1, 0, 3}} {
		policy := fmt.Sprintf("megakernel,prefetch=0,workers=1,task-latency=90,queue=%d", queue)
		l, _ := run(t, crossed(), tiny(t, 1, 8), policy)
		order := []uint32{0, 1, 2, 3}
		slices.SortFunc(order, func(x, y uint32) int { return int(l.cta(t, 1, x).Dispatch - l.cta(t, 1, y).Dispatch) })
		if !slices.Equal(order, want) {
			t.Errorf("a queue of %d: tasks begin in the order %v, want %v", queue, order, want)
		}
	}
}

// Random chains end with the smallest queue, under the auditor, whether tasks run ahead or not.
func TestSmallestQueueEnds(t *testing.T) {
	for c := range randomChains(t, 150, 47, 2) {
		for name, l := range c.under("megakernel,queue=1", "megakernel,queue=1,workers=1",
			"megakernel,queue=1,workers=1,prefetch=0", "megakernel,queue=1,decision=40",
			"megakernel,queue=2,grain=kernel,decision=300,task-latency=0",
			"megakernel,queue=1,workers=1,cta=fill,decision=7") {
			if len(l.ctas) == 0 {
				t.Fatalf("%s: no CTA has ended", name)
			}
		}
	}
}
