package container

import (
	"cmp"
	"errors"
	"fmt"
	"gpureplay/trace"
	"gpureplay/trace/internal/words"
	"math"
	"math/bits"
)

// The structural rules of a trace. Writer and Verify apply the same ones.

// origin is how a kernel comes to run, one bit each.
type origin uint8

const (
	originChild    origin = 1 << iota // flagged as a child
	originTask                        // flagged as a task
	originLaunched                    // an OpLaunch names it
	originSpawned                     // an OpSpawn names it
	originRequest                     // a launch request names it
)

// originPage is how many kernels share a page of origins.
const originPage = 4096

// rules remembers the facts that later rules need.
type rules struct {
	origins map[uint32]*[originPage]origin // by kernel id / originPage
	kernels uint32                         // written so far
	arrays  int                            // 1 + the highest array named
	reaches map[uint32]reach               // by array
	scopes  int                            // 1 + the highest scope named
	highest int64                          // highest kernel named; -1: none
	kernel  *trace.Kernel
	lastCTA int64
	streams streamOrder
	graphs  graphRules
}

func newRules() *rules {
	return &rules{origins: map[uint32]*[originPage]origin{}, reaches: map[uint32]reach{}, highest: -1, lastCTA: -1}
}

func (r *rules) origin(kernel uint32) *origin {
	p := r.origins[kernel/originPage]
	if p == nil {
		p = new([originPage]origin)
		r.origins[kernel/originPage] = p
	}
	return &p[kernel%originPage]
}

func (r *rules) mark(kernel uint32, o origin) error {
	if kernel == math.MaxUint32 {
		return fmt.Errorf("kernel %d: no kernel has this id", kernel)
	}
	p := r.origin(kernel)
	if *p&o != 0 {
		return fmt.Errorf("kernel %d is started a second time; each kernel runs once", kernel)
	}
	*p |= o
	r.highest = max(r.highest, int64(kernel))
	return nil
}

func (r *rules) array(id uint32) {
	if id != trace.NoArray {
		r.arrays = max(r.arrays, int(id)+1)
	}
}

// op checks a host operation.
func (r *rules) op(op *trace.HostOp) error {
	if op.Kind >= trace.NumOpKinds {
		return fmt.Errorf("host operation: there is no kind %d", op.Kind)
	}
	if op.Kind.HasArray() {
		r.array(op.Array)
	}
	r.scopes = max(r.scopes, int(op.Scope))
	if op.Thread >= trace.MaxThreads || op.Process >= trace.MaxThreads {
		return fmt.Errorf("host operation %v: thread %d of process %d; a trace has at most %d of each",
			op.Kind, op.Thread, op.Process, trace.MaxThreads)
	}
	if op.Ns < 0 || op.ArrivalNs < 0 {
		return fmt.Errorf("host operation %v: a duration is negative", op.Kind)
	}
	if err := r.reached(op); err != nil {
		return err
	}
	for _, d := range op.Deps {
		if d == math.MaxUint32 {
			return fmt.Errorf("host operation %v: no kernel has the id %d", op.Kind, d)
		}
		if op.Kind == trace.OpSpawn && (d == op.Kernel || *r.origin(d)&originSpawned == 0) {
			return fmt.Errorf("task %d depends on task %d, which is not spawned before it", op.Kernel, d)
		}
		r.highest = max(r.highest, int64(d))
	}
	if err := cmp.Or(r.streams.op(op), r.graphs.op(op)); err != nil {
		return err
	}
	switch op.Kind {
	case trace.OpLaunch:
		return r.mark(op.Kernel, originLaunched)
	case trace.OpSpawn:
		return r.mark(op.Kernel, originSpawned)
	}
	if op.Kernel != 0 || op.Kind == trace.OpWaitTask {
		r.highest = max(r.highest, int64(op.Kernel))
	}
	return nil
}

// begin checks the record of a kernel whose CTAs follow.
func (r *rules) begin(k *trace.Kernel, functions int) error {
	switch {
	case int(k.Function) >= functions:
		return fmt.Errorf("kernel %d: there is no function %d", k.ID, k.Function)
	case int(k.Fidelity) >= len(words.Fidelity):
		return fmt.Errorf("kernel %d: there is no fidelity %d", k.ID, k.Fidelity)
	case k.Flags >= 1<<len(words.KernelFlag):
		return fmt.Errorf("kernel %d: there is no flag %#x", k.ID, uint8(k.Flags))
	}
	if err := checkShape(k); err != nil {
		return err
	}
	r.kernel, r.lastCTA = k, -1
	r.scopes = max(r.scopes, int(k.Scope))
	r.kernels++
	r.flags(k.ID, k.Flags)
	return nil
}

func (r *rules) flags(id uint32, f trace.KernelFlags) {
	o := r.origin(id)
	if f&trace.KernelChild != 0 {
		*o |= originChild
	}
	if f&trace.KernelTask != 0 {
		*o |= originTask
	}
}

// checkShape checks grid, block and cluster, each of which may be unstated, all zeros.
func checkShape(k *trace.Kernel) error {
	var wrong string
	var dim trace.Dim3
	switch {
	case !validOrNone(k.Grid):
		wrong, dim = "grid", k.Grid
	case !validOrNone(k.Block):
		wrong, dim = "block", k.Block
	case !validOrNone(k.Cluster):
		wrong, dim = "cluster", k.Cluster
	default:
		return nil
	}
	return fmt.Errorf("kernel %d: its %s is %dx%dx%d; an extent is at least 1, and their product below 2³²", k.ID,
		wrong, dim[0], dim[1], dim[2])
}

func validOrNone(d trace.Dim3) bool { return d == trace.Dim3{} || d.Valid() }

// cta checks a CTA of the open kernel, and counts it into counts.
func (r *rules) cta(code []trace.Inst, c *trace.CTA, counts *trace.Kernel) error {
	k := r.kernel
	if err := r.place(k, c); err != nil {
		return fmt.Errorf("kernel %d: %w", k.ID, err)
	}
	counts.CTAs++
	last := int64(-1)
	warps := int64(k.WarpsPerCTA())
	for i := range c.Warps {
		w := &c.Warps[i]
		err := r.warp(k, code, w, counts)
		if int64(w.ID) <= last || int64(w.ID) >= warps {
			err = fmt.Errorf("a block has %d warps and they come in ascending order; the one before is %d", warps, last)
		}
		if err != nil {
			return fmt.Errorf("kernel %d, CTA %d, warp %d: %w", k.ID, c.ID, w.ID, err)
		}
		last = int64(w.ID)
	}
	if err := r.counts(code, c, counts); err != nil {
		return fmt.Errorf("kernel %d, CTA %d: %w", k.ID, c.ID, err)
	}
	return nil
}

// counts checks the counted instructions of a CTA, and counts them as its warps
// would: all of the block, each with its share.
func (r *rules) counts(code []trace.Inst, c *trace.CTA, counts *trace.Kernel) error {
	if len(c.Counts) == 0 {
		return nil
	}
	if len(c.Warps) > 0 {
		return errors.New("it has warps and counts of instructions; give one of them")
	}
	threads := r.kernel.Block.Count()
	if r.kernel.Fidelity != trace.FidelityCTA || threads == 0 {
		return fmt.Errorf("counts are of kernels of fidelity cta with a block; this has fidelity %v and %d threads",
			r.kernel.Fidelity, threads)
	}
	warps := uint64(r.kernel.WarpsPerCTA())
	counts.Warps += warps
	next := int64(0)
	for _, n := range c.Counts {
		switch {
		case int64(n.Inst) < next || int64(n.Inst) >= int64(len(code)):
			return fmt.Errorf("a count of instruction %d; the function has %d, and counts come in ascending order", n.Inst,
				len(code))
		case n.Times == 0 || n.Times > trace.MaxTimes:
			return fmt.Errorf("instruction %d is executed %d times; a count is 1 to %d", n.Inst, n.Times, uint64(trace.MaxTimes))
		case code[n.Inst].Class == trace.ClassLaunch:
			return fmt.Errorf("a count of the launch instruction %d; child launches are requests of warps", n.Inst)
		}
		next = int64(n.Inst) + 1
		counts.WarpInsts += n.Times
		counts.ThreadInsts += 32*n.Times - (32*warps-threads)*(n.Times/warps) // the last warp may not be full
		if code[n.Inst].Mem() {
			counts.MemInsts += n.Times
		}
	}
	return nil
}

func (r *rules) place(k *trace.Kernel, c *trace.CTA) error {
	if int64(c.ID) <= r.lastCTA {
		return fmt.Errorf("CTA %d comes after CTA %d; write CTAs in ascending order", c.ID, r.lastCTA)
	}
	r.lastCTA = int64(c.ID)
	if n := k.Grid.Count(); uint64(c.ID) >= n {
		return fmt.Errorf("CTA %d is outside of its grid of %d", c.ID, n)
	}
	for _, list := range [2][]trace.Range{c.Ranges, c.Touches} {
		for _, s := range list {
			if s.Mode == 0 || s.Mode > trace.ReadWrite || s.Lo > s.Hi || s.Array == trace.NoArray {
				return fmt.Errorf("CTA %d: range %d..%d of array %d with mode %d is no range", c.ID, s.Lo, s.Hi, s.Array, s.Mode)
			}
			r.array(s.Array)
		}
	}
	return nil
}

func (r *rules) warp(k *trace.Kernel, code []trace.Inst, w *trace.Warp, counts *trace.Kernel) error {
	mem := 0
	for at, i := range w.Path {
		if int64(i) >= int64(len(code)) {
			return fmt.Errorf("step %d is instruction %d; the function has %d", at, i, len(code))
		}
		if code[i].Width > 0 {
			mem++
		}
	}
	if mem != len(w.Mem) {
		return fmt.Errorf("it has %d accesses for %d memory instructions; give one for each", len(w.Mem), mem)
	}
	counts.Warps++
	counts.WarpInsts += uint64(len(w.Path))
	counts.MemInsts += uint64(mem)
	for i, m := range w.Masks {
		end := len(w.Path)
		if i+1 < len(w.Masks) {
			end = int(w.Masks[i+1].At)
		}
		counts.ThreadInsts += uint64(bits.OnesCount32(m.Mask)) * uint64(max(0, end-int(m.At)))
	}
	if len(w.Masks) == 0 {
		counts.ThreadInsts += 32 * uint64(len(w.Path))
	}
	return r.launches(k, code, w)
}

func (r *rules) launches(k *trace.Kernel, code []trace.Inst, w *trace.Warp) error {
	for i := range w.Launches {
		l := &w.Launches[i]
		switch {
		case int64(l.At) >= int64(len(w.Path)) || code[w.Path[l.At]].Class != trace.ClassLaunch:
			return fmt.Errorf("a request for kernel %d is at step %d, which is no launch instruction", l.Child, l.At)
		case l.Lane > 31:
			return fmt.Errorf("a request for kernel %d is of lane %d; a warp has 32", l.Child, l.Lane)
		case i > 0 && (l.At < w.Launches[i-1].At || l.At == w.Launches[i-1].At && l.Lane < w.Launches[i-1].Lane):
			return fmt.Errorf("the request for kernel %d is out of order; order them by step, then by lane", l.Child)
		case l.Child <= k.ID:
			return fmt.Errorf("the child kernel %d is not after its parent", l.Child)
		}
		if err := r.mark(l.Child, originRequest); err != nil {
			return err
		}
	}
	return nil
}

// finish applies the rules that need the whole trace.
func (r *rules) finish(p *trace.Program) error {
	if r.arrays > len(p.Arrays) {
		return fmt.Errorf("array %d is named but not defined", r.arrays-1)
	}
	if err := r.within(p.Arrays); err != nil {
		return err
	}
	if r.scopes > len(p.Scopes) {
		return fmt.Errorf("scope %d is named but not defined", r.scopes-1)
	}
	if r.highest >= int64(r.kernels) {
		return fmt.Errorf("kernel %d is named but not in the trace", r.highest)
	}
	for id := range r.kernels {
		o := *r.origin(id)
		switch starts := o & (originLaunched | originSpawned | originRequest); {
		case o&originRequest != 0 && o&originChild == 0:
			return fmt.Errorf("kernel %d is requested by a device thread but not flagged as a child", id)
		case o&originSpawned != 0 && o&originTask == 0:
			return fmt.Errorf("kernel %d is spawned but not flagged as a task", id)
		case starts&(starts-1) != 0:
			return fmt.Errorf("kernel %d is started in two ways; each kernel runs once", id)
		}
	}
	return nil
}

var errClosed = errors.New("the trace is closed already")
