package policies_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/trace/tracetest"
)

// 7. A child launches a child. Each call of one lane takes 29,096 cycles and the
// dispatch 283: the child's CTA is placed at 29,662 and launches at once. A kernel
// ends one cycle after the last of its children.
func TestNestedLaunch(t *testing.T) {
	text := `
launch parent grid=1 block=32
cta 0
 warp 0
  devlaunch
  child 1 lane=0 work=1 params=64 marked
  exit
kernel work grid=1 block=32 child
cta 0
 warp 0
  devlaunch
  child 2 lane=0 work=1 params=64 marked
  exit
` + children(1, "int")
	l, sum := launchRun(t, text, kepler(t, 2, false), "cdp")
	const child = dispatch + device1 + dispatch
	const grandchild = child + device1 + dispatch
	expect(t,
		"CTA of the child", l.launch(t, 1).FirstCTA, child,
		"CTA of the grandchild", l.launch(t, 2).FirstCTA, grandchild,
		"end of the child's CTA", l.cta(t, 1, 0).End, child+2,
		"end of the grandchild", l.kernel(t, 2).End, grandchild+3,
		"end of the child", l.kernel(t, 1).End, grandchild+4,
		"end of the parent", l.kernel(t, 0).End, grandchild+5,
	)
	if sum.LaunchesMade != 2 || l.kernel(t, 2).Parent != 1 {
		t.Errorf("%d launches, the grandchild's parent is %d", sum.LaunchesMade, l.kernel(t, 2).Parent)
	}
}

// 8. One SM for one CTA. The parent waits for its child from 29,379 on and gives
// back the SM; the child is placed at 29,662, its kernel ends at 29,664. The parent
// is back in the same cycle, and its exits issue a cycle later.
func TestParentSwapsOut(t *testing.T) {
	text := `
launch parent grid=1 block=64
cta 0
 warp 0
  devlaunch
  child 1 lane=0 work=1 params=64 marked
  devsync
  exit
 warp 1
  devsync
  exit
` + children(1, "")
	text = strings.ReplaceAll(text, "  \n", "")
	cfg := kepler(t, 1, true)
	cfg.SM.MaxCTAs = 1
	l, _ := launchRun(t, text, cfg, "cdp")
	const called = dispatch + device1
	expect(t,
		"CTA of the child", l.launch(t, 1).FirstCTA, called+dispatch,
		"end of the child", l.kernel(t, 1).End, called+dispatch+2,
		"end of the parent's CTA", l.cta(t, 0, 0).End, called+dispatch+2+2,
		"end of the parent", l.kernel(t, 0).End, called+dispatch+2+3,
	)
	if s := l.cta(t, 0, 0).StallTimes; s[exec.StallChild] != 285 || s[exec.StallLaunch] != device1-1 {
		t.Errorf("the parent's CTA stalls %v", s)
	}
}

// 9. As 1, with one stream for the children of a CTA: the second is dispatched when
// the first has ended.
func TestSharedSWQSerialises(t *testing.T) {
	text := strings.Replace(twoLanes, "marked", "marked shared", 1)
	l, _ := launchRun(t, text, kepler(t, 2, false), "cdp")
	const arrive = dispatch + device2
	expect(t,
		"end of child 1", l.kernel(t, 1).End, arrive+dispatch+2,
		"first CTA of child 2", l.launch(t, 2).FirstCTA, arrive+dispatch+2+dispatch,
	)
}

// 10. A call that ends the program holds its warp none the less.
func TestLaunchAtTheEnd(t *testing.T) {
	text := `
launch parent grid=1 block=32
cta 0
 warp 0
  devlaunch
  child 1 lane=0 work=1 params=64 marked
` + children(1, "int")
	for policy, held := range map[string]int{"cdp": device1, "dtbl": group1, "dtbl,fallback=api": group1 + fallback} {
		l, _ := launchRun(t, text, kepler(t, 2, true), policy)
		expect(t, policy+": end of the parent's CTA", l.cta(t, 0, 0).End, dispatch+held+1)
		l, _ = launchRun(t, text, kepler(t, 2, false), policy)
		expect(t, policy+", asynchronous: end of the parent's CTA", l.cta(t, 0, 0).End, dispatch+1)
	}
}

// 11. The alternative to the AGT: each group takes an entry of the distributor. There are three; the parent
// (waiting) holds none and the host's kernel one. So two groups enter when their buffers are there, at 283 + 8023 +
// 3·129 + 1, and the third when the first has run its 101 instructions.
func TestGroupsInEntriesOfTheirOwn(t *testing.T) {
	text := `
launch parent grid=1 block=32
cta 0
 warp 0
  devlaunch
  child 2 lane=0..2 work=1 params=64 marked
  exit
launch work grid=1 block=32 stream=1
cta 0
 warp 0
  int x20000
  exit
` + children(3, "int x100")
	l, sum := launchRun(t, text, kepler(t, 2, false), "dtbl,kde=3")
	const found = dispatch + 8023 + 3*129 + 1
	expect(t,
		"CTA of the first", l.launch(t, 2).FirstCTA, found,
		"CTA of the second", l.launch(t, 3).FirstCTA, found+1,
		"end of the first", l.kernel(t, 2).End, found+102,
		"arrival of the third", l.launch(t, 4).Arrive, found,
		"CTA of the third", l.launch(t, 4).FirstCTA, found+102,
	)
	if sum.Kernels != 5 || sum.LaunchesCoalesced != 0 || l.launch(t, 4).Reason != "entry of its own" {
		t.Errorf("%d kernels, %d groups joined one", sum.Kernels, sum.LaunchesCoalesced)
	}
}

// 12. The worked example of occupancy: 32 device kernels of 64 threads keep 64 of a
// K20c's 832 warps resident, 1/13, however many wait. Coalesced, the same work has
// the 16 CTAs that each of the 13 SMs holds: 416 warps.
func TestOccupancyOfSmallChildren(t *testing.T) {
	var b strings.Builder
	b.WriteString(`
launch parent grid=2 block=512
cta 0
 warp 0
  devlaunch
  child 1 lane=0 work=64 params=64 marked
  exit
cta 1
`)
	for w := range 16 {
		wait := ""
		if w == 0 {
			wait = "  int x30000\n"
		}
		fmt.Fprintf(&b, " warp %d\n"+wait+"  barrier\n  devlaunch\n  child %d lane=0..31 work=64 params=64 "+
			"marked\n  exit\n", w, 2+32*w)
	}
	for i := range 513 {
		n := 2000
		if i == 0 {
			n = 120_000
		}
		fmt.Fprintf(&b, "kernel work grid=1 block=64 child\ncta 0\n warp 0..1\n  int x%d\n  exit\n", n)
	}
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	for policy, want := range map[string]int{"cdp": 832 / 13, "dtbl": 13 * 16 * 2} {
		l, _ := launchRun(t, b.String(), cfg, policy)
		if got := mostChildren(l) * 2; got != want {
			t.Errorf("%s: at most %d child warps at once, want %d", policy, got, want)
		}
	}
}

// mostChildren is the largest number of CTAs of children that were on SMs at once.
func mostChildren(l *launchLog) int {
	type change struct {
		t  model.Time
		by int
	}
	var all []change
	for i := range l.ctas {
		if r := &l.ctas[i]; r.Kernel != 0 {
			all = append(all, change{r.Dispatch, 1}, change{r.End, -1})
		}
	}
	sort.Slice(all, func(i, j int) bool {
		return all[i].t < all[j].t || all[i].t == all[j].t && all[i].by < all[j].by
	})
	n, most := 0, 0
	for _, c := range all {
		n += c.by
		most = max(most, n)
	}
	return most
}

// 13. The timeline tells CTAs of parents from CTAs of children, native and aggregated. In the run of promise 3, the
// second parent CTA (284 to 33,438) and the native child (29,663 to 39,664) are there at 30,000. The native child
// and the group (33,438 to 43,439), which holds an AGT entry, are there at 34,000; the group alone at 41,000.
func TestTimelineOfChildren(t *testing.T) {
	l, _, err := replay(t, tracetest.FromText(t, lateGroup("5000")), kepler(t, 2, true), "dtbl", 1000)
	if err != nil {
		t.Fatal(err)
	}
	want := map[model.Time][4]uint32{10000: {1, 1, 0, 2}, 14000: {0, 2, 1, 1}, 20000: {0, 1, 1, 1}}
	for i := range l.samples {
		s := &l.samples[i]
		w, ok := want[s.End]
		if !ok {
			continue
		}
		delete(want, s.End)
		if got := [4]uint32{s.ParentCTAs, s.ChildCTAs, s.AGTUsed, s.KDEUsed}; got != w {
			t.Errorf("at %d: parent CTAs, child CTAs, AGT and KDE entries are %d, want %d", s.End, got, w)
		}
	}
	if len(want) > 0 {
		t.Errorf("no samples end at %v", want)
	}
}
