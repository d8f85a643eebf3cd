package reference

import (
	"gpureplay/model"
	"gpureplay/trace"
)

// nCaller is a host thread that makes calls of copies one after another.
type nCaller struct {
	u         *nTasks
	free, end model.Time
}

// copy makes a call when the thread is free, as the machine would later, and
// returns when its copy ends.
func (h *nCaller) copy(engine int, bytes uint64) model.Time {
	n := h.u.n
	at := max(n.t, h.free)
	h.end = max(at, n.host.engines[engine]) + n.host.linkTime(bytes)
	n.host.engines[engine] = h.end
	n.cycles = max(n.cycles, h.end)
	h.free = at + cyclesOfNs(n.cfg.Host.CopyCallNs, n.cfg)
	return h.end
}

func (h *nCaller) wait() { h.free = max(h.free, h.end) }

// inputs copies a task's input, part by part.
func (h *nCaller) inputs(x *nTask) {
	x.spawn = max(h.u.n.t, h.free)
	for _, part := range x.parts() {
		h.copy(0, part)
	}
}

// places is how many threadblocks of a shape the GPU holds, with the resources of the most demanding task.
func (u *nTasks) places(all []*nTask) (shape trace.Kernel, places int) {
	shape.Block = trace.Dim3{1, 1, 1}
	for _, x := range all {
		shape.Block[0] = max(shape.Block[0], uint32(x.k.tk.Block.Count()))
		shape.Registers = max(shape.Registers, x.k.tk.Registers)
		shape.SharedBytes = max(shape.SharedBytes, x.k.tk.SharedBytes)
	}
	u.n.cfg.CapRegisters(&shape)
	per, _ := u.n.cfg.Residency(&shape)
	return shape, per * len(u.n.sms)
}

// nFusion holds tasks in kernels that fill the GPU (size -1), of so many tasks, or
// in one (0), each CTA as large as the most demanding task's.
type nFusion struct {
	u       *nTasks
	thread  nCaller
	size    int
	tasks   []*nTask
	kernels [][]*nTask
	next    int
	over    int
}

func (r *nFusion) window() int { return 0 }

func (r *nFusion) take(x *nTask) { r.tasks = append(r.tasks, x) }

func (r *nFusion) drain() {
	n := r.u.n
	if len(r.kernels) > 0 || len(r.tasks) == 0 {
		return
	}
	r.next, r.over = 0, 0
	_, most := r.u.places(r.tasks)
	for used := 1 << 30; len(r.tasks) > 0; r.tasks = r.tasks[1:] {
		weight := 1
		if r.size < 0 {
			weight = len(r.tasks[0].k.items)
		}
		limit := map[bool]int{true: most, false: r.size}[r.size < 0]
		if used += weight; len(r.kernels) == 0 || limit > 0 && used > limit {
			r.kernels, used = append(r.kernels, nil), weight
		}
		last := len(r.kernels) - 1
		r.kernels[last] = append(r.kernels[last], r.tasks[0])
	}
	r.thread.u = r.u
	for _, k := range r.kernels {
		in := uint64(0)
		for _, x := range k {
			in += x.op.InBytes
		}
		if in > 0 {
			r.thread.copy(0, in)
		}
	}
	r.thread.wait()
	n.post(max(n.t, r.thread.free), nTaskPhase, r.launch)
}

func (r *nFusion) launch() {
	n, h := r.u.n, r.u.n.host
	all := r.kernels[r.next]
	r.next++
	k := &nKernel{id: all[0].k.id, first: -1, fused: r}
	for _, x := range all {
		x.copied, x.schedulable = n.t, n.t+model.Time(n.cfg.Host.LaunchLatency)
		for i := range x.k.items {
			k.items = append(k.items, nItem{tc: x.k.items[i].tc, def: x.k, task: x})
		}
	}
	k.tk, _ = r.u.places(all)
	k.tk.Grid = trace.Dim3{uint32(len(k.items)), 1, 1}
	k.res = n.cfg.CTAResources(&k.tk)
	k.stream = h.stream(1 << 62)
	k.hwq = k.stream.number % len(n.queues)
	h.push(&nOp{op: trace.HostOp{Kind: trace.OpLaunch, Stream: 1 << 62}, k: k})
	n.post(n.t+model.Time(n.cfg.Host.LaunchLatency), nArrivePhase, func() { h.deliver(k) })
	r.thread.free = n.t + cyclesOfNs(n.cfg.Host.LaunchOverheadNs, n.cfg)
	if r.next < len(r.kernels) {
		n.post(r.thread.free, nTaskPhase, r.launch)
	}
}

// ended: a fused kernel has; behind the last the outputs go back, each kernel's
// together.
func (r *nFusion) ended() {
	n := r.u.n
	n.post(n.t, nTaskPhase, func() {
		if r.over++; r.over < len(r.kernels) {
			return
		}
		for _, k := range r.kernels {
			out, end := uint64(0), n.t
			for _, x := range k {
				out += x.op.OutBytes
			}
			if out > 0 {
				end = r.thread.copy(1, out)
			}
			n.post(end, nTaskPhase, func() {
				if r.over--; r.over == 0 {
					r.kernels = nil
				}
				for _, x := range k {
					r.u.finish(x)
				}
			})
		}
	})
}
