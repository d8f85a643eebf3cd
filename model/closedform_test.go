package model_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/trace/tracetest"
)

// ends keeps when each kernel ended.
type ends struct {
	eventLog
	end map[uint32]model.Time
}

func (e *ends) Inst(*exec.InstRecord)        {}
func (e *ends) CTA(*model.CTARecord)         {}
func (e *ends) Kernel(r *model.KernelRecord) { e.end[r.ID] = r.End - r.FirstCTA }

// cyclesOf returns the cycles from the first CTA of kernel 0 to its end.
func cyclesOf(t testing.TB, text string, lines ...string) model.Time {
	t.Helper()
	c, policy := tiny(t, lines...)
	e := &ends{end: map[uint32]model.Time{}}
	replay(t, tracetest.FromText(t, text), c, policy, e)
	return e.end[0]
}

// A stream of loads that miss everywhere, from enough warps to hide the latency, runs at the bandwidth of the
// narrowest part. That is the DRAM bus (a sector each 2 cycles), or with a bus four times as wide a port (one each
// cycle).
func TestStreamBandwidth(t *testing.T) {
	const warps, loads = 16, 256
	var b strings.Builder
	fmt.Fprintf(&b, "launch stream grid=1 block=%d\ncta 0\nwarp 0..%d\nrepeat %d\nload @0x100000+4 warp=%d "+
		"next=128\nend\nexit\n", warps*32, warps-1, loads, loads*128)
	for _, c := range []struct {
		width string
		every float64 // cycles a sector
	}{{"dram.bus_bytes=16", 2}, {"dram.bus_bytes=64", 1}} {
		sectors := float64(warps * loads * 4)
		got := float64(cyclesOf(t, b.String(), c.width, "l1.mshrs=0", "l2.mshrs=0", "l1.miss_queue=65536",
			"l2.miss_queue=65536", "l2.queue=65536", "dram.banks=16", "dram.latency=10")) / sectors
		t.Logf("%s: %.3f cycles a sector, peak %.0f", c.width, got, c.every)
		if math.Abs(got-c.every) > 0.02*c.every {
			t.Errorf("%s: %.3f cycles a sector, more than 2 %% off the peak of %.0f", c.width, got, c.every)
		}
	}
}

// A pointer chase takes the sum of its latencies: 122 for the first miss, which opens a row, and 112 for each miss
// in the open row (promise 018). An L2 hit takes 61, an L1 hit 24; the exit waits for nothing and the last load for
// itself.
func TestPointerChase(t *testing.T) {
	chase := func(load string, n int) string {
		return fmt.Sprintf("launch chase grid=1 block=32\ncta 0\nwarp 0\nload bypass R1 <- R1 @0x1000+0\nrepeat "+
			"%d\n%s\nend\nexit\n", n, load)
	}
	for _, c := range []struct {
		name, text string
		want       model.Time
	}{
		{"L2", chase("load bypass R1 <- R1 @0x1000+0", 20), 122 + 20*61},
		{"L1", chase("load R1 <- R1 @0x1000+0", 20), 122 + 61 + 19*24},
		{"DRAM row", chase("load bypass R1 <- R1 @0x1020+0 next=32", 20), 122 + 20*112},
		{"shared", chase("load shared R1 <- R1 @0x0+4", 20), 122 + 20*14},
	} {
		if got := cyclesOf(t, c.text) - 1; got != c.want {
			t.Errorf("%s: %d cycles, the latencies add up to %d", c.name, got, c.want)
		}
	}
}

// waits keeps the mean time from the issue of a load to its data, and how many.
type waits struct {
	eventLog
	sum, n float64
}

func (w *waits) CTA(*model.CTARecord)       {}
func (w *waits) Kernel(*model.KernelRecord) {}
func (w *waits) Inst(r *exec.InstRecord) {
	if w.prog.Functions[0].Insts[r.Inst].Opcode == "LOAD" {
		w.sum += float64(r.Done - r.Issue)
		w.n++
	}
}

// Loads that hit the L2 are issued at random, one in a cycle with probability p, and queue for a slice that takes
// one each n cycles: a queue of the kind M/D/1, with a load ρ = p n. In units of the service time its mean wait is
// ρ / 2(1 - ρ) (Pollaczek and Khinchine). Here arrivals come in whole cycles, at most one in each, and service
// begins at multiples of n: the wait is (1 - 1/n) times as long and (1 - 1/n)/2 more. The way without waiting takes
// 61 cycles (promise 017).
func TestMD1Queue(t *testing.T) {
	const n, loads = 16, 30000
	for _, rho := range []float64{0.3, 0.5, 0.7} {
		r := rand.New(rand.NewPCG(1, uint64(100*rho)))
		var b strings.Builder
		fmt.Fprint(&b, "launch k grid=1 block=32\ncta 0\nwarp 0\natomic R1 @0x1000+0\nint <- R1\n") // the sector is there
		for range loads {
			gap := 1
			for r.Float64() >= rho/n {
				gap++
			}
			if gap > 1 {
				fmt.Fprintf(&b, "int x%d\n", gap-1)
			}
			fmt.Fprint(&b, "load bypass @0x1000+0\n")
		}
		tr := tracetest.FromText(t, b.String()+"exit\n")
		c, policy := tiny(t, fmt.Sprintf("clock.l2_mhz=%v", 1000.0/n), "sm.operand_collectors=0", "l1.miss_queue=65536",
			"l2.queue=65536")
		w := &waits{eventLog: eventLog{prog: tr.Program()}}
		replay(t, tr, c, policy, w)
		got := w.sum/w.n/n - 61.0/n
		want := (1 - 1.0/n) * (rho/2/(1-rho) + 0.5)
		t.Logf("load %.1f: mean wait %.3f service times, closed form %.3f", rho, got, want)
		if w.n != loads || math.Abs(got-want) > 0.03*want {
			t.Errorf("load %.1f: %v loads wait %.3f service times, the closed form says %.3f", rho, w.n, got, want)
		}
	}
}
