package model

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

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

// emptyCycles is the closed form of an empty kernel on a machine: the launch,
// then CTAs at the pace of the distributor or of the places that they hold.
func emptyCycles(c *Config, e emptyKernel) float64 {
	resident, _ := c.Residency(&trace.Kernel{Block: trace.Dim3{uint32(e.threads), 1, 1}})
	pace := max(1/float64(c.KMU.CTAsPerCycle), float64(c.SM.CTALaunchLatency)/float64(c.SM.Count*resident))
	return float64(c.Host.LaunchLatency) + float64(e.ctas)*pace
}

// The launch costs of the H100 PCIe presets are what one half of the measured
// empty kernels says, and predict the other half.
func TestH100EmptyKernels(t *testing.T) {
	all := readEmptyKernels(t)
	for _, w := range []struct {
		tool, preset string
		mean, worst  float64 // per cent allowed on the half that did not set it
	}{{"ncu", "h100-pcie", 3, 7}, {"nsys", "h100-pcie-boost", 7, 20}} {
		c := mustPreset(t, w.preset)
		launch, pace := fitLine(all, func(e emptyKernel) bool { return e.tool == w.tool && e.forSetting() && e.threads <= 448 })
		held, sizes := 0., 0.
		for threads := 704; threads <= 1024; threads += 64 { // two CTAs on an SM
			_, p := fitLine(all, func(e emptyKernel) bool { return e.tool == w.tool && e.threads == threads })
			held, sizes = held+p*float64(2*c.SM.Count), sizes+1
		}
		held /= sizes
		if math.Round(launch) != float64(c.Host.LaunchLatency) || math.Round(held) != float64(c.SM.CTALaunchLatency) || math.Round(pace) != float64(c.KMU.CTAsPerCycle) {
			t.Errorf("%s: the measured half says launch %.0f, pace %.2f, CTA %.0f cycles; the preset %d, %d, %d",
				w.preset, launch, pace, held, c.Host.LaunchLatency, c.KMU.CTAsPerCycle, c.SM.CTALaunchLatency)
		}
		if w.tool == "ncu" {
			saysMODEL(t, fmt.Sprintf("the pace of small ones, %.2f cycles a CTA", pace))
			us := float64(c.SM.CTALaunchLatency) / c.Clock.CoreMHz
			saysMODEL(t, fmt.Sprintf("take the CTA's %.0f ns at their own clock", 1000*us))
			for _, name := range []string{"h100", "a100", "h200"} {
				if own := mustPreset(t, name); float64(own.SM.CTALaunchLatency) != math.Round(us*own.Clock.CoreMHz) {
					t.Errorf("%s: a CTA holds its place for %d cycles, %.1f ns are %.1f", name, own.SM.CTALaunchLatency, 1000*us, us*own.Clock.CoreMHz)
				}
			}
		}
		var n, sum, worst float64
		for _, e := range all {
			if e.tool == w.tool && !e.forSetting() {
				err := 100 * math.Abs(emptyCycles(c, e)/e.cycles-1)
				n, sum, worst = n+1, sum+err, max(worst, err)
			}
		}
		t.Logf("%s: %.0f cases of the testing half: mean error %.1f %%, worst %.1f %%", w.preset, n, sum/n, worst)
		if n < 80 || sum/n > w.mean || worst > w.worst {
			t.Errorf("%s: mean error %.1f %%, worst %.1f %% over %.0f cases", w.preset, sum/n, worst, n)
		}
	}
}

// One warp of dependent FFMAs (128 an iteration) on an H100 PCIe under Nsight
// Compute: launch, CTA start and 4 cycles each explain the measured cycles; what
// is left is the loop's own instructions.
func TestH100FFMA(t *testing.T) {
	c := mustPreset(t, "h100-pcie")
	for _, iterations := range []int{10, 20, 30, 40} {
		data, err := os.ReadFile(tracetest.Data(t, "accelsim-ffmakernel-h100", "simtune-ffmakernel-1-32-"+strconv.Itoa(iterations), "gt"))
		if err != nil {
			t.Fatal(err)
		}
		measured, err := strconv.ParseFloat(strings.TrimSpace(string(data)), 64)
		if err != nil {
			t.Fatal(err)
		}
		dependent := c.Exec.FP32.Latency + c.SM.PipelineDepth
		chain := c.Host.LaunchLatency + c.SM.CTALaunchLatency + 128*iterations*dependent
		if left := 100 * (1 - float64(chain)/measured); left < 0 || left > 3 {
			t.Errorf("%d iterations: %d cycles of the chain, measured %.0f: %.1f %% left", iterations, chain, measured, left)
		}
	}
}
