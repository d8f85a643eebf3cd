// Package approx replays a part of the kernels of a program that repeats itself, and bounds the error of that.
//
//  1. Kernels of one class have the same function, grid, block, paths of all warps and count of thread instructions.
//  2. The simulated kernels of a class are a sample, and skipped ones take its mean. A kernel whose time and work in L2
//     and DRAM both differ from the sample's by more than the error requested begins another: caches were cold.
//  3. A class is skipped as soon as Student's t bounds the error of its kernels that are left, at 95 % and from three
//     kernels on: within the error requested of the cycles of all its kernels. The times alone never choose the kernels
//     of a sample: those that agree by chance are faster than the rest.
//  4. Now and then one kernel of each class is simulated as a check: after about twenty skipped kernels of a class,
//     at a random place, and at least twice before the class ends. While the interval is going to be as narrow as the
//     error requested, that distance doubles, up to eighty kernels. A check joins the sample.
//  5. Times come in runs that are alike. So kernels that are simulated one after another are one observation, a
//     stretch, and so are those that are skipped between two checks. A check that is off by more than the error
//     requested, and by more than a single kernel may be by Student's t, ends the skipping of its class: the program
//     has entered another phase. The kernels that were skipped since the check before may all be off as much.
//  6. A skipped kernel leaves its footprint in the L2, if the latest simulated one of its class used DRAM: only the
//     sectors, and only of the last kernels that fill it, when the next kernel is simulated. All else stays as it is.
//     So checks of all classes come together, and behind such kernels one is simulated before them and not used.
//  7. The waves of a kernel with more than twenty of equal CTAs are skipped by the same rules. The first wave of each
//     kernel and the last ones are simulated, and one before each check that is not used: the caches lack the skipped.
//  8. The interval of the total is Student's t of the stretches' means. It covers the errors of the samples' means, of
//     the skipped kernels around them, and of checks that were off. Deviations count as a tenth of the error requested
//     at least, since few may agree by chance.
package approx

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gpureplay/model"
	"gpureplay/model/memory"
	"gpureplay/trace"
)

const (
	least       = 3 // kernels or waves of a sample
	leastChecks = 2 // of a class: Student's t of one degree of freedom is 12.7, of two 4.3
	atMost      = 4 // times the least distance of checks, after checks that held

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

	Simulated, Skipped, Checks, Failed uint64         // kernels; checks that were off
	Mean                               float64        // cycles that a skipped kernel takes
	SkippedCycles                      float64        // of all skipped ones
	sample                             sample         // kernels since the latest cold one or check that was off
	stretch                            sample         // those since the last skipped one
	stretches                          sample         // means of the stretches before
	work                               memory.Traffic // of the latest simulated one
	skips, due, checks                 bool           // kernels are skipped; the next is a check; the running one is
	fetches                            bool           // the latest simulated one used DRAM
	squares                            float64        // of deviations of the stretches of earlier samples, relative
	freedom                            int            // degrees of, of these
	shared                             float64        // cycles of skipped kernels, each by the root of its stretches
	since                              float64        // cycles of the kernels that were skipped since the check before
	single                             float64        // squares of such cycles, of all distances before
	doubt                              float64        // cycles by which those before checks that were off may be off
}

// Program samples a program: its kernels, and the waves of CTAs of kernels with more than twenty of them.
type Program struct{ Kernels, Waves *Sampler }

// New returns the samplers for a relative error, such as 0.02. The seed places the checks; paths has a hash of each
// kernel's paths.
func New(tolerance float64, seed uint64, paths []uint64) *Program {
	p := &Program{newSampler(tolerance, seed, paths, everyKernel), newSampler(tolerance, seed, paths, everyWave)}
	p.Kernels.many = make(map[uint64]uint64, len(paths))
	for _, hash := range paths {
		p.Kernels.many[hash]++
	}
	return p
}

// Sampler is a [model.KernelSampler].
type Sampler struct {
	tolerance float64
	every     int // skipped units of a class from one check to the next, on average
	rand      *rand.Rand
	paths     []uint64          // hashes, by kernel
	many      map[uint64]uint64 // kernels with each of these hashes; nil: the number is not known, as of waves
	classes   map[classKey]*Class
	order     []*Class
	skipping  int  // classes whose kernels are skipped
	left      int  // skipped kernels until the next checks
	apart     int  // times the least distance of checks
	fetched   bool // a kernel that uses DRAM, or a wave, was skipped since then
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
	if c.stretch.n > 0 {
		c.stretches, c.stretch = c.all(), sample{}
	}
	s.left--
	c.Skipped++
	c.SkippedCycles += c.Mean
	c.since += c.Mean
	c.shared += c.Mean / math.Sqrt(float64(c.stretches.n))
	s.fetched = s.fetched || c.fetches || s.many == nil
	return model.Time(math.Round(c.Mean)), c.fetches, true
}

// callChecks makes the next kernel of each class that is skipped a check.
func (s *Sampler) callChecks() {
	half, all := 0.0, 0.0
	for _, c := range s.order {
		if c.due = c.skips; c.due {
			half += float64(c.SkippedCycles * s.later(c))
			all += c.SkippedCycles
		}
	}
	s.warms, s.fetched = s.fetched, false
	if half <= float64(s.tolerance*all) {
		s.apart = min(2*s.apart, atMost) // a check that is off makes it one again
	}
	s.left = s.draw(s.skipping)
}

// later is about half the width of the interval of a class behind the checks that come for sure, relative.
func (s *Sampler) later(c *Class) float64 {
	_, freedom := c.pooled()
	spread, _ := s.Spread(c)
	sure := 1
	if s.many != nil {
		sure = leastChecks
	}
	return student(freedom+sure) * spread * math.Sqrt(2/float64(c.all().n+sure))
}

// draw returns how many kernels are skipped for some classes between checks.
func (s *Sampler) draw(classes int) int {
	n := s.every * s.apart * classes
	left, checks := 0, leastChecks
	for _, c := range s.order {
		if ahead := s.ahead(c); c.skips && ahead > 0 {
			made := int(c.Checks)
			if c.due {
				made++
			}
			left, checks = left+ahead, min(checks, made)
		}
	}
	if checks < leastChecks {
		n = max(1, min(n, left/(leastChecks+1-checks)))
	}
	return (n+1)/2 + s.rand.IntN(n)
}

// ahead is how many kernels of a class are still to come. 0 for waves: their number is not known.
func (s *Sampler) ahead(c *Class) int {
	return max(0, int(s.many[c.key.path])-int(c.Simulated+c.Skipped))
}

// Ran is of [model.KernelSampler].
func (s *Sampler) Ran(k *trace.Kernel, cycles model.Time, work *model.KernelWork) {
	c := s.class(k)
	c.Simulated++
	if work != nil {
		c.fetches = work.DRAMReads+work.DRAMWrites > 0
	}
	if s.unused {
		s.unused = false
		return
	}
	off := math.Abs(float64(cycles)/c.sample.mean - 1)
	switch {
	case c.checks:
		c.checks = false
		c.Checks++
		s.check(c, off)
	case c.sample.n > 0 && off > s.tolerance && work != nil && s.other(&c.work, &work.Traffic):
		c.begin()
	}
	if work != nil {
		c.work = work.Traffic
	}
	c.sample.add(float64(cycles))
	c.stretch.add(float64(cycles))
	s.settle(c)
}

// check takes note of a check of a class that is so far off the mean, relative.
func (s *Sampler) check(c *Class, off float64) {
	since := c.since
	c.since = 0
	c.single += float64(since * since)
	if off <= max(s.tolerance, c.sample.single(s.tolerance)) {
		return
	}
	c.doubt += float64(off * since)
	c.Failed++
	s.apart, s.left = 1, min(s.left, s.every*s.skipping)
	c.begin()
}

// other reports whether so many sectors of a kernel hit the L2, or are of DRAM, that it is another one.
func (s *Sampler) other(a, b *memory.Traffic) bool {
	differ := func(x, y uint64) bool { return math.Abs(float64(x)-float64(y)) > s.tolerance*float64(b.L2Accesses) }
	return differ(a.L2Hits, b.L2Hits) || differ(a.DRAMReads, b.DRAMReads) || differ(a.DRAMWrites, b.DRAMWrites)
}

// settle decides whether a class is skipped from now on.
func (s *Sampler) settle(c *Class) {
	was := c.skips
	c.Mean = c.sample.mean
	c.skips = c.sample.n >= least && c.sample.half(s.tolerance)*s.share(c) <= s.tolerance
	switch {
	case c.skips && !was:
		s.skipping++
		s.left += s.draw(1)
	case was && !c.skips:
		s.skipping--
		c.due = false
	}
}

// share is the part of an error of the sample's mean, and of the kernels that are left around it, in the cycles of all
// kernels of a class. Kernels of another class with the same paths only make it larger.
func (s *Sampler) share(c *Class) float64 {
	all, left := float64(s.many[c.key.path]), float64(s.ahead(c))
	if left == 0 {
		return 1
	}
	return left / all * math.Sqrt(1+float64(c.sample.n)/left)
}

// begin begins another sample.
func (c *Class) begin() {
	if c.Skipped > 0 {
		c.squares, c.freedom = c.pooled()
	}
	c.sample, c.stretch, c.stretches = sample{}, sample{}, sample{}
}

// all returns the means of all stretches of the sample.
func (c *Class) all() sample {
	all := c.stretches
	if c.stretch.n > 0 {
		all.add(c.stretch.mean)
	}
	return all
}

// pooled returns the squares of the relative deviations of stretches, and how many degrees of freedom they have.
func (c *Class) pooled() (squares float64, freedom int) {
	all := c.all()
	if all.n == 0 {
		return c.squares, c.freedom
	}
	return c.squares + all.squares/float64(all.mean*all.mean), c.freedom + all.n - 1
}

// sample is the times of simulated kernels: their number, mean, and squares of the deviations from it.
type sample struct {
	n             int
	mean, squares float64
}

func (s *sample) add(x float64) {
	s.n++
	d := x - s.mean
	s.mean += d / float64(s.n)
	s.squares += float64(d * (x - s.mean))
}

// spread is the relative deviation, and at least a tenth of the error requested.
func (s *sample) spread(tolerance float64) float64 {
	return max(math.Sqrt(s.squares/float64(max(1, s.n-1)))/s.mean, tolerance/10)
}

// half is half the width of the 95 % interval of the mean, relative.
func (s *sample) half(tolerance float64) float64 {
	return student(s.n-1) * s.spread(tolerance) / math.Sqrt(float64(s.n))
}

// single is half the width of the 95 % interval of another kernel's time, relative.
func (s *sample) single(tolerance float64) float64 {
	return student(s.n-1) * s.spread(tolerance) * math.Sqrt(1+1/float64(s.n))
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

// Spread is the deviation of the stretches of a class from the means of their samples, and at least a tenth of the
// error requested, with its degrees of freedom. In one stretch alone each kernel counts.
func (s *Sampler) Spread(c *Class) (deviation float64, freedom int) {
	squares, freedom := c.pooled()
	if freedom == 0 {
		return c.sample.spread(s.tolerance), c.sample.n - 1
	}
	return max(math.Sqrt(squares/float64(freedom)), s.tolerance/10), freedom
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

// half is half the width of the interval of one class: the skipped kernels share the error of their sample's mean, and
// those between two checks may all be off to the same side.
func (s *Sampler) half(c *Class) float64 {
	if c.Skipped == 0 {
		return 0
	}
	spread, freedom := s.Spread(c)
	single := c.single + float64(c.since*c.since)
	return float64(student(freedom)*spread*math.Sqrt(float64(c.shared*c.shared)+single)) + c.doubt
}

// quantiles are Student's t at 97.5 %, by degrees of freedom from 1 on.
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
