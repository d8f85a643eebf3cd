package tasks

import (
	"fmt"
	"math/rand/v2"

	"gpureplay/samples"
	"gpureplay/trace"
)

// kind is one kind of task.
type kind struct {
	name      string // of its device function
	registers uint32 // per thread: table 3
	params    func() []samples.Param

	// most is an upper bound of the warp instructions of one task.
	most func(p samples.Params) int

	// sizes, if not nil, checks the parameters of the sizes and returns the
	// largest, and the inputs of the tasks in their order if they are given.
	sizes func(p samples.Params) (largest int, payloads [][]byte, err error)

	prepare func(b *bench) maker
}

// maker runs the algorithm on an input and returns the recorded body and the computed result, for a test to check.
type maker func(in input) (body, any)

// input is the identity of one input.
type input struct {
	scale     int    // of a side, in quarters of the full one: 4, or 1, 2, 4 or 8 if irregular
	threads   int    // per threadblock, a multiple of 32
	index, of int    // among the inputs
	payload   []byte // given; nil: drawn
	rng       *rand.Rand
}

// mostScale is the largest scale of an input's side.
const mostScale = 8

// side returns the input's side where the full one is given, a multiple of unit.
func (in input) side(full, unit int) int { return max(unit, full*in.scale/4/unit*unit) }

// length is side where work grows with the length alone, not with its square.
func (in input) length(full, unit int) int {
	return max(unit, full*in.scale*in.scale/16/unit*unit)
}

// floats returns n pseudo-random values in [-1, 1).
func (in input) floats(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = 2*in.rng.Float32() - 1
	}
	return v
}

// bench holds the parts of one kind's kernels: code, arrays with a slot per task in flight, and the recorder.
type bench struct {
	kind    *kind
	params  samples.Params
	blocks  int
	slots   int
	largest int // the result of kind.sizes
	program *samples.Program
	rec     *recorder
	buffers []buffer
}

func newBench(w samples.Writer, k *kind, p samples.Params, slots int) *bench {
	rec := newRecorder(w)
	return &bench{kind: k, params: p, blocks: p.Int("blocks"), slots: slots, program: samples.NewProgram(rec), rec: rec}
}

// buffer declares an array with a slot of n elements per task in flight.
func (b *bench) buffer(name string, n int, elem uint64, flags trace.ArrayFlags) buffer {
	buf := buffer{Array: b.program.Array(b.kind.name+"_"+name, n*b.slots, elem, flags), perSlot: n}
	b.buffers = append(b.buffers, buf)
	return buf
}

// side is the largest side of an input, where the full one is given.
func (b *bench) side(full int) int {
	if irregular(b.params) {
		return full * mostScale / 4
	}
	return full
}

// length is side for a length, whose square root grows as sides do.
func (b *bench) length(full int) int { return b.side(b.side(full)) }

// irregular reports whether inputs have sizes of their own.
func irregular(p samples.Params) bool { return p.Text("sizes") == "irregular" }

// shared declares an array that all tasks read.
func (b *bench) shared(name string, n int, elem uint64) samples.Array {
	return b.program.Array(b.kind.name+"_"+name, n, elem, trace.ArrayInput)
}

// record runs the kernel of one task in slot 0.
func (b *bench) record(blocks, threads int, sharedBytes uint32, code *samples.Code, cta func(*samples.Block)) body {
	b.program.Launch(trace.Kernel{
		Function: code.Function, Fidelity: trace.FidelityWarp,
		Grid: trace.Dim3{uint32(blocks), 1, 1}, Block: trace.Dim3{uint32(threads), 1, 1},
		Registers: b.kind.registers, SharedBytes: sharedBytes,
	}, cta)
	return b.rec.take(b.buffers)
}

// strided calls f for each unit of a warp's work: every warps-th of them,
// counted over all threadblocks of the task.
func strided(blk *samples.Block, w *samples.Warp, units int, f func(unit int)) {
	warps := len(blk.Warps())
	for u := blk.X()*warps + w.ID; u < units; u += warps * int(blk.Grid[0]) {
		f(u)
	}
}

// units returns the warps that n lanes make.
func units(n int) int { return ceil(n, samples.WarpSize) }

// ceil returns a/b rounded up.
func ceil(a, b int) int { return (a + b - 1) / b }

// loop is the end of an iteration.
type loop struct{ add, compare, branch samples.Op }

func newLoop(c *samples.Code) loop {
	i, p := c.Reg(), c.Pred()
	return loop{c.Op("IADD3", i, i), c.Op("ISETP", p, i), c.Op("BRA", samples.NoReg, p)}
}

func (l loop) next(w *samples.Warp) { w.Do(l.add, l.compare, l.branch) }

// unroll is how many iterations a compiler makes one of.
const unroll = 4

// byFour calls f for n iterations, up to four at a time.
func byFour(n int, f func(first, n int)) {
	for i := 0; i < n; i += unroll {
		f(i, min(unroll, n-i))
	}
}

// divide is an integer division by a number known at run time, and its rest.
func divide(c *samples.Code, dst, src trace.Reg) (ops []samples.Op) {
	f, p := c.Reg(), c.Pred()
	for _, opcode := range []string{"I2F", "MUFU.RCP", "IADD3", "F2I", "IMAD", "IMAD", "IMAD", "IMAD"} {
		ops = append(ops, c.Op(opcode, f, f, src))
	}
	for range 2 {
		ops = append(ops, c.Op("ISETP", p, f), c.Op("IADD3", f, f), c.Op("SEL", dst, f, p))
	}
	return append(ops, c.Op("IMAD", f, dst, src), c.Op("IADD3", f, f, src))
}

// entry is the beginning of every kernel: the thread's index from the ids of its threadblock and itself.
type entry struct {
	ops    []samples.Op
	thread trace.Reg
}

func newEntry(c *samples.Code) entry {
	tid, block := c.Reg(), c.Reg()
	return entry{[]samples.Op{c.Op("S2R", tid), c.Op("S2R", block), c.Op("IMAD", tid, block, tid)}, tid}
}

func (e entry) do(w *samples.Warp) { w.Do(e.ops...) }

// checkThreads refuses a number of threads that is not one of whole warps.
func checkThreads(p samples.Params) error {
	if n := p.Int("threads"); n%samples.WarpSize != 0 {
		return fmt.Errorf("threads=%d: want a multiple of %d", n, samples.WarpSize)
	}
	return nil
}
