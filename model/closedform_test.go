package model_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/trace/tracetest"
)

// ends keeps when each kernel ended.
type ends struct {
	eventLog
	end map[uint32]model.Time
}

func (e *ends) Inst(*model.InstRecord)       {}
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

// A stream of loads that miss everywhere, from more warps than it takes to hide
// the latency, runs at the bandwidth of the narrowest part: the DRAM bus (a sector
// each 2 cycles), or with a bus four times as wide a port (one each cycle).
func TestStreamBandwidth(t *testing.T) {
	const warps, loads = 16, 256
	var b strings.Builder
	fmt.Fprintf(&b, "launch stream grid=1 block=%d\ncta 0\nwarp 0..%d\nrepeat %d\nload @0x100000+4 warp=%d next=128\nend\nexit\n", warps*32, warps-1, loads, loads*128)
	for _, c := range []struct {
		width string
		every float64 // cycles a sector
	}{{"dram.bus_bytes=16", 2}, {"dram.bus_bytes=64", 1}} {
		sectors := float64(warps * loads * 4)
		got := float64(cyclesOf(t, b.String(), c.width, "l1.mshrs=0", "l2.mshrs=0", "l1.miss_queue=65536", "l2.miss_queue=65536", "l2.queue=65536", "dram.banks=16", "dram.latency=10")) / sectors
		t.Logf("%s: %.3f cycles a sector, peak %.0f", c.width, got, c.every)
		if math.Abs(got-c.every) > 0.02*c.every {
			t.Errorf("%s: %.3f cycles a sector, more than 2 %% off the peak of %.0f", c.width, got, c.every)
		}
	}
}

// A pointer chase takes the sum of its latencies: 122 for the first miss, which
// opens a row, and 112 for each miss in the open row (promise 018), 61 for an L2
// hit, 24 for an L1 hit; the exit waits for nothing and the last load for itself.
func TestPointerChase(t *testing.T) {
	chase := func(load string, n int) string {
		return fmt.Sprintf("launch chase grid=1 block=32\ncta 0\nwarp 0\nload bypass R1 <- R1 @0x1000+0\nrepeat %d\n%s\nend\nexit\n", n, load)
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
