package model

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// emptyKernel is one measured launch of a kernel that does nothing.
type emptyKernel struct {
	tool          string // "ncu" or "nsys"
	ctas, threads int
	cycles        float64
}

// forSetting tells which half sets the presets; the other half tests them.
func (e emptyKernel) forSetting() bool { return e.threads%64 == 0 }

func readEmptyKernels(t *testing.T) []emptyKernel {
	t.Helper()
	f, err := os.Open(tracetest.Data(t, "h100-measured-cycles", "ground_truth_release-emptykernel.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []emptyKernel
	for s := bufio.NewScanner(f); s.Scan(); {
		fields := map[string]string{}
		for part := range strings.SplitSeq(s.Text(), ",") {
			if k, v, ok := strings.Cut(part, "="); ok {
				fields[strings.TrimSpace(k)] = v
			}
		}
		if len(fields) == 0 {
			continue
		}
		ctas, err1 := strconv.Atoi(fields["block"])
		threads, err2 := strconv.Atoi(fields["thread"])
		cycles, err3 := strconv.ParseFloat(fields["cycles"], 64)
		if err1 != nil || err2 != nil || err3 != nil {
			t.Fatalf("%s", s.Text())
		}
		list = append(list, emptyKernel{fields["profile_type"], ctas, threads, cycles})
	}
	return list
}

// fitLine fits cycles = base + slope x CTAs by least squares.
func fitLine(list []emptyKernel, keep func(emptyKernel) bool) (base, slope float64) {
	var n, x, y, xx, xy float64
	for _, e := range list {
		if keep(e) {
			c := float64(e.ctas)
			n, x, y, xx, xy = n+1, x+c, y+e.cycles, xx+c*c, xy+c*e.cycles
		}
	}
	slope = (n*xy - x*y) / (n*xx - x*x)
	return (y - slope*x) / n, slope
}

// held is for how long an empty CTA holds its place: its warps start one after
// another, the last waits for its parameter, and the next CTA is placed a cycle
// after the end.
func (e emptyKernel) held(c *hardware.Config) float64 {
	warps := (e.threads + 31) / 32
	return float64(c.SM.CTALaunchLatency + (warps-1)*c.SM.WarpLaunchGap + c.Exec.Int.Latency + c.SM.PipelineDepth + 1)
}

// emptyCycles is the closed form of an empty kernel on a machine: the launch, then CTAs at the pace of the
// distributor, each once its place is free, and the last one's time.
func emptyCycles(c *hardware.Config, e emptyKernel) float64 {
	resident, _ := c.Residency(&trace.Kernel{Block: trace.Dim3{uint32(e.threads), 1, 1}})
	places, held, pace := c.SM.Count*resident, e.held(c), 1/c.KMU.CTAsPerCycle
	at := make([]float64, e.ctas)
	for i := range at {
		if i > 0 {
			at[i] = at[i-1] + pace
		}
		if i >= places {
			at[i] = max(at[i], at[i-places]+held)
		}
	}
	return float64(c.Host.LaunchLatency+c.KMU.DispatchLatency) + at[e.ctas-1] + held
}

// launchCosts are the setting half's launch costs of a machine with the rest of its numbers (docs/model, P5).
func launchCosts(c *hardware.Config, all []emptyKernel) (launch, start, gap int, pace float64) {
	base, pace := fitLine(all, func(e emptyKernel) bool { return e.forSetting() && e.threads <= 448 })
	var warps, held []float64
	for threads := 704; threads <= 1024; threads += 64 { // two CTAs on an SM
		_, p := fitLine(all, func(e emptyKernel) bool { return e.threads == threads })
		warps, held = append(warps, float64(threads/32)), append(held, p*float64(2*c.SM.Count))
	}
	n := float64(len(warps))
	var w, h, ww, wh float64
	for i := range warps {
		w, h, ww, wh = w+warps[i]/n, h+held[i]/n, ww+warps[i]*warps[i]/n, wh+warps[i]*held[i]/n
	}
	gap = int(math.Round((wh - w*h) / (ww - w*w)))
	rest := float64(c.Exec.Int.Latency + c.SM.PipelineDepth + 1)
	start = int(math.Round(h - rest - (w-1)*float64(gap)))
	const meanWarps = 11 // of 256, 320, 384 and 448 threads
	launch = int(math.Round(base + pace - (float64(start+(meanWarps-1)*gap) + rest)))
	return launch, start, gap, math.Round(1000/pace) / 1000
}

// The launch costs of the H100 PCIe presets come from one half of the measured empty kernels, and predict the other
// half.
func TestH100EmptyKernels(t *testing.T) {
	measured := readEmptyKernels(t)
	for _, w := range []struct {
		tool, preset string
		mean, worst  float64 // per cent allowed on the half that did not set it
	}{{"ncu", "h100-pcie", 1.5, 5}, {"nsys", "h100-pcie-boost", 2, 8}} {
		c := mustPreset(t, w.preset)
		all := slices.DeleteFunc(slices.Clone(measured), func(e emptyKernel) bool { return e.tool != w.tool })
		launch, start, gap, pace := launchCosts(c, all)
		own := c.Host.LaunchLatency + c.KMU.DispatchLatency
		if launch != own || start != c.SM.CTALaunchLatency || gap != c.SM.WarpLaunchGap || pace != c.KMU.CTAsPerCycle {
			t.Errorf("%s: the measured half says launch %d, CTA %d, warp %d cycles, %.3f CTAs a cycle; the preset %d, "+
				"%d, %d, %.3f",
				w.preset, launch, start, gap, pace, own, c.SM.CTALaunchLatency, c.SM.WarpLaunchGap, c.KMU.CTAsPerCycle)
		}
		var n, sum, worst float64
		for _, e := range all {
			if !e.forSetting() {
				err := 100 * math.Abs(emptyCycles(c, e)/e.cycles-1)
				n, sum, worst = n+1, sum+err, max(worst, err)
			}
		}
		t.Logf("%s: %.0f cases of the testing half: mean error %.1f %%, worst %.1f %%", w.preset, n, sum/n, worst)
		if n < 80 || sum/n > w.mean || worst > w.worst {
			t.Errorf("%s: mean error %.1f %%, worst %.1f %% over %.0f cases", w.preset, sum/n, worst, n)
		}
	}
	from := mustPreset(t, "h100-pcie")
	start, gap := float64(from.SM.CTALaunchLatency)/from.Clock.CoreMHz, float64(from.SM.WarpLaunchGap)/from.Clock.CoreMHz
	saysMODEL(t, fmt.Sprintf("take the CTA's %.0f ns and the warp's %.1f ns at their own clock", 1000*start, 1000*gap))
	for _, name := range []string{"h100", "a100", "h200"} {
		if own := mustPreset(t, name); float64(own.SM.CTALaunchLatency) != math.Round(start*own.Clock.CoreMHz) ||
			float64(own.SM.WarpLaunchGap) != math.Round(gap*own.Clock.CoreMHz) {
			t.Errorf("%s: a CTA starts in %d cycles, a warp in %d; %.1f and %.1f ns are %.1f and %.1f", name,
				own.SM.CTALaunchLatency,
				own.SM.WarpLaunchGap, 1000*start, 1000*gap, start*own.Clock.CoreMHz, gap*own.Clock.CoreMHz)
		}
	}
}

// One warp of dependent FFMAs (128 an iteration) on an H100 PCIe under Nsight Compute: launch, CTA start and 4
// cycles each explain the measured cycles. The rest is the loop's own instructions.
func TestH100FFMA(t *testing.T) {
	c := mustPreset(t, "h100-pcie")
	for _, iterations := range []int{10, 20, 30, 40} {
		data, err := os.ReadFile(tracetest.Data(t, "accelsim-ffmakernel-h100", "simtune-ffmakernel-1-32-"+
			strconv.Itoa(iterations), "gt"))
		if err != nil {
			t.Fatal(err)
		}
		measured, err := strconv.ParseFloat(strings.TrimSpace(string(data)), 64)
		if err != nil {
			t.Fatal(err)
		}
		dependent := c.Exec.FP32.Latency + c.SM.PipelineDepth
		chain := c.Host.LaunchLatency + c.KMU.DispatchLatency + c.SM.CTALaunchLatency + 128*iterations*dependent
		if left := 100 * (1 - float64(chain)/measured); left < 0 || left > 6 {
			t.Errorf("%d iterations: %d cycles of the chain, measured %.0f: %.1f %% left", iterations, chain, measured, left)
		}
	}
}
