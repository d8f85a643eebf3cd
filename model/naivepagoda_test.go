package model_test

import (
	"slices"

	"gpureplay/model"
	"gpureplay/policies/pagoda"
	"gpureplay/trace"
)

// nPagoda is Pagoda on the naive machine: copies, programs and executor warps are
// timed here; what the table, the spawner and a scheduler warp do next is decided by
// the state machines of package pagoda, which have tests of their own.
type nPagoda struct {
	u              *nTasks
	mtb            pagoda.MTBConfig
	rows, perSM    int // 0: two, or one
	batch          int
	table          *pagoda.Table
	spawner        *pagoda.Spawner
	code           *pagoda.Code
	fn             uint32 // its function
	mtbs           []*nMTB
	queue, offered []*nTask
	copying        int
	entries        map[pagoda.ID]*nTask
	left           map[pagoda.ID]int
	drained        bool
	sent, alarm    model.Time
	target         pagoda.ID
}

func (r *nPagoda) window() int { return 1 << 13 }

// start holds the SMs with MasterKernel threadblocks.
func (r *nPagoda) start() {
	n, c := r.u.n, r.u.n.cfg
	r.code, r.entries, r.left, r.alarm = pagoda.NewCode(), map[pagoda.ID]*nTask{}, map[pagoda.ID]int{}, -1
	prog := *n.prog
	prog.Functions = append(slices.Clone(prog.Functions), r.code.Function)
	n.prog, r.fn = &prog, uint32(len(prog.Functions)-1)
	shape := &nKernel{}
	shape.tk = trace.Kernel{
		Grid: trace.Dim3{1, 1, 1}, Block: trace.Dim3{uint32(32 * (r.mtb.Executors + 1)), 1, 1}, Registers: 32,
		SharedBytes: uint32(r.mtb.SharedBytes + 20*r.mtb.Executors + 8*r.rows + 2*r.mtb.SharedBytes/r.mtb.SmallestBlock),
	}
	shape.res = c.CTAResources(&shape.tk)
	per := r.perSM
	if fit, _ := c.Residency(&shape.tk); per == 0 {
		per = max(1, min(2, fit))
	}
	r.table, _ = pagoda.NewTable(per*len(n.sms), r.rows)
	cycles := func(ns float64) int64 { return int64(cyclesOfNs(ns, c)) }
	r.spawner, _ = pagoda.NewSpawner(r.table, pagoda.Timing{ReleaseAfter: cycles(20000), WaitTimeout: cycles(20000), Nested: cycles(100000), Batch: r.batch})
	for i := range per * len(n.sms) {
		state, _ := pagoda.NewMTB(r.table, i, r.mtb)
		b := &nMTB{r: r, column: i, state: state, parked: true, execs: make([]nExecutor, r.mtb.Executors)}
		b.w = n.resident(n.sms[i%len(n.sms)], shape)
		b.own = &nCTA{sm: b.w.sm, ends: -1, worker: b.w}
		b.w.mtb, b.last = b, make([]model.Time, len(b.w.slots))
		r.mtbs = append(r.mtbs, b)
	}
}

func (r *nPagoda) take(x *nTask) {
	if r.table == nil {
		r.start()
	}
	r.drained = false
	r.queue = append(r.queue, x)
	r.feed()
}

func (r *nPagoda) drain() {
	r.drained = true
	r.cpu()
}

// feed gives the two host threads tasks: an input is copied, then the task offered.
func (r *nPagoda) feed() {
	n := r.u.n
	for len(r.queue) > 0 && r.copying+len(r.offered) < 2 {
		x := r.queue[0]
		r.queue = r.queue[1:]
		if x.spawn = n.t; x.op.InBytes == 0 {
			r.offer(x)
			continue
		}
		r.copying++
		n.post(r.u.copy(0, x.op.InBytes), nTaskPhase, func() {
			r.copying--
			r.offer(x)
			r.cpu()
		})
	}
	r.cpu()
}

func (r *nPagoda) offer(x *nTask) {
	r.offered = append(r.offered, x)
	tk := &x.k.tk
	r.spawner.Offer(pagoda.Task{Kernel: x.k.id, Blocks: uint32(tk.Grid.Count()), Threads: uint32(tk.Block.Count()), SharedBytes: tk.SharedBytes, Sync: x.op.Sync})
}

// cpu lets the spawning thread act until it sleeps or waits for a copy.
func (r *nPagoda) cpu() {
	n := r.u.n
	switch {
	case r.spawner.Live() == 0:
		r.spawner.WaitOver()
	case r.drained && len(r.queue) == 0 && r.copying == 0:
		r.spawner.WaitAll()
	default:
		r.spawner.Wait(pagoda.NoID)
	}
	for {
		a := r.spawner.Next(int64(n.t))
		switch a.Act {
		case pagoda.ActSleep:
			if at := model.Time(a.Until); a.Until != pagoda.Never && at != r.alarm {
				r.alarm = at
				n.post(at, nTaskPhase, func() {
					if n.t == r.alarm {
						r.alarm = -1
						r.cpu()
					}
				})
			}
			return
		case pagoda.ActSend:
			r.send(a)
		case pagoda.ActCopyBack:
			r.target = a.ID
			n.post(max(n.t, r.sent), nTaskPhase, r.read)
			return
		}
	}
}

// send copies an entry to the device.
func (r *nPagoda) send(a pagoda.Action) {
	n := r.u.n
	if !a.Release {
		r.entries[a.ID], r.left[a.ID] = r.offered[0], len(r.offered[0].k.items)
		r.offered = r.offered[1:]
	}
	r.sent = r.u.copy(0, 64)
	n.post(r.sent, nTaskPhase, func() {
		id := r.table.Arrive()
		x := r.entries[id]
		if x.copied < 0 {
			x.copied = n.t
		}
		if r.table.GPU(id).Sched {
			x.schedulable = n.t
		}
		r.look()
	})
	if !a.Release && len(r.queue) > 0 {
		n.post(n.t, nTaskPhase, r.feed)
	}
}

// read copies an entry, or the table, back; outputs of what has ended follow.
func (r *nPagoda) read() {
	n, bytes := r.u.n, uint64(64)
	if r.target == pagoda.NoID {
		bytes *= uint64(r.table.Columns() * r.table.Rows())
	}
	begins := max(n.t, n.host.engines[1])
	end := r.u.copy(1, bytes)
	n.post(begins, nTaskPhase, func() { r.spawner.Start(r.target) })
	n.post(end, nTaskPhase, func() {
		for _, id := range r.spawner.CopiedBack(int64(n.t), nil) {
			x := r.entries[id]
			delete(r.entries, id)
			if x.op.OutBytes == 0 {
				r.u.finish(x)
			} else {
				n.post(r.u.copy(1, x.op.OutBytes), nTaskPhase, func() { r.u.finish(x) })
			}
		}
		r.cpu()
	})
}

func (r *nPagoda) look() {
	for _, b := range r.mtbs {
		b.wake()
	}
}

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
	last   []model.Time // of each warp: all that it issued is done
}

// nExecutor is what an executor warp is at: it enters a task, runs it or leaves it.
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
			p.Mem = append(p.Mem, trace.Access{Base: 1<<57 + 64*uint64(id), Count: 32})
		} else if in.Width > 0 {
			p.Mem = append(p.Mem, trace.Access{Stride: int32(in.Width), Count: 32})
		}
	}
	b.seat(warp, &nWarp{nFrame: frameOf(b.r.fn, p), cta: b.own, barrier: -1, from: t, last: b.last[warp]})
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

// ended: a warp has come to the end of what it ran.
func (b *nMTB) ended(w *nWarp) {
	n := b.r.u.n
	b.last[w.place] = w.last
	e := &b.execs[max(0, w.place-1)]
	switch {
	case w.place == 0:
		b.scheduled()
	case w.cta != b.own:
		b.leave(w.place, max(n.t, w.last-1))
	case e.entering:
		e.entering = false
		for _, x := range e.open.cta.warps {
			if x.id == e.warp {
				x.from, x.last = n.t+1, n.t+1
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
	released := b.next == pagoda.ReleasePrev
	if x := b.r.entries[pagoda.ID(b.r.table.GPU(b.state.Entry()).Ready)]; released && x != nil {
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
			c.warps = append(c.warps, &nWarp{nFrame: frameOf(x.k.tk.Function, tw), id: tw.ID, cta: c, barrier: -1})
		}
		x.placed(n)
		c.sm.ctas = append(c.sm.ctas, c)
		i = len(b.open)
		b.open = append(b.open, &nOpen{x, s.Block, int(x.k.tk.Block.Count()+31) / 32, c})
	}
	b.execs[s.Slot] = nExecutor{true, x, id, b.open[i], s.Warp}
	b.run(1+s.Slot, pagoda.EnterTask, pagoda.EnterTask, id, n.t+1)
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
