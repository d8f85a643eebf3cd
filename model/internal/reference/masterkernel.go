package reference

import (
	"slices"

	"gpureplay/model"
	"gpureplay/policies/pagoda"
	"gpureplay/trace"
)

// nMTB is a MasterKernel threadblock: warp 0 schedules, the others execute.
type nMTB struct {
	r      *nPagoda
	column int
	state  *pagoda.MTB
	w      *nWorker
	own    *nCTA // of its programs
	next   pagoda.Block
	parked bool
	since  model.Time
	execs  []nExecutor
	open   []*nOpen
	last   []model.Time         // of each warp: all that it issued is done
	later  map[model.Time][]int // executor warps that leave their tasks in a cycle to come
}

// nExecutor is the state of an executor warp: it enters a task, runs it or leaves it.
type nExecutor struct {
	entering bool
	x        *nTask
	id       pagoda.ID
	open     *nOpen
	warp     uint32
}

// nOpen is a threadblock of a task with warps that have not left.
type nOpen struct {
	x     *nTask
	block uint32
	left  int
	cta   *nCTA
}

// run lets a warp run some instructions of the MasterKernel from cycle t on.
func (b *nMTB) run(warp int, first, last pagoda.Block, id pagoda.ID, t model.Time) {
	from, _ := b.r.code.Range(first)
	_, to := b.r.code.Range(last)
	p := &trace.Warp{}
	for i := from; i < to; i++ {
		p.Path = append(p.Path, i)
		if in := &b.r.code.Function.Insts[i]; in.Width > 0 && in.Space == trace.SpaceGlobal {
			p.Mem = append(p.Mem, trace.Access{Base: 1<<57 + b.r.entry*uint64(id), Count: 32})
		} else if in.Width > 0 {
			p.Mem = append(p.Mem, trace.Access{Stride: int32(in.Width), Count: 32})
		}
	}
	b.seat(warp, &nWarp{nFrame: frameOf(b.r.fn, p), id: uint32(warp), cta: b.own, barrier: -1, began: t, from: t,
		last: b.last[warp], waits: noWait})
}

func (b *nMTB) seat(warp int, w *nWarp) {
	w.slot, w.age, w.place = b.w.slots[warp], b.w.ages[warp], warp
	b.w.sm.slots[w.slot] = w
}

// wake lets an idle scheduler warp go on if it has something to do; its place in the
// column has moved on.
func (b *nMTB) wake() {
	t, c := b.r.u.n.t, b.r.u.n.cfg
	if !b.parked || b.state.Idling() {
		return
	}
	b.parked = false
	entry := max(1, c.L1.BypassLatency+2*c.Icnt.Latency+c.L2.Latency+1+3*(c.Exec.Int.Latency+c.SM.PipelineDepth))
	b.state.Coast(uint64((t-b.since)/model.Time(entry)) * uint64(max(1, b.r.mtb.ScanRows)))
	b.step()
}

func (b *nMTB) step() {
	t := b.r.u.n.t
	if b.state.Idling() {
		b.parked, b.since = true, t
		return
	}
	b.next = b.state.Next()
	b.run(0, b.next, b.next, b.state.Entry(), t+1)
}

// behind tells an MTB of the completion of an instruction of c whose warp has exited. A warp of a task leaves it
// with the last one; a program that the MTB runs now may have to wait.
func (w *nWarp) behind(c *nCTA, done model.Time) {
	if c.worker == nil || c.worker.mtb == nil {
		return
	}
	b := c.worker.mtb
	if c != b.own {
		if w.last = max(w.last, done); c.open[w.id] == 0 {
			w.leaves(b)
		}
		return
	}
	b.last[w.place] = max(b.last[w.place], done)
	if x := c.sm.slots[w.slot]; x != nil && x.cta == c {
		x.last, x.known = max(x.last, done), nil
		x.pastFence()
	}
}

// ended: a warp has come to the end of its program.
func (b *nMTB) ended(w *nWarp) {
	n := b.r.u.n
	b.last[w.place] = max(b.last[w.place], w.last)
	e := &b.execs[max(0, w.place-1)]
	switch {
	case w.place == 0:
		b.scheduled()
	case w.cta != b.own:
		if w.cta.open[w.id] == 0 {
			w.leaves(b)
		}
	case e.entering:
		e.entering = false
		for _, x := range e.open.cta.warps {
			if x.id == e.warp {
				x.began, x.from, x.last = n.t+1, n.t+1, n.t+1
				b.seat(w.place, x)
				return
			}
		}
		b.leave(w.place, n.t)
	default:
		if b.state.WarpDone(w.place - 1).Task {
			e.x.end = max(e.x.end, n.t+1)
		}
		b.wake()
	}
}

// scheduled goes on behind a stretch of the scheduler warp.
func (b *nMTB) scheduled() {
	n := b.r.u.n
	released := b.next == pagoda.ReleasePrev || b.next == pagoda.BeginTask && b.r.mtb.Successor
	freed := b.state.Entry()
	if b.next == pagoda.ReleasePrev {
		freed = pagoda.ID(b.r.table.GPU(freed).Ready)
	}
	if x := b.r.entries[freed]; released && x != nil && x.schedulable < 0 {
		x.schedulable = n.t
	}
	for _, s := range b.state.Apply() {
		b.begin(s)
	}
	if released {
		n.post(n.t+1, nTaskPhase, b.r.look)
	}
	b.step()
}

// begin sends an executor warp into a task, the first of a threadblock opens it.
func (b *nMTB) begin(s pagoda.Start) {
	n, id := b.r.u.n, b.state.Slot(s.Slot).Entry
	x := b.r.entries[id]
	i := slices.IndexFunc(b.open, func(o *nOpen) bool { return o.x == x && o.block == s.Block })
	if i < 0 {
		item := &nItem{tc: x.k.items[s.Block].tc, def: x.k, task: x}
		c := &nCTA{k: x.k, sm: b.w.sm, item: item, id: item.tc.ID, placed: n.t, ends: -1, worker: b.w}
		for j := range item.tc.Warps {
			tw := &item.tc.Warps[j]
			c.warps = append(c.warps, &nWarp{nFrame: frameOf(x.k.tk.Function, tw), id: tw.ID, cta: c, barrier: -1,
				waits: noWait})
		}
		x.placed(n)
		c.sm.ctas = append(c.sm.ctas, c)
		i = len(b.open)
		b.open = append(b.open, &nOpen{x, s.Block, int(x.k.tk.Block.Count()+31) / 32, c})
	}
	b.execs[s.Slot] = nExecutor{true, x, id, b.open[i], s.Warp}
	b.run(1+s.Slot, pagoda.EnterTask, pagoda.EnterTask, id, n.t+1)
}

// leaves lets an executor warp leave its task, at the end of the cycle where collectors serve all pipes.
func (w *nWarp) leaves(b *nMTB) {
	if s := w.cta.sm; s.coll.n.collects() {
		s.leaving = append(s.leaving, w)
	} else {
		b.leavesAt(w)
	}
}

// leaveTasks lets executor warps leave their tasks in a cycle, in the order of slots.
func (s *nSM) leaveTasks(n *Machine) {
	slices.SortFunc(s.leaving, func(x, y *nWarp) int { return x.slot - y.slot })
	for _, w := range s.leaving {
		w.cta.worker.mtb.leavesAt(w)
	}
	s.leaving = nil
}

// leavesAt lets the executor warp of one leave its task when all its work is done; of one cycle in the order of slots.
func (b *nMTB) leavesAt(w *nWarp) {
	n, at, place := b.r.u.n, w.last-1, w.place
	if at <= n.t {
		b.leave(place, n.t)
		return
	}
	b.later[at] = append(b.later[at], place)
	if len(b.later[at]) > 1 {
		return
	}
	n.post(at, nTaskPhase, func() {
		slices.Sort(b.later[at])
		for _, x := range b.later[at] {
			b.leave(x, at)
		}
		delete(b.later, at)
	})
}

// leave lets an executor warp leave its task.
func (b *nMTB) leave(place int, t model.Time) {
	e, to := &b.execs[place-1], pagoda.LeaveWarp
	if e.open.left--; e.open.left == 0 {
		to = pagoda.LeaveBlock
		b.open = slices.DeleteFunc(b.open, func(o *nOpen) bool { return o == e.open })
		if b.r.left[e.id]--; b.r.left[e.id] == 0 {
			to = pagoda.LeaveTask
		}
	}
	b.run(place, pagoda.LeaveWarp, to, e.id, t+1)
}
