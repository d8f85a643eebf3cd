package policies_test

import (
	"fmt"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
)

// detachedChildren is a parent of one warp that launches children of one warp each from its lanes, and joins them.
func detachedChildren(children int) string {
	var b strings.Builder
	b.WriteString("launch parent grid=1 block=32\ncta 0\n warp 0\n  devlaunch\n")
	fmt.Fprintf(&b, "  child 1 lane=0..%d work=1 params=64 marked\n  devsync\n  int x100\n  exit\n", children-1)
	for range children {
		b.WriteString("kernel work grid=1 block=32 child\ncta 0\n warp 0\n  int x500\n  exit\n")
	}
	return b.String()
}

// No parent waits for its children: it ends before they begin. Its kernel ends behind them.
func TestNoJoin(t *testing.T) {
	for _, policy := range []string{"cdp2", "device-graph"} {
		l, _ := launchRun(t, detachedChildren(3), kepler(t, 2, false), policy)
		for child := range uint32(3) {
			at := l.launch(t, child+1)
			if end := l.cta(t, 0, 0).End; at.FirstCTA <= end || at.Reason != "fire-and-forget" {
				t.Errorf("%s: child %d begins in cycle %d (%s), the parent ends in %d", policy, child, at.FirstCTA, at.Reason, end)
			}
			if end := l.kernel(t, child+1).End; l.kernel(t, 0).End <= end {
				t.Errorf("%s: the parent kernel ends in cycle %d, child %d in %d", policy, l.kernel(t, 0).End, child, end)
			}
		}
	}
}

// Tails run one after another, each a launch latency behind the end of the last CTA before it.
func TestTailsInOrder(t *testing.T) {
	cfg := kepler(t, 2, false)
	c := &cfg.Launch
	latency := model.Time(c.ParamBase + c.ParamPerLane + c.DeviceBase + c.DevicePerLane)
	if c.StreamPerChild {
		latency += model.Time(c.StreamCreate)
	}
	l, _ := launchRun(t, detachedChildren(3), cfg, "cdp2,stream=tail")
	before := l.cta(t, 0, 0).End
	for child := range uint32(3) {
		if at := l.launch(t, child+1); at.Arrive != before+latency || at.Reason != "tail" {
			t.Errorf("tail %d arrives in cycle %d (%s), want %d", child, at.Arrive, at.Reason, before+latency)
		}
		before = l.cta(t, child+1, 0).End
	}
}

// A launch beyond a limit fails: it is counted, and its work is done by the parent.
func TestLaunchLimits(t *testing.T) {
	for _, c := range []struct {
		policy           string
		children, failed int
	}{
		{"cdp2", 32, 0}, {"cdp2,pending=5", 32, 27}, {"cdp2,pending=5,stream=tail", 32, 27},
		{"device-graph", 32, 0}, {"device-graph,stream=tail", 32, 0},
	} {
		_, sum := launchRun(t, detachedChildren(c.children), kepler(t, 2, false), c.policy)
		if got := metric(sum, "device_launches_failed"); c.failed > 0 && got != float64(c.failed) {
			t.Errorf("%s: %v launches fail, want %d", c.policy, got, c.failed)
		}
		if sum.LaunchesMade != uint64(c.children-c.failed) {
			t.Errorf("%s: %d launches are made, want %d", c.policy, sum.LaunchesMade, c.children-c.failed)
		}
	}
	// 160 launches of one kernel, by the warps of five CTAs
	text := strings.Replace(detachedChildren(160), "grid=1 block=32\ncta 0\n warp 0", "grid=5 block=32\ncta 0\n warp 0", 1)
	one := "  devlaunch\n  child 1 lane=0..159 work=1 params=64 marked\n  devsync\n  int x100\n  exit\n"
	var all strings.Builder
	for cta := range 5 {
		if cta > 0 {
			fmt.Fprintf(&all, "cta %d\n warp 0\n", cta)
		}
		fmt.Fprintf(&all, "  devlaunch\n  child %d lane=0..31 work=1 params=64 marked\n  exit\n", 1+32*cta)
	}
	text = strings.Replace(text, one, all.String(), 1)
	cfg, err := hardware.Preset("h100")
	if err != nil {
		t.Fatal(err)
	}
	for policy, made := range map[string]uint64{"device-graph": 120, "device-graph,stream=tail": 160, "cdp2": 160} {
		if _, sum := launchRun(t, text, cfg, policy); sum.LaunchesMade != made {
			t.Errorf("%s: %d launches are made, want %d", policy, sum.LaunchesMade, made)
		}
	}
}
