package policies_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
)

// figure4 is the set-up of LaPerm's figure 4: eight CTAs of one kernel. P2 requests two CTAs and P4 four; every
// CTA takes about as long.
func figure4(function string) string {
	var b strings.Builder
	b.WriteString("launch parent grid=8 block=32\n")
	for c := range 8 {
		fmt.Fprintf(&b, "cta %d\n warp 0\n  int R1 <- R1 x50\n", c)
		switch c {
		case 2:
			b.WriteString("  devlaunch\n  child 1 lane=0 work=2 params=64 marked\n")
		case 4:
			b.WriteString("  devlaunch\n  child 2 lane=0 work=4 params=64 marked\n")
		default:
			b.WriteString("  int\n")
		}
		b.WriteString("  int R1 <- R1 x50\n  exit\n")
	}
	for _, ctas := range []int{2, 4} {
		fmt.Fprintf(&b, "kernel %s grid=%d block=32 child\n", function, ctas)
		for c := range ctas {
			fmt.Fprintf(&b, "cta %d\n warp 0\n  int\n  int R1 <- R1 x100\n  exit\n", c)
		}
	}
	return b.String()
}

// rounds writes which CTA ran on which SM, round by round: a row is the CTAs placed
// within half a CTA's time of each other.
func rounds(l *launchLog, sms int) string {
	slices.SortStableFunc(l.ctas, func(a, b model.CTARecord) int { return int(a.Dispatch - b.Dispatch) })
	var rows [][]string
	var began, took model.Time
	for i, r := range l.ctas {
		if took = r.End - r.Dispatch; i == 0 || r.Dispatch > began+took/2 {
			began = r.Dispatch
			rows = append(rows, slices.Repeat([]string{"-"}, sms))
		}
		name := fmt.Sprintf("P%d", r.CTA)
		child := r.Child
		if child == model.NoKernel && r.Kernel > 0 {
			child = r.Kernel
		}
		switch child {
		case 1:
			name = fmt.Sprintf("C%d", r.CTA)
		case 2:
			name = fmt.Sprintf("C%d", 2+r.CTA)
		}
		rows[len(rows)-1][r.SM] = name
	}
	var lines []string
	for _, row := range rows {
		lines = append(lines, strings.TrimRight(strings.Join(row, " "), " -"))
	}
	return strings.Join(lines, " / ")
}

// Figure 4, whether children join the kernel of their parents as groups, find no
// kernel of their function at first, or are kernels.
func TestLaPermFigure4(t *testing.T) {
	for scheme, want := range map[string]string{
		"dtbl-ideal":             "P0 P1 P2 P3 / P4 P5 P6 P7 / C0 C1 C2 C3 / C4 C5",
		"laperm,scheme=tb-pri":   "P0 P1 P2 P3 / C0 C1 P4 P5 / C2 C3 C4 C5 / P6 P7",
		"laperm,scheme=smx-bind": "P0 P1 P2 P3 / P4 P5 C0 P6 / C2 P7 C1 / C3 / C4 / C5",
		"laperm":                 "P0 P1 P2 P3 / P4 P5 C0 P6 / C2 P7 C1 C3 / C4 C5",
	} {
		for _, function := range []string{"parent", "work"} {
			for _, launch := range []string{"", ",launch=device-kernel"} {
				cfg := kepler(t, 4, false)
				cfg.SM.MaxCTAs, cfg.KMU.DispatchLatency = 1, 0
				l := &cfg.Launch
				l.StreamCreate, l.ParamBase, l.ParamPerLane, l.DeviceBase, l.DevicePerLane = 0, 0, 0, 0, 0
				log, _ := launchRun(t, figure4(function), cfg, scheme+launch)
				if got := rounds(log, 4); got != want {
					t.Errorf("%s, children of function %s%s:\n%s, want\n%s", scheme, function, launch, got, want)
				}
			}
		}
	}
}

// Of 200 groups that one SM's CTA requests 128 are on chip and 72 in memory, while the kernel's four CTAs fill the
// SMs. Under tb-pri the four SMs' entries are one queue: 512 have room for all, and 160 leave 40.
func TestLaPermOverflow(t *testing.T) {
	var b strings.Builder
	b.WriteString("launch parent grid=4 block=32\ncta 0\n warp 0\n")
	for c := range 200 {
		if c%32 == 0 {
			b.WriteString("  devlaunch\n")
		}
		fmt.Fprintf(&b, "  child %d lane=%d work=1 params=64 marked\n", 1+c, c%32)
	}
	b.WriteString("  int R1 <- R1 x2000\n  exit\n")
	for c := range 3 {
		fmt.Fprintf(&b, "cta %d\n warp 0\n  int R1 <- R1 x4000\n  exit\n", c+1)
	}
	for range 200 {
		b.WriteString("kernel parent grid=1 block=32 child\ncta 0\n warp 0\n  exit\n")
	}
	cfg := kepler(t, 4, false)
	cfg.SM.MaxCTAs = 1
	for policy, want := range map[string]float64{
		"laperm,scheme=smx-bind": 72, "laperm,scheme=tb-pri": 0, "laperm,scheme=tb-pri,entries=40": 40,
	} {
		_, sum := launchRun(t, b.String(), cfg, policy)
		if n := metric(sum, "laperm_overflowed"); n != want {
			t.Errorf("%s: %v groups in memory, want %v", policy, n, want)
		}
	}
}
