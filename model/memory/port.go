package memory

import (
	"gpureplay/model/memory/coalesce"
	"gpureplay/trace"
)

// System is the memory of a machine: the ports of its SMs and all behind them.
type System interface {
	// Port returns the port of an SM.
	Port(sm int) Port
	// Coalescer returns the coalescer that all SMs share, since they access one after another.
	Coalescer() *coalesce.Coalescer
	// Next returns the next cycle in which requests move, at its end; Never: none, or accesses are timed at once.
	Next() Time
	// Advance lets requests move at the end of cycle t. It returns the SMs whose units take instructions again, and
	// those with accesses whose completion is known now ([Port.Known]).
	Advance(t Time) (woken, known []int)
	// Warm leaves the bytes that a copy has written in the L2; of a copy larger than the L2 its last part.
	Warm(addr, bytes uint64, t Time)
	// Leave leaves bytes that kernels would have read or written in the L2, without traffic.
	Leave(addr, bytes uint64, written bool, t Time)
	// ReadSector reads a sector past the L1 of an SM for a unit of the machine, and returns when it is there.
	ReadSector(sm int, sector uint64, t Time) Time
	// WriteSector writes a whole sector past the L1 of an SM, and returns when it is acknowledged.
	WriteSector(sm int, sector uint64, t Time) Time
	// AtomicSector performs an atomic in a sector for an SM, which reaches the crossbar at t.
	AtomicSector(sm int, sector uint64, t Time) Time
	// Records returns the counts of each cache and channel, and their sums.
	Records() []Record
	// Total returns the counts of all slices and channels so far.
	Total() Traffic
	// Watch has a watcher told from now on.
	Watch(Watcher)
}

// Port is the load/store unit of an SM with its L1. In SM cycle t the SM calls
//
//   - Registers, before all else;
//   - Enter, when it turns to the CTAs of another kernel;
//   - Takes and Opens, from the collector pipeline, before it hands over an access;
//   - Into, where its pipeline has banks of registers, then Global, Shared, Constant or Nothing, for each access;
//   - WriteBack, at the end of the cycle, if Signals().Due <= t; it may let cycles pass while Signals().Wake > t, if it
//     calls WriteBack for the cycle before t before it does anything else in t;
//   - Known, behind [System.Advance] of cycle t, if that names the SM.
//
// Horizon and Signals may be asked at any time.
type Port interface {
	// Signals are read before each issue, without a call.
	Signals() *Signals
	// Registers says into which registers the write-back register writes.
	Registers(RegisterFile)
	// Enter flushes the L1 and gives it the bytes that the kernel's shared memory leaves.
	Enter(l1Bytes int, t Time)
	// Takes reports whether the unit takes an access from the operand collectors in cycle t.
	Takes(t Time) bool
	// Opens returns when, after t, the unit may take an access; Never: [System.Advance] tells.
	Opens(t Time) Time
	// Into says where the result of the next access is written.
	Into(to Destination)
	// Global times the sectors of the Coalescer, and counts them on w. It returns when a dependent instruction may
	// issue (of stores: when the last is acknowledged), or Unknown and the number by which Known tells.
	Global(w *Traffic, space trace.Space, flags trace.InstFlags, t Time) (done Time, load int32)
	// Shared times an access to shared memory that keeps the unit for so many cycles ([coalesce.Shared]). The
	// result is Global's.
	Shared(cycles Time, loads bool, t Time) (done Time, load int32)
	// Constant times an access to constant memory, or one that leaves the SM for no sector.
	Constant(t Time) (done Time, load int32)
	// Nothing times an access of no lane: it takes a slot of the unit.
	Nothing(t Time) (done Time, load int32)
	// WriteBack has the write-back register act up to the end of cycle t, and returns the accesses whose completion is
	// known now.
	WriteBack(t Time) []Done
	// Known returns the accesses whose completion has become known since the last call.
	Known() []Done
	// Horizon returns up to which cycle, exclusively, nothing happens to the unit that its SM does not do.
	Horizon() Time
}

// Signals are the times of a unit that its SM reads in each cycle.
type Signals struct {
	Full Time // until then the queue of accesses before the unit is full (direct pipeline)
	Due  Time // when the write-back register acts next; Never: it is empty
	Wake Time // when it may complete an access, at the soonest
}

// Unknown is later than any completion time that is known: the access is done later, at a time that is not known yet.
const Unknown Time = 1 << 56

// Done is an access whose completion has become known.
type Done struct {
	Load  int32
	Taken bool // an atomic that is not done: the write-back register has its last result
	At    Time // from when a dependent instruction may issue
}

// NoLoad is the number of an access whose completion is known when it issues.
const NoLoad = -1

// Destination is where the result of an access is written ([program.Op.Written]); the zero value: into no bank.
type Destination struct {
	Banks   uint32
	Subcore uint8
}

// RegisterFile is the registers of an SM, as the write-back register uses their banks.
type RegisterFile interface {
	// Write writes a result into banks of a sub-core in cycle at, as it is known in cycle t. It returns the banks
	// that are left, from the first on into which arithmetic writes in that cycle.
	Write(subcore uint8, banks uint32, at, t Time) (left uint32)
}

// WrittenAhead is how many cycles ahead the write-back register acts: all results that arithmetic writes in that cycle
// are known by then.
const WrittenAhead = 4
