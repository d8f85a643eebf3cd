// Package producers finds the CTAs that each CTA waits for, among the kernels of its stream that are on the GPU.
package producers

import (
	"container/heap"
	"slices"

	"gpureplay/model"
	"gpureplay/trace"
)

// Graph is the dependences between the CTAs of the kernels on the GPU. A CTA is ready when it waits for none.
type Graph struct {
	Rules
	m       *model.DependencyMachine
	open    map[uint64]*Kernel   // by program order
	streams map[uint64][]*Kernel // that have not completed, in order
}

// Rules say which CTAs depend on each other.
type Rules struct {
	ReadsAlone bool // a CTA waits for data that it reads, and not for data that it overwrites
	Kernels    bool // each CTA waits for all CTAs of every kernel before
	Parents    int  // of one kernel that a CTA may wait for; one with more waits for all of the kernel
	Spans      Spans
	Count      string                      // the figure that counts those
	Ready      func(k *Kernel, cta uint32) // called for each CTA that waits no more; nil: it is ready at once
}

// Kernel is a kernel on the GPU.
type Kernel struct {
	*model.KernelView
	Left     int       // CTAs that have not ended
	unknown  bool      // its CTAs' accesses are unknown: it depends on all, and all on it
	waits    []uint32  // per CTA, the CTAs that it waits for, and kernels as a whole
	children [][]ref   // per CTA, who waits for it
	after    []ref     // who waits for all of it
	ended    []bool    // per CTA
	ready    ctaHeap   // and not placed
	spans    [2][]span // its reads and its writes, by array and lower bound
}

type ref struct {
	k   *Kernel
	cta uint32
}

// ctaHeap gives the CTA with the lowest number.
type ctaHeap []uint32

func (h ctaHeap) Len() int           { return len(h) }
func (h ctaHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h ctaHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push is of [heap.Interface].
func (h *ctaHeap) Push(x any) { *h = append(*h, x.(uint32)) }

// Pop is of [heap.Interface].
func (h *ctaHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// New returns a graph without kernels.
func New(r Rules) *Graph {
	g := &Graph{Rules: r, open: map[uint64]*Kernel{}, streams: map[uint64][]*Kernel{}}
	if g.Ready == nil {
		g.Ready = (*Kernel).Release
	}
	return g
}

// Header reads the header of a kernel. It returns an error if there is no such kernel.
func (g *Graph) Header(id uint32, k *trace.Kernel) error { return g.m.Kernel(id, k) }

// Kernel returns a kernel on the GPU by its program order.
func (g *Graph) Kernel(order uint64) *Kernel { return g.open[order] }

// Before lists the kernels in front of k in its stream that have not completed.
func (g *Graph) Before(k *Kernel) []*Kernel {
	all := g.streams[k.Stream]
	return all[:slices.Index(all, k)]
}

// InFlight reports whether an access of k may touch data that a kernel before it writes and that is not complete.
func (g *Graph) InFlight(k *Kernel, a *trace.Access, lists []uint64, width uint32) bool {
	found := false
	for _, before := range g.Before(k) {
		if before.Left == 0 {
			continue
		}
		EachSpan(a, lists, width, func(lo, hi uint64) {
			s := span{lo: lo >> wordShift, hi: (hi + 3) >> wordShift}
			found = found || before.unknown || len(overlapping(nil, before.spans[1], &s, 0)) > 0
		})
		if found {
			return true
		}
	}
	return false
}

// Start is of [model.CTADependency].
func (g *Graph) Start(m *model.DependencyMachine) { g.m = m }

// Opened is of [model.CTADependency]: it finds whom each CTA waits for.
func (g *Graph) Opened(v *model.KernelView, _ model.Time) error {
	k, err := g.read(v)
	if err != nil {
		return err
	}
	for _, before := range g.streams[k.Stream] {
		if before.Left == 0 {
			continue
		}
		g.connect(k, before)
	}
	g.open[k.Order] = k
	g.streams[k.Stream] = append(g.streams[k.Stream], k)
	for cta, n := range k.waits {
		if n == 0 {
			g.Ready(k, uint32(cta))
		}
	}
	return nil
}

// read takes the spans of a kernel's CTAs.
func (g *Graph) read(v *model.KernelView) (*Kernel, error) {
	n := int(v.Left)
	k := &Kernel{KernelView: v, Left: n, waits: make([]uint32, n), children: make([][]ref, n), ended: make([]bool, n)}
	var head trace.Kernel
	if err := g.m.Kernel(v.ID, &head); err != nil {
		return nil, err
	}
	s := newSpanList(g.m.Program(), &head)
	if k.unknown = g.Kernels || !g.Spans.kernel(s); k.unknown {
		return k, nil
	}
	known := 0
	err := g.m.CTAs(v.ID, func(c *trace.CTA) {
		if g.Spans.cta(s, c) {
			known++
		}
	})
	k.unknown = known < n
	k.spans = s.sorted()
	return k, err
}

// connect has the CTAs of k wait for CTAs of a kernel before it.
func (g *Graph) connect(k, before *Kernel) {
	whole := func(cta uint32) {
		k.waits[cta]++
		before.after = append(before.after, ref{k, cta})
	}
	if k.unknown || before.unknown {
		for cta := range k.waits {
			whole(uint32(cta))
		}
		return
	}
	type pair struct{ later, early int } // lists of k and of the kernel before it
	pairs := []pair{{0, 1}, {1, 0}, {1, 1}}
	if g.ReadsAlone {
		pairs = pairs[:1]
	}
	parents := make([][]uint32, len(k.waits))
	for _, p := range pairs {
		for i := range k.spans[p.later] {
			s := &k.spans[p.later][i]
			if len(parents[s.cta]) <= g.Parents {
				parents[s.cta] = overlapping(parents[s.cta], before.spans[p.early], s, g.Parents)
			}
		}
	}
	for cta, list := range parents {
		if len(list) > g.Parents {
			g.m.Count(g.Count)
			whole(uint32(cta))
			continue
		}
		for _, p := range list {
			if !before.ended[p] {
				k.waits[cta]++
				before.children[p] = append(before.children[p], ref{k, uint32(cta)})
			}
		}
	}
}

// Release makes a CTA that waits no more one that may be placed.
func (k *Kernel) Release(cta uint32) { heap.Push(&k.ready, cta) }

// Next is of [model.CTADependency].
func (g *Graph) Next(order uint64) (cta uint32, ok bool) {
	k := g.open[order]
	if len(k.ready) == 0 {
		return 0, false
	}
	return k.ready[0], true
}

// Placed is of [model.CTADependency].
func (g *Graph) Placed(order uint64, _ uint32, _ model.Time) { heap.Pop(&g.open[order].ready) }

// Ended is of [model.CTADependency].
func (g *Graph) Ended(order uint64, cta uint32, _ model.Time) {
	k := g.open[order]
	k.ended[cta] = true
	g.release(k.children[cta])
	k.children[cta] = nil
	if k.Left--; k.Left == 0 {
		g.release(k.after)
		k.after = nil
	}
}

// release takes an ended CTA off the counts of the CTAs that waited for it.
func (g *Graph) release(waiting []ref) {
	for _, w := range waiting {
		if w.k.waits[w.cta]--; w.k.waits[w.cta] == 0 {
			g.Ready(w.k, w.cta)
		}
	}
}

// Completed is of [model.CTADependency].
func (g *Graph) Completed(order uint64, _ model.Time) {
	k := g.open[order]
	delete(g.open, order)
	g.streams[k.Stream] = slices.DeleteFunc(g.streams[k.Stream], func(x *Kernel) bool { return x == k })
}
