package klap

import (
	"math/bits"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// The instructions that the added code consists of.
const (
	selInst    = iota
	setInst    // a comparison
	braInst    // a branch on it
	addInst    // and every other operation of one cycle's unit
	rcpInst    // reciprocal
	shuffle    // from another lane
	vote       // over the lanes
	atomInst   // on a 64-bit word
	storeInst  // of a word
	loadInst   // of one
	putInst    // into shared memory
	getInst    // from it
	barInst    // all threads of the CTA
	launchInst // the call, or the record that takes its place
)

const (
	value     = trace.RegGeneral | 4
	predicate = trace.RegPredicate | 0
	barrierID = 15 // apart from the program's own
)

// Function is the added code's: a warp executes some of its instructions.
var Function = function()

func function() *trace.Function {
	regs := func(r ...trace.Reg) []trace.Reg { return r }
	global := func(opcode string, flags trace.InstFlags, width uint32) trace.Inst {
		return trace.Inst{Opcode: opcode, Class: trace.ClassMemory, Space: trace.SpaceGlobal, Flags: flags, Width: width}
	}
	f := &trace.Function{Name: "klap", Insts: make([]trace.Inst, launchInst+1)}
	for i, opcode := range map[int]string{selInst: "SEL", addInst: "IADD3", shuffle: "SHFL", vote: "VOTE"} {
		f.Insts[i] = trace.Inst{Opcode: opcode, Class: trace.ClassInt, Dst: regs(value), Src: regs(value)}
	}
	f.Insts[setInst] = trace.Inst{Opcode: "ISETP", Class: trace.ClassInt, Dst: regs(predicate), Src: regs(value)}
	f.Insts[braInst] = trace.Inst{Opcode: "BRA", Class: trace.ClassControl, Src: regs(predicate)}
	f.Insts[rcpInst] = trace.Inst{Opcode: "MUFU.RCP", Class: trace.ClassSFU, Dst: regs(value), Src: regs(value)}
	f.Insts[atomInst] = global("ATOM.ADD.64", trace.InstLoad|trace.InstStore|trace.InstAtomic, 8)
	f.Insts[storeInst] = global("STG", trace.InstStore, 4)
	f.Insts[loadInst] = global("LDG", trace.InstLoad, 4)
	f.Insts[putInst] = trace.Inst{Opcode: "STS", Class: trace.ClassMemory, Space: trace.SpaceShared,
		Flags: trace.InstStore, Width: 4}
	f.Insts[getInst] = trace.Inst{Opcode: "LDS", Class: trace.ClassMemory, Space: trace.SpaceShared,
		Flags: trace.InstLoad, Width: 4}
	f.Insts[barInst] = trace.Inst{Opcode: "BAR", Class: trace.ClassBarrier, Imm: barrierID}
	f.Insts[launchInst] = trace.Inst{Opcode: "LAUNCH", Class: trace.ClassLaunch, Src: regs(value)}
	for i := range f.Insts {
		in := &f.Insts[i]
		in.PC = uint32(16 * i)
		if in.Class != trace.ClassMemory {
			continue
		}
		in.Src = regs(value)
		if in.Flags&trace.InstLoad != 0 {
			in.Dst = regs(value)
		}
	}
	return f
}

// Code writes the code of warps. Its results are valid until the next call.
type Code struct {
	Words int // of a request's arguments that differ between threads

	w    trace.Warp
	all  uint32 // lanes of the warp
	mask uint32
	out  model.AddedCode
}

// begin begins the code of a warp of so many threads.
func (c *Code) begin(threads uint32) {
	c.all = uint32(1<<min(threads, hardware.WarpSize) - 1)
	c.w.Path, c.w.Masks, c.w.Mem, c.mask = c.w.Path[:0], c.w.Masks[:0], c.w.Mem[:0], 0
	c.lanes(c.all)
}

func (c *Code) end() *model.AddedCode {
	c.out = model.AddedCode{Function: Function, Warp: &c.w}
	return &c.out
}

// lanes sets which lanes execute the following code.
func (c *Code) lanes(mask uint32) {
	if mask != c.mask {
		c.w.Masks = append(c.w.Masks, trace.MaskRun{At: uint32(len(c.w.Path)), Mask: mask})
		c.mask = mask
	}
}

func (c *Code) do(insts ...uint32) { c.w.Path = append(c.w.Path, insts...) }

// access executes a memory instruction: the first active lane has the address base, and each one behind it an
// address further by stride.
func (c *Code) access(inst uint32, base uint64, stride int32) {
	c.do(inst)
	c.w.Mem = append(c.w.Mem, trace.Access{Base: base, Stride: stride, Count: uint32(bits.OnesCount32(c.mask))})
}

// Slots are the places of a granularity's threads in the pool: an array for each
// word of the arguments, and one for the grid sizes, summed up. (The public code keeps
// room for grid size, block size and shared memory in any case.)
type Slots struct {
	Base    uint64
	Threads uint64
	Words   int
}

// SlotBytes is the size of a thread's slot in bytes.
func SlotBytes(words int) uint64 { return uint64(4*words) + 12 }

// Bytes is the size of all slots.
func (s Slots) Bytes() uint64 { return s.Threads * SlotBytes(s.Words) }

func (s Slots) word(i int, thread uint64) uint64 { return s.Base + 4*(uint64(i)*s.Threads+thread) }
func (s Slots) scan(thread uint64) uint64        { return s.word(s.Words, thread) }

// Counter is the word from which the pool is shared out, and below it that which
// counts the records of a kernel.
const Counter = 1 << 62

// steps is the inclusive sum over the lanes of a warp: five shuffles and additions.
func (c *Code) steps() {
	for range 5 {
		c.do(shuffle, addInst)
	}
}

// store stores the arguments, and the sum of the grid sizes, of each lane.
func (c *Code) store(s Slots, thread uint64) {
	for i := range s.Words {
		c.access(storeInst, s.word(i, thread), 4)
	}
	c.access(storeInst, s.scan(thread), 4)
}

// Warp is the launch of a warp's requests together (section II.A). The grid size is 0 in lanes that ask for
// nothing, and lane 0 takes room in the pool. Every lane stores its arguments and the sum of the grid sizes up to
// its own, and the last one launches.
func (c *Code) Warp(s Slots, threads uint32) *model.AddedCode {
	c.begin(threads)
	c.do(setInst, selInst)
	c.lanes(1)
	c.access(atomInst, Counter, 0)
	c.lanes(c.all)
	c.do(shuffle, addInst)
	c.steps()
	c.store(s, 0)
	c.do(shuffle, setInst, braInst, launchInst)
	return c.end()
}

// Block is the part of a warp in the launch of a block's requests together: two
// barriers in the sum, and one before the launch.
func (c *Code) Block(s Slots, warp, threads uint32) *model.AddedCode {
	c.begin(threads)
	c.do(setInst, selInst)
	if warp == 0 {
		c.lanes(1)
		c.access(atomInst, Counter, 0)
		c.access(putInst, 0, 0)
		c.lanes(c.all)
	}
	c.steps()
	c.lanes(highest(c.all))
	c.access(putInst, 4+4*uint64(warp), 0)
	c.lanes(c.all)
	c.do(barInst)
	if warp == 0 {
		c.access(getInst, 4, 4)
		c.steps()
		c.access(putInst, 4, 4)
	}
	c.do(barInst)
	c.access(getInst, 0, 0)
	c.access(getInst, 4*uint64(warp), 0)
	c.do(addInst, addInst)
	c.store(s, uint64(warp)*hardware.WarpSize)
	c.do(barInst, setInst, braInst, launchInst)
	return c.end()
}

// Barrier is the block's launch without its code: all threads come, the last launches.
func (c *Code) Barrier(threads uint32) *model.AddedCode {
	c.begin(threads)
	c.do(barInst, launchInst)
	return c.end()
}

// Record replaces a launch where the host launches when the kernel has ended (section II.B). Each asking lane adds
// itself and its CTAs to a counter by one atomic, and stores its arguments and the sum at the index that it got.
// first is the first of these indices.
func (c *Code) Record(s Slots, first uint64, asking, threads uint32) *model.AddedCode {
	c.begin(threads)
	c.do(setInst, braInst)
	c.lanes(asking)
	c.access(atomInst, Counter+8, 0)
	c.do(addInst, addInst, addInst)
	c.store(s, first)
	c.do(launchInst)
	return c.end()
}

func highest(mask uint32) uint32 { return 1 << (31 - bits.LeadingZeros32(mask)) }
