package policies_test

import (
	"fmt"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/trace/tracetest"
)

// klapTrace is a warp whose lanes 0, 2 and 3 have 40, 100 and 33 items: children of 2, 4
// and 2 CTAs of 32 threads.
func klapTrace() string {
	var b strings.Builder
	b.WriteString("launch parent grid=1 block=32\ncta 0\n warp 0\n  devlaunch\n  child 1 lane=0 work=40 params=64 " +
		"marked\n  child 2 lane=2 work=100 params=64 marked\n  child 3 lane=3 work=33 params=64 marked\n  exit\n")
	for _, ctas := range []int{2, 4, 2} {
		fmt.Fprintf(&b, "kernel work grid=%d block=32 child\n", ctas)
		for c := range ctas {
			fmt.Fprintf(&b, "cta %d\n warp 0\n  exit\n", c)
		}
	}
	return b.String()
}

// The worked example: one launch of one lane for three of three lanes, 29,096 cycles for 32,538 (21,931 for 25,373
// where streams are there). It is one grid of 8 CTAs; the first and the third guess their parent. Without the added
// code the aggregate's first CTA is placed so many cycles after the call, and 283 for the dispatch. By block the
// warp comes to the barrier in the cycle behind its call and makes it in the next.
func TestKLAPExample(t *testing.T) {
	for policy, call := range map[string]int{
		"cdp": device3, "klap,scope=warp,code=off,streams=on": device1, "klap,scope=warp,code=off": device1 - stream,
		"klap,code=off": device1 - stream + 2,
	} {
		l, sum := launchRun(t, klapTrace(), kepler(t, 4, true), policy)
		expect(t, policy, l.launches[0].FirstCTA, dispatch+call+dispatch)
		kernels := 2
		if policy == "cdp" {
			kernels = 4
		}
		if int(sum.Kernels) != kernels || sum.CTAs != 9 || sum.LaunchesMade != 3 {
			t.Errorf("%s: %d kernels, %d CTAs, %d launches", policy, sum.Kernels, sum.CTAs, sum.LaunchesMade)
		}
	}
	_, sum := launchRun(t, klapTrace(), kepler(t, 4, true), "klap,scope=warp")
	if n := metric(sum, "klap_parent_searches"); n != 6 {
		t.Errorf("by warp: %v CTAs search, want 6", n)
	}
	l, sum := launchRun(t, klapTrace(), kepler(t, 4, true), "klap,scope=grid")
	if n := metric(sum, "klap_parent_searches"); n != 1 {
		t.Errorf("by kernel: %v CTAs search, want 1", n)
	}
	for _, r := range l.launches {
		if want := map[uint32]model.Decision{1: model.DeviceKernel, 2: model.Group,
			3: model.Group}[r.Child]; r.Decision != want {
			t.Errorf("child %d: decision %d, want %d", r.Child, r.Decision, want)
		}
	}
}

// klapPairTrace is a block whose two warps of one scheduler call twice; the first waits for its child in between.
func klapPairTrace() string {
	call := func(child int) string {
		return fmt.Sprintf("  devlaunch\n  child %d lane=0 work=32 params=64 marked\n", child)
	}
	var b strings.Builder
	b.WriteString("launch parent grid=1 block=160\ncta 0\n warp 0\n" + call(1) + "  devsync\n" + call(2) + "  exit\n")
	for warp := 1; warp < 4; warp++ {
		fmt.Fprintf(&b, " warp %d\n  exit\n", warp)
	}
	b.WriteString(" warp 4\n" + call(3) + call(4) + "  exit\n")
	for range 4 {
		b.WriteString("kernel work grid=1 block=32 child\ncta 0\n warp 0\n  exit\n")
	}
	return b.String()
}

// A block's first call is launched when both warps have made it, even if one has come to its second call by then:
// children 1 and 3, then 2 and 4.
func TestKLAPCallsOfABlock(t *testing.T) {
	for _, policy := range []string{"klap", "klap,code=off"} {
		l, sum := launchRun(t, klapPairTrace(), kepler(t, 1, false), policy)
		if sum.Kernels != 3 || sum.LaunchesMade != 4 {
			t.Errorf("%s: %d kernels, %d launches", policy, sum.Kernels, sum.LaunchesMade)
		}
		first := map[uint32]model.Time{}
		for _, r := range l.launches {
			first[r.Child] = r.FirstCTA
		}
		if max(first[1], first[3]) >= min(first[2], first[4]) {
			t.Errorf("%s: first CTAs %v", policy, first)
		}
	}
}

// The slots of each block begin on a line, also behind those of a block whose slots fill none: 33 threads take 528
// bytes. So two such blocks, one after the other, access the L1 twice as often as one.
func TestKLAPSlotsBeginOnALine(t *testing.T) {
	accesses := func(blocks int) (n uint64) {
		var b strings.Builder
		fmt.Fprintf(&b, "launch parent grid=%d block=33\n", blocks)
		for c := range blocks {
			fmt.Fprintf(&b, "cta %d\n warp 0\n  devlaunch\n  child %d lane=0 work=32 params=64 marked\n  exit\n", c, c+1)
			b.WriteString(" warp 1\n  exit\n")
		}
		for range blocks {
			b.WriteString("kernel work grid=1 block=32 child\ncta 0\n warp 0\n  exit\n")
		}
		_, sum := launchRun(t, b.String(), kepler(t, 1, false), "klap,words=1")
		for _, r := range sum.Memory {
			if r.Level == "l1" && r.Index < 0 {
				n = r.Accesses
			}
		}
		return n
	}
	if one, two := accesses(1), accesses(2); one == 0 || two != 2*one {
		t.Errorf("one block accesses the L1 %d times, two %d times", one, two)
	}
}

// A kernel that waits for children that the host is to launch when it has ended waits
// for ever, and the run says so.
func TestKLAPByKernelOfWaitingParents(t *testing.T) {
	text := strings.Replace(klapTrace(), "  exit\n", "  devsync\n  exit\n", 1)
	_, _, err := replay(t, tracetest.FromText(t, text), kepler(t, 4, true), "klap,scope=grid", 0)
	if err == nil || !strings.Contains(err.Error(), "3 child launches are kept by the policy") {
		t.Errorf("error %v", err)
	}
}
