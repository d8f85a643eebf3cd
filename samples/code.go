package samples

import (
	"fmt"
	"strings"

	"gpureplay/trace"
)

// NoReg is the absent register: an instruction without a result, or RZ.
const NoReg = trace.RegGeneral + 255

// Code is the static code of one device function. Instructions are added once,
// before the first kernel of the function, in the order in which they lie in the
// code; every warp of every kernel then walks over the same ones. The synthetic
// PCs are 16 bytes apart, as in NVIDIA's encodings since Volta.
type Code struct {
	Function uint32 // index in the trace

	w     Writer
	insts uint32
	regs  trace.Reg
	preds trace.Reg
}

// Op is a static instruction of a [Code].
type Op struct {
	inst  uint32
	width uint32
	class trace.Class
}

// classes gives the class of an opcode by the part before its first dot.
var classes = map[string]trace.Class{
	"S2R": trace.ClassInt, "MOV": trace.ClassInt, "IMAD": trace.ClassInt, "IADD3": trace.ClassInt, "LEA": trace.ClassInt,
	"ISETP": trace.ClassInt, "SHF": trace.ClassInt, "LOP3": trace.ClassInt, "SEL": trace.ClassInt, "IMNMX": trace.ClassInt,
	"IABS": trace.ClassInt, "PRMT": trace.ClassInt, "POPC": trace.ClassInt, "FLO": trace.ClassInt, "BFE": trace.ClassInt,
	"I2F": trace.ClassInt, "F2I": trace.ClassInt, "F2F": trace.ClassInt,
	"PLOP3": trace.ClassInt, "VOTE": trace.ClassInt, "SHFL": trace.ClassInt,
	"HADD2": trace.ClassFP16, "HMUL2": trace.ClassFP16, "HFMA2": trace.ClassFP16,
	"FADD": trace.ClassFP32, "FMUL": trace.ClassFP32, "FFMA": trace.ClassFP32,
	"FSETP": trace.ClassFP32, "FMNMX": trace.ClassFP32, "FSEL": trace.ClassFP32,
	"DADD": trace.ClassFP64, "DMUL": trace.ClassFP64, "DFMA": trace.ClassFP64, "DSETP": trace.ClassFP64,
	"MUFU": trace.ClassSFU,
	"HMMA": trace.ClassTensor, "IMMA": trace.ClassTensor,
	"UMOV": trace.ClassUniform, "UIADD3": trace.ClassUniform, "UIMAD": trace.ClassUniform,
	"BRA": trace.ClassControl, "BSSY": trace.ClassControl, "BSYNC": trace.ClassControl,
	"PREEXIT": trace.ClassControl, "ACQBULK": trace.ClassControl,
	"CALL": trace.ClassControl, "RET": trace.ClassControl, "WARPSYNC": trace.ClassControl,
	"LDGDEPBAR": trace.ClassInt, "DEPBAR": trace.ClassFence,
	"BAR":    trace.ClassBarrier,
	"MEMBAR": trace.ClassFence,
	"LAUNCH": trace.ClassLaunch, "DEVSYNC": trace.ClassDeviceSync,
	"EXIT": trace.ClassExit,
}

// spaces gives the space and direction of a memory opcode.
var spaces = map[string]struct {
	space trace.Space
	flags trace.InstFlags
}{
	"LDG": {trace.SpaceGlobal, trace.InstLoad}, "LDGSTS": {trace.SpaceGlobal, trace.InstLoad},
	"STG": {trace.SpaceGlobal, trace.InstStore},
	"LDS": {trace.SpaceShared, trace.InstLoad}, "STS": {trace.SpaceShared, trace.InstStore},
	"LDL": {trace.SpaceLocal, trace.InstLoad}, "STL": {trace.SpaceLocal, trace.InstStore},
	"LDC": {trace.SpaceConstant, trace.InstLoad}, "TEX": {trace.SpaceTexture, trace.InstLoad},
	"ATOMG": {trace.SpaceGlobal, trace.InstLoad | trace.InstStore | trace.InstAtomic},
	"RED":   {trace.SpaceGlobal, trace.InstLoad | trace.InstStore | trace.InstAtomic},
	"ATOMS": {trace.SpaceShared, trace.InstLoad | trace.InstStore | trace.InstAtomic},
}

// Reg returns a register that no other call returned.
func (c *Code) Reg() trace.Reg {
	if c.regs == 255 {
		panic("samples: more than 255 registers in one function")
	}
	c.regs++
	return trace.RegGeneral + c.regs - 1
}

// Regs returns n fresh registers.
func (c *Code) Regs(n int) []trace.Reg {
	regs := make([]trace.Reg, n)
	for i := range regs {
		regs[i] = c.Reg()
	}
	return regs
}

// Pred returns a predicate register; they are reused in turn (P0 to P6).
func (c *Code) Pred() trace.Reg {
	c.preds = (c.preds + 1) % 7
	return trace.RegPredicate + c.preds
}

// Op adds an instruction that accesses no memory: it reads src and writes dst (NoReg: nothing). A guard predicate
// is one of the sources. The class follows from the opcode up to its first dot; an unknown opcode panics.
func (c *Code) Op(opcode string, dst trace.Reg, src ...trace.Reg) Op {
	class, ok := classes[stem(opcode)]
	if !ok {
		panic(fmt.Sprintf("samples: opcode %q has no class", opcode))
	}
	return c.add(trace.Inst{Opcode: opcode, Class: class, Dst: keep(dst), Src: keep(src...)})
}

// Load adds a load of width bytes per thread from the address in addr.
// Consecutive registers of a wide load are one register here.
func (c *Code) Load(opcode string, width uint32, dst trace.Reg, addr ...trace.Reg) Op {
	return c.memory(opcode, trace.InstLoad, width, keep(dst), keep(addr...))
}

// Param adds a load of one of the kernel's parameters: its address is not recorded,
// as in captures, so it is a step of [Warp.Do].
func (c *Code) Param(opcode string, dst trace.Reg) Op {
	return c.add(trace.Inst{Opcode: opcode, Class: trace.ClassMemory, Space: trace.SpaceConstant, Flags: trace.InstLoad,
		Dst: keep(dst)})
}

// Fetch adds a fetch from a texture: its address is not recorded, as in captures, so
// it is a step of [Warp.Do].
func (c *Code) Fetch(opcode string, dst trace.Reg, src ...trace.Reg) Op {
	return c.add(trace.Inst{Opcode: opcode, Class: trace.ClassMemory, Space: trace.SpaceTexture, Flags: trace.InstLoad,
		Dst: keep(dst),
		Src: keep(src...)})
}

// Store adds a store of width bytes per thread; src are the address and the data.
func (c *Code) Store(opcode string, width uint32, src ...trace.Reg) Op {
	return c.memory(opcode, trace.InstStore, width, nil, keep(src...))
}

// Atomic adds an atomic of width bytes per thread; dst is NoReg for RED.
func (c *Code) Atomic(opcode string, width uint32, dst trace.Reg, src ...trace.Reg) Op {
	return c.memory(opcode, trace.InstAtomic, width, keep(dst), keep(src...))
}

func (c *Code) memory(opcode string, want trace.InstFlags, width uint32, dst, src []trace.Reg) Op {
	s, ok := spaces[stem(opcode)]
	if !ok || s.flags&want == 0 || width == 0 {
		panic(fmt.Sprintf("samples: %q is not such a memory instruction", opcode))
	}
	if s.space == trace.SpaceGlobal && strings.Contains(opcode, ".STRONG.GPU") {
		s.flags |= trace.InstBypassL1
	}
	return c.add(trace.Inst{Opcode: opcode, Class: trace.ClassMemory, Space: s.space, Flags: s.flags, Width: width,
		Dst: dst, Src: src})
}

// Barrier adds a barrier over the CTA with that id.
func (c *Code) Barrier(id uint64) Op {
	return c.add(trace.Inst{Opcode: "BAR.SYNC", Class: trace.ClassBarrier, Imm: id})
}

// Exit adds the end of a thread.
func (c *Code) Exit() Op { return c.Op("EXIT", NoReg) }

func (c *Code) add(in trace.Inst) Op {
	in.PC = 16 * c.insts
	c.insts++
	return Op{inst: c.w.AddInst(c.Function, in), width: in.Width, class: in.Class}
}

// Flat sets the instructions that the flat form of the function runs for each thread instead of op: instructions
// that were added after it for that alone, in their order; none of them: nothing.
func (c *Code) Flat(op Op, each ...Op) {
	c.w.Inst(c.Function, op.inst).FlatEach = trace.FlatNone
	if len(each) > 0 {
		c.w.Inst(c.Function, op.inst).FlatEach = c.chain(each)
	}
}

// FlatLast sets the instructions that the flat form runs once for op, after the last thread that ran it.
func (c *Code) FlatLast(op Op, once ...Op) { c.w.Inst(c.Function, op.inst).FlatLast = c.chain(once) }

// chain lets each instruction of a flat form name the next.
func (c *Code) chain(ops []Op) uint32 {
	for i, op := range ops[1:] {
		c.w.Inst(c.Function, ops[i].inst).FlatEach = op.inst + 1
	}
	return ops[0].inst + 1
}

func stem(opcode string) string {
	s, _, _ := strings.Cut(opcode, ".")
	return s
}

// keep returns the registers that are present.
func keep(regs ...trace.Reg) []trace.Reg {
	var list []trace.Reg
	for _, r := range regs {
		if r != NoReg {
			list = append(list, r)
		}
	}
	return list
}
