package reference

import (
	"cmp"
	"math/bits"
	"slices"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// inst is the next instruction of a warp; nil behind its last. Behind the last of a
// body that it has run itself it goes on where it was.
func (w *nWarp) inst(n *Machine) *trace.Inst {
	for w.pc >= len(w.w.Path) {
		if len(w.callers) == 0 {
			return nil
		}
		w.nFrame, w.callers = w.callers[len(w.callers)-1], w.callers[:len(w.callers)-1]
	}
	return &n.prog.Functions[w.fn].Insts[w.w.Path[w.pc]]
}

// operands is when the registers of the next instruction are ready: only the warp's own issue changes that.
func (w *nWarp) operands(n *Machine) model.Time {
	in := w.inst(n)
	if w.known == w.nFrame && w.knownPC == w.pc {
		return w.there
	}
	w.known, w.knownPC, w.there = w.nFrame, w.pc, 0
	if in != nil {
		for _, regs := range [][]trace.Reg{in.Dst, in.Src} {
			for _, r := range regs {
				if !r.Zero() {
					w.there = max(w.there, w.regs[r])
				}
			}
		}
	}
	return w.there
}

// nTexture is the class of texture fetches without an access.
const nTexture = trace.Class(99)

// pipe is the class whose unit an instruction takes.
func (n *Machine) pipe(in *trace.Inst) trace.Class {
	switch in.Class {
	case trace.ClassOther:
		return trace.ClassInt
	case trace.ClassExit:
		if n.collects() {
			return trace.ClassInt
		}
		return trace.ClassControl
	case trace.ClassFence, trace.ClassLaunch, trace.ClassDeviceSync:
		return trace.ClassBarrier
	}
	if in.Class == trace.ClassMemory && in.Space == trace.SpaceTexture && in.Width == 0 {
		return nTexture
	}
	if in.Class == trace.ClassMemory && in.Space == trace.SpaceConstant && in.Width == 0 {
		if in.Opcode != "" && in.Opcode[0] == 'U' {
			return trace.ClassUniform
		}
		return trace.ClassInt
	}
	return in.Class
}

func (n *Machine) timing(c trace.Class) (latency, every model.Time) {
	e := &n.cfg.Exec
	u, ok := map[trace.Class]hardware.UnitConfig{
		trace.ClassInt: e.Int, trace.ClassFP16: e.FP16, trace.ClassFP32: e.FP32, trace.ClassFP64: e.FP64,
		trace.ClassSFU: e.SFU, trace.ClassTensor: e.Tensor, trace.ClassUniform: e.Uniform, trace.ClassControl: e.Control,
		nTexture: e.Texture,
	}[c]
	if !ok {
		return 1, 1
	}
	return model.Time(u.Latency), max(1, model.Time(u.Initiation))
}

func (s *nSM) unitFree(n *Machine, sched int, in *trace.Inst) bool {
	if in == nil {
		return true // it was held by its last instruction and has only to exit
	}
	if n.collects() {
		return s.coll.room(sched, in)
	}
	if n.pipe(in) == trace.ClassMemory {
		return s.lsu.takes() <= n.t
	}
	return s.free[sched][n.pipe(in)] <= n.t
}

func (s *nSM) can(n *Machine, sched int, w *nWarp) bool {
	return w != nil && w.hasInst(n) && w.page == nil && !w.kept && !w.holding && w.held == nil &&
		!w.fencedOff() && w.barrier < 0 &&
		!w.syncing && w.from <= n.t && w.operands(n) <= n.t && s.unitFree(n, sched, w.inst(n))
}

// choose picks a warp of a scheduler.
func (s *nSM) choose(n *Machine, sched int) (pick *nWarp) {
	step := len(s.last)
	places := len(s.slots) / step
	turns, youngest := n.cfg.SM.WarpScheduler == "lrr", n.cfg.SM.WarpScheduler == "gty"
	for i := range places {
		b := i
		if turns {
			b = (s.last[sched] + 1 + i) % places
		}
		w := s.slots[b*step+sched]
		if (pick == nil || !turns && w != nil && w.age < pick.age != youngest) && s.can(n, sched, w) {
			pick = w
		}
	}
	if l := s.last[sched]; !turns && l >= 0 && s.can(n, sched, s.slots[l*step+sched]) {
		pick = s.slots[l*step+sched]
	}
	return pick
}

// issue lets a warp of a scheduler issue. One whose access finds a page that it has
// to wait for leaves the scheduler, which takes another.
func (s *nSM) issue(n *Machine, sched int) {
	pick := s.choose(n, sched)
	for pick != nil && n.stalls(pick) {
		pick = s.choose(n, sched)
	}
	if pick == nil {
		return
	}
	s.last[sched] = pick.slot / len(s.last)
	first := pick.inst(n)
	pick.issue(n, sched)
	if n.cfg.SM.IssueWidth < 2 || pick.exited || pick.holding || pick.barrier >= 0 || pick.syncing || pick.from > n.t+1 {
		return
	}
	second := pick.inst(n)
	if pick.held != nil && second != nil {
		return
	}
	until, open := pick.until()
	fenced := first.Class == trace.ClassFence && (until > n.t || open)
	if n.over != nil && n.pipe(second) == trace.ClassMemory {
		return // pages are looked up for a scheduler's choice
	}
	if pick.atWait() {
		return
	}
	if n.pipe(second) != n.pipe(first) && !fenced && first.Class != trace.ClassBarrier && pick.operands(n) <= n.t &&
		s.unitFree(n, sched, second) && pick.hasInst(n) {
		pick.issue(n, sched)
	}
}

// stalls reports whether a warp that has been chosen has to wait for a page, a kernel or its task's turn.
func (n *Machine) stalls(w *nWarp) bool {
	return n.over != nil && n.over.stalls(w) || n.pdl != nil && n.pdl.stalls(w) || n.mega != nil && n.mega.stalls(w)
}

// issue issues the next instruction of w.
func (w *nWarp) issue(n *Machine, sched int) {
	s, in, t := w.cta.sm, w.inst(n), n.t
	if in == nil {
		w.exit(n)
		return
	}
	for _, m := range w.w.Masks {
		if int(m.At) <= w.pc {
			w.mask = m.Mask
		}
	}
	if n.pdl != nil {
		n.pdl.issues(w, false)
	}
	n.warpInsts++
	w.fenced = false
	w.copies.issued(in)
	if w.cta.item != nil {
		n.threadInsts += uint64(bits.OnesCount32(w.mask))
	}
	if w.buffer--; n.collects() {
		w.collect(n, sched, in)
		return
	}
	var done model.Time
	var h *nHeld
	if n.pipe(in) == trace.ClassMemory {
		done, h = s.lsu.access(n, w, in)
	} else {
		latency, every := n.timing(n.pipe(in))
		if in.Class == trace.ClassExit {
			if n.collects() {
				every = 1
			}
			w.last = max(w.last, t+model.Time(n.cfg.SM.ExitLatency))
		}
		s.free[sched][n.pipe(in)] = t + every
		done = t + latency + model.Time(n.cfg.SM.PipelineDepth)
	}
	result, tell := w.result(n, in)
	holds := in.Flags&trace.InstAtomic != 0 && n.cfg.SM.AtomicsHoldWarp && (in.Width == 0 || w.w.Mem[w.mem-1].Count > 0)
	w.pc++
	w.from = t + 1
	frame := w.nFrame
	holds = holds && w.inst(n) != nil
	if h != nil {
		h.result = w.answers(h, in, frame, holds)
		s.lsu.settle(h)
		tell(t) // not known yet
	} else {
		result(done)
		if in.Class == trace.ClassLaunch {
			w.ask(n)
		}
		tell(done)
		if holds {
			w.from = max(w.from, done-1)
		}
	}
	w.goOn(n, in)
}

// result returns two functions for the instruction that w issues: one books its completion, the other tells
// observers of it.
func (w *nWarp) result(n *Machine, in *trace.Inst) (book, tell func(done model.Time)) {
	t, frame, copying := n.t, w.nFrame, w.copies.copying
	book = func(done model.Time) {
		copying.finish(done)
		writes := false
		for _, r := range in.Dst {
			if !r.Zero() {
				frame.regs[r], writes = done, true
			}
		}
		if w.cta.posts && in.Flags&(trace.InstStore|trace.InstLoad) == trace.InstStore {
			w.posted = max(w.posted, done)
		} else if writes || n.pipe(in) == trace.ClassMemory {
			w.last = max(w.last, done)
		}
	}
	if w.cta.item == nil || w.added { // a program of a MasterKernel's own
		return book, func(model.Time) {}
	}
	key := [3]uint32{w.cta.k.id, w.cta.id, w.id}
	if w.cta.item.task != nil {
		key[0] = w.cta.item.def.id
	}
	return book, func(done model.Time) {
		n.insts[InstKey{key[0], key[1], key[2], n.count[key]}] = [2]model.Time{t, done}
		n.count[key]++
	}
}

// goOn brings w to its next step after an instruction.
func (w *nWarp) goOn(n *Machine, in *trace.Inst) {
	if w.inst(n) == nil && w.from == n.t+1 && !w.holding {
		w.exit(n)
		return
	}
	switch in.Class {
	case trace.ClassFence:
		w.copies.fence(in)
		w.fenced = true
		w.pastFence()
	case trace.ClassBarrier:
		w.barrier = int(in.Imm & 15)
		w.cta.reached[w.barrier] = n.t
		w.cta.release(n)
		w.cta.suspend(n)
	case trace.ClassDeviceSync:
		w.sync(n)
	}
}

func (w *nWarp) exit(n *Machine) {
	c := w.cta
	w.exited = true
	c.sm.slots[w.slot] = nil
	if c.worker == nil && n.cfg.SM.Collectors() { // its slot stays the CTA's
		c.sm.taken[w.slot] = true
		c.sm.exited[w.slot] = w
		c.kept = append(c.kept, w.slot)
		w.last = max(w.last, n.t+1)
	}
	if c.worker != nil && c.worker.mtb != nil {
		defer c.worker.mtb.ended(w)
	}
	if c.item == nil {
		return
	}
	if n.pdl != nil {
		n.pdl.issues(w, true)
	}
	n.childWarpEnded(w)
	for i, x := range c.warps {
		if x == w {
			c.warps = append(c.warps[:i:i], c.warps[i+1:]...)
			break
		}
	}
	c.acked, c.k.posted = max(c.acked, w.last, n.t+1), max(c.k.posted, w.posted)
	if len(c.warps) == 0 {
		if n.over != nil {
			c.post = n.over.postProfile(c)
		}
		c.ends = c.acked + c.post
		if c.opens > 0 {
			c.ends = -2 // not known yet
		}
		c.sm.ending = append(c.sm.ending, c)
		return
	}
	c.release(n)
	c.suspend(n)
}

// release opens the barrier reached last if every live warp waits at one.
func (c *nCTA) release(n *Machine) {
	best := -1
	for b := range c.reached {
		for _, w := range c.warps {
			if w.barrier == b && (best < 0 || c.reached[b] > c.reached[best]) {
				best = b
			}
		}
	}
	for _, w := range c.warps {
		if w.barrier < 0 {
			return
		}
	}
	for _, w := range c.warps {
		if w.barrier == best {
			if w.barrier, w.from = -1, n.t+1; n.collects() {
				w.from = n.t // schedulers that have not acted yet
			}
		}
	}
}

// InOrder numbers the instructions of a warp by their issue, then by their completion. Groups that have joined a
// kernel may have two CTAs of one number that issue in one cycle; their order is not defined.
func InOrder(insts map[InstKey][2]model.Time) map[InstKey][2]model.Time {
	warps := map[InstKey][][2]model.Time{}
	for k, v := range insts {
		k.N = 0
		warps[k] = append(warps[k], v)
	}
	all := map[InstKey][2]model.Time{}
	for k, list := range warps {
		slices.SortFunc(list, func(a, b [2]model.Time) int {
			return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
		})
		for i, v := range list {
			k.N = uint32(i)
			all[k] = v
		}
	}
	return all
}
