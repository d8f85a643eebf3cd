package model_test

import (
	"gpureplay/model"
	"gpureplay/trace"
)

// nGeMTC runs batches of tasks on the threadblocks of a SuperKernel, which pop them
// from one queue (policies/gemtc.go has the choices).
type nGeMTC struct {
	u       *nTasks
	size    int
	perSM   int // 0: as many as fit
	queue   []*nTask
	flush   int // of the queue, that wait for no full batch
	batch   []*nTask
	items   []nItem // not popped
	left    int     // threadblocks that have not ended
	asking  int
	pop     model.Time
	shape   *nKernel
	workers []*nWorker
}

// nWorker is a threadblock that stays on an SM, of a SuperKernel or a MasterKernel:
// warp slots, and their ages.
type nWorker struct {
	r     *nGeMTC
	mtb   *nMTB
	sm    *nSM
	slots []int
	ages  []uint64
}

// resident places a threadblock that stays.
func (n *naive) resident(s *nSM, shape *nKernel) *nWorker {
	w := &nWorker{sm: s}
	if s.used == (model.Resources{}) {
		s.lsu.enter(n, shape)
	}
	s.used = s.used.Plus(shape.res)
	for slot := 0; len(w.slots) < shape.res.Warps; slot++ {
		if !s.taken[slot] {
			s.taken[slot] = true
			s.age++
			w.slots, w.ages = append(w.slots, slot), append(w.ages, s.age)
		}
	}
	return w
}

func (r *nGeMTC) window() int { return max(8192, 2*r.size) }

func (r *nGeMTC) take(x *nTask) {
	r.queue = append(r.queue, x)
	r.begin()
}

func (r *nGeMTC) drain() {
	r.flush = len(r.queue)
	r.begin()
}

// begin copies the next batch, if none runs.
func (r *nGeMTC) begin() {
	n, size := r.u.n, min(len(r.queue), r.size)
	if len(r.batch) > 0 || size == 0 || size < r.size && r.flush == 0 {
		return
	}
	r.flush = max(0, r.flush-size)
	r.batch, r.queue = r.queue[:size:size], r.queue[size:]
	in := uint64(64 * size)
	r.items, r.left = nil, 0
	for _, x := range r.batch {
		x.spawn = n.t
		in += x.op.InBytes
		for i := range x.k.items {
			r.items = append(r.items, nItem{tc: x.k.items[i].tc, def: x.k, task: x})
		}
	}
	r.left = len(r.items)
	n.post(r.u.copy(0, in), nTaskPhase, func() {
		at := n.t + model.Time(n.cfg.Host.LaunchLatency+n.cfg.KMU.DispatchLatency)
		for _, x := range r.batch {
			x.copied, x.schedulable = n.t, at
		}
		n.post(at, nTaskPhase, r.start)
	})
}

// start puts the SuperKernel on the SMs, its threadblocks in turn.
func (r *nGeMTC) start() {
	n := r.u.n
	r.shape = &nKernel{}
	tk := &r.shape.tk
	tk.Block = trace.Dim3{1, 1, 1}
	for _, x := range r.batch {
		tk.Block[0] = max(tk.Block[0], uint32(x.k.tk.Block.Count()))
		tk.Registers = max(tk.Registers, x.k.tk.Registers)
	}
	n.cfg.CapRegisters(tk)
	r.shape.res = n.cfg.CTAResources(tk)
	per, _ := n.cfg.Residency(tk)
	if r.perSM > 0 {
		per = min(per, r.perSM)
	}
	for i := range per * len(n.sms) {
		w := n.resident(n.sms[i%len(n.sms)], r.shape)
		w.r = r
		r.workers = append(r.workers, w)
	}
	for _, w := range r.workers {
		w.ask()
	}
}

// ask begins a pop: an atomic operation in the L2, behind the one before it.
func (w *nWorker) ask() {
	r, n := w.r, w.r.u.n
	if len(r.items) == 0 {
		return
	}
	r.asking++
	r.pop = n.mem.request(w.sm.id, trace.InstAtomic, &nAsked{sectors: []uint64{1 << 57 / 32}}, max(n.t, r.pop)+model.Time(n.cfg.L1.BypassLatency))
	n.post(max(r.pop, n.t), nTaskPhase, w.popped)
}

func (w *nWorker) popped() {
	r, n := w.r, w.r.u.n
	r.asking--
	if len(r.items) == 0 {
		r.over()
		return
	}
	item := &r.items[0]
	r.items = r.items[1:]
	item.task.placed(n)
	c := &nCTA{k: item.def, sm: w.sm, item: item, id: item.tc.ID, placed: n.t, ends: -1, worker: w}
	w.sm.ctas = append(w.sm.ctas, c)
	for i := range item.tc.Warps {
		tw := &item.tc.Warps[i]
		x := &nWarp{nFrame: frameOf(item.def.tk.Function, tw), id: tw.ID, cta: c, barrier: -1, from: n.t + 1, last: n.t + 1}
		x.slot, x.age = w.slots[tw.ID], w.ages[tw.ID]
		w.sm.slots[x.slot] = x
		c.warps = append(c.warps, x)
	}
}

// ended: a threadblock has, on w, in the cycle in which its SM acts.
func (w *nWorker) ended() {
	if w.mtb != nil {
		return
	}
	r, n := w.r, w.r.u.n
	if r.left--; r.left == 0 {
		if r.asking == 0 {
			n.post(n.t+1, nTaskPhase, r.back)
		}
		return
	}
	n.post(n.t+1, nTaskPhase, w.ask)
}

// over ends the batch when the last worker has found the queue empty.
func (r *nGeMTC) over() {
	if r.left == 0 && r.asking == 0 {
		r.u.n.post(r.u.n.t, nTaskPhase, r.back)
	}
}

// back copies the batch's outputs; the next one begins behind them.
func (r *nGeMTC) back() {
	n := r.u.n
	for _, w := range r.workers {
		w.sm.used = w.sm.used.Minus(r.shape.res)
		for _, slot := range w.slots {
			w.sm.taken[slot] = false
		}
	}
	r.workers = nil
	out, end := uint64(0), n.t
	for _, x := range r.batch {
		out += x.op.OutBytes
	}
	if out > 0 {
		end = r.u.copy(1, out)
	}
	n.post(end, nTaskPhase, func() {
		for _, x := range r.batch {
			r.u.finish(x)
		}
		r.batch = nil
		r.begin()
	})
}
