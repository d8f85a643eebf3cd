// Package direct is the pipeline of an SM whose instructions are at their units when they issue. Each unit of a
// sub-core takes one in its initiation interval, and the time of a result is known at issue. Instructions for
// memory wait in the load/store unit.
package direct

import (
	"gpureplay/model/clock"
	"gpureplay/model/exec/gate"
	"gpureplay/model/memory"
	"gpureplay/model/program"
	"gpureplay/trace"
)

// Time is in cycles of the SM clock.
type Time = clock.Time

// SM is the part of an SM that its pipeline acts on.
type SM interface {
	// WakeSchedulers lets all schedulers look at their warps again in cycle t.
	WakeSchedulers(t Time)
	// Returned books the accesses whose completion time is known in cycle t.
	Returned(done []memory.Done, t Time)
}

// Pipeline has the units of an SM.
type Pipeline struct {
	sm     SM
	port   memory.Port
	times  *memory.Signals
	timing *program.Timing
	gates  *gate.Gates
}

// New makes the pipeline of an SM.
func New(t *program.Timing, port memory.Port, g *gate.Gates, sm SM) *Pipeline {
	return &Pipeline{sm, port, port.Signals(), t, g}
}

// Issue takes instruction o in cycle t.
func (p *Pipeline) Issue(scheduler uint8, o *program.Op, t Time) (done, last, completed Time, held int32) {
	u := o.Unit & 15
	if u == program.UnitMemory {
		return 0, 0, clock.Never, -1
	}
	done = t + p.timing.Latency[u]
	if o.Dst > 0 {
		last = done
	}
	if u < program.UnitNone {
		if o.Class == trace.ClassExit {
			last = max(last, t+p.timing.Exit)
		}
		if o.Class != trace.ClassExit || u != program.UnitInt { // EXIT needs the first stage of the integer pipe alone
			if every := p.timing.Every[u]; every > 1 {
				p.gates.ShutUntil(scheduler, u, t+every)
			}
		}
	}
	return done, last, done, -1
}

// Units returns the unit that each unit shares its pipe with: itself.
func (p *Pipeline) Units() (all [16]program.Unit) {
	for u := range all {
		all[u] = program.Unit(u)
	}
	return all
}

// Late reports that results are booked as their instructions issue.
func (p *Pipeline) Late() bool { return false }

// Stops reports that no instruction waits for the end of a cycle.
func (p *Pipeline) Stops(Time) bool { return false }

// Close writes a result of memory back at the end of cycle t.
func (p *Pipeline) Close(t Time) (next Time) {
	if p.times.Due <= t {
		p.sm.Returned(p.port.WriteBack(t), t)
	}
	return p.times.Wake
}

// Write writes a result of memory into its banks: every bank has a port for it.
func (p *Pipeline) Write(uint8, uint32, Time, Time) (left uint32) { return 0 }

// Again resumes warps whose next instruction is for memory in cycle t: the load/store unit
// takes instructions again.
func (p *Pipeline) Again(t Time) Time {
	p.sm.WakeSchedulers(t)
	return t
}
