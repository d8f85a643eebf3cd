package replay

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/samples/samplestest"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// approximately replays a trace under serial, with some kernels skipped if tolerance is not 0, and returns the result.
func approximately(t testing.TB, r *container.Reader, machine *hardware.Config, policy string, tolerance float64,
	seed uint64) *Result {
	t.Helper()
	choices, err := policies.Parse(policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	job := &Job{Trace: r, Name: "t", Config: machine, Choices: choices, Approximate: tolerance, Seed: seed}
	results, err := Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return results[0]
}

// quick is a machine whose host takes no time, so that the kernels' times are the program's.
func quick(t testing.TB, preset string) *hardware.Config {
	t.Helper()
	c, err := hardware.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	c.Host.LaunchOverheadNs, c.Host.LaunchLatency = 0, 0
	return c
}

// iterative is n launches of a kernel; launches from phase on read further apart.
func iterative(n, phase int) string {
	var b strings.Builder
	b.WriteString("array a bytes=4M\n")
	for i := range n {
		stride := 4
		if i >= phase {
			stride = 128
		}
		fmt.Fprintf(&b, "launch k grid=4 block=128\ncta 0..3\nwarp 0..3\nrepeat 8\nload R1 @a+%d cta=4096 warp=1024 "+
			"next=8192\nend\nexit\n",
			stride)
	}
	return b.String()
}

// A program that enters another phase at kernel 500 is not fooled: a check finds it, and the interval holds the truth.
func TestPhaseChange(t *testing.T) {
	machine := quick(t, "a100")
	r := tracetest.FromText(t, iterative(700, 500))
	truth := approximately(t, r, machine, "serial", 0, 0).Run.Cycles
	inside := 0
	for seed := range uint64(20) {
		x := approximately(t, r, machine, "serial", 0.02, seed)
		off := math.Abs(float64(x.Run.Cycles - truth))
		if off <= x.Sampling.HalfCycles {
			inside++
		}
		if off > 0.02*float64(truth) {
			t.Errorf("seed %d: %d cycles for %d: %+v", seed, x.Run.Cycles, truth, *x.Sampling)
		}
		if failed := x.classes[0].Failed; failed == 0 || x.Sampling.Skipped < 400 {
			t.Errorf("seed %d: %d checks failed, %d kernels skipped", seed, failed, x.Sampling.Skipped)
		}
	}
	if inside < 18 {
		t.Errorf("the truth is inside of %d of 20 intervals", inside)
	}
}

// Kernels of one function, grid and block, with as many instructions, are of two classes if their paths differ.
func TestPathsMakeClasses(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "launch k grid=4 block=128\ncta 0..3\nwarp 0..3\n")
		if i%2 == 0 {
			b.WriteString("sfu R1 <- R1 x40\nfp32 R2 <- R2 x40\nexit\n")
		} else {
			b.WriteString("repeat 40\nsfu R1 <- R1\nfp32 R2 <- R2\nend\nexit\n")
		}
	}
	x := approximately(t, tracetest.FromText(t, b.String()), quick(t, "a100"), "serial", 0.02, 1)
	if len(x.classes) != 2 || x.classes[0].WarpInsts != x.classes[1].WarpInsts ||
		x.classes[0].MeanCycles == x.classes[1].MeanCycles {
		t.Errorf("two paths of as many instructions make the classes %+v", x.classes)
	}
}

// Skipped kernels leave their footprints in the L2. A kernel writes 1.5 MB, and a hundred read them once, so that the
// first of these drop the later data from an L2 of 0.75 MB. Without footprints the checks would find these there, and
// the cycles be 9 % off.
func TestSkippedKernelsLeaveFootprints(t *testing.T) {
	machine := quick(t, "v100")
	machine.L2.Bytes /= 8
	var b strings.Builder
	b.WriteString("array a bytes=1536K\nlaunch w grid=96 block=128\ncta 0..95\nwarp 0..3\nrepeat 32\n" +
		"store R1 @a+4 cta=16384 warp=4096 next=128\nend\nexit\n")
	for i := range 100 {
		fmt.Fprintf(&b, "launch k grid=1 block=128\ncta 0\nwarp 0..3\nrepeat 30\n"+
			"load R1 @a[%d]+4 warp=3840 next=128\nend\nexit\n", i*15360)
	}
	r := tracetest.FromText(t, b.String())
	truth := approximately(t, r, machine, "serial", 0, 0).Run.Cycles
	for seed := range uint64(10) {
		x := approximately(t, r, machine, "serial", 0.02, seed)
		off := math.Abs(float64(x.Run.Cycles - truth))
		if off > 0.03*float64(truth) || off > x.Sampling.HalfCycles || x.Sampling.Skipped < 60 {
			t.Errorf("seed %d: %d cycles for %d: %+v", seed, x.Run.Cycles, truth, *x.Sampling)
		}
	}
}

// manyWaves is a kernel of sixty waves on four SMs; every second CTA has so many instructions more, the others less.
func manyWaves(uneven int) string {
	var b strings.Builder
	b.WriteString("array a bytes=64M\nlaunch k grid=1920 block=256\n")
	for cta := range 1920 {
		fmt.Fprintf(&b, "cta %d\nwarp 0..7\nload R1 @a[%d]+4 warp=128\nfp32 R2 <- R1 R2 x%d\n"+
			"store R2 @a[%d]+4 warp=128\nexit\n", cta, cta*1024, 40+uneven*(1-2*(cta%2)), 32<<20+cta*1024)
	}
	return b.String()
}

// Waves of equal CTAs are skipped, and the interval holds the truth; waves of other CTAs run whole.
func TestWavesAreSkipped(t *testing.T) {
	machine := quick(t, "a100")
	machine.SM.Count = 4
	r := tracetest.FromText(t, manyWaves(0))
	truth := approximately(t, r, machine, "serial", 0, 0).Run
	inside := 0
	for seed := range uint64(20) {
		x := approximately(t, r, machine, "serial", 0.02, seed)
		off := math.Abs(float64(x.Run.Cycles - truth.Cycles))
		if off <= x.Sampling.HalfCycles {
			inside++
		}
		if off > 0.02*float64(truth.Cycles) || x.Sampling.Waves < 20 || x.Run.CTAs != truth.CTAs-32*x.Sampling.Waves ||
			x.Run.KernelsInferred != 1 || x.classes[0].Unit != "wave" {
			t.Errorf("seed %d: %d cycles for %d, %d CTAs: %+v", seed, x.Run.Cycles, truth.Cycles, x.Run.CTAs, *x.Sampling)
		}
	}
	if inside < 18 {
		t.Errorf("the truth is inside of %d of 20 intervals", inside)
	}
	r = tracetest.FromText(t, manyWaves(1))
	truth = approximately(t, r, machine, "serial", 0, 0).Run
	if x := approximately(t, r, machine, "serial", 0.02, 1); x.Sampling.Waves > 0 || x.Run.Cycles != truth.Cycles {
		t.Errorf("unequal CTAs: %d cycles for %d, %+v", x.Run.Cycles, truth.Cycles, *x.Sampling)
	}
}

// The auditor follows every CTA, so a run that leaves some out is refused.
func TestAuditOfApproximationIsRefused(t *testing.T) {
	job := &Job{Audit: true, Approximate: 0.02}
	if _, err := Run(t.Context(), job); err == nil || !strings.Contains(err.Error(), "leaves some out") {
		t.Errorf("audit of an approximation: %v", err)
	}
}

// Two policies are in the order of their exact cycles wherever their intervals do not overlap.
func TestRankingIsUnchanged(t *testing.T) {
	machine, err := hardware.Preset("a100")
	if err != nil {
		t.Fatal(err)
	}
	type bounds struct{ exact, low, high float64 }
	apart := 0
	for name, settings := range map[string][]string{
		"hsp": {"kernels=60", "n=64"}, "lpc": {"kernels=60", "n=64"}, "conv": {"iterations=30", "width=128", "height=128"},
		"stn": {"kernels=60", "nx=32", "ny=32", "nz=8"},
	} {
		r := samplestest.Trace(t, name, settings...)
		var all []bounds
		for _, policy := range []string{"serial", "serial,warp=gto", "serial,warp=lrr", "nocopy", "graph", "boundary-free"} {
			x := approximately(t, r, machine, policy, 0.02, 1)
			got := float64(x.Run.Cycles)
			all = append(all, bounds{float64(approximately(t, r, machine, policy, 0, 0).Run.Cycles),
				got - x.Sampling.HalfCycles, got + x.Sampling.HalfCycles})
		}
		for i, a := range all {
			for j, b := range all {
				if a.high >= b.low {
					continue
				}
				apart++
				if a.exact >= b.exact {
					t.Errorf("%s: policy %d is faster than policy %d, %+v, %+v", name, i, j, a, b)
				}
			}
		}
	}
	if apart < 20 {
		t.Errorf("%d pairs of policies are apart: too few to tell", apart)
	}
}

// sampleSeeds is how many places of the checks are tried for each program.
var sampleSeeds = flag.Uint64("sample-seeds", 10,
	"places of the checks of --approximate that are tried for each program")

// sampleGPU is the machine of these tests.
var sampleGPU = flag.String("sample-gpu", "a100", "preset of the tests of intervals of --approximate")

// Programs with ten kernels and more, with many places of checks each: the true cycles are inside of the
// interval in nine of ten.
func TestIntervalsHoldTheTruth(t *testing.T) {
	machine := quick(t, *sampleGPU)
	for name, settings := range map[string][]string{
		"stn": {"kernels=120", "nx=64", "ny=64", "nz=16"}, "hsp": {"kernels=120", "n=128"}, "lpc": {"kernels=120", "n=128"},
		"path": {"cols=20000", "rows=600", "pyramid=5"}, "bfs": {"nodes=4096"}, "scale": {"kernels=120"},
		"conv": {"iterations=60", "width=128", "height=128"},
	} {
		t.Run(name, func(t *testing.T) { covers(t, name, samplestest.Trace(t, name, settings...), machine) })
	}
	t.Run("phase", func(t *testing.T) { covers(t, "phase", tracetest.FromText(t, iterative(60, 60)), machine) })
}

// So are the captures of Accel-Sim with ten kernels and more.
func TestIntervalsOfCapturesHoldTheTruth(t *testing.T) {
	machine := quick(t, *sampleGPU)
	for _, name := range []string{"accelsim-simpletorch-v100", "accelsim-backprop-h100"} {
		t.Run(name, func(t *testing.T) { covers(t, name, converttest.Trace(t, tracetest.Data(t, name)), machine) })
	}
}

func covers(t *testing.T, name string, r *container.Reader, machine *hardware.Config) {
	t.Helper()
	seeds := *sampleSeeds
	truth := approximately(t, r, machine, "serial", 0, 0).Run.Cycles
	inside, skipped, worst, half := uint64(0), uint64(0), 0.0, 0.0
	for seed := range seeds {
		x := approximately(t, r, machine, "serial", 0.02, seed)
		off := math.Abs(float64(x.Run.Cycles - model.Time(truth)))
		if off <= x.Sampling.HalfCycles {
			inside++
		}
		skipped, worst = max(skipped, x.Sampling.Skipped), max(worst, off/float64(truth))
		half += x.Sampling.HalfCycles / float64(truth) / float64(seeds)
		if skipped == 0 && x.Sampling.Waves == 0 && off == 0 { // so there are no checks, and the seed is in no result
			inside = seeds
			break
		}
	}
	t.Logf("%s: %d kernels, %d skipped, inside %d of %d, worst %.2f %%, half the width %.2f %%", name, r.Kernels(),
		skipped, inside, seeds, 100*worst, 100*half)
	if inside*100 < seeds*90 || worst > 0.02 {
		t.Errorf("%s: the truth is inside of %d of %d intervals", name, inside, seeds)
	}
}
