package exec

import (
	"gpureplay/model/exec/collector"
	"gpureplay/model/exec/direct"
	"gpureplay/model/memory"
	"gpureplay/model/program"
	"gpureplay/trace"
)

// Pipeline carries instructions from the schedulers of an SM to their execution units.
// Packages direct and collector have one each; New chooses (`sm.pipeline`).
//
// An SM calls it in these phases of a cycle: Issue for each instruction of its schedulers;
// behind all schedulers Stops, then Close if the pipeline has requested it; behind all SMs
// Again, when the load/store unit takes instructions again.
type Pipeline interface {
	memory.RegisterFile
	// Units returns the unit that each unit shares its pipe with.
	Units() [16]program.Unit
	// Issue takes instruction o of a scheduler in cycle t. It shuts the gate of the pipe if the scheduler may not
	// issue to it in t+1. held < 0: the instruction has its unit. Then done is the time of its result, last the time
	// when it no longer keeps its CTA, and completed the latest Done of its record. The load/store unit times memory's
	// result. Else the instruction is held under a number until Booked or Take names it.
	Issue(scheduler uint8, o *program.Op, t Time) (done, last, completed Time, held int32)
	// Late reports whether results of a cycle are booked at its end.
	Late() bool
	// Stops reports whether Close in cycle t would use units that SMs share: an SM that
	// runs ahead of the machine goes no further.
	Stops(t Time) bool
	// Close ends cycle t: it moves held instructions, and results of memory to their
	// registers. It returns the next cycle with something to do; Never: none.
	Close(t Time) (next Time)
	// Again resumes instructions that wait for the load/store unit and returns when they act.
	Again(t Time) Time
}

// choosePipeline makes the pipeline that the configuration names. With collectors, as in
// GPGPU-Sim, schedulers take turns in acting first (shader_core_ctx::issue, Issue_Prio) and
// warps fetch instructions.
func (s *SM) choosePipeline() {
	c := &s.Config.SM
	if !c.Collectors() {
		s.pipe = direct.New(s.Timing, s.port, &s.Gates, toPipeline{s})
		s.port.Registers(s.pipe)
		return
	}
	s.pipe = collector.New(c, s.Timing, s.port, &s.Gates, toPipeline{s})
	s.port.Registers(s.pipe)
	s.rotates, s.keeps, s.fetch.width = true, true, c.FetchWidth
}

// toPipeline is the SM as its pipeline sees it.
type toPipeline struct{ s *SM }

// WakeSchedulers lets all schedulers look at their warps again in cycle t.
func (x toPipeline) WakeSchedulers(t Time) {
	x.s.at = min(x.s.at, t)
}

// CloseAt calls the pipeline's Close at the end of cycle t.
func (x toPipeline) CloseAt(t Time) { x.s.closeAt(t) }

// Booked sets the time at which a held instruction's result is there.
func (x toPipeline) Booked(held int32, done Time) {
	x.s.resolved(&x.s.held[held].load, done, 0)
}

// Take hands a held memory instruction to the load/store unit in cycle t.
func (x toPipeline) Take(held int32, t Time) {
	s := x.s
	h := s.held[held]
	var done Time
	var load int32
	if x, o := &h.access, h.load.o; x.cycles > 0 {
		done, load = s.port.Shared(x.cycles, o.Flags&trace.InstLoad != 0, t)
	} else {
		done, load = s.timed(x, o, h.load.c, t)
	}
	if load >= 0 {
		*s.unresolvedAt(load) = h.load
	}
	if done < memory.Unknown {
		s.resolved(&h.load, done, ofMemory)
	}
}

// Returned books the accesses whose completion time is known in cycle t.
func (x toPipeline) Returned(done []memory.Done, t Time) { x.s.tell(done, t) }

// heldInst is an instruction that the pipeline holds.
type heldInst struct {
	load   unresolved
	access memRequest
	own    trace.Access
	list   []uint64 // its addresses
}

// holdInst keeps an instruction of w that the pipeline holds under a number.
func (s *SM) holdInst(held int32, w *Warp, o *program.Op) *heldInst {
	for int(held) >= len(s.held) {
		s.held = append(s.held, new(heldInst))
	}
	h := s.held[held]
	h.load.set(w, o)
	return h
}

// promise notes that the result of o is there at an unknown time.
func (s *SM) promise(w *Warp, o *program.Op, flag Time) {
	w.open++
	w.CTA.open++
	o.Write(w.Regs, memory.Unknown<<1|flag)
}

// holdAccess issues a memory instruction of w that the pipeline holds. It returns when w
// may issue again.
func (s *SM) holdAccess(held int32, w *Warp, o *program.Op, t Time) Time {
	if s.watched {
		s.tellInst(w, w.Code, w.Path[w.PC], t, t)
	}
	h := s.holdInst(held, w, o)
	if o.Mem && o.Space == trace.SpaceShared { // its cycles say all
		h.access.cycles = s.sharedCycles(&w.Mem[w.NextMem], w.Lists, uint64(o.Width))
		w.NextMem++
	} else {
		h.access.ask(s, w, o)
		if s.Accesses != nil && h.access.global(o) {
			s.watch(w, o, h.access.a, t)
			s.tellAccess(t)
		}
		h.keep()
	}
	s.promise(w, o, ofMemory)
	h.load.holds = o.Flags&trace.InstAtomic != 0 && s.atomicHolds(w, o)
	w.PC++
	if h.load.holds {
		w.held, s.holding = true, true
		return memory.Unknown
	}
	return t + 1
}

// keep copies the access: the program of a warp may make room for the next.
func (h *heldInst) keep() {
	x := &h.access
	if x.a == nil {
		return
	}
	h.own = *x.a
	if a := &h.own; a.List != 0 {
		h.list = append(h.list[:0], x.lists[a.List-1:][:a.Count]...)
		x.lists, a.List = h.list, 1
	}
	x.a = &h.own
}
