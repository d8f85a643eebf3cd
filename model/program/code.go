package program

import (
	"slices"
	"strings"

	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// Unit is the execution unit that an instruction needs. A scheduler has one of each but for unitMemory, which its
// SM shares.
type Unit uint8

const (
	UnitInt Unit = iota
	UnitFP16
	UnitFP32
	UnitFP64
	UnitSFU
	UnitTensor
	UnitUniform
	UnitControl
	UnitTexture // loads of textures without an access; those with one go to memory
	UnitNone    // barriers, fences, launches: an issue slot and nothing else
	UnitMemory  // the load/store unit of the SM
	UnitGone    // of a warp that has only to exit
)

// Op is one static instruction as the issue model reads it.
type Op struct {
	regs    [6]uint16 // destinations, sources, then register 0, which is always ready
	more    []uint16  // those that have no room there
	Dst     uint8     // how many are destinations
	Unit    Unit
	Class   trace.Class
	Space   trace.Space
	Flags   trace.InstFlags
	Mem     bool // carries an access
	Shared  bool // needs a unit that SMs share: memory, or the launch path
	Barrier uint8
	Width   uint32
	// registers that are read of each of a scheduler's banks, four bits each; where collectors serve all pipes
	Reads  uint32
	Writes uint32 // banks of those that are written, a bit of the four of each
	// those banks in the order of registers, four bits each, one more than the bank; where memory writes them
	Written uint32
	Copy    CopyRole // its part in asynchronous copies
	Groups  int32    // that may go on behind a CopiesAwaited
	each    []uint32 // instructions of the flat form for each thread, if flat
	last    []uint32 // instructions that it runs once, after the last
	flat    bool     // each stands instead of this one
	loop    []bool   // of a launch: the instructions of its loop; nil: it has none
}

// Code is a function prepared for the issue model. Registers that carry a
// dependence are numbered densely, from 1 on.
type Code struct {
	Ops      []Op
	Count    int  // registers, with register 0
	exit     Unit // of EXIT
	Launches bool // it launches or waits for children
	banks    int  // of a scheduler's registers; 0: they are read at once
	index    map[trace.Reg]uint16
	Insts    []uint32 // of each op, in the function; nil: its own index
	Added    bool     // of the policy, not of the trace
	flat     bool     // launches that have loops are left out: no child is launched
}

// Prepare brings c up to date with f, which grows only while a trace is
// written; a replayed function is prepared once.
func Prepare(f *trace.Function, sm *hardware.SMConfig) *Code {
	c := newCode(len(f.Insts), sm)
	for i := range f.Insts {
		c.add(&f.Insts[i])
		o, in := &c.Ops[i], &f.Insts[i]
		if o.loop = f.Loop(uint32(i)); o.loop != nil {
			continue
		}
		o.flat = in.FlatEach > 0
		f.Flat(in.FlatEach, func(j uint32) { o.each = append(o.each, j) })
		f.Flat(in.FlatLast, func(j uint32) { o.last = append(o.last, j) })
	}
	return c
}

// newCode returns a function with room for a number of instructions.
func newCode(insts int, sm *hardware.SMConfig) *Code {
	exit, banks := UnitControl, 0
	if sm.Collectors() {
		exit, banks = UnitInt, sm.RegisterBanks/sm.Schedulers
	}
	return &Code{exit: exit, banks: banks, Count: 1, index: make(map[trace.Reg]uint16), Ops: make([]Op, 0, insts)}
}

func (c *Code) add(in *trace.Inst) {
	o := Op{
		Class: in.Class, Space: in.Space, Flags: in.Flags,
		Mem: in.Mem(), Width: in.Width, Barrier: uint8(in.Imm & 15), Unit: unitOf(in),
	}
	if o.Copy = roleOf(in); o.Copy == CopiesAwaited {
		o.Groups = int32(min(in.Imm, mostGroups))
	}
	switch {
	case in.Class == trace.ClassExit:
		o.Unit = c.exit
	case in.Class == trace.ClassLaunch, in.Class == trace.ClassDeviceSync:
		o.Shared, c.Launches = true, true
	case o.Mem:
		o.Shared = o.Space != trace.SpaceShared && o.Space != trace.SpaceConstant && o.Space != trace.SpaceNone
	}
	dst := c.use(in.Dst, make([]uint16, 0, len(in.Dst)+len(in.Src)))
	all := c.use(in.Src, dst)
	o.Dst = uint8(len(dst))
	o.more = all[copy(o.regs[:], all):]
	if c.banks > 0 {
		o.bank(in, c.banks)
	}
	c.Ops = append(c.Ops, o)
}

// mostReads is how many registers an instruction reads at most (trace_parser.h, MAX_SRC).
const mostReads = 4

// mostWritten is how many registers a result of memory is written into at most.
const mostWritten = 8

// bank finds the banks of general registers that an instruction reads and writes.
func (o *Op) bank(in *trace.Inst, banks int) {
	for i, r := range general(in.Src) {
		if i == mostReads {
			break
		}
		at := 4 * (int(r) % banks)
		o.Reads += 1 << at
	}
	for _, r := range general(in.Dst) {
		o.Writes |= 1 << (4 * (int(r) % banks))
	}
	if o.Unit != UnitMemory {
		return
	}
	for i, r := range general(in.Dst) {
		if i == mostWritten {
			break
		}
		o.Written |= uint32(int(r)%banks+1) << (4 * i)
	}
}

// general returns the general registers among some, each once.
func general(regs []trace.Reg) (all []trace.Reg) {
	for _, r := range regs {
		if r < trace.RegUniform && !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// use adds the numbers of registers that carry a dependence to a list.
func (c *Code) use(regs []trace.Reg, list []uint16) []uint16 {
	for _, r := range regs {
		if r.Zero() {
			continue
		}
		d, ok := c.index[r]
		if !ok {
			d = uint16(c.Count)
			c.index[r] = d
			c.Count++
		}
		list = append(list, d)
	}
	return list
}

// Ready returns when the registers of o are, as they are kept.
func (o *Op) Ready(regs []Time) Time {
	r := &o.regs
	latest := max(regs[r[0]], regs[r[1]], regs[r[2]], regs[r[3]])
	if r[4] != 0 {
		latest = max(latest, regs[r[4]], regs[r[5]])
		for _, more := range o.more {
			latest = max(latest, regs[more])
		}
	}
	return latest
}

// Write sets the destinations of o: one as a rule.
func (o *Op) Write(regs []Time, ready Time) {
	if o.Dst > 0 {
		regs[o.regs[0]] = ready
	}
	if o.Dst > 1 {
		o.writeRest(regs, ready)
	}
}

func (o *Op) writeRest(regs []Time, ready Time) {
	n := int(o.Dst)
	for _, r := range o.regs[1:min(n, len(o.regs))] {
		regs[r] = ready
	}
	for _, r := range o.more[:max(0, n-len(o.regs))] {
		regs[r] = ready
	}
}

// Rewrite puts off when the results are there that were said to be at a time.
func (o *Op) Rewrite(regs []Time, said, ready Time) {
	if o.Dst == 1 { // nearly always
		if r := &regs[o.regs[0]]; *r == said {
			*r = ready
		}
		return
	}
	o.rewriteAll(regs, said, ready)
}

func (o *Op) rewriteAll(regs []Time, said, ready Time) {
	for i := range int(o.Dst) {
		r := &regs[o.dstAt(i)]
		if *r == said {
			*r = ready
		}
	}
}

// dstAt returns the i-th register that is written.
func (o *Op) dstAt(i int) uint16 {
	if i < len(o.regs) {
		return o.regs[i]
	}
	return o.more[i-len(o.regs)]
}

func unitOf(in *trace.Inst) Unit {
	switch in.Class {
	case trace.ClassFP16:
		return UnitFP16
	case trace.ClassFP32:
		return UnitFP32
	case trace.ClassFP64:
		return UnitFP64
	case trace.ClassSFU:
		return UnitSFU
	case trace.ClassTensor:
		return UnitTensor
	case trace.ClassUniform:
		return UnitUniform
	case trace.ClassControl:
		return UnitControl
	case trace.ClassBarrier, trace.ClassFence, trace.ClassLaunch, trace.ClassDeviceSync:
		return UnitNone
	case trace.ClassMemory:
		switch {
		case in.Space == trace.SpaceTexture && !in.Mem():
			return UnitTexture
		case in.Space != trace.SpaceConstant || in.Mem():
			return UnitMemory
		case strings.HasPrefix(in.Opcode, "U"): // ULDC
			return UnitUniform
		}
	}
	return UnitInt
}

// Timing is the latency, with the depth of the pipeline, and the initiation
// interval of each unit.
type Timing struct {
	Latency [16]Time
	Every   [16]Time
	Exit    Time // from an EXIT to the end of its warp
}

func NewTiming(e *hardware.ExecConfig, sm *hardware.SMConfig) Timing {
	t := Timing{Exit: Time(sm.ExitLatency)}
	set := func(u Unit, c hardware.UnitConfig) {
		t.Latency[u], t.Every[u] = Time(c.Latency+sm.PipelineDepth), max(1, Time(c.Initiation))
	}
	set(UnitInt, e.Int)
	set(UnitFP16, e.FP16)
	set(UnitFP32, e.FP32)
	set(UnitFP64, e.FP64)
	set(UnitSFU, e.SFU)
	set(UnitTensor, e.Tensor)
	set(UnitUniform, e.Uniform)
	set(UnitControl, e.Control)
	set(UnitTexture, e.Texture)
	set(UnitNone, hardware.UnitConfig{Latency: 1, Initiation: 1})
	return t
}

// Mode is how an instruction accesses memory.
func (o *Op) Mode() trace.Mode {
	switch {
	case o.Flags&trace.InstAtomic != 0:
		return trace.ReadWrite
	case o.Flags&trace.InstStore != 0:
		return trace.Write
	}
	return trace.Read
}
