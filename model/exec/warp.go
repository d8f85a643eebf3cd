package exec

import "gpureplay/model/program"

// Warp is one warp on an SM. The fields that each instruction uses come first. Its size is six
// lines of the host's caches, so that each begins with one.
type Warp struct {
	CTA           *CTA
	op            *program.Op // the next instruction; nil: it has none
	sched         uint8
	slot          uint8
	unit          program.Unit // of the next instruction
	reason        Stall
	fenced        bool // ready when all that it issued is done
	held          bool // by an atomic with an unknown completion time
	parked        bool // until is known when its operands are there
	awaits        bool // while it is fenced: groups of asynchronous copies alone
	ID            uint32
	open          int32 // its accesses with an unknown completion time
	ready         Time  // operands of the next instruction; memory.Unknown: not known yet
	floor         Time  // while that is not known: it is ready no sooner, for another reason
	last          Time  // everything that it issued is done, stores acknowledged
	posted        Time  // but for those that do not keep its CTA: when they are
	program.Stack       // its programs
	began         Time
	bank          []Time         // registers of its own program
	persistent    *PersistentCTA // nil: an ordinary warp
	copies        *copies        // nil: it has issued none
	begins        Time           // when it may get its first instructions
	kept          Time           // its floor, while it is starved
	has           uint8          // instructions that it has got and not issued
	starved       bool           // it waits for some
	leaves        bool           // its residence, when all that it has issued is known
	place         int32          // its number in persistent
	points        Points         // that it has not come to
}
