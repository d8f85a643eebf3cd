package approx

import (
	"math"
	"slices"
	"testing"

	"gpureplay/model"
	"gpureplay/trace"
)

// program feeds the kernels of one function to a sampler.
type program struct {
	s *Sampler
	k trace.Kernel
}

// simulates reports whether the next kernel is simulated, and how long it takes if it is not. A simulated one takes
// so many cycles.
func (p *program) simulates(cycles model.Time) (bool, model.Time) {
	if took, _, ok := p.s.Skip(&p.k); ok {
		return false, took
	}
	p.s.Ran(&p.k, cycles, &model.KernelWork{})
	return true, 0
}

// skipped counts the kernels that are skipped before the next one that is simulated, in so many cycles.
func (p *program) skipped(t *testing.T, takes, cycles model.Time) (n int) {
	t.Helper()
	for {
		simulated, took := p.simulates(cycles)
		if simulated {
			return n
		}
		if n++; took != takes || n > 1000 {
			t.Fatalf("skipped kernel %d takes %d cycles, want %d", n, took, takes)
		}
	}
}

// begun is a sampler of an error of 10 % whose kernels have taken 98 to 102 cycles.
func begun(t *testing.T, seed uint64) *program {
	t.Helper()
	p := &program{s: New(0.1, seed, make([]uint64, 1000)).Kernels}
	for _, cycles := range []model.Time{98, 100, 102} {
		if simulated, _ := p.simulates(cycles); !simulated {
			t.Fatal("skipped before there are three")
		}
	}
	return p
}

// Three kernels stand for those behind them. A check comes behind 10 to 29 skipped ones, and 19.5 on average. A check
// that holds joins the sample, and the next distance is twice as long.
func TestChecks(t *testing.T) {
	const seeds = 400
	first, second := 0, 0
	for seed := range uint64(seeds) {
		p := begun(t, seed)
		n := p.skipped(t, 100, 108)
		if n < 10 || n > 29 {
			t.Fatalf("%d are skipped before a check", n)
		}
		first += n
		c := p.s.Classes()[0]
		if c.Checks != 1 || c.Failed != 0 || c.Mean != 102 || c.Simulated != 4 {
			t.Fatalf("%+v", c)
		}
		n = p.skipped(t, 102, 102)
		if n < 20 || n > 59 {
			t.Fatalf("%d are skipped behind a check that holds", n)
		}
		second += n
	}
	if got := float64(first) / seeds; math.Abs(got-19.5) > 1 { // a deviation of 5.8 over 400 is 0.3
		t.Errorf("%.2f kernels are skipped before a check, on average", got)
	}
	if got := float64(second) / seeds; math.Abs(got-39.5) > 2 {
		t.Errorf("%.2f kernels are skipped behind a check, on average", got)
	}
}

// A check that is off ends the skipping, until there are three again; the kernels since the check before may be off as
// much.
func TestFailedCheck(t *testing.T) {
	p := begun(t, 1)
	n := p.skipped(t, 100, 200)
	c := p.s.Classes()[0]
	if c.Checks != 1 || c.Failed != 1 || c.doubt != float64(100*n) { // each is off by 100 cycles
		t.Fatalf("%d skipped: %+v", n, c)
	}
	for _, cycles := range []model.Time{200, 202} {
		if simulated, _ := p.simulates(cycles); !simulated {
			t.Fatal("skipped before there are three again")
		}
	}
	if simulated, took := p.simulates(0); simulated || took != 201 { // the mean of 200, 200 and 202, rounded
		t.Errorf("simulated %v, %d cycles", simulated, took)
	}
}

// The interval by hand: three errors of -2, 0 and 2 % have a deviation of 2 %. They come in a row, so they are one
// observation, whose deviation has two degrees of freedom: Student's t is 4.303. One skipped kernel takes their mean.
func TestIntervalByHand(t *testing.T) {
	s := New(0.1, 1, []uint64{0})
	p := &program{s: s.Kernels}
	for _, cycles := range []model.Time{98, 100, 102, 0} {
		p.simulates(cycles)
	}
	if want, got := 100*4.303*0.02*math.Sqrt(2), s.Half(); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v cycles, want %v", got, want)
	}
	for freedom, want := range map[int]float64{0: 12.706, 1: 12.706, 2: 4.303, 30: 2.042, 31: 1.96 + 2.46/31} {
		if got := student(freedom); got != want {
			t.Errorf("%d degrees of freedom: %v, want %v", freedom, got, want)
		}
	}
}

// Kernels in a row are one observation, and so are the skipped ones between two checks. Three of 98 to 102 cycles and a
// check of 108 have means of 100 and 108: their deviation is 4√2 of 104. The sample's mean is 102.
func TestStretchesAreObservations(t *testing.T) {
	p := begun(t, 1)
	before, behind := float64(100*p.skipped(t, 100, 108)), 0.0
	for range 5 {
		if simulated, _ := p.simulates(0); simulated {
			t.Fatal("a check behind fewer than six kernels")
		}
		behind += 102
	}
	c := p.s.Classes()[0]
	if want := before + behind; c.doubt != 0 || c.SkippedCycles != want || c.Mean != 102 {
		t.Fatalf("%+v", c)
	}
	if got, freedom := p.s.Spread(c); freedom != 1 || math.Abs(got-4*math.Sqrt2/104) > 1e-12 {
		t.Errorf("a spread of %v with %d degrees of freedom, want %v with one", got, freedom, 4*math.Sqrt2/104)
	}
	mean, single := before+behind/math.Sqrt2, math.Hypot(before, behind)
	if got, want := p.s.half(c), 12.706*4*math.Sqrt2/104*math.Hypot(mean, single); math.Abs(got-want) > 1e-9 {
		t.Errorf("half the width is %v, want %v", got, want)
	}
}

// A class of sixty kernels has two checks, wherever they are placed.
func TestTwoChecksBeforeTheEnd(t *testing.T) {
	for kernels, least := range map[int]uint64{60: 2, 30: 2, 10: 2, 6: 1} {
		for seed := range uint64(200) {
			_, p := replay(slices.Repeat([]run{{1000, 1000}}, kernels), seed)
			if c := p.Kernels.order[0]; c.Checks < least || c.Skipped == 0 || c.Simulated > 3+c.Checks {
				t.Fatalf("%d kernels, seed %d: %+v", kernels, seed, c)
			}
		}
	}
}

// Errors that are equal by chance count as a tenth of the error that was requested.
func TestLeastSpread(t *testing.T) {
	s := New(0.1, 1, []uint64{0}).Kernels
	if got, _ := s.Spread(&Class{sample: sample{n: 3, mean: 100}}); got != 0.01 {
		t.Errorf("%v", got)
	}
	if got, _ := s.Spread(&Class{sample: sample{n: 2, mean: 100, squares: 8}}); math.Abs(got-0.02*math.Sqrt2) > 1e-12 {
		t.Errorf("%v", got)
	}
}

// Shares are percents or numbers, above 0 and up to 50 %.
func TestShares(t *testing.T) {
	for text, want := range map[string]Share{"2%": 0.02, " 50 % ": 0.5, "0.5": 0.5, "0.02": 0.02, "0": 0, "0%": 0,
		"51%": 0, "-1%": 0, "x": 0, "": 0, "NaN": 0} {
		var got Share
		if err := got.Set(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	var got Share
	if err := got.UnmarshalText([]byte("2%")); err != nil || got.String() != "2%" || got.Type() != "percent" {
		t.Errorf("2%%: %v, %s of %s", err, &got, got.Type())
	}
}
