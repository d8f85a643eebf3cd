// Package approx replays a part of the kernels of a program that repeats itself, and bounds the error of that.
//
//  1. Kernels of one class have the same function, grid, block, paths of all warps and count of thread instructions.
//  2. The first kernel of a class is simulated and not used: caches are cold for it.
//  3. A class is simulated until the times of its last three kernels agree within the error that was requested.
//     Then its kernels are skipped, and take the mean of the simulated ones.
//  4. Now and then one kernel of each class is simulated as a check: after about twenty skipped kernels of a class,
//     at a random place. Checks that all hold double that distance, up to eighty kernels.
//  5. A check that is off by more than the error requested ends the skipping of its class: the program has entered
//     another phase. The kernels that were skipped since the check before may all have been off as much.
//  6. A skipped kernel leaves its footprint in the L2, if the latest simulated one of its class used DRAM: only the
//     sectors, and only of the last kernels that fill it, when the next kernel is simulated. All else stays as it is.
//     So checks of all classes come together, behind one kernel that is simulated and not used.
//  7. The waves of a kernel with more than twenty of equal CTAs are skipped by the same rules. The first wave of each
//     kernel and the last ones are simulated.
//  8. The relative errors of the checks, and of the three that agreed, give the interval of the total, by Student's t
//     at 95 %: a skipped kernel takes the mean of three. Their deviation counts as a tenth of the error requested at
//     least, since few may agree by chance.
package approx

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gpureplay/model"
	"gpureplay/trace"
)

const (
	agree  = 3 // kernels or waves that must agree
	atMost = 4 // times the least distance of checks, after checks that held

	// skipped units of a class from one check to the next, on average
	everyKernel = 20
	everyWave   = 5
)

// Class is a set of kernels, or of waves of kernels, that are taken to repeat each other.
type Class struct {
	Function    uint32
	Grid, Block trace.Dim3
	WarpInsts   uint64
	key         classKey

	Simulated, Skipped, Checks, Failed uint64       // kernels; checks that were off
	Mean                               float64      // cycles that a skipped kernel takes
	SkippedCycles                      float64      // of all skipped ones
	last                               []model.Time // times of the latest simulated ones
	skips, due, checks                 bool         // kernels are skipped; the next one is a check; the running one is
	errors                             []float64    // relative to the mean, of checks and of kernels that agreed
	fetches                            bool         // the latest simulated one used DRAM
	since                              float64      // cycles of the kernels that were skipped since the check before
	doubt                              float64      // cycles by which those before checks that were off may be off
}

// Program samples a program: its kernels, and the waves of CTAs of kernels with more than twenty of them.
type Program struct{ Kernels, Waves *Sampler }

// New returns the samplers for a relative error, such as 0.02. The seed places the checks; paths has a hash of each
// kernel's paths.
func New(tolerance float64, seed uint64, paths []uint64) *Program {
	return &Program{newSampler(tolerance, seed, paths, everyKernel), newSampler(tolerance, seed, paths, everyWave)}
}

// Sampler is a [model.KernelSampler].
type Sampler struct {
	tolerance float64
	every     int // skipped units of a class from one check to the next, on average
	rand      *rand.Rand
	paths     []uint64 // hashes, by kernel
	classes   map[classKey]*Class
	order     []*Class
	skipping  int  // classes whose kernels are skipped
	left      int  // skipped kernels until the next checks
	apart     int  // times the least distance of checks
	warms     bool // the next kernel that is simulated comes before the checks
	unused    bool // the running kernel does
}

type classKey struct {
	function    uint32
	grid, block trace.Dim3
	path        uint64
	threadInsts uint64
}

func newSampler(tolerance float64, seed uint64, paths []uint64, every int) *Sampler {
	return &Sampler{tolerance: tolerance, every: every, rand: rand.New(rand.NewPCG(seed, 43)), paths: paths,
		classes: map[classKey]*Class{}, apart: 1}
}

func (s *Sampler) class(k *trace.Kernel) *Class {
	key := classKey{k.Function, k.Grid, k.Block, s.paths[k.ID], k.ThreadInsts}
	c := s.classes[key]
	if c == nil {
		c = &Class{Function: k.Function, Grid: k.Grid, Block: k.Block, WarpInsts: k.WarpInsts, key: key}
		s.classes[key] = c
		s.order = append(s.order, c)
	}
	return c
}

// Skip is of [model.KernelSampler].
func (s *Sampler) Skip(k *trace.Kernel) (cycles model.Time, fetches, ok bool) {
	c := s.class(k)
	if !c.skips {
		return 0, false, false
	}
	if s.left == 0 {
		s.callChecks()
	}
	switch {
	case c.due && s.warms:
		s.warms, s.unused = false, true
		return 0, false, false
	case c.due:
		c.due, c.checks = false, true
		return 0, false, false
	}
	s.left--
	c.Skipped++
	c.SkippedCycles += c.Mean
	c.since += c.Mean
	return model.Time(math.Round(c.Mean)), c.fetches, true
}

// callChecks makes the next kernel of each class that is skipped a check.
func (s *Sampler) callChecks() {
	for _, c := range s.order {
		c.due = c.skips
	}
	s.warms = true
	s.left = s.draw(s.skipping)
	s.apart = min(2*s.apart, atMost) // a check that is off makes it one again
}

// draw returns how many kernels are skipped for some classes between checks.
func (s *Sampler) draw(classes int) int {
	n := s.every * s.apart * classes
	return n/2 + s.rand.IntN(n)
}

// Ran is of [model.KernelSampler].
func (s *Sampler) Ran(k *trace.Kernel, cycles model.Time, work *model.KernelWork) {
	c := s.class(k)
	c.fetches = work.DRAMReads+work.DRAMWrites > 0
	if c.Simulated++; c.Simulated == 1 || s.unused {
		s.unused = false
		return
	}
	c.last = append(c.last, cycles)
	c.last = c.last[max(0, len(c.last)-agree):]
	switch {
	case c.checks:
		s.check(c, cycles)
	case len(c.last) == agree && s.together(c.last):
		c.skips, c.Mean = true, mean(c.last)
		for _, x := range c.last {
			c.errors = append(c.errors, float64(x)/c.Mean-1)
		}
		s.skipping++
		s.left += s.draw(1)
	}
}

// check compares a check with the kernels that were skipped since the one before.
func (s *Sampler) check(c *Class, cycles model.Time) {
	c.checks = false
	c.Checks++
	off := float64(cycles)/c.Mean - 1
	c.errors = append(c.errors, off)
	if math.Abs(off) > s.tolerance {
		c.Failed++
		c.doubt += math.Abs(off) * c.since
		c.skips, c.last = false, c.last[len(c.last)-1:]
		s.skipping--
		s.apart = 1
	} else {
		c.Mean = mean(c.last)
	}
	c.since = 0
}

func (s *Sampler) together(times []model.Time) bool {
	return float64(slices.Max(times)-slices.Min(times)) <= s.tolerance*mean(times)
}

func mean(times []model.Time) float64 {
	sum := 0.0
	for _, t := range times {
		sum += float64(t)
	}
	return sum / float64(len(times))
}

// Classes returns the classes with skipped kernels, those with the most skipped time first.
func (s *Sampler) Classes() []*Class {
	var all []*Class
	for _, c := range s.order {
		if c.Skipped > 0 {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b *Class) int { return cmp.Compare(b.SkippedCycles, a.SkippedCycles) })
	return all
}

// Spread is the deviation of the relative errors of a class, and at least a tenth of the error requested.
func (s *Sampler) Spread(c *Class) float64 {
	n, sum, squares := float64(len(c.errors)), 0.0, 0.0
	for _, e := range c.errors {
		sum, squares = sum+e, squares+float64(e*e)
	}
	variance := 0.0
	if n > 1 {
		variance = max(0, (squares-float64(sum*sum/n))/(n-1))
	}
	return max(math.Sqrt(variance), s.tolerance/10)
}

// Half returns half the width of the 95 % interval of the cycles that were skipped. The errors of classes are added,
// as if all were off to the same side. Skipped kernels are off as much as the waves of those that stand for them.
func (p *Program) Half() (cycles float64) {
	for _, c := range p.Waves.order {
		cycles += p.Waves.half(c)
	}
	for _, c := range p.Kernels.order { // not of the map: sums of floats depend on their order
		cycles += p.Kernels.half(c)
		if w := p.Waves.classes[c.key]; w != nil && w.Skipped > 0 {
			cycles += float64(c.SkippedCycles * float64(p.Waves.half(w)/w.SkippedCycles))
		}
	}
	return cycles
}

// half is half the width of the interval of one class.
func (s *Sampler) half(c *Class) float64 {
	if c.Skipped == 0 {
		return 0
	}
	width := student(len(c.errors)-1) * s.Spread(c) * math.Sqrt(1.0/agree+1/float64(c.Skipped))
	return float64(c.SkippedCycles*width) + c.doubt
}

// quantiles are those of Student's t at 97.5 %, by degrees of freedom from 1 on.
var quantiles = [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
	2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042}

// student is the quantile of Student's t at 97.5 %.
func student(freedom int) float64 {
	if freedom < 1 {
		return quantiles[0]
	}
	if freedom <= len(quantiles) {
		return quantiles[freedom-1]
	}
	return 1.96 + 2.46/float64(freedom)
}
