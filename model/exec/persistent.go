package exec

import (
	"gpureplay/model/clock"
	"gpureplay/model/hardware"
	"gpureplay/model/program"
	"gpureplay/trace"
)

// PersistentCTA is a threadblock that stays on an SM for the whole run, as one of a
// MasterKernel. Its warps run programs of their runtime and warps of tasks, one at a time,
// as the [PersistentRuntime] decides. Between them they wait without issuing.
type PersistentCTA struct {
	s       *SM
	runtime PersistentRuntime
	cta     *CTA // its own programs are booked on it; observers do not see it
	warps   []persistentWarp
	l1      int // bytes that its shared memory leaves the L1
}

// PersistentRuntime runs the warps of a [PersistentCTA]. The SM calls it while it acts in
// cycle t: warps that it starts there may issue from t+1 on.
type PersistentRuntime interface {
	// ProgramEnded is called when a warp has issued the last instruction of a
	// program given by [PersistentCTA.Run].
	ProgramEnded(warp int, t Time)
	// WarpEnded is called when a warp has issued the last instruction of a task's warp given by
	// [PersistentCTA.RunWarp] or [PersistentCTA.Keep], and that the end of all of them is
	// known. If the pipeline books results at the end of a cycle, the calls of a cycle are
	// in the order of the warps' slots.
	WarpEnded(warp int, t Time)
}

// persistentWarp is one warp of a persistent CTA.
type persistentWarp struct {
	w    *Warp
	mem  []trace.Access // of the program that it runs
	open int32          // of its own programs' instructions that are open, while it has a task's
	last Time           // all of them are done that were known
}

// Reserve places a threadblock of the shape of k on an SM that has room for it.
func (s *SM) Reserve(k *Kernel, runtime PersistentRuntime) *PersistentCTA {
	most, _ := s.Config.Residency(k.Header) // others of its kind come beside it
	l1 := s.Config.L1Bytes(k.Header, most)
	if s.Used == (hardware.Resources{}) {
		s.port.Enter(l1, s.d.Now())
	}
	s.Used = s.Used.Plus(k.Resources)
	s.occupy(s.d.Now())
	s.persistents++
	r := &PersistentCTA{s: s, runtime: runtime, l1: l1,
		cta: &CTA{Kernel: k, SM: s, lastAt: clock.Unset}}
	for range k.Resources.Warps {
		_, w := s.takeSlot()
		w.persistent, w.place = r, int32(len(r.warps))
		r.warps = append(r.warps, persistentWarp{w: w})
	}
	return r
}

// SM is the SM that holds r.
func (r *PersistentCTA) SM() int { return r.s.ID }

// Warps is how many warps r has.
func (r *PersistentCTA) Warps() int { return len(r.warps) }

// Leave takes r off its SM in a cycle in which units act; its warps must be
// waiting.
func (r *PersistentCTA) Leave() {
	r.s.Used = r.s.Used.Minus(r.cta.Kernel.Resources)
	r.s.persistents--
	t := r.s.d.Now()
	if !r.s.acting {
		t-- // it does not act any more in this cycle
	}
	r.s.Vacate(t)
	for i := range r.warps {
		w := r.warps[i].w
		w.persistent = nil
		r.s.free |= 1 << r.s.Slot(w)
	}
}

// Acquire flushes the L1 of its SM in cycle t, so that tasks read data of other SMs.
func (r *PersistentCTA) Acquire(t Time) { r.s.port.Enter(r.l1, t) }

// Acknowledged is when the stores of the task's warp that has ended on a warp of r
// are acknowledged.
func (r *PersistentCTA) Acknowledged(warp int) Time { return r.warps[warp].w.last }

// Run lets a warp run a program from cycle t on, which is later than now. The program's
// accesses to global memory go to addr.
func (r *PersistentCTA) Run(warp int, p *Program, addr uint64, t Time) {
	v := &r.warps[warp]
	mem := p.mem
	if len(p.global) > 0 {
		v.mem = append(v.mem[:0], p.mem...)
		for _, i := range p.global {
			v.mem[i].Base = addr
		}
		mem = v.mem
	}
	v.w.last = max(v.w.last, v.last)
	r.enter(v.w, r.cta, program.Frame{Code: p.code, Path: p.path, Mem: mem, Mask: ^uint32(0)}, t)
}

// enter puts a warp into a frame of a CTA.
func (r *PersistentCTA) enter(w *Warp, c *CTA, f program.Frame, t Time) {
	w.CTA = c
	w.Begin(f)
	n := f.Code.Count
	if cap(w.bank) < n {
		w.bank = make([]Time, n)
	}
	w.Regs = w.bank[:n]
	clear(w.Regs)
	r.s.begin(w, t)
}

// Open brings a threadblock of a task with so many warps to r; none of them runs yet.
func (r *PersistentCTA) Open(c *CTA, warps int, t Time) {
	c.place(r.s, t)
	c.Live = warps
	r.s.CTAs = append(r.s.CTAs, c)
	r.s.d.Placed(c)
	if c.Live == 0 {
		r.s.End(c, t+1, 0)
	}
}

// RunWarp lets a warp of r run a warp of a threadblock from cycle t on. It reports
// whether the trace has work for it.
func (r *PersistentCTA) RunWarp(warp int, c *CTA, id uint32, t Time) bool {
	for i := range c.Trace.Warps {
		if c.Trace.Warps[i].ID != id {
			continue
		}
		w := r.warps[warp].w
		r.takes(w, c, t)
		w.ID, w.points = id, Points{NoPoint, NoPoint}
		if c.Points != nil {
			w.points = c.Points[i]
		}
		r.enter(w, c, c.program(i), t)
		return true
	}
	return false
}

// Keep keeps a warp of r for a threadblock whose work is inferred, from cycle t on until
// Over is called.
func (r *PersistentCTA) Keep(warp int, c *CTA, t Time) {
	r.takes(r.warps[warp].w, c, t)
}

// Over ends such a warp.
func (r *PersistentCTA) Over(warp int, t Time) {
	w := r.warps[warp].w
	w.last = t
	r.ended(w, t)
	r.s.leave(t)
}

func (r *PersistentCTA) takes(w *Warp, c *CTA, t Time) {
	r.s.Settle(t)
	r.s.Resident++
	c.slots |= 1 << r.s.Slot(w)
	v := &r.warps[w.place]
	v.open, v.last = w.open, w.last
	w.CTA, w.open, w.last, w.began, w.copies = c, 0, t, t, nil
}

// ended passes on the end of a program or task's warp.
func (r *PersistentCTA) ended(w *Warp, t Time) {
	c, s := w.CTA, r.s
	if c == r.cta {
		r.runtime.ProgramEnded(int(w.place), t)
		return
	}
	s.Settle(t + 1)
	s.Resident--
	s.d.Exited(c, w.began, t)
	c.slots &^= 1 << s.Slot(w)
	c.acked = max(c.acked, w.last, t+1)
	if c.Live--; c.Live == 0 {
		s.End(c, c.acked, 0)
	} else if c.Waiting > 0 {
		s.checkBarriers(c, t)
	}
	if w.leaves = true; w.open == 0 {
		s.leaves(w, t)
	}
}

// leaves notes in cycle t that the end of all instructions of a task's warp, which has
// exited, is known. The runtime hears of it at the end of the cycle if the pipeline books
// results there: an instruction that bypasses the collectors is booked before an older one
// that they hold.
func (s *SM) leaves(w *Warp, t Time) {
	s.leaving |= 1 << s.Slot(w)
	switch {
	case !s.pipe.Late():
		s.leave(t)
	case s.acting:
		s.closeAt(t)
	}
}

// leave notifies the runtimes of the warps of tasks that leave in cycle t.
func (s *SM) leave(t Time) {
	for ; s.leaving != 0; s.leaving &= s.leaving - 1 {
		w := &s.warps[trailing(s.leaving)]
		r := w.persistent
		w.CTA, w.open, w.leaves = r.cta, r.warps[w.place].open, false
		r.runtime.WarpEnded(int(w.place), t)
	}
}
