package approx

import (
	"math"
	"math/rand/v2"
	"testing"

	"gpureplay/model"
	"gpureplay/model/memory"
	"gpureplay/trace"
)

// run is a simulated kernel: its cycles, and its hits among a thousand sectors in the L2.
type run struct {
	cycles model.Time
	hits   uint64
}

// replay samples kernels of one class, and returns the error of their cycles, and the sampler.
func replay(runs []run, seed uint64) (off float64, p *Program) {
	p = New(0.02, seed, make([]uint64, len(runs)))
	for i, r := range runs {
		k := &trace.Kernel{ID: uint32(i)}
		if cycles, _, ok := p.Kernels.Skip(k); ok {
			off += float64(cycles) - float64(r.cycles)
			continue
		}
		p.Kernels.Ran(k, r.cycles, &model.KernelWork{Traffic: memory.Traffic{L2Accesses: 1000, L2Hits: r.hits,
			DRAMReads: 1000 - r.hits}})
	}
	return off, p
}

// The times of kernels that do the same work vary, and few are much slower than the rest. A sample of those that agree
// would be too fast: the interval holds the truth in nine of ten of many such programs.
func TestIntervalsOfSkewedTimes(t *testing.T) {
	for _, deviation := range []float64{3, 20, 60} {
		inside, skipped := 0, uint64(0)
		for seed := range uint64(400) {
			random := rand.New(rand.NewPCG(seed, 1))
			runs := []run{{1500, 0}}
			for range 200 {
				runs = append(runs, run{model.Time(1000 + deviation*random.ExpFloat64()), 1000})
			}
			off, p := replay(runs, seed)
			if math.Abs(off) <= p.Half() {
				inside++
			}
			skipped += p.Kernels.order[0].Skipped
		}
		t.Logf("deviation %.0f: inside %d of 400, %d skipped of 200", deviation, inside, skipped/400)
		if inside < 360 || skipped < 400*100 {
			t.Errorf("deviation %.0f: the truth is inside of %d of 400 intervals, %d of 200 kernels are skipped", deviation,
				inside, skipped/400)
		}
	}
}

// The times of other programs come in runs of ten kernels or so, and differ little in a run. Kernels in a row say no
// more than one there.
func TestIntervalsOfTimesInRuns(t *testing.T) {
	for _, deviation := range []float64{3, 10, 30} {
		inside, half := 0, 0.0
		for seed := range uint64(400) {
			random := rand.New(rand.NewPCG(seed, 1))
			runs, level := []run{{1500, 0}}, 0.0
			for range 200 {
				if len(runs) == 1 || random.IntN(10) == 0 {
					level = deviation * random.NormFloat64()
				}
				runs = append(runs, run{model.Time(1000 + level + random.Float64()), 1000})
			}
			off, p := replay(runs, seed)
			if math.Abs(off) <= p.Half() {
				inside++
			}
			half += p.Half() / 200e3 / 400
		}
		t.Logf("deviation %.0f: inside %d of 400, half the width %.1f %%", deviation, inside, 100*half)
		if inside < 360 || half > 0.003*deviation {
			t.Errorf("deviation %.0f: the truth is inside of %d of 400 intervals of %.1f %%", deviation, inside, 100*half)
		}
	}
}

// A cold kernel is none of the sample: one that takes longer and misses the L2. One that takes longer and hits is.
func TestColdKernelsAreNoSample(t *testing.T) {
	for _, c := range []struct {
		runs []run
		mean float64
	}{
		{[]run{{1500, 0}, {1000, 1000}, {1001, 1000}, {999, 1000}, {5000, 1000}}, 1000},
		{[]run{{1000, 1000}, {1500, 0}, {1002, 1000}, {1000, 1000}, {998, 1000}, {5000, 1000}}, 1000},
		{[]run{{1001, 0}, {1000, 1000}, {999, 1000}, {5000, 1000}}, 1000}, // cold, and as fast
		{[]run{{1000, 1000}, {1000, 1000}, {1060, 1000}, {5000, 1000}}, 1020},
	} {
		_, p := replay(c.runs, 1)
		k := p.Kernels.order[0]
		if skips := c.mean == 1000; k.Skipped == 1 != skips || skips && math.Abs(k.Mean-c.mean) > 1e-9 {
			t.Errorf("%v: mean %v, %d skipped", c.runs, k.Mean, k.Skipped)
		}
	}
}

// Checks that hold come at twice the distance, up to eighty kernels on average. One that is off brings the next nearer
// and widens the interval by its error for all kernels that were skipped since the one before.
func TestDistancesOfChecks(t *testing.T) {
	even := make([]run, 2000)
	for i := range even {
		even[i] = run{1000, 1000}
	}
	_, p := replay(even, 7)
	if k := p.Kernels.order[0]; k.Checks < 22 || k.Checks > 30 || k.Failed > 0 || k.Simulated != 3+k.Checks {
		t.Errorf("even kernels: %+v", k)
	}
	narrow := p.Half()
	for i := range even[1000:] {
		even[1000+i].cycles = 1100
	}
	off, p := replay(even, 7)
	if k := p.Kernels.order[0]; k.Failed != 1 || math.Abs(k.Mean-1100) > 1e-9 || math.Abs(off) > p.Half() ||
		p.Half() < narrow+1000 {
		t.Errorf("another phase: off by %.0f, interval %.0f, before %.0f, %+v", off, p.Half(), narrow, k)
	}
}

// Three kernels with a deviation of 2 % bound their mean within 4.303 · 2 % / √3 = 4.97 %. Of ten kernels seven are
// left, whose error counts 7/10 · √(1 + 3/7), so 4.16 % of all. Of a thousand kernels it counts in full.
func TestBoundOfTheRest(t *testing.T) {
	for _, c := range []struct {
		kernels int
		error   float64
		skips   bool
	}{{10, 0.0417, true}, {10, 0.0415, false}, {1000, 0.0495, false}, {1000, 0.0497, true}} {
		p := New(c.error, 1, make([]uint64, c.kernels))
		for i, cycles := range []model.Time{980, 1000, 1020} {
			k := &trace.Kernel{ID: uint32(i)}
			if _, _, ok := p.Kernels.Skip(k); ok {
				t.Fatalf("%+v: kernel %d is skipped", c, i)
			}
			p.Kernels.Ran(k, cycles, nil)
		}
		if _, _, skips := p.Kernels.Skip(&trace.Kernel{ID: 3}); skips != c.skips {
			t.Errorf("%+v: the fourth kernel is skipped: %v", c, skips)
		}
	}
}

// The first wave behind skipped ones finds caches without these. It is not used.
func TestWavesBehindSkippedOnesAreNotUsed(t *testing.T) {
	s := New(0.02, 1, []uint64{0}).Waves
	k, cycles := &trace.Kernel{}, model.Time(1000)
	for range 200 {
		if _, _, skipped := s.Skip(k); skipped {
			cycles = 1500
			continue
		}
		s.Ran(k, cycles, nil)
		cycles = 1000
	}
	if c := s.order[0]; c.Checks < 5 || c.Failed > 0 || c.Mean != 1000 || c.Simulated-c.Checks < 3+c.Checks {
		t.Errorf("%+v", c)
	}
}
