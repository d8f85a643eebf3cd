package collector

import (
	"math/bits"

	"gpureplay/model/clock"
)

// subcore is one scheduler's part of the collectors. Sets of units and of pipes are bits;
// registers of banks have four bits each.
type subcore struct {
	number  uint8  // of the scheduler
	all     uint8  // units there are
	taken   uint8  // units with an instruction
	reads   uint8  // of them, those with registers to read
	fresh   uint8  // units allocated in the first half of this step
	late    uint8  // units whose instruction goes in the next step's first half, unless another goes before
	freed   uint8  // units that the second dispatch of cycle at freed
	prior   uint8  // units that it freed so in the cycle before, where one is lent
	lent    uint8  // the unit that is lent in cycle at
	kept    uint16 // pipes for whose late instruction a bus is kept
	filled  uint16 // pipes with an instruction in their input register
	outputs uint16 // pipes with an instruction in their output register
	bit     uint16 // of the sub-core in sets of them
	ready   uint16 // pipes with an instruction in a unit that has all its registers
	used    uint32 // banks read last in cycle at
	first   uint32 // where a unit is lent: banks that give no register at the first read of cycle at
	second  uint32 // and those that the instruction in it reads at the second
	at      Time
	latest  Time // the last cycle in far
	units   [mostUnits]*inst
	whole   [16]uint8           // units that have all registers, by the pipe
	input   [16]*inst           // the register behind issue of each pipe
	output  [16]*inst           // the register before each pipe, valid where outputs has its bit
	free    [16]Time            // each pipe takes an instruction from then on
	passed  [16]Time            // the last cycle at whose dispatches an empty output register was full
	near    [nearWrites]written // of banks in the next cycles, by the cycle
	far     []written           // and of those behind them
}

const mostUnits = 8

// written says into which banks of a scheduler results are written in a cycle.
type written struct {
	at    Time
	banks uint32
}

// nearWrites is for how many cycles writes are kept together: nearly all are of pipes of a
// short latency, and the table stays in the host's caches.
const nearWrites = 16

func (s *subcore) init(number, units int, longest Time) {
	ring := 4
	for Time(ring) <= longest+4 {
		ring *= 2
	}
	s.number, s.bit, s.all, s.far = uint8(number), 1<<number, uint8(1<<units-1), make([]written, ring)
	for p := range numPipes {
		s.passed[p] = clock.Unset - 1
	}
	s.at = clock.Unset - 1
}

// write notes, in cycle now, that a result is written into banks in cycle t.
func (s *subcore) write(banks uint32, t, now Time) {
	switch d := t - now; {
	case d < 0: // it is noted late: reads of that cycle are over
		return
	case d < nearWrites:
		s.near[t&(nearWrites-1)].add(banks, t)
		return
	}
	s.far[int(t)&(len(s.far)-1)].add(banks, t)
	s.latest = max(s.latest, t)
}

func (w *written) add(banks uint32, t Time) {
	if w.at != t {
		w.at, w.banks = t, 0
	}
	w.banks |= banks
}

// written returns the banks into which results are written in cycle t.
func (s *subcore) written(t Time) (banks uint32) {
	if w := &s.near[t&(nearWrites-1)]; w.at == t {
		banks = w.banks
	}
	if t <= s.latest {
		if w := &s.far[int(t)&(len(s.far)-1)]; w.at == t {
			banks |= w.banks
		}
	}
	return banks
}

// has notes that a unit has all registers of its instruction.
func (s *subcore) has(u uint8, e *inst) {
	p := e.pipe & 15
	s.whole[p] |= 1 << u
	s.ready |= 1 << p
}

// firstWhole returns the first unit that has all registers of an instruction for the first of some pipes.
func (s *subcore) firstWhole(pipes uint16) uint8 {
	return uint8(bits.TrailingZeros8(s.whole[bits.TrailingZeros16(pipes)&15])) & (mostUnits - 1)
}

// lateFor returns the late instruction for a pipe; nil: there is none.
func (s *subcore) lateFor(p pipe) *inst {
	for m := s.late; m != 0; m &= m - 1 {
		if e := s.units[bits.TrailingZeros8(m)&(mostUnits-1)]; e.pipe&15 == p {
			return e
		}
	}
	return nil
}

// leave takes an instruction that has all its registers out of a unit.
func (s *subcore) leave(u uint8, e *inst) {
	p := e.pipe & 15
	s.taken &^= 1 << u
	if s.whole[p] &^= 1 << u; s.whole[p] == 0 {
		s.ready &^= 1 << p
	}
}

// read takes a register from each unused bank, for the unit of some that was allocated
// first, and returns the banks that are used then.
func (s *subcore) read(units uint8, used uint32) uint32 {
	for units != 0 {
		u := uint8(bits.TrailingZeros8(units)) & (mostUnits - 1)
		e := s.units[u]
		for m := units & (units - 1); m != 0; m &= m - 1 {
			v := uint8(bits.TrailingZeros8(m)) & (mostUnits - 1)
			if x := s.units[v]; x.given < e.given {
				u, e = v, x
			}
		}
		units &^= 1 << u
		gives := each(e.left, used)
		used |= gives
		if e.left -= gives; e.left == 0 {
			s.reads &^= 1 << u
			s.has(u, e)
		}
	}
	return used
}

// each returns a register of each bank, among some, that is not used.
func each(left, used uint32) uint32 { return (left | left>>1 | left>>2 | left>>3) & eachBank &^ used }

// eachBank is a register of each bank.
const eachBank = 0x11111111

// moves reports whether a unit reads a register or can dispatch.
func (s *subcore) moves() bool { return s.reads != 0 || s.dispatches() != 0 }

// dispatches returns the pipes that a unit can dispatch to: their output registers are empty.
func (s *subcore) dispatches() uint16 { return s.ready &^ s.outputs }

// coreQueue is a queue of sub-cores, each in it once at most.
type coreQueue struct {
	list uint64 // of four bits, the first lowest
	many uint8
}

func (q *coreQueue) push(core uint8) {
	q.list |= uint64(core) << (4 * q.many & 63)
	q.many++
}

func (q *coreQueue) first() uint8 { return uint8(q.list) & (mostCores - 1) }

// place returns how many sub-cores are before one that is in the queue.
func (q *coreQueue) place(core uint8) (before int) {
	for list := q.list; uint8(list)&(mostCores-1) != core; list >>= 4 {
		before++
	}
	return before
}

func (q *coreQueue) pop() {
	q.list >>= 4
	q.many--
}
