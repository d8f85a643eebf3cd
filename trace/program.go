package trace

import "slices"

// Program is everything about a trace that is small enough to hold in memory:
// it does not grow with the length of the execution, only with the static code
// and the number of arrays.
type Program struct {
	Meta        Meta
	Arrays      []Array
	Functions   []Function
	Scopes      []Scope
	Diagnostics []Diagnostic
	Totals      Totals
}

// Meta says where a trace comes from.
type Meta struct {
	Source        string   // converter or generator: "accelsim", "sample:vecadd"
	SourceVersion string   // version of the tool that captured it, as the source says
	GPU           string   // name of the captured GPU as the source says; "" if unknown
	SMVersion     uint32   // compute capability × 10 (80 for sm_80); 0 if unknown
	SMs           uint32   // SMs of the captured GPU; 0 if unknown
	Fidelity      Fidelity // of the least detailed kernel that has work
	ArraysFrom    string   // "memcpy", "allocations", "clustered", "generator"; "" if there are none
	Attrs         []Attr   // further facts and assumptions, sorted by key
}

// Attr is one key and value of [Meta].Attrs.
type Attr struct{ Key, Value string }

// Fidelity says how much of the execution a trace knows.
type Fidelity uint8

const (
	FidelityNone   Fidelity = iota // launch only: not even a grid
	FidelityKernel                 // grid, block, resources and perhaps a duration; no CTA
	FidelityCTA                    // instruction counts per class and memory ranges per CTA
	FidelityWarp                   // every warp instruction, its mask and addresses
)

// Array is one allocation in device memory, or a cluster of touched addresses
// where the capture has no allocations ([Meta].ArraysFrom says which).
type Array struct {
	Name  string
	Base  uint64 // device address of the first byte
	Bytes uint64
	Flags ArrayFlags
}

// ArrayFlags are facts about an [Array].
type ArrayFlags uint8

const (
	ArrayInput  ArrayFlags = 1 << iota // the host writes it before a kernel reads it
	ArrayOutput                        // the host reads it after a kernel wrote it
)

// NoArray stands for no array where an array index is expected.
const NoArray = ^uint32(0)

// Function is the static code shared by all kernels of one device function.
type Function struct {
	Name  string
	Insts []Inst // in order of first appearance; a PC may appear twice with different operands
}

// Inst is one static instruction.
type Inst struct {
	PC     uint32 // byte offset in the function
	Opcode string // as the source writes it: "LDG.E.64"
	Class  Class
	Space  Space
	Flags  InstFlags
	Width  uint32 // bytes per thread (per instruction for InstBulk); 0: no memory access
	Imm    uint64 // first immediate, where the source has it: the barrier id of ClassBarrier
	Dst    []Reg
	Src    []Reg

	// The flat form of a function puts these in place of this instruction of a child's body. A lane of the parent
	// then does the work of the child, thread after thread (docs/format.md, "Flat bodies"). Both name instructions
	// of the function by their index plus 1.
	FlatEach uint32 // run instead for each thread, with its successors; 0: this one, FlatNone: nothing
	FlatLast uint32 // run once, after the last thread; of a launch: the end of its loop; 0: nothing
}

// FlatNone is [Inst].FlatEach of an instruction that the flat form leaves out.
const FlatNone = ^uint32(0)

// Loop reports which instructions are the loop of a launch instruction: from the launch's address to the
// instruction that FlatLast names. The steps of a path that follow the launch and lie in the loop are the work of
// the lanes that launch no child. nil: it has none.
func (f *Function) Loop(launch uint32) []bool {
	in := &f.Insts[launch]
	if in.Class != ClassLaunch || in.FlatLast == 0 {
		return nil
	}
	lies, last := make([]bool, len(f.Insts)), f.Insts[in.FlatLast-1].PC
	for i := range f.Insts {
		x := &f.Insts[i]
		lies[i] = x.Class != ClassLaunch && in.PC <= x.PC && x.PC <= last
	}
	return lies
}

// Flat calls f with the index of each instruction that FlatEach or FlatLast, at, stands for: the one that it names,
// then the one that this one's FlatEach names, and so on.
func (f *Function) Flat(at uint32, do func(i uint32)) {
	for at != 0 && at != FlatNone {
		do(at - 1)
		at = f.Insts[at-1].FlatEach
	}
}

// ThreadWidth reports whether a thread can access so many bytes at once: 1, 2 or a multiple of 4. Bulk copies have
// any width.
func ThreadWidth(bytes uint32) bool { return bytes == 1 || bytes == 2 || bytes > 0 && bytes%4 == 0 }

// Mem reports whether each execution of the instruction carries an [Access].
func (in *Inst) Mem() bool { return in.Width > 0 }

// Reg is a register: its kind in the high byte, its number in the low byte.
type Reg uint16

const (
	RegGeneral          Reg = 0 << 8 // R0..R255 (R255 reads zero)
	RegUniform          Reg = 1 << 8 // UR0..
	RegPredicate        Reg = 2 << 8 // P0..P7 (P7 is true)
	RegUniformPredicate Reg = 3 << 8 // UP0..
)

// Zero reports whether the register always reads its constant and carries no
// dependence (RZ, URZ, PT, UPT).
func (r Reg) Zero() bool {
	switch r & 0xff00 {
	case RegGeneral:
		return r&0xff == 255
	case RegUniform:
		return r&0xff == 63 || r&0xff == 255
	}
	return r&0xff == 7
}

// Class is the kind of work of an instruction, as far as issue is concerned.
type Class uint8

const (
	ClassOther      Class = iota // unknown opcode; timed as ClassInt
	ClassInt                     // integer and logic, moves, conversions
	ClassFP16                    // half precision
	ClassFP32                    // single precision
	ClassFP64                    // double precision
	ClassSFU                     // special function unit
	ClassTensor                  // matrix units
	ClassUniform                 // uniform data path
	ClassControl                 // branches, calls, convergence
	ClassMemory                  // any access to memory ([Inst].Space says which)
	ClassBarrier                 // CTA barrier
	ClassFence                   // memory fence
	ClassLaunch                  // device-side child launch; carries the [Launch] requests
	ClassDeviceSync              // device-side wait for all children of the CTA
	ClassExit                    // end of a thread
	NumClasses      = iota
)

// Space is the memory space of an access.
type Space uint8

const (
	SpaceNone Space = iota
	SpaceGlobal
	SpaceShared
	SpaceLocal
	SpaceConstant
	SpaceTexture
	NumSpaces = iota
)

// InstFlags are facts about an [Inst].
type InstFlags uint8

const (
	InstLoad     InstFlags = 1 << iota // reads memory
	InstStore                          // writes memory
	InstAtomic                         // read-modify-write at the L2
	InstBypassL1                       // reads past the L1 (.STRONG.GPU, .CG)
	InstBulk                           // bulk copy (TMA): addresses are those of the transfer
)

// Scope is a part of the host program that its author gave a name: an NVTX range, a step of a training loop. Ranges
// of one name inside the same scopes are one scope, however often they come.
type Scope struct {
	Name string
	In   uint32 // 1 + index of the scope around it, which comes before it; 0: none
}

// ScopePath returns the names of a scope, as kernels and operations name it, and of
// those around it, outermost first.
func (p *Program) ScopePath(scope uint32) []string {
	var path []string
	for scope > 0 && int(scope) <= len(p.Scopes) {
		path = append(path, p.Scopes[scope-1].Name)
		scope = p.Scopes[scope-1].In
	}
	slices.Reverse(path)
	return path
}

// Totals are counts over a whole trace, kept by the [Writer].
type Totals struct {
	Kernels       uint64
	CTAs          uint64
	Warps         uint64
	WarpInsts     uint64 // executed warp instructions
	ThreadInsts   uint64 // sum of active lanes
	MemInsts      uint64 // warp instructions with Inst.Width > 0
	HostOps       uint64
	ChildLaunches uint64
	Threads       uint64 // highest host thread; 0: one thread
	Graphs        uint64 // launches of graphs
}

// MaxThreads bounds the host threads of a trace, and their processes.
const MaxThreads = 1 << 16

// Add counts an operation of the host.
func (t *Totals) Add(op *HostOp) {
	t.HostOps++
	t.Threads, t.Graphs = max(t.Threads, uint64(op.Thread)), max(t.Graphs, uint64(op.Graph))
}

// Diagnostic is one counted oddity of the source that a converter met.
type Diagnostic struct {
	Name     string // snake_case: "unknown_opcode"
	Severity Severity
	Count    uint64
	Help     string // its meaning and what to do
}

// Severity grades a [Diagnostic].
type Severity uint8

const (
	Info     Severity = iota // nothing is lost
	DataLoss                 // something in the source is not in the trace
	Error                    // part of the source could not be understood
)
