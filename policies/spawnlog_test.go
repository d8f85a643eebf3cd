package policies_test

import (
	"fmt"
	"strings"
	"testing"

	"gpureplay/model"
)

// asked has a warp that requests a child of two CTAs of 3,001 instructions at cycle
// 283, and for one of some CTAs at a later cycle.
func asked(at, ctas, work int) string {
	return fmt.Sprintf(`
launch parent grid=1 block=32
cta 0
 warp 0
  devlaunch
  child 1 lane=0 work=64 params=64
  int x%d
  devlaunch
  child 2 lane=0 work=%d params=64
  exit
kernel work grid=2 block=32 child
cta 0..1
 warp 0
  int x3000
  exit
kernel work grid=%d block=32 child
cta 0..%d
 warp 0
  int x9
  exit
`, at-284, work, ctas, ctas-1)
}

// SPAWN's registers over time. The first child is launched without an estimate. Its
// CTAs run from 29,662 and 29,663 to 32,663 and 32,664. Windows of 1,024 cycles end at
// 29,696 (34 + 33 CTA cycles: n_con 0), 30,720 and 31,744 (2 CTAs throughout: 2), 32,768
// (919 + 920: 1) and 33,792 (0). One launch takes 29,096 cycles.
func TestSpawnWindows(t *testing.T) {
	for _, c := range []struct {
		name           string
		at, ctas, work int
		reason         string
		decision       model.Decision
		want           [7]int64 // n, x, n_con, t_cta, t_warp, t_child, t_parent
	}{
		{"first window: nothing has finished", 31000, 1, 1, "first window", model.DeviceKernel,
			[7]int64{2, 1, 2, 0, 0, 0, 0}},
		{"the first ends in this cycle: not seen yet", 32663, 1, 1, "first window", model.DeviceKernel,
			[7]int64{2, 1, 2, 0, 0, 0, 0}},
		{"the second ends in this cycle", 32664, 1, 500, "parent is faster", model.Inline,
			[7]int64{1, 1, 2, 3001, 0, device1 + 2*3001/2, 0}},
		{"both have ended", 32665, 1, 500, "parent is faster", model.Inline, [7]int64{0, 1, 2, 3001, 0, device1 + 3001/2, 0}},
		{"both have finished, their window is open", 32700, 1, 500, "parent is faster", model.Inline,
			[7]int64{0, 1, 2, 3001, 0, device1 + 3001/2, 0}},
		{"the last cycle of the window", 32767, 1, 500, "parent is faster", model.Inline,
			[7]int64{0, 1, 2, 3001, 0, device1 + 3001/2, 0}},
		{"it closes", 32768, 1, 10, "parent is faster", model.Inline, [7]int64{0, 1, 1, 3001, 3001, device1 + 3001, 30010}},
		{"more work", 33000, 1, 11, "child is faster", model.DeviceKernel, [7]int64{0, 1, 1, 3001, 3001, device1 + 3001,
			33011}},
		{"no CTA ran: n_con counts as 1, t_warp stays", 34000, 2, 10, "parent is faster", model.Inline,
			[7]int64{0, 2, 0, 3001, 3001, device1 + 2*3001, 30010}},
		{"windows later", 60000, 1, 11, "child is faster", model.DeviceKernel,
			[7]int64{0, 1, 0, 3001, 3001, device1 + 3001, 33011}},
		{"two CTAs are more than the queue holds", 60000, 2, 1000, "queue is full", model.Inline,
			[7]int64{0, 2, 0, 3001, 3001, device1 + 2*3001, 3001000}},
	} {
		l, _ := launchRun(t, asked(c.at, c.ctas, c.work), kepler(t, 2, false), "spawn,queue=1")
		if first := l.launch(t, 1); first.Reason != "first window" || first.FirstCTA != 29662 {
			t.Fatalf("%s: the first request: %+v", c.name, first)
		}
		r := l.launch(t, 2)
		if r.Time != int64(c.at) || r.Decision != c.decision || r.Reason != c.reason {
			t.Errorf("%s: at %d %s, decision %d; want %d %s, %d", c.name, r.Time, r.Reason, r.Decision, c.at, c.reason,
				c.decision)
		}
		if got := [7]int64(*r.Noted); got != c.want {
			t.Errorf("%s: n, x, n_con, t_cta, t_warp, t_child, t_parent are %d, want %d", c.name, got, c.want)
		}
	}
}

// A child's CTAs count in n from its arrival at the grid management unit on (SPAWN paper, IV.A),
// or from the decision on. The first child has ended by cycle 32,664. The second, of three
// CTAs, is requested at 33,000 and arrives 29,096 cycles later, at 62,096.
func TestSpawnCountsArrivals(t *testing.T) {
	for _, c := range []struct {
		at                int
		arrival, decision int64
	}{{33001, 0, 3}, {62095, 0, 3}, {62096, 3, 3}} {
		text := strings.Replace(asked(33000, 3, 1000), "  exit\nkernel work", fmt.Sprintf("  int x%d\n  devlaunch\n  "+
			"child 3 lane=0 work=1 params=64\n  exit\nkernel work", c.at-33001), 1) +
			"kernel work grid=1 block=32 child\ncta 0\n warp 0\n  int x9\n  exit\n"
		for policy, want := range map[string]int64{"spawn": c.arrival, "spawn,count=decision": c.decision} {
			l, _ := launchRun(t, text, kepler(t, 2, false), policy)
			if r := l.launch(t, 3); r.Time != int64(c.at) || r.Noted[0] != want {
				t.Errorf("%s: asked at %d with n = %d, want %d with %d", policy, r.Time, r.Noted[0], c.at, want)
			}
		}
	}
}

// The counters of the paper have 16 bits: a child CTA of 70,001 cycles counts as
// 65,535; unbounded ones hold it.
func TestSpawnCountersSaturate(t *testing.T) {
	text := `
launch parent grid=1 block=32
cta 0
 warp 0
  devlaunch
  child 1 lane=0 work=64 params=64
  int x140000
  devlaunch
  child 2 lane=0 work=1 params=64
  exit
` + children(1, "int x70000") + children(1, "int")
	for policy, want := range map[string]int64{"spawn": 65535, "spawn,saturate=off": 70001} {
		l, _ := launchRun(t, text, kepler(t, 2, false), policy)
		if n := l.launch(t, 2).Noted; n[3] != want || n[4] != want {
			t.Errorf("%s: t_cta %d and t_warp %d, want %d", policy, n[3], n[4], want)
		}
	}
}

// The first child has four CTAs of 3,001 instructions, which run from 29,662 to 32,666
// each a cycle behind the one before it. The window that ends at 32,768 has 919 + 920 +
// 921 + 922 CTA cycles of them, n_con 3; the one that ends at 33,792 has none. A request
// in the window behind it counts n_con as 1, or keeps the 3.
func TestSpawnIdleWindow(t *testing.T) {
	text := strings.Replace(asked(34000, 2, 10), "grid=2 block=32 child\ncta 0..1", "grid=4 block=32 child\ncta 0..3", 1)
	for policy, want := range map[string][2]int64{"spawn": {0, device1 + 2*3001},
		"spawn,idle=last": {3, device1 + 2*3001/3}} {
		l, _ := launchRun(t, text, kepler(t, 2, false), policy)
		if n := l.launch(t, 2).Noted; n[2] != want[0] || n[5] != want[1] {
			t.Errorf("%s: n_con %d and t_child %d, want %d", policy, n[2], n[5], want)
		}
	}
}
