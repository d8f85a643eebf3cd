package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/trace/tracetest"
)

// told returns all that a run tells.
func told(t *testing.T, text string, machine []string) string {
	t.Helper()
	c, policy := tiny(t, machine...)
	tr := tracetest.FromText(t, text)
	log := newEventLog(t, tr)
	sum := replay(t, tr, c, policy, log)
	var b strings.Builder
	for line := range strings.Lines(log.insts.String()) { // without the opcode
		f := strings.Fields(line)
		fmt.Fprintln(&b, f[0], f[1], f[2], f[3], f[5])
	}
	return b.String() + log.ctas.String() + log.kernels.String() + memoryLog(sum)
}

// All clocks twice as fast: every cycle count stays.
func TestScalingClocksChangesNothing(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		text, machine := randomTrace(r), randomMachine(r)
		c, _ := tiny(t, machine...)
		fast := append(append([]string{}, machine...), fmt.Sprintf("clock.core_mhz=%v", 2*c.Clock.CoreMHz), fmt.Sprintf("clock.icnt_mhz=%v", 2*c.Clock.IcntMHz),
			fmt.Sprintf("clock.l2_mhz=%v", 2*c.Clock.L2MHz), fmt.Sprintf("clock.dram_mhz=%v", 2*c.Clock.DRAMMHz))
		if told(t, text, machine) != told(t, text, fast) {
			t.Fatalf("seed %d: the run differs", seed)
		}
	}
}

// Other names of kernels and streams, a function for each kernel instead of one
// for all, and loops written out: the run stays.
func TestRenamingAndSplittingChangeNothing(t *testing.T) {
	kernel := func(fn string, stream int, body string) string {
		return fmt.Sprintf("launch %s grid=2 block=64 stream=%d\ncta 0..1\nwarp 0..1\n%sexit\n", fn, stream, body)
	}
	loop := "repeat 5\nload R1 <- R2 @0x1000+4 next=128 warp=64\nfp32 R2 <- R1 R2\nbarrier\nend\n"
	var unrolled strings.Builder
	for i := range 5 {
		fmt.Fprintf(&unrolled, "load R1 <- R2 @0x%x+4 warp=64\nfp32 R2 <- R1 R2\nbarrier\n", 0x1000+128*i)
	}
	base := told(t, kernel("f", 0, loop)+kernel("f", 1, loop), nil)
	for name, text := range map[string]string{
		"renamed":  kernel("other.name", 7, loop) + kernel("other.name", 3, loop),
		"split":    kernel("f", 0, loop) + kernel("g", 1, loop),
		"unrolled": kernel("f", 0, unrolled.String()) + kernel("f", 1, unrolled.String()),
	} {
		if got := told(t, text, nil); got != base {
			t.Errorf("%s: got\n%swant\n%s", name, got, base)
		}
	}
}

// One warp issues in the same order whatever its accesses take, so more of any
// resource, or less of any latency, never makes it slower.
func TestMoreNeverHurtsOneWarp(t *testing.T) {
	better := []string{
		"l1.mshrs=0", "l1.merge=0", "l1.miss_queue=4096", "l1.banks=32", "l1.latency=0", "icnt.latency=0", "icnt.flit_bytes=64", "l2.latency=0", "l2.mshrs=0",
		"l2.merge=0", "l2.miss_queue=4096", "l2.queue=4096", "dram.window=4096", "dram.latency=0", "dram.trcd=0", "shared.latency=0", "sm.operand_collectors=0",
		"sm.pipeline_depth=0", "exec.int.latency=1", "exec.fp32.initiation=1", "tlb.miss_latency=0",
	}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		machine := append(randomMachine(r), "sm.count=1", "l2.slices=1", "tlb.entries=0", "sm.issue_width=1", "clock.dram_mhz=1000", "clock.icnt_mhz=1000", "clock.l2_mhz=1000")
		var b strings.Builder
		b.WriteString("launch k grid=1 block=32\ncta 0\nwarp 0\n")
		for i := range 12 { // loads of lines that nobody else touches, and arithmetic
			fmt.Fprintf(&b, "load R%d <- R%d @0x%x+%d\nfp32 R5 <- R%d R5\nint R%d\nload shared R6 @0x0+%d\n", 1+r.IntN(4), 1+r.IntN(4), 0x10000+i*0x1000, 4*r.IntN(9), 1+r.IntN(4), 1+r.IntN(4), 4*r.IntN(5))
		}
		text := b.String() + "exit\n"
		base := cyclesOf(t, text, machine...)
		for _, change := range better {
			if got := cyclesOf(t, text, append(append([]string{}, machine...), change)...); got > base {
				t.Errorf("seed %d: %s takes %d cycles, %d without", seed, change, got, base)
			}
		}
	}
}

// With a scheduler for each warp and units that take an instruction each cycle,
// a kernel of arithmetic takes its critical path: an instruction issues in the
// cycle after the one before it, or when its operands are there.
func TestUnlimitedIsTheCriticalPath(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		var b strings.Builder
		b.WriteString("launch k grid=1 block=512\ncta 0\n")
		longest := model.Time(0)
		for w := range 16 {
			fmt.Fprintf(&b, "warp %d\n", w)
			var ready [8]model.Time
			at, last := model.Time(-1), model.Time(0)
			for range r.IntN(40) {
				d, s := r.IntN(8), r.IntN(8)
				fmt.Fprintf(&b, "int R%d <- R%d\n", 1+d, 1+s)
				at = max(at+1, ready[d], ready[s])
				ready[d] = at + 3
				last = max(last, at+3)
			}
			b.WriteString("exit\n")
			longest = max(longest, last, at+2) // exit issues a cycle later and leaves in the next
		}
		got := cyclesOf(t, b.String(), "sm.schedulers=16", "sm.pipeline_depth=0", "exec.int.latency=3")
		if got != longest+1 { // the kernel ends in the cycle after its CTA
			t.Errorf("seed %d: %d cycles, critical path %d", seed, got, longest+1)
		}
	}
}
