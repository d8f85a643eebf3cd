package pagoda

import "gpureplay/trace"

// Block names a stretch of the MasterKernel's code: the unit of work that the scheduler warp or an executor warp
// performs as a whole. Line numbers are of algorithms 1 and 2.
type Block uint8

const (
	ScanEntry     Block = iota // lines 3-6, 14: read an entry's ready and sched
	CheckPrev                  // lines 7, 8: read the previous task's ready
	PrevNotReady               // lines 9, 10: fence, go on
	ReleasePrev                // lines 12, 13: (1,1) to the previous, (-1,0) to this one
	BeginTask                  // lines 15-17: clear sched, set the counters
	GetBarrier                 // line 19: search a free barrier id; repeated until there is one
	NothingToFree              // line 22, empty list
	FreeShared                 // line 22, one block: unmark it and its descendants
	ClimbShared                // section 5.1, one ancestor looked at while freeing
	SearchShared               // line 23: search the level for a free node
	MarkShared                 // line 23: mark node, descendants and ancestors
	BeginBlock                 // line 25: warps of the threadblock
	LookForSlots               // algorithm 2, one round that finds no free executor
	TakeSlots                  // algorithm 2, one round that starts warps
	PollSlot                   // line 30: an idle executor warp reads its exec flag once
	EnterTask                  // lines 31-33: read the entry, call the task
	LeaveWarp                  // lines 34, 41, 43: count down, free the warp
	LeaveBlock                 // lines 35-40, added by the last warp of a threadblock
	LeaveTask                  // line 42, added by the last warp of a task
	NumBlocks     = iota
)

// Code is the MasterKernel as static instructions: one function, each [Block] a
// range of it. The instructions are counted from the listings of the paper, one
// for each operation that a compiler would leave in place: index and address
// arithmetic, loads and stores with their spaces, comparisons, branches, votes
// and fences. The table is volatile: its loads pass the L1. Loops over the
// tree's 128 marks are unrolled for four nodes a thread (section 5.1).
type Code struct {
	Function trace.Function
	ranges   [NumBlocks][2]uint32
}

// Range returns the instructions of a block: first and one past the last index
// into Function.Insts.
func (c *Code) Range(b Block) (first, end uint32) { return c.ranges[b][0], c.ranges[b][1] }

// Len returns the number of instructions of a block.
func (c *Code) Len(b Block) int { return int(c.ranges[b][1] - c.ranges[b][0]) }

// op is one kind of instruction that the MasterKernel uses.
type op struct {
	opcode string
	class  trace.Class
	space  trace.Space
	flags  trace.InstFlags
	width  uint32
}

var (
	opAdd   = op{opcode: "IADD3", class: trace.ClassInt}
	opMad   = op{opcode: "IMAD", class: trace.ClassInt}
	opShift = op{opcode: "SHF", class: trace.ClassInt}
	opSet   = op{opcode: "ISETP", class: trace.ClassInt}
	opFind  = op{opcode: "FLO", class: trace.ClassInt}
	opVote  = op{opcode: "VOTE.ALL", class: trace.ClassInt}
	opBra   = op{opcode: "BRA", class: trace.ClassControl}
	opCall  = op{opcode: "CALL", class: trace.ClassControl}
	opFence = op{opcode: "MEMBAR.GPU", class: trace.ClassFence}
	opLocal = op{opcode: "MEMBAR.CTA", class: trace.ClassFence}
	opLoad  = op{"LDG.64.STRONG.GPU", trace.ClassMemory, trace.SpaceGlobal, trace.InstLoad | trace.InstBypassL1, 8}
	opEntry = op{"LDG.128.STRONG.GPU", trace.ClassMemory, trace.SpaceGlobal, trace.InstLoad | trace.InstBypassL1, 16}
	opStore = op{"STG.64.STRONG.GPU", trace.ClassMemory, trace.SpaceGlobal, trace.InstStore | trace.InstBypassL1, 8}
	opLds   = op{"LDS", trace.ClassMemory, trace.SpaceShared, trace.InstLoad, 4}
	opSts   = op{"STS", trace.ClassMemory, trace.SpaceShared, trace.InstStore, 4}
	opAtoms = op{"ATOMS.ADD", trace.ClassMemory, trace.SpaceShared, trace.InstLoad | trace.InstStore, 4}
)

// listing is the code of every block.
var listing = [NumBlocks][]op{
	ScanEntry:     {opAdd, opMad, opLoad, opSet, opBra, opSet, opBra},
	CheckPrev:     {opMad, opLoad, opSet, opBra},
	PrevNotReady:  {opFence, opBra},
	ReleasePrev:   {opStore, opStore, opFence, opBra},
	BeginTask:     {opEntry, opStore, opAdd, opShift, opMad, opSts, opSts, opSet, opBra},
	GetBarrier:    {opLds, opFind, opSet, opBra, opShift, opSts},
	NothingToFree: {opLds, opSet, opBra},
	FreeShared: {opLds, opShift, opSet, opSts, opShift, opSet, opSts, opShift, opSet, opSts,
		opShift, opSet, opSts, opSts, opBra},
	ClimbShared:  {opShift, opLds, opSet, opSts, opBra},
	SearchShared: {opFind, opSet, opShift, opLds, opSet, opVote, opLds, opSet, opVote, opBra},
	MarkShared: {opShift, opSet, opSts, opShift, opSet, opSts, opShift, opSet, opSts,
		opShift, opSet, opSts, opBra},
	BeginBlock:   {opShift, opSts, opMad},
	LookForSlots: {opLds, opSet, opBra, opLds, opSet, opVote, opBra, opAdd, opSet},
	TakeSlots: {opLds, opSet, opBra, opAtoms, opSet, opBra, opAdd, opSts, opSts, opSts, opSts, opLocal,
		opSts, opLds, opSet, opVote, opBra, opAdd, opSet},
	PollSlot:   {opLds, opSet, opBra},
	EnterTask:  {opLds, opMad, opEntry, opEntry, opCall},
	LeaveWarp:  {opSet, opBra, opAtoms, opSet, opBra, opSts},
	LeaveBlock: {opSet, opBra, opSts, opSet, opBra, opSts, opLocal},
	LeaveTask:  {opStore},
}

// NewCode returns the MasterKernel's code. A load feeds the instruction after it
// and a comparison the branch after it, by register.
func NewCode() *Code {
	c := &Code{Function: trace.Function{Name: "pagoda_master_kernel"}}
	for b, ops := range listing {
		c.ranges[b][0] = uint32(len(c.Function.Insts))
		for _, o := range ops {
			c.Function.Insts = append(c.Function.Insts, o.inst(uint32(16*len(c.Function.Insts))))
		}
		c.ranges[b][1] = uint32(len(c.Function.Insts))
	}
	return c
}

// value and predicate carry the dependences from one instruction to the next.
const (
	value     = trace.RegGeneral | 4
	predicate = trace.RegPredicate | 0
)

func (o op) inst(pc uint32) trace.Inst {
	in := trace.Inst{PC: pc, Opcode: o.opcode, Class: o.class, Space: o.space, Flags: o.flags, Width: o.width}
	switch {
	case o.class == trace.ClassFence:
	case o.class == trace.ClassControl:
		in.Src = []trace.Reg{predicate}
	case o.flags == trace.InstStore || o.flags == trace.InstStore|trace.InstBypassL1:
		in.Src = []trace.Reg{value}
	case o == opSet || o == opVote:
		in.Dst, in.Src = []trace.Reg{predicate}, []trace.Reg{value}
	default:
		in.Dst, in.Src = []trace.Reg{value}, []trace.Reg{value}
	}
	return in
}
