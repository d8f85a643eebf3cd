package model

import (
	"strings"

	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// unit is what an instruction needs to issue. A scheduler has one of each but
// for unitMemory, which its SM shares.
type unit uint8

const (
	unitInt unit = iota
	unitFP16
	unitFP32
	unitFP64
	unitSFU
	unitTensor
	unitUniform
	unitControl
	unitTexture // loads of textures without an access; those with one go to memory
	unitNone    // barriers, fences, launches: an issue slot and nothing else
	unitMemory  // the load/store unit of the SM
	numUnits
)

// op is one static instruction as the issue model reads it.
type op struct {
	regs    [6]uint16 // destinations, sources, then register 0, which is always ready
	more    []uint16  // those that have no room there
	dst     uint8     // how many are destinations
	unit    unit
	class   trace.Class
	space   trace.Space
	flags   trace.InstFlags
	mem     bool // carries an access
	shared  bool // needs what SMs share: memory, or the launch path
	barrier uint8
	width   uint32
	each    []uint32 // what the flat form runs for each thread, if flat
	last    []uint32 // what it runs once, after the last
	flat    bool     // each stands instead of this one
}

// code is a function prepared for the issue model. Registers that carry a
// dependence are numbered densely, from 1 on.
type code struct {
	ops      []op
	count    int  // registers, with register 0
	exit     unit // of EXIT
	launches bool // it launches or waits for children
	index    map[trace.Reg]uint16
	insts    []uint32 // of each op, in the function; nil: its own index
	added    bool     // of the policy, not of the trace
}

// prepare brings c up to date with f, which grows only while a trace is
// written; a replayed function is prepared once.
func prepare(f *trace.Function, sm *hardware.SMConfig) *code {
	c := newCode(len(f.Insts), sm)
	for i := range f.Insts {
		c.add(&f.Insts[i])
		o, in := &c.ops[i], &f.Insts[i]
		o.flat = in.FlatEach > 0
		f.Flat(in.FlatEach, func(j uint32) { o.each = append(o.each, j) })
		f.Flat(in.FlatLast, func(j uint32) { o.last = append(o.last, j) })
	}
	return c
}

// newCode returns a function with room for a number of instructions.
func newCode(insts int, sm *hardware.SMConfig) *code {
	exit := unitControl
	if sm.ExitUnit == "int" {
		exit = unitInt
	}
	return &code{exit: exit, count: 1, index: make(map[trace.Reg]uint16), ops: make([]op, 0, insts)}
}

func (c *code) add(in *trace.Inst) {
	o := op{
		class: in.Class, space: in.Space, flags: in.Flags,
		mem: in.Mem(), width: in.Width, barrier: uint8(in.Imm & 15), unit: unitOf(in),
	}
	switch {
	case in.Class == trace.ClassExit:
		o.unit = c.exit
	case in.Class == trace.ClassLaunch, in.Class == trace.ClassDeviceSync:
		o.shared, c.launches = true, true
	case o.mem:
		o.shared = o.space != trace.SpaceShared && o.space != trace.SpaceConstant && o.space != trace.SpaceNone
	}
	dst := c.use(in.Dst, make([]uint16, 0, len(in.Dst)+len(in.Src)))
	all := c.use(in.Src, dst)
	o.dst = uint8(len(dst))
	o.more = all[copy(o.regs[:], all):]
	c.ops = append(c.ops, o)
}

// use adds the numbers of registers that carry a dependence to a list.
func (c *code) use(regs []trace.Reg, list []uint16) []uint16 {
	for _, r := range regs {
		if r.Zero() {
			continue
		}
		d, ok := c.index[r]
		if !ok {
			d = uint16(c.count)
			c.index[r] = d
			c.count++
		}
		list = append(list, d)
	}
	return list
}

// ready returns when the registers of o are, as they are kept.
func (o *op) ready(regs []Time) Time {
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

// write sets the destinations of o: one as a rule.
func (o *op) write(regs []Time, ready Time) {
	if o.dst > 0 {
		regs[o.regs[0]] = ready
	}
	if o.dst > 1 {
		o.writeRest(regs, ready)
	}
}

func (o *op) writeRest(regs []Time, ready Time) {
	n := int(o.dst)
	for _, r := range o.regs[1:min(n, len(o.regs))] {
		regs[r] = ready
	}
	for _, r := range o.more[:max(0, n-len(o.regs))] {
		regs[r] = ready
	}
}

// rewrite puts off when the results are there that were said to be at a time.
func (o *op) rewrite(regs []Time, said, ready Time) {
	for i := range int(o.dst) {
		r := &regs[o.dstAt(i)]
		if *r == said {
			*r = ready
		}
	}
}

// dstAt returns the i-th register that is written.
func (o *op) dstAt(i int) uint16 {
	if i < len(o.regs) {
		return o.regs[i]
	}
	return o.more[i-len(o.regs)]
}

func unitOf(in *trace.Inst) unit {
	switch in.Class {
	case trace.ClassFP16:
		return unitFP16
	case trace.ClassFP32:
		return unitFP32
	case trace.ClassFP64:
		return unitFP64
	case trace.ClassSFU:
		return unitSFU
	case trace.ClassTensor:
		return unitTensor
	case trace.ClassUniform:
		return unitUniform
	case trace.ClassControl:
		return unitControl
	case trace.ClassBarrier, trace.ClassFence, trace.ClassLaunch, trace.ClassDeviceSync:
		return unitNone
	case trace.ClassMemory:
		switch {
		case in.Space == trace.SpaceTexture && !in.Mem():
			return unitTexture
		case in.Space != trace.SpaceConstant || in.Mem():
			return unitMemory
		case strings.HasPrefix(in.Opcode, "U"): // ULDC
			return unitUniform
		}
	}
	return unitInt
}

// timing is the latency, with the depth of the pipeline, and the initiation
// interval of each unit.
type timing struct {
	latency [16]Time
	every   [16]Time
	exit    Time // from an EXIT to the end of its warp
}

func newTiming(e *hardware.ExecConfig, sm *hardware.SMConfig) timing {
	t := timing{exit: Time(sm.ExitLatency)}
	set := func(u unit, c hardware.UnitConfig) {
		t.latency[u], t.every[u] = Time(c.Latency+sm.PipelineDepth), max(1, Time(c.Initiation))
	}
	set(unitInt, e.Int)
	set(unitFP16, e.FP16)
	set(unitFP32, e.FP32)
	set(unitFP64, e.FP64)
	set(unitSFU, e.SFU)
	set(unitTensor, e.Tensor)
	set(unitUniform, e.Uniform)
	set(unitControl, e.Control)
	set(unitTexture, e.Texture)
	set(unitNone, hardware.UnitConfig{Latency: 1, Initiation: 1})
	return t
}

// mode is how an instruction accesses memory.
func (o *op) mode() trace.Mode {
	switch {
	case o.flags&trace.InstAtomic != 0:
		return trace.ReadWrite
	case o.flags&trace.InstStore != 0:
		return trace.Write
	}
	return trace.Read
}
