package trace

import (
	"errors"
	"fmt"
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

// rules remembers what later rules need.
type rules struct {
	origins map[uint32]*[originPage]origin // by kernel id / originPage
	kernels uint32                         // written so far
	arrays  int                            // 1 + the highest array named
	scopes  int                            // 1 + the highest scope named
	highest int64                          // highest kernel named; -1: none
	kernel  *Kernel
	lastCTA int64
	streams streamOrder
}

func newRules() *rules {
	return &rules{origins: map[uint32]*[originPage]origin{}, highest: -1, lastCTA: -1}
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
	if id != NoArray {
		r.arrays = max(r.arrays, int(id)+1)
	}
}

// op checks a host operation.
func (r *rules) op(op *HostOp) error {
	if op.Kind >= NumOpKinds {
		return fmt.Errorf("host operation: there is no kind %d", op.Kind)
	}
	if op.Kind.HasArray() {
		r.array(op.Array)
	}
	r.scopes = max(r.scopes, int(op.Scope))
	if op.Thread >= MaxThreads || op.Process >= MaxThreads {
		return fmt.Errorf("host operation %v: thread %d of process %d; a trace has at most %d of each",
			op.Kind, op.Thread, op.Process, MaxThreads)
	}
	if op.Ns < 0 || op.ArrivalNs < 0 {
		return fmt.Errorf("host operation %v: a duration is negative", op.Kind)
	}
	for _, d := range op.Deps {
		if d == math.MaxUint32 {
			return fmt.Errorf("host operation %v: no kernel has the id %d", op.Kind, d)
		}
		if op.Kind == OpSpawn && (d == op.Kernel || *r.origin(d)&originSpawned == 0) {
			return fmt.Errorf("task %d depends on task %d, which is not spawned before it", op.Kernel, d)
		}
		r.highest = max(r.highest, int64(d))
	}
	if err := r.streams.op(op); err != nil {
		return err
	}
	switch op.Kind {
	case OpLaunch:
		return r.mark(op.Kernel, originLaunched)
	case OpSpawn:
		return r.mark(op.Kernel, originSpawned)
	}
	if op.Kernel != 0 || op.Kind == OpWaitTask {
		r.highest = max(r.highest, int64(op.Kernel))
	}
	return nil
}

// begin checks the record of a kernel whose CTAs follow.
func (r *rules) begin(k *Kernel, functions int) error {
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

func (r *rules) flags(id uint32, f KernelFlags) {
	o := r.origin(id)
	if f&KernelChild != 0 {
		*o |= originChild
	}
	if f&KernelTask != 0 {
		*o |= originTask
	}
}

// checkShape checks grid, block and cluster, each of which may be unstated, all zeros.
func checkShape(k *Kernel) error {
	var wrong string
	var dim Dim3
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
	return fmt.Errorf("kernel %d: its %s is %dx%dx%d; an extent is at least 1, and their product below 2³²", k.ID, wrong, dim[0], dim[1], dim[2])
}

func validOrNone(d Dim3) bool { return d == Dim3{} || d.Valid() }

// cta checks a CTA of the open kernel, and counts it into counts.
func (r *rules) cta(code []Inst, c *CTA, counts *Kernel) error {
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
func (r *rules) counts(code []Inst, c *CTA, counts *Kernel) error {
	if len(c.Counts) == 0 {
		return nil
	}
	if len(c.Warps) > 0 {
		return errors.New("it has warps and counts of instructions; give one of them")
	}
	threads := r.kernel.Block.Count()
	if r.kernel.Fidelity != FidelityCTA || threads == 0 {
		return fmt.Errorf("counts are of kernels of fidelity cta with a block; this has fidelity %v and %d threads", r.kernel.Fidelity, threads)
	}
	warps := uint64(r.kernel.WarpsPerCTA())
	counts.Warps += warps
	next := int64(0)
	for _, n := range c.Counts {
		switch {
		case int64(n.Inst) < next || int64(n.Inst) >= int64(len(code)):
			return fmt.Errorf("a count of instruction %d; the function has %d, and counts come in ascending order", n.Inst, len(code))
		case n.Times == 0 || n.Times > MaxTimes:
			return fmt.Errorf("instruction %d is executed %d times; a count is 1 to %d", n.Inst, n.Times, uint64(MaxTimes))
		case code[n.Inst].Class == ClassLaunch:
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

func (r *rules) place(k *Kernel, c *CTA) error {
	if int64(c.ID) <= r.lastCTA {
		return fmt.Errorf("CTA %d comes after CTA %d; write CTAs in ascending order", c.ID, r.lastCTA)
	}
	r.lastCTA = int64(c.ID)
	if n := k.Grid.Count(); uint64(c.ID) >= n {
		return fmt.Errorf("CTA %d is outside of its grid of %d", c.ID, n)
	}
	for _, list := range [2][]Range{c.Ranges, c.Touches} {
		for _, s := range list {
			if s.Mode == 0 || s.Mode > ReadWrite || s.Lo > s.Hi || s.Array == NoArray {
				return fmt.Errorf("CTA %d: range %d..%d of array %d with mode %d is no range", c.ID, s.Lo, s.Hi, s.Array, s.Mode)
			}
			r.array(s.Array)
		}
	}
	return nil
}

func (r *rules) warp(k *Kernel, code []Inst, w *Warp, counts *Kernel) error {
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

func (r *rules) launches(k *Kernel, code []Inst, w *Warp) error {
	for i := range w.Launches {
		l := &w.Launches[i]
		switch {
		case int64(l.At) >= int64(len(w.Path)) || code[w.Path[l.At]].Class != ClassLaunch:
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
func (r *rules) finish(p *Program) error {
	if r.arrays > len(p.Arrays) {
		return fmt.Errorf("array %d is named but not defined", r.arrays-1)
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

// checkProgram checks what does not depend on the execution.
func checkProgram(p *Program) error {
	if int(p.Meta.Fidelity) >= len(words.Fidelity) {
		return fmt.Errorf("there is no fidelity %d", p.Meta.Fidelity)
	}
	for i, a := range p.Arrays {
		if a.Flags >= 1<<len(words.ArrayFlag) {
			return fmt.Errorf("array %d (%s): there is no flag %#x", i, a.Name, uint8(a.Flags))
		}
		if a.Base+a.Bytes < a.Base {
			return fmt.Errorf("array %d (%s): %d bytes at %#x end behind the last address", i, a.Name, a.Bytes, a.Base)
		}
	}
	for i, s := range p.Scopes {
		if int64(s.In) > int64(i) {
			return fmt.Errorf("scope %d (%s): scope %d, in which it is, comes after it", i, s.Name, s.In-1)
		}
	}
	for _, d := range p.Diagnostics {
		if int(d.Severity) >= len(words.Severity) {
			return fmt.Errorf("diagnostic %s: there is no severity %d", d.Name, d.Severity)
		}
	}
	for _, f := range p.Functions {
		for i := range f.Insts {
			if err := checkInst(&f.Insts[i]); err != nil {
				return fmt.Errorf("function %s, instruction %d (%s): %w", f.Name, i, f.Insts[i].Opcode, err)
			}
			for _, at := range [2]uint32{f.Insts[i].FlatEach, f.Insts[i].FlatLast} {
				if err := checkFlat(&f, uint32(i), at); err != nil {
					return fmt.Errorf("function %s, instruction %d (%s): %w", f.Name, i, f.Insts[i].Opcode, err)
				}
			}
		}
	}
	return nil
}

// checkLoop checks what a launch names: the last instruction of its loop, at or behind its address.
func checkLoop(f *Function, launch uint32) error {
	in := &f.Insts[launch]
	switch {
	case in.FlatEach != 0:
		return errors.New("a launch has a loop at most (flat_last), and no flat_each")
	case in.FlatLast > uint32(len(f.Insts)) || f.Insts[in.FlatLast-1].Class == ClassLaunch:
		return fmt.Errorf("its loop ends with instruction %d; want one of %d that is no launch", int64(in.FlatLast)-1, len(f.Insts))
	case f.Insts[in.FlatLast-1].PC < in.PC:
		return fmt.Errorf("its loop ends at address %#x, before it begins (%#x)", f.Insts[in.FlatLast-1].PC, in.PC)
	}
	return nil
}

// checkFlat checks what an instruction names for the flat form. The names of a chain
// rise, so that it ends.
func checkFlat(f *Function, from, at uint32) error {
	switch {
	case at == 0:
		return nil
	case f.Insts[from].Class == ClassLaunch:
		return checkLoop(f, from)
	case at == FlatNone:
		return nil
	}
	if at > uint32(len(f.Insts)) || at <= from+1 {
		return fmt.Errorf("its flat form names instruction %d; want one behind it, of %d", int64(at)-1, len(f.Insts))
	}
	switch in := &f.Insts[at-1]; in.Class {
	case ClassLaunch, ClassDeviceSync, ClassBarrier, ClassExit:
		return fmt.Errorf("its flat form, instruction %d, is of class %s; want one that computes, branches or accesses memory", at-1, in.Class)
	}
	return nil
}

func checkInst(in *Inst) error {
	switch {
	case in.Class >= NumClasses:
		return fmt.Errorf("there is no class %d", in.Class)
	case in.Space >= NumSpaces:
		return fmt.Errorf("there is no space %d", in.Space)
	case in.Flags >= 1<<len(words.InstFlag):
		return fmt.Errorf("there is no flag %#x", uint8(in.Flags))
	}
	return nil
}

var errClosed = errors.New("the trace is closed already")
