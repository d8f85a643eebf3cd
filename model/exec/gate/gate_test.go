package gate

import (
	"testing"

	"gpureplay/model/clock"
	"gpureplay/model/program"
)

// Of two schedulers the second shuts a pipe. Its warps that need the pipe stop, the first scheduler's do not. A warp
// whose next instruction takes another pipe goes on, and one that turns to the pipe stops.
func TestShut(t *testing.T) {
	var g Gates
	g.Init(2, 6)
	for slot := uint8(0); slot < 4; slot++ {
		g.Place(slot, 0, program.UnitFP32)
	}
	g.Shut(1, program.UnitFP32)
	stopped(t, &g, 1<<1|1<<3)
	g.Place(1, program.UnitFP32, program.UnitInt)
	stopped(t, &g, 1<<3)
	g.Place(5, 0, program.UnitFP32)
	stopped(t, &g, 1<<3|1<<5)
	g.Open(1, program.UnitFP32)
	stopped(t, &g, 0)
}

// Gates that are shut until a cycle open in it, the others later.
func TestShutUntil(t *testing.T) {
	var g Gates
	g.Init(2, 4)
	g.Place(3, 0, program.UnitSFU)
	g.ShutUntil(0, program.UnitInt, 12)
	g.ShutUntil(1, program.UnitSFU, 14)
	stopped(t, &g, 1<<0|1<<2|1<<3)
	for _, x := range []struct {
		at, next Time
		warps    uint64
	}{{11, 12, 1<<0 | 1<<2 | 1<<3}, {12, 14, 1 << 3}, {14, clock.Never, 0}} {
		g.OpenDue(x.at)
		if stopped(t, &g, x.warps); g.Next != x.next {
			t.Errorf("in cycle %d: the next gate opens at %d, not %d", x.at, g.Next, x.next)
		}
	}
}

func stopped(t *testing.T, g *Gates, warps uint64) {
	t.Helper()
	if g.Stopped != warps {
		t.Errorf("warps %b stop, not %b", g.Stopped, warps)
	}
}
