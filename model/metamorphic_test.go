package model_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/trace/tracetest"
)

// told returns all records of a run.
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

// All clocks and links twice as fast, and the host's own times half as long: every
// cycle count stays.
func TestScalingClocksChangesNothing(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		text, machine := randomTrace(r), randomMachine(r)
		c, _ := tiny(t, machine...)
		fast := append([]string{}, machine...)
		for key, value := range map[string]float64{
			"clock.core_mhz": 2 * c.Clock.CoreMHz, "clock.icnt_mhz": 2 * c.Clock.IcntMHz, "clock.l2_mhz": 2 * c.Clock.L2MHz,
			"clock.dram_mhz": 2 * c.Clock.DRAMMHz, "host.pcie_gb_s": 2 * c.Host.PCIeGBs,
			"host.launch_overhead_ns": c.Host.LaunchOverheadNs / 2, "host.copy_latency_ns": c.Host.CopyLatencyNs / 2,
			"host.copy_call_ns": c.Host.CopyCallNs / 2,
		} {
			fast = append(fast, fmt.Sprintf("%s=%v", key, value))
		}
		halved := replaced(text, `work ns=(\d+)0\b`, func(n int) string { return fmt.Sprintf("work ns=%d", 5*n) })
		if told(t, text, machine) != told(t, halved, fast) {
			t.Fatalf("seed %d: the run differs: %s\n%s", seed, strings.Join(machine, " "), text)
		}
	}
}

// replaced returns a text with the number of every match of a pattern replaced.
func replaced(text, pattern string, f func(n int) string) string {
	re := regexp.MustCompile(pattern)
	return re.ReplaceAllStringFunc(text, func(s string) string {
		n, _ := strconv.Atoi(re.FindStringSubmatch(s)[1])
		return f(n)
	})
}

// Other registers, functions, streams and events in a random trace: the run stays.
func TestRenamingChangesNothing(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		text, machine := randomTrace(r), randomMachine(r)
		other := replaced(text, `\bR(\d)\b`, func(n int) string { return fmt.Sprintf("R%d", 160-7*n) }) // of the same bank
		other = replaced(other, `\bstream=(\d+)`, func(n int) string { return fmt.Sprintf("stream=%d", 70-n) })
		other = replaced(other, `\bsyncstream (\d+)`, func(n int) string { return fmt.Sprintf("syncstream %d", 70-n) })
		other = replaced(other, `\b(?:record|wait|syncevent) (\d+)`, func(n int) string {
			return fmt.Sprintf("EVENT %d", 5+n)
		})
		for _, verb := range regexp.MustCompile(`\b(record|wait|syncevent) \d+`).FindAllStringSubmatch(text, -1) {
			other = strings.Replace(other, "EVENT", verb[1], 1)
		}
		other = replaced(other, `\bk(\d+) grid`, func(n int) string { return fmt.Sprintf("another%d grid", 3-n) })
		if told(t, text, machine) != told(t, other, machine) {
			t.Fatalf("seed %d: the run differs:\n%s", seed, other)
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

// plainMemory has no polynomials, which fit some numbers of slices and sets, and no
// average waits, which a packet pays for those before it.
var plainMemory = []string{"dram.bank_hash=linear", "dram.mapping=", "l2.hash=linear", "l2.set_hash=spread",
	"icnt.head_of_line=false"}

// One warp issues in the same order whatever its accesses take, so more of any resource, or less of any latency,
// never makes it slower. On the cycle engine its requests may pass each other on their way (docs/model, choice 23),
// and DRAM then has another order of rows. With one row, the rest may cost a twentieth.
func TestMoreNeverHurtsOneWarp(t *testing.T) {
	better := []string{
		"l1.mshrs=0", "l1.merge=0", "l1.miss_queue=4096", "l1.banks=32", "l1.latency=0", "l1.bypass_latency=0",
		"icnt.latency=0", "icnt.flit_bytes=64", "l2.latency=0", "l2.mshrs=0",
		"l2.merge=0", "l2.miss_queue=4096", "l2.queue=4096", "dram.window=4096", "dram.latency=0", "dram.trcd=0",
		"shared.latency=0", "sm.operand_collectors=0",
		"sm.pipeline_depth=0", "exec.int.latency=1", "exec.fp32.initiation=1", "tlb.miss_latency=0",
		"dram.bus_bytes=64", "dram.data_rate=2", "dram.trrd=0", "dram.trp=0", "dram.tcl=0", "dram.tras=0", "dram.trc=0",
		"dram.tccd=0",
		"dram.twl=0", "dram.tcdlr=0", "dram.twr=0", "shared.banks=32", "l2.bytes=65536", "clock.icnt_mhz=2000",
		"clock.l2_mhz=2000",
		"clock.dram_mhz=2000",
	}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		machine := append(append(randomMachine(r), plainMemory...), "sm.pipeline=direct", "sm.count=1", "dram.channels=1",
			"l2.slices=1",
			"tlb.entries=0", "dram.trefi=0", "sm.issue_width=1", "clock.dram_mhz=1000", "clock.icnt_mhz=1000",
			"clock.l2_mhz=1000")
		// sectors without room in the L2 are fetched for each request (choice 10): let that be one
		fetches, _ := tiny(t, machine...)
		if fetches.CycleMemory() {
			machine = append(machine, "dram.row_bytes=65536")
		}
		machine = append(machine, fmt.Sprintf("l2.sector_bytes=%d", fetches.L1.SectorBytes))
		var b strings.Builder
		b.WriteString("launch k grid=1 block=32\ncta 0\nwarp 0\n")
		for i := range 12 { // loads of lines that no other warp touches, and arithmetic
			fmt.Fprintf(&b, "load R%d <- R%d @0x%x+%d\nfp32 R5 <- R%d R5\nint R%d\nload shared R6 @0x0+%d\n", 1+r.IntN(4),
				1+r.IntN(4),
				0x10000+i*0x1000, 4*r.IntN(9), 1+r.IntN(4), 1+r.IntN(4), 4*r.IntN(5))
		}
		text := b.String() + "exit\n"
		c, _ := tiny(t, machine...)
		base := cyclesOf(t, text, machine...)
		most := base
		if c.CycleMemory() {
			most += base / 20
		}
		doubled := append(append([]string{}, machine...), fmt.Sprintf("icnt.flit_bytes=%d", 2*c.Icnt.FlitBytes),
			fmt.Sprintf("dram.data_rate=%d", 2*c.DRAM.DataRate), fmt.Sprintf("l1.banks=%d", 2*c.L1.Banks),
			"exec.fp32.initiation=1")
		if got := cyclesOf(t, text, doubled...); got > most {
			t.Errorf("seed %d: twice the bandwidth of everything takes %d cycles, %d without", seed, got, base)
		}
		for _, change := range better {
			if got := cyclesOf(t, text, append(append([]string{}, machine...), change)...); got > most {
				t.Errorf("seed %d: %s takes %d cycles, %d without", seed, change, got, base)
			}
		}
	}
}

// Warps that share nothing but room: more SMs, places, queues, entries and placements a
// cycle never hurt, and doubling each in turn from nothing to plenty helps in the end.
func TestMoreRoomNeverHurts(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		var b strings.Builder
		work := 1 + r.IntN(30)
		for k := range 6 + r.IntN(6) {
			n := 2 + r.IntN(10)
			fmt.Fprintf(&b, "launch k grid=%d block=32 regs=32 shared=900 stream=%d\ncta 0..%d\nwarp 0\nint x%d\nsfu "+
				"R1\nint <- R1\nexit\n", n, k%5, n-1, work)
		}
		// registers, shared memory and warps of one CTA
		unit := map[string]int{"sm.registers": 1024, "sm.shared_bytes": 1024, "sm.max_threads": 32}
		room := map[string]int{}
		keys := []string{"sm.count", "sm.max_ctas", "kmu.hwqs", "kmu.entries", "kmu.ctas_per_cycle", "sm.registers",
			"sm.shared_bytes", "sm.max_threads"}
		for _, key := range keys {
			room[key] = 1
		}
		cycles := func() model.Time {
			machine := []string{"sm.schedulers=16"}
			for _, key := range keys {
				machine = append(machine, fmt.Sprintf("%s=%d", key, room[key]*max(1, unit[key])))
			}
			c, policy := tiny(t, machine...)
			return replay(t, tracetest.FromText(t, b.String()), c, policy, nil).Cycles
		}
		first := cycles()
		last := first
		for range 20 {
			key := keys[r.IntN(len(keys))]
			room[key] = min(2*room[key], 16)
			if got := cycles(); got > last {
				t.Fatalf("seed %d: %s=%d takes %d cycles, %d with half", seed, key, room[key], got, last)
			} else {
				last = got
			}
		}
		if last >= first {
			t.Errorf("seed %d: %d cycles with more of everything, %d with one of each", seed, last, first)
		}
	}
}
