package reference

import (
	"fmt"

	"gpureplay/model"
	"gpureplay/trace"
)

// nTasks takes narrow tasks from the host's program to a runtime (docs/model, "Narrow
// tasks").
type nTasks struct {
	n       *Machine
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
	stream                                       uint64
	open                                         int // threadblocks on SMs
	done                                         int
}

func (x *nTask) String() string {
	return fmt.Sprint("spawn ", x.spawn, ", copied ", x.copied, ", schedulable ", x.schedulable, ", first warp ",
		x.first, ", end ", x.end, ", back ", x.back)
}

// nRuntime runs tasks.
type nRuntime interface {
	take(x *nTask) // it has arrived, and its dependences have ended
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
		if u.n.gate != nil {
			return true, false
		}
		u.drain()
		h.wait = h.past(op.Process)
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
	if x.open > 0 {
		panic("a task is finished while its CTAs run")
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

// nTaskStreams runs tasks as kernels in 32 streams in turn; one host thread makes the
// calls. phased: all inputs, then all tasks, then all outputs.
type nTaskStreams struct {
	u                      *nTasks
	phased, drained        bool
	calls                  []*nOp
	gathered, copied, outs []*nTask
	copying, running       int
	next                   int
	free                   model.Time
	most                   int
}

func (r *nTaskStreams) window() int {
	if r.phased && r.most > 1 {
		return 0
	}
	return r.most
}

func (r *nTaskStreams) drain() {
	r.drained = true
	r.step()
}

func (r *nTaskStreams) take(x *nTask) {
	r.drained = false
	switch {
	case !r.phased:
		r.inputs(x)
		r.launch(x)
		if x.op.OutBytes > 0 {
			r.output(x)
		}
	case x.op.InBytes > 0 || len(r.gathered)+len(r.copied) > 0:
		r.gathered = append(r.gathered, x)
	default:
		r.launch(x)
	}
	r.step()
}

func (r *nTaskStreams) inputs(x *nTask) {
	for _, part := range x.parts() {
		r.calls = append(r.calls, &nOp{op: trace.HostOp{Kind: trace.OpCopyH2D, Bytes: part}, task: x})
	}
}

func (r *nTaskStreams) launch(x *nTask) {
	r.running++
	r.calls = append(r.calls, &nOp{op: trace.HostOp{Kind: trace.OpLaunch}, k: x.k, task: x, last: x.op.OutBytes == 0})
}

func (r *nTaskStreams) output(x *nTask) {
	r.calls = append(r.calls, &nOp{op: trace.HostOp{Kind: trace.OpCopyD2H, Bytes: x.op.OutBytes}, task: x, last: true})
}

// parts are the sizes of the copies of an input.
func (x *nTask) parts() (list []uint64) {
	left := x.op.InBytes
	for n := max(1, uint64(x.op.InCopies)); n > 0 && left > 0; n-- {
		part := (left + n - 1) / n
		list, left = append(list, part), left-part
	}
	return list
}

// phase begins the next one, if the host has waited for the one before it.
func (r *nTaskStreams) phase() {
	if !r.phased || len(r.calls) > 0 || r.copying > 0 {
		return
	}
	if len(r.copied) == 0 && r.drained {
		r.copied, r.gathered = r.gathered, nil
		for _, x := range r.copied {
			r.inputs(x)
		}
		if len(r.calls) > 0 {
			return
		}
	}
	for _, x := range r.copied {
		r.launch(x)
	}
	r.copied = nil
	if r.drained && len(r.calls) == 0 && r.running == 0 {
		for _, x := range r.outs {
			r.output(x)
		}
		r.outs = nil
	}
}

func (r *nTaskStreams) step() {
	n, h := r.u.n, r.u.n.host
	for r.phase(); len(r.calls) > 0 && n.t >= r.free; r.phase() {
		o := r.calls[0]
		x := o.task
		r.calls = r.calls[1:]
		if x.stream == 0 {
			x.stream = 1<<62 + uint64(r.next%32)
			r.next++
			x.spawn, x.copied = n.t, n.t
		}
		st := h.stream(x.stream)
		o.op.Stream = x.stream
		cost := n.cfg.Host.CopyCallNs
		switch o.op.Kind {
		case trace.OpCopyH2D:
			r.copying++
		case trace.OpLaunch:
			cost = n.cfg.Host.LaunchOverheadNs
			x.k.stream, x.k.task = st, x
			x.k.hwq = st.number % len(n.queues)
		}
		h.push(o)
		if o.k != nil {
			n.post(n.t+model.Time(n.cfg.Host.LaunchLatency), nArrivePhase, func() {
				x.schedulable = n.t
				h.deliver(x.k)
			})
		}
		if r.free = n.t + cyclesOfNs(cost, n.cfg); r.free > n.t {
			n.post(r.free, nTaskPhase, r.step)
		}
	}
}

// streamEnded: an operation of a task in a stream has ended.
func (u *nTasks) streamEnded(o *nOp) {
	x, r := o.task, u.rt.(*nTaskStreams)
	switch o.op.Kind {
	case trace.OpCopyH2D:
		x.copied = u.n.t
		r.copying--
	case trace.OpLaunch:
		x.schedulable, x.first, x.end = max(x.schedulable, x.copied), o.k.first, u.n.t
		if r.running--; r.phased && !o.last {
			r.outs = append(r.outs, x)
		}
	}
	if o.last {
		u.finish(x)
	}
	u.n.post(u.n.t, nTaskPhase, r.step)
}

// placed and left keep a task's books where its CTAs belong to no kernel of its own.
func (x *nTask) placed(n *Machine) {
	if x.open++; x.first < 0 {
		x.first = n.t
	}
}

func (x *nTask) left(n *Machine) {
	x.open--
	x.end = max(x.end, n.t)
	if x.done++; x.done == len(x.k.items) {
		n.ended = append(n.ended, KernelEnd{x.k.id, model.Unset, x.first, n.t})
		n.cycles = max(n.cycles, n.t)
	}
}
