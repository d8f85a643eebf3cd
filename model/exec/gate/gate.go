// Package gate is the gates between the warp schedulers of an SM and their pipes. A pipeline shuts the gate of a pipe
// that takes no instruction; the SM reads which warps stand before a gate that is shut.
package gate

import (
	"math/bits"

	"gpureplay/model/clock"
	"gpureplay/model/program"
)

// Time is in cycles of the SM clock.
type Time = clock.Time

// MostSchedulers is how many schedulers an SM has at most.
const MostSchedulers = 16

// Gates are the gates of an SM: one for each scheduler and pipe. A unit stands for its pipe. Sets of warps are bits by
// hardware slot.
type Gates struct {
	Stopped    uint64                 // warps before a gate that is shut
	Next       Time                   // when a gate opens by itself, at the soonest; Never: none does
	Of         [MostSchedulers]uint64 // warps of each scheduler: their slots modulo the number of schedulers
	Needs      [16]uint64             // warps whose next instruction takes the pipe of a unit
	shut       [16]uint64             // warps of the schedulers whose gate of a unit is shut
	schedulers int
	timed      uint16 // units with a gate that opens by itself
	until      [16][MostSchedulers]Time
}

// Init makes all gates open, for warps in so many slots. All warps need the pipe of the first unit.
func (g *Gates) Init(schedulers, slots int) {
	g.Next, g.schedulers = clock.Never, schedulers
	g.Needs[0] = ^uint64(0)
	for i := range schedulers {
		for u := range g.until {
			g.until[u][i] = clock.Never
		}
		for slot := i; slot < slots; slot += schedulers {
			g.Of[i] |= 1 << slot
		}
	}
}

// Place notes the unit whose pipe the next instruction of the warp in a slot takes, and the unit that was noted before.
func (g *Gates) Place(slot uint8, before, u program.Unit) {
	b := uint64(1) << (slot & 63)
	if before != u {
		g.Needs[before&15] &^= b
		g.Needs[u&15] |= b
	}
	g.Stopped = g.Stopped&^b | g.shut[u&15]&b
}

// Shut shuts a gate until it is opened.
func (g *Gates) Shut(scheduler uint8, u program.Unit) {
	of := g.Of[scheduler&(MostSchedulers-1)]
	g.shut[u&15] |= of
	g.Stopped |= g.Needs[u&15] & of
}

// Open opens a gate.
func (g *Gates) Open(scheduler uint8, u program.Unit) {
	of := g.Of[scheduler&(MostSchedulers-1)]
	g.shut[u&15] &^= of
	g.Stopped &^= g.Needs[u&15] & of
}

// ShutUntil shuts a gate until a cycle.
func (g *Gates) ShutUntil(scheduler uint8, u program.Unit, until Time) {
	g.Shut(scheduler, u)
	g.timed |= 1 << (u & 15)
	g.until[u&15][scheduler&(MostSchedulers-1)] = until
	g.Next = min(g.Next, until)
}

// OpenDue opens the gates that are due in cycle t.
func (g *Gates) OpenDue(t Time) {
	g.Next = clock.Never
	for m := g.timed; m != 0; m &= m - 1 {
		u := program.Unit(bits.TrailingZeros16(m))
		next := clock.Never
		for i := range g.schedulers {
			until := &g.until[u&15][i&(MostSchedulers-1)]
			if *until <= t {
				*until = clock.Never
				g.Open(uint8(i), u)
			}
			next = min(next, *until)
		}
		if g.Next = min(g.Next, next); next == clock.Never {
			g.timed &^= 1 << (u & 15)
		}
	}
}
