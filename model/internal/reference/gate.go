package reference

import (
	"slices"

	"gpureplay/model"
	"gpureplay/trace"
)

// nGate is BlockMaestro (BlockMaestro paper, section III): which CTAs wait for which it
// finds out anew whenever it is asked, word by word.
type nGate struct {
	n               *Machine
	deps            string
	window, parents int
	consumer        bool
	before          map[*nKernel][]*nKernel // that had not completed when it was opened
	ended           map[[3]uint32]bool
}

func newNGate(n *Machine, args map[string]string, number func(string, int) int) *nGate {
	g := &nGate{n: n, deps: "all", window: number("window", 2), parents: number("parents", 64),
		consumer: args["priority"] == "consumer",
		before:   map[*nKernel][]*nKernel{}, ended: map[[3]uint32]bool{}}
	if d := args["deps"]; d != "" {
		g.deps = d
	}
	return g
}

// open lets the first kernels of a stream enter the GPU.
func (g *nGate) open(st *nStream) {
	var before []*nKernel
	for i, o := range st.queue {
		if o.k == nil || i >= g.window {
			return
		}
		if !o.k.opened {
			o.k.opened, o.k.early, g.before[o.k] = true, i > 0, slices.Clone(before)
			o.k.ready = true
			g.n.inspect()
		}
		before = append(before, o.k)
	}
}

// all reports whether every CTA of a kernel has ended.
func (g *nGate) all(k *nKernel) bool { return k.done == len(k.items) }

func (g *nGate) unknown(k *nKernel) bool {
	return g.deps == "kernel" || k.tk.Flags&trace.KernelIrregular != 0 ||
		slices.ContainsFunc(k.items, func(x nItem) bool { return len(x.tc.Ranges) == 0 })
}

// waits reports whether a CTA of k has to wait.
func (g *nGate) waits(k *nKernel, c *trace.CTA) bool {
	for _, b := range g.before[k] {
		if g.all(b) {
			continue
		}
		if g.unknown(k) || g.unknown(b) {
			return true
		}
		parents, open := 0, false
		for i := range b.items {
			if p := b.items[i].tc; g.conflict(p, c) {
				parents++
				open = open || !g.ended[[3]uint32{b.id, model.NoKernel, p.ID}]
			}
		}
		if open || parents > g.parents {
			return true
		}
	}
	return false
}

// conflict reports whether a CTA has to come behind another.
func (g *nGate) conflict(first, then *trace.CTA) bool {
	for _, p := range first.Ranges {
		for _, c := range then.Ranges {
			raw := p.Mode&trace.Write != 0 && c.Mode&trace.Read != 0
			other := (p.Mode|c.Mode)&trace.Write != 0 &&
				(p.Mode&trace.Write != 0 && c.Mode&trace.Write != 0 || p.Mode&trace.Read != 0 && c.Mode&trace.Write != 0)
			if p.Array == c.Array && p.Lo/4 < (c.Hi+3)/4 && c.Lo/4 < (p.Hi+3)/4 && (raw || other && g.deps == "all") {
				return true
			}
		}
	}
	return false
}

// place puts one CTA on an SM.
func (g *nGate) place() {
	var ready []*nKernel
	held := false // a kernel before the first ready one of its stream has CTAs that wait
	for _, k := range g.n.entries {
		if k.next == len(k.items) {
			continue
		}
		next := -1
		for i := k.next; i < len(k.items); i++ {
			if c := k.items[i].tc; !g.waits(k, c) && (next < 0 || c.ID < k.items[next].tc.ID) {
				next = i
			}
		}
		if next < 0 {
			continue
		}
		if len(ready) == 0 {
			for _, b := range g.n.entries {
				held = held || b != k && b.stream == k.stream && g.before[k] != nil && slices.Contains(g.before[k], b) &&
					b.next < len(b.items) && !g.some(b)
			}
		}
		item := k.items[next]
		k.items = slices.Insert(slices.Delete(slices.Clone(k.items), next, next+1), k.next, item)
		ready = append(ready, k)
	}
	if len(ready) == 0 || held && !g.consumer {
		return
	}
	if g.consumer {
		slices.Reverse(ready)
	} else {
		ready = ready[:1]
	}
	for _, k := range ready {
		if k, s := g.n.roundRobin([]*nKernel{k}); k != nil {
			g.n.start(k, s)
			return
		}
	}
}

// some reports whether a CTA of k need not wait.
func (g *nGate) some(k *nKernel) bool {
	return slices.ContainsFunc(k.items[k.next:], func(x nItem) bool { return !g.waits(k, x.tc) })
}
