package exec

import (
	"math/bits"

	"gpureplay/model/clock"
)

// lane is what one scheduler has of the collectors. Sets of units and of pipes are bits;
// registers of banks have four bits each.
type lane struct {
	number uint8 // of the scheduler
	all    uint8 // units there are
	filled uint8 // those that have an instruction
	reads  uint8 // of them, those that have registers to read
	fresh  uint8 // those that were given in the first half of this step
	given  uint8 // units given back in the second dispatch of cycle at
	stands uint16
	bit    uint16 // of the lane in sets of them
	ready  uint16 // pipes for which a unit has all registers
	used   uint32 // banks read last in cycle at
	stuck  int    // instructions behind issue or in units
	at     Time
	latest Time // the last cycle of writes that are far
	units  [mostUnits]*operands
	left   [mostUnits]uint32 // registers that each has to read
	got    [mostUnits]uint64 // the order in which they got their instructions
	whole  [16]uint8         // units that have all registers, by the pipe
	behind [numPipes]*operands
	before [numPipes]*operands // where stands says so
	free   [numPipes]Time
	passed [numPipes]Time      // when something stood before the pipe last, at the end of the dispatches, if nothing stands there
	near   [nearWrites]written // of banks in the cycles that come next, by the cycle
	far    []written           // and of those behind them
}

const mostUnits = 8

// written says into which banks of a scheduler results are written in a cycle.
type written struct {
	at    Time
	banks uint32
}

// nearWrites is for how many cycles writes are kept together: nearly all are of pipes of a
// short latency, and the host would wait for memory that lies far.
const nearWrites = 16

func (l *lane) init(number, units int, longest Time) {
	ring := 4
	for Time(ring) <= longest+4 {
		ring *= 2
	}
	l.number, l.bit, l.all, l.far = uint8(number), 1<<number, uint8(1<<units-1), make([]written, ring)
	for p := range numPipes {
		l.passed[p] = clock.Unset - 1
	}
	l.at = clock.Unset - 1
}

// write notes, in cycle now, that a result is written into banks in cycle t.
func (l *lane) write(banks uint32, t, now Time) {
	switch d := t - now; {
	case d < 0: // it is noted late, and nobody reads any more in that cycle
		return
	case d < nearWrites:
		l.near[t&(nearWrites-1)].add(banks, t)
		return
	}
	l.far[int(t)&(len(l.far)-1)].add(banks, t)
	l.latest = max(l.latest, t)
}

func (w *written) add(banks uint32, t Time) {
	if w.at != t {
		w.at, w.banks = t, 0
	}
	w.banks |= banks
}

// written returns the banks into which results are written in cycle t.
func (l *lane) written(t Time) (banks uint32) {
	if w := &l.near[t&(nearWrites-1)]; w.at == t {
		banks = w.banks
	}
	if t <= l.latest {
		if w := &l.far[int(t)&(len(l.far)-1)]; w.at == t {
			banks |= w.banks
		}
	}
	return banks
}

// fill puts an instruction into a unit.
func (l *lane) fill(u uint8, e *operands, order uint64) {
	b := uint8(1) << u
	l.units[u], l.got[u], l.left[u] = e, order, e.o.Reads
	if l.filled |= b; e.o.Reads != 0 {
		l.reads |= b
	} else {
		l.has(u)
	}
}

// has notes that a unit has all registers of its instruction.
func (l *lane) has(u uint8) {
	p := l.units[u].pipe & 15
	l.whole[p] |= 1 << u
	l.ready |= 1 << p
}

// leave takes an instruction that has all its registers out of a unit.
func (l *lane) leave(u uint8) *operands {
	e := l.units[u]
	l.units[u] = nil
	l.filled &^= 1 << u
	if l.whole[e.pipe&15] &^= 1 << u; l.whole[e.pipe&15] == 0 {
		l.ready &^= 1 << e.pipe
	}
	l.stuck--
	return e
}

// read has each bank that is not used give a register to one of some units, that which
// asked first, and returns which banks are used then.
func (l *lane) read(units uint8, used uint32) uint32 {
	for units != 0 {
		u := uint8(bits.TrailingZeros8(units)) & (mostUnits - 1)
		for m := units & (units - 1); m != 0; m &= m - 1 {
			if v := uint8(bits.TrailingZeros8(m)) & (mostUnits - 1); l.got[v] < l.got[u] {
				u = v
			}
		}
		units &^= 1 << u
		left := l.left[u]
		gives := (left | left>>1 | left>>2 | left>>3) & eachBank &^ used
		used |= gives
		if l.left[u] = left - gives; left == gives {
			l.reads &^= 1 << u
			l.has(u)
		}
	}
	return used
}

// eachBank is a register of each bank.
const eachBank = 0x11111111

// moves reports whether a unit reads, or can give what it has to its pipe.
func (l *lane) moves() bool { return l.reads != 0 || l.gives() != 0 }

// gives returns the pipes that a unit can give its instruction to: nothing stands before them.
func (l *lane) gives() uint16 { return l.ready &^ l.stands }

// laneQueue is a queue of lanes, each in it once at most.
type laneQueue struct {
	list uint64 // of four bits, the first lowest
	many uint8
}

func (q *laneQueue) push(lane uint8) {
	q.list |= uint64(lane) << (4 * q.many & 63)
	q.many++
}

func (q *laneQueue) first() uint8 { return uint8(q.list) & (mostSchedulers - 1) }

func (q *laneQueue) pop() {
	q.list >>= 4
	q.many--
}
