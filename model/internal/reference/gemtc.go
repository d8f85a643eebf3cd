package reference

import (
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// nGeMTC runs batches of tasks on the threadblocks of a SuperKernel, which take them from one queue under a lock,
// and put ended ones into another (policies/gemtc.go has the choices).
type nGeMTC struct {
	u            *nTasks
	thread       nCaller
	size         int // 0: a fill of the GPU
	perSM        int // 0: as many as fit
	phased       bool
	drained      bool
	queue        []*nTask
	inputs, outs []*nTask // phased
	flush        int      // of the queue, that wait for no full batch
	batch        []*nTask
	items        []nItem // not taken
	left         int     // threadblocks whose result is not queued
	from, to     nLock
	shape        *nKernel
	workers      []*nWorker
}

// nLock is a lock of a queue in device memory.
type nLock struct {
	base, entry uint64
	held        bool
	waiting     []func() // the waiting ones' next steps, behind their accesses
	sms         []int    // theirs
}

// acquire: whoever waits first makes five accesses under the lock.
func (l *nLock) acquire(n *Machine) {
	if l.held || len(l.waiting) == 0 {
		return
	}
	l.held = true
	then, sm := l.waiting[0], l.sms[0]
	l.waiting, l.sms = l.waiting[1:], l.sms[1:]
	l.entry += 8
	t := n.t
	for _, address := range []uint64{l.base, l.base, l.base + 4096 + l.entry%65536, l.base, l.base} {
		t = max(t, n.mem.request(sm, trace.InstAtomic, &nAsked{sectors: []uint64{address / 32}},
			t+model.Time(n.cfg.L1.BypassLatency)))
	}
	n.post(t, nTaskPhase, func() {
		then()
		l.held = false
		l.acquire(n)
	})
}

func (l *nLock) want(n *Machine, sm int, then func()) {
	l.waiting, l.sms = append(l.waiting, then), append(l.sms, sm)
	l.acquire(n)
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
func (n *Machine) resident(s *nSM, shape *nKernel) *nWorker {
	w := &nWorker{sm: s}
	if s.used == (hardware.Resources{}) {
		s.lsu.enter(n, shape, 1<<20)
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

func (r *nGeMTC) window() int {
	if r.phased {
		return 0
	}
	return max(8192, 2*r.size)
}

func (r *nGeMTC) take(x *nTask) {
	r.drained = false
	if r.phased && (x.op.InBytes > 0 || len(r.inputs) > 0) {
		r.inputs = append(r.inputs, x)
		return
	}
	r.queue = append(r.queue, x)
	r.begin()
}

func (r *nGeMTC) drain() {
	r.drained, r.thread.u = true, r.u
	for _, x := range r.inputs {
		r.thread.inputs(x)
	}
	r.queue, r.inputs = append(r.queue, r.inputs...), nil
	r.flush = len(r.queue)
	r.begin()
}

// most is how many threadblocks the SuperKernel of some tasks has.
func (r *nGeMTC) most(all []*nTask) int {
	shape, places := r.u.places(all)
	if per, _ := r.u.n.cfg.Residency(&shape); r.perSM > 0 && per > r.perSM {
		return places / per * r.perSM
	}
	return places
}

// fill is how many of the queue are the next batch; full: it holds no more.
func (r *nGeMTC) fill() (size int, full bool) {
	if r.size > 0 {
		return min(r.size, len(r.queue)), len(r.queue) >= r.size
	}
	blocks := 0
	for i, x := range r.queue {
		if blocks += len(x.k.items); i > 0 && blocks > r.most(r.queue[:i+1]) {
			return i, true
		}
	}
	return len(r.queue), false
}

// begin copies the next batch, if none runs.
func (r *nGeMTC) begin() {
	n := r.u.n
	if len(r.batch) > 0 {
		return
	}
	r.thread.u = r.u
	size, full := r.fill()
	if size == 0 && r.drained {
		r.copyOut()
	}
	if size == 0 || !full && r.flush == 0 {
		return
	}
	r.flush = max(0, r.flush-size)
	r.batch, r.queue = r.queue[:size:size], r.queue[size:]
	r.items = nil
	for _, x := range r.batch {
		if !r.phased || x.op.InBytes == 0 {
			r.thread.inputs(x)
		}
		for i := range x.k.items {
			r.items = append(r.items, nItem{tc: x.k.items[i].tc, def: x.k, task: x})
		}
	}
	r.left = len(r.items)
	r.thread.wait()
	r.handOver(0)
	n.post(max(n.t, r.thread.free), nTaskPhase, func() {
		r.thread.free = n.t + cyclesOfNs(n.cfg.Host.LaunchOverheadNs, n.cfg)
		at := n.t + model.Time(n.cfg.Host.LaunchLatency+n.cfg.KMU.DispatchLatency)
		for _, x := range r.batch {
			x.copied, x.schedulable = n.t, at
		}
		n.post(at, nTaskPhase, r.start)
	})
}

// handOver copies a queue's record back, then pointers and descriptions, then the
// record's new end to the device.
func (r *nGeMTC) handOver(engine int) {
	size := uint64(len(r.batch))
	for _, x := range []struct {
		engine int
		bytes  uint64
	}{{1, 24}, {engine, 8 * size}, {engine, 24 * size}, {0, 4}} {
		r.thread.copy(x.engine, x.bytes)
		r.thread.wait()
	}
}

// start puts the SuperKernel on the SMs, its threadblocks in turn.
func (r *nGeMTC) start() {
	n := r.u.n
	r.shape = &nKernel{}
	r.shape.tk, _ = r.u.places(r.batch)
	r.shape.res = n.cfg.CTAResources(&r.shape.tk)
	r.from, r.to = nLock{base: 1 << 57}, nLock{base: 1<<57 + 1<<20}
	for i := range r.most(r.batch) {
		w := n.resident(n.sms[i%len(n.sms)], r.shape)
		w.r = r
		r.workers = append(r.workers, w)
	}
	for _, w := range r.workers {
		w.ask()
	}
}

// ask asks for the queue of tasks.
func (w *nWorker) ask() {
	r := w.r
	if len(r.items) == 0 {
		return
	}
	r.from.want(r.u.n, w.sm.id, w.popped)
}

func (w *nWorker) popped() {
	r, n := w.r, w.r.u.n
	item := &r.items[0]
	if r.items = r.items[1:]; len(r.items) == 0 {
		r.from.waiting, r.from.sms = nil, nil
	}
	item.task.placed(n)
	w.run(item, n.t, func(_ int, id uint32) int { return int(id) })
}

// run has a CTA run from the next cycle on, each of its warps on one of w's.
func (w *nWorker) run(item *nItem, t model.Time, on func(i int, id uint32) int) *nCTA {
	c := &nCTA{k: item.def, sm: w.sm, item: item, id: item.tc.ID, placed: t, ends: -1, worker: w}
	w.sm.ctas = append(w.sm.ctas, c)
	for i := range item.tc.Warps {
		tw := &item.tc.Warps[i]
		x := &nWarp{nFrame: frameOf(item.def.tk.Function, tw), id: tw.ID, cta: c, barrier: -1, began: t + 1, from: t + 1,
			last: t + 1, waits: noWait}
		x.slot, x.age = w.slots[on(i, tw.ID)], w.ages[on(i, tw.ID)]
		w.sm.slots[x.slot] = x
		c.warps = append(c.warps, x)
	}
	return c
}

// ended: a threadblock has, on w, in the cycle in which its SM acts: its result is
// queued.
func (w *nWorker) ended() {
	if w.mtb != nil {
		return
	}
	r, n := w.r, w.r.u.n
	n.post(n.t+1, nTaskPhase, func() {
		r.to.want(n, w.sm.id, func() {
			if r.left--; r.left == 0 {
				n.post(n.t, nTaskPhase, r.back)
			} else {
				w.ask()
			}
		})
	})
}

// back takes the results of the batch; the next one begins behind them.
func (r *nGeMTC) back() {
	n := r.u.n
	for _, w := range r.workers {
		w.sm.used = w.sm.used.Minus(r.shape.res)
		for _, slot := range w.slots {
			w.sm.taken[slot] = false
		}
	}
	r.workers = nil
	r.handOver(1)
	n.post(max(n.t, r.thread.free), nTaskPhase, func() {
		all := r.batch
		r.batch = nil
		for _, x := range all {
			if x.op.OutBytes == 0 {
				r.u.finish(x)
			} else {
				r.outs = append(r.outs, x)
			}
		}
		if !r.phased {
			r.copyOut()
		}
		r.begin()
	})
}

func (r *nGeMTC) copyOut() {
	for _, x := range r.outs {
		r.u.n.post(r.thread.copy(1, x.op.OutBytes), nTaskPhase, func() { r.u.finish(x) })
	}
	r.outs = nil
}
