package reference

import (
	"maps"
	"slices"

	"gpureplay/trace"
)

// records gives an event its port, if a kernel that has not ended is the last work of its stream.
func (p *nPDL) records(st *nStream, e *nCudaEvent, port trace.Port) {
	i := len(st.queue) - 1
	for i >= 0 && st.queue[i].op.Kind == trace.OpEventRecord {
		i--
	}
	if i < 0 || st.queue[i].k == nil || st.queue[i].done || port == trace.PortCompleted {
		return
	}
	e.of, e.port, p.ported = st.queue[i].k, port, true
	e.done = p.reached(e)
}

// reached reports whether an event's kernel has come to its port.
func (p *nPDL) reached(e *nCudaEvent) bool {
	switch {
	case !e.of.opened || p.completed[e.of]:
		return false
	case e.port == trace.PortBegun:
		return p.begun[e.of] == len(e.of.items)
	}
	return p.triggered(e.of) && !p.ahead(e.of)
}

// follow lets events and kernels go on behind a kernel that has not completed.
func (p *nPDL) follow(k *nKernel) {
	if p.completed[k] {
		return
	}
	p.events(k)
	p.open(k.stream)
}

// events are done that wait for a port of a kernel.
func (p *nPDL) events(k *nKernel) {
	some := false
	for _, o := range slices.Clone(k.stream.queue) {
		if e := o.ev; o.op.Kind == trace.OpEventRecord && e.of == k && !e.done && p.reached(e) {
			waiters := e.waiters
			e.done, e.waiters, some = true, nil, true
			for _, w := range waiters {
				p.n.host.pop(w)
				p.n.host.begin(w)
			}
		}
	}
	if some {
		p.n.host.run()
	}
}

// foreign reports whether a kernel waits for one of another stream.
func (p *nPDL) foreign(k *nKernel) bool {
	return slices.ContainsFunc(p.before[k], func(x *nKernel) bool { return slices.Contains(p.behind[k], x) })
}

// itemsBefore are the CTAs of the kernels that a kernel waits for.
func (p *nPDL) itemsBefore(k *nKernel) (all []nItem) {
	for _, x := range p.before[k] {
		all = append(all, x.items...)
	}
	return all
}

// began counts a CTA that has been placed.
func (p *nPDL) began(k *nKernel) {
	p.begun[k]++
	if p.begun[k] == len(k.items) && slices.ContainsFunc(k.stream.queue, func(o *nOp) bool {
		return o.op.Kind == trace.OpEventRecord && o.ev.of == k && o.ev.port == trace.PortBegun && !o.ev.done
	}) {
		p.n.post(p.n.t+1, nFollowPhase, func() { p.follow(k) })
	}
}

// look looks at each stream when a kernel has completed.
func (p *nPDL) look() {
	if !p.ported {
		return
	}
	sorted := slices.SortedFunc(maps.Values(p.n.host.streams), func(a, b *nStream) int { return a.number - b.number })
	for _, st := range sorted {
		for _, o := range slices.Clone(st.queue[:min(2, len(st.queue))]) {
			if o.k != nil && o.k.opened && !o.done {
				p.events(o.k)
			}
		}
		if len(st.queue) > 0 && st.queue[0].k != nil && st.queue[0].k.ready {
			p.open(st)
		}
	}
}
