package reference

import (
	"slices"

	"gpureplay/trace"
)

// open lets the first kernels of a stream enter the GPU. Their tasks find out whom they wait for.
func (m *nMega) open(st *nStream) {
	var before []*nKernel
	for i, o := range st.queue {
		if o.k == nil || i >= megaWindow {
			return
		}
		if !o.k.opened {
			o.k.opened, o.k.early, m.before[o.k] = true, i > 0, slices.Clone(before)
			m.opened = append(m.opened, o.k)
			for j := range o.k.items {
				x := m.task(o.k, o.k.items[j].tc)
				for _, b := range before {
					m.connect(x, b)
				}
				m.tasks[o.k] = append(m.tasks[o.k], x)
			}
			m.deal(func(x *nMegaTask) bool { return x.k == o.k })
			o.k.ready = true
			m.n.inspect()
		}
		before = append(before, o.k)
	}
}

// connect has a task wait for tasks of a kernel before its own.
func (m *nMega) connect(x *nMegaTask, b *nKernel) {
	var list []*nMegaTask
	for _, y := range m.tasks[b] {
		if m.kernels || m.conflict(y, x) {
			list = append(list, y)
		}
	}
	switch {
	case m.ended(b):
	case m.kernels || len(list) > megaProducers:
		x.wholes = append(x.wholes, b)
	default:
		x.producers = append(x.producers, list...)
	}
}

// conflict reports whether a task reads a word that another has written, or writes one that the other touches.
func (m *nMega) conflict(first, then *nMegaTask) bool {
	for a := range first.reads {
		if then.writes[a] {
			return true
		}
	}
	for a := range first.writes {
		if then.reads[a] || then.writes[a] {
			return true
		}
	}
	return false
}

// task makes one of a CTA.
func (m *nMega) task(k *nKernel, c *trace.CTA) *nMegaTask {
	x := &nMegaTask{k: k, tc: c, reads: map[uint64]bool{}, writes: map[uint64]bool{}}
	for i := range x.tc.Warps {
		w := &x.tc.Warps[i]
		for in, a := range w.Accesses(m.n.prog.Functions[x.k.tk.Function].Insts) {
			if !in.Global() {
				continue
			}
			for word := range wordsOf(w, a, in) {
				if in.Mode()&trace.Read != 0 {
					x.reads[word] = true
				}
				if in.Mode()&trace.Write != 0 {
					x.writes[word] = true
				}
			}
		}
	}
	return x
}

// wordsOf are the words of an access.
func wordsOf(w *trace.Warp, a *trace.Access, in *trace.Inst) map[uint64]bool {
	all := map[uint64]bool{}
	for lane := range a.Addresses(w.Lists) {
		for b := lane; b < lane+uint64(in.Width); b++ {
			all[b/4] = true
		}
	}
	return all
}

// ended reports whether all tasks of a kernel have ended.
func (m *nMega) ended(k *nKernel) bool { return k.done == len(k.items) }

// waits reports whether a task waits for another.
func (m *nMega) waits(x *nMegaTask) bool {
	return slices.ContainsFunc(x.producers, func(y *nMegaTask) bool { return !y.over }) ||
		slices.ContainsFunc(x.wholes, func(k *nKernel) bool { return !m.ended(k) })
}

// deal gives ready tasks to the scheduler warps in turn.
func (m *nMega) deal(some func(*nMegaTask) bool) {
	for _, k := range m.opened {
		for _, x := range m.tasks[k] {
			if x.dealt || !some(x) || m.waits(x) {
				continue
			}
			x.dealt = true
			warp := &m.free[m.turn]
			*warp = max(*warp, m.n.t) + m.decision
			m.turn = (m.turn + 1) % len(m.free)
			x.at = *warp + m.latency
			m.due = append(m.due, x)
		}
	}
}

// inFlight reports whether an earlier kernel with unfinished tasks writes one of some words.
func (m *nMega) inFlight(k *nKernel, words map[uint64]bool) bool {
	for _, b := range m.before[k] {
		if m.ended(b) {
			continue
		}
		for _, y := range m.tasks[b] {
			for a := range words {
				if y.writes[a] || m.kernels {
					return true
				}
			}
		}
	}
	return false
}
