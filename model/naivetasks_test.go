package model_test

import (
	"fmt"

	"gpureplay/model"
	"gpureplay/trace"
)

// nTasks takes narrow tasks from the host's program to a runtime (MODEL.md, "Narrow
// tasks").
type nTasks struct {
	n       *naive
	rt      nRuntime
	copies  bool
	live    map[uint32]*nTask
	ended   map[uint32]bool
	waiting []*nTask // for others
	ready   []*nTask
	drained bool // the program waits
	records map[uint32]string
}

// nTask is a narrow task.
type nTask struct {
	op                                           trace.HostOp
	k                                            *nKernel
	spawn, copied, schedulable, first, end, back model.Time
	open                                         int // threadblocks on SMs
	done                                         int
	finishing                                    bool
}

func (x *nTask) String() string {
	return fmt.Sprint("spawn ", x.spawn, ", copied ", x.copied, ", schedulable ", x.schedulable, ", first warp ", x.first, ", end ", x.end, ", back ", x.back)
}

// nRuntime runs tasks.
type nRuntime interface {
	take(x *nTask) // it has arrived, and what it depends on has ended
	drain()        // nothing comes before a task has ended
	window() int   // tasks that may be under way; 0: any
}

// op performs an operation of a program of tasks. known: it is one; again: the host
// waits and comes back with it.
func (u *nTasks) op(op *trace.HostOp) (known, again bool) {
	h := u.n.host
	switch op.Kind {
	case trace.OpSpawn:
		return true, u.spawn(op)
	case trace.OpWaitTask:
		if k := op.Kernel; !u.ended[k] {
			h.wait = func() bool { return u.ended[k] }
		}
		u.drain()
		return true, false
	case trace.OpSyncDevice:
		u.drain()
		h.wait = func() bool { return h.open == 0 && len(u.live) == 0 }
		return true, false
	}
	return false, false
}

func (u *nTasks) spawn(op *trace.HostOp) (again bool) {
	n, h := u.n, u.n.host
	if at := cyclesOfNs(float64(op.ArrivalNs), n.cfg); at > n.t {
		n.post(at, nHostPhase, h.run)
		h.wait = func() bool { return n.t >= at }
		return true
	}
	if w := u.rt.window(); w > 0 && len(u.live) >= w {
		u.rt.drain()
		h.wait = func() bool { return len(u.live) < w }
		return true
	}
	u.drained = false
	x := &nTask{op: *op, k: n.kernels[op.Kernel], spawn: n.t, copied: -1, schedulable: -1, first: -1, end: -1, back: -1}
	if !u.copies {
		x.op.InBytes, x.op.OutBytes = 0, 0
	}
	u.live[op.Kernel] = x
	if u.held(x) {
		u.waiting = append(u.waiting, x)
	} else {
		u.rt.take(x)
	}
	return false
}

func (u *nTasks) held(x *nTask) bool {
	for _, d := range x.op.Deps {
		if !u.ended[d] {
			return true
		}
	}
	return false
}

func (u *nTasks) drain() {
	if len(u.live) > 0 {
		u.drained = true
		u.rt.drain()
	}
}

// finish ends a task whose output is on the host.
func (u *nTasks) finish(x *nTask) {
	n := u.n
	if x.open > 0 { // its last stores are not acknowledged
		x.finishing = true
		return
	}
	x.back = n.t
	n.cycles = max(n.cycles, n.t)
	u.records[x.k.id] = x.String()
	delete(u.live, x.k.id)
	u.ended[x.k.id] = true
	later := u.waiting[:0]
	for _, w := range u.waiting {
		if u.held(w) {
			later = append(later, w)
		} else {
			u.ready = append(u.ready, w)
		}
	}
	u.waiting = later
	n.post(n.t, nTaskPhase, func() {
		for len(u.ready) > 0 {
			w := u.ready[0]
			u.ready = u.ready[1:]
			w.spawn = n.t
			u.rt.take(w)
		}
		n.host.run()
		if u.drained && len(u.live) > 0 {
			u.rt.drain()
		}
	})
}

// copy moves bytes of tasks over the link and returns when they are there.
func (u *nTasks) copy(engine int, bytes uint64) model.Time {
	h := u.n.host
	end := max(u.n.t, h.engines[engine]) + h.linkTime(bytes)
	h.engines[engine] = end
	u.n.cycles = max(u.n.cycles, end)
	return end
}

// nTaskStreams runs tasks as kernels in 32 streams in turn; one host thread launches.
type nTaskStreams struct {
	u     *nTasks
	queue []*nTask
	next  int
	free  model.Time
	most  int
}

func (r *nTaskStreams) window() int { return r.most }
func (r *nTaskStreams) drain()      {}

func (r *nTaskStreams) take(x *nTask) {
	r.queue = append(r.queue, x)
	r.step()
}

func (r *nTaskStreams) step() {
	n, h := r.u.n, r.u.n.host
	for len(r.queue) > 0 && n.t >= r.free {
		x := r.queue[0]
		r.queue = r.queue[1:]
		x.spawn, x.copied = n.t, n.t
		id := uint64(1<<62 + r.next%32)
		st := h.stream(id)
		r.next++
		k := x.k
		k.stream, k.task = st, x
		k.hwq = st.number % len(n.queues)
		if x.op.InBytes > 0 {
			h.push(&nOp{op: trace.HostOp{Kind: trace.OpCopyH2D, Stream: id, Bytes: x.op.InBytes}, task: x})
		}
		h.push(&nOp{op: trace.HostOp{Kind: trace.OpLaunch, Stream: id}, k: k, task: x, last: x.op.OutBytes == 0})
		n.post(n.t+model.Time(n.cfg.Host.LaunchLatency), nArrivePhase, func() {
			x.schedulable = n.t
			h.deliver(k)
		})
		if x.op.OutBytes > 0 {
			h.push(&nOp{op: trace.HostOp{Kind: trace.OpCopyD2H, Stream: id, Bytes: x.op.OutBytes}, task: x, last: true})
		}
		if r.free = n.t + cyclesOfNs(n.cfg.Host.LaunchOverheadNs, n.cfg); r.free > n.t {
			n.post(r.free, nTaskPhase, r.step)
		}
	}
}

// streamEnded: an operation of a task in a stream has ended.
func (u *nTasks) streamEnded(o *nOp) {
	x := o.task
	switch o.op.Kind {
	case trace.OpCopyH2D:
		x.copied = u.n.t
	case trace.OpLaunch:
		x.schedulable, x.first, x.end = max(x.schedulable, x.copied), o.k.first, u.n.t
	}
	if o.last {
		u.finish(x)
	}
}

// nFusion holds all tasks in one kernel, each CTA as large as the most demanding
// task's.
type nFusion struct {
	u              *nTasks
	tasks, running []*nTask
}

func (r *nFusion) window() int   { return 0 }
func (r *nFusion) take(x *nTask) { r.tasks = append(r.tasks, x) }

func (r *nFusion) drain() {
	n := r.u.n
	if len(r.running) > 0 || len(r.tasks) == 0 {
		return
	}
	r.running, r.tasks = r.tasks, nil
	in, end := uint64(0), n.t
	for _, x := range r.running {
		in += x.op.InBytes
	}
	if in > 0 {
		end = r.u.copy(0, in)
	}
	n.post(end, nTaskPhase, r.launch)
}

func (r *nFusion) launch() {
	n, h := r.u.n, r.u.n.host
	k := &nKernel{id: r.running[0].k.id, first: -1, fused: r}
	k.tk.Block = trace.Dim3{1, 1, 1}
	for _, x := range r.running {
		x.copied, x.schedulable = n.t, n.t+model.Time(n.cfg.Host.LaunchLatency)
		k.tk.Block[0] = max(k.tk.Block[0], uint32(x.k.tk.Block.Count()))
		k.tk.Registers = max(k.tk.Registers, x.k.tk.Registers)
		k.tk.SharedBytes = max(k.tk.SharedBytes, x.k.tk.SharedBytes)
		for i := range x.k.items {
			k.items = append(k.items, nItem{tc: x.k.items[i].tc, def: x.k, task: x})
		}
	}
	n.cfg.CapRegisters(&k.tk)
	k.res = n.cfg.CTAResources(&k.tk)
	k.stream = h.stream(1 << 62)
	k.hwq = k.stream.number % len(n.queues)
	h.push(&nOp{op: trace.HostOp{Kind: trace.OpLaunch, Stream: 1 << 62}, k: k})
	n.post(n.t+model.Time(n.cfg.Host.LaunchLatency), nArrivePhase, func() { h.deliver(k) })
}

// ended: the fused kernel has; the outputs go back together.
func (r *nFusion) ended() {
	n := r.u.n
	n.post(n.t, nTaskPhase, func() {
		out, end := uint64(0), n.t
		for _, x := range r.running {
			out += x.op.OutBytes
		}
		if out > 0 {
			end = r.u.copy(1, out)
		}
		n.post(end, nTaskPhase, func() {
			all := r.running
			r.running = nil
			for _, x := range all {
				r.u.finish(x)
			}
		})
	})
}

// placed and left keep a task's books where its CTAs are not those of a kernel of
// its own.
func (x *nTask) placed(n *naive) {
	if x.open++; x.first < 0 {
		x.first = n.t
	}
}

func (x *nTask) left(n *naive) {
	x.open--
	x.end = max(x.end, n.t)
	if x.done++; x.done == len(x.k.items) {
		n.ended = append(n.ended, nEnd{x.k.id, model.Unset, x.first, n.t})
		n.cycles = max(n.cycles, n.t)
		if x.finishing {
			n.post(n.t+1, nTaskPhase, func() { n.tasks.finish(x) })
		}
	}
}
