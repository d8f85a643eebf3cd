package policies

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

func init() {
	Dependencies.Register(Option[model.Dependency]{
		Name: "blockmaestro", Title: "a CTA may be placed when those CTAs of the kernels before it have ended that its " +
			"ranges depend on", Source: "BlockMaestro paper, section III",
		Params: []Param{
			{"blockmaestro-deps", "all", "all: a CTA waits for data that it reads (RAW) or overwrites (WAR, WAW); raw: for " +
				"data that it reads alone, as the paper derives; kernel: for all of every kernel before, which leaves " +
				"pre-launching"},
			{"blockmaestro-window", "2", "kernels of a stream that are on the GPU at once (2 to 4 in the paper)"},
			{"blockmaestro-parents", "64", "CTAs that a CTA may wait for, of one kernel; one with more waits for all of " +
				"the kernel"},
		},
		New: newBlockMaestro,
	})
	CTASchedulers.Register(Option[model.CTAScheduler]{
		Name: "blockmaestro", Title: "CTAs of the older kernel first, all of them, or ready CTAs of the younger one",
		Source: "BlockMaestro paper, section III.D",
		Params: []Param{{"blockmaestro-priority", "producer",
			"producer: CTAs of a kernel only when all CTAs of those before it have been placed; consumer: ready CTAs of " +
				"the youngest kernel first"}},
		New: func(a Args) (model.CTAScheduler, error) {
			consumer, err := a.Either("blockmaestro-priority", "producer", "consumer")
			return &byPriority{consumer: consumer}, err
		},
	})
	Register(Policy{
		Name: "blockmaestro", Title: "dependent kernels of a stream overlap CTA by CTA, launched ahead",
		Source: "BlockMaestro paper, section III",
		Doc: "The next kernels of a stream are launched while those before them run. A CTA is placed when the CTAs have " +
			"ended whose stores its conservative ranges may read, and, with deps=all, " +
			"whose loads and stores it may overwrite. Kernels complete in order; copies and other operations between " +
			"kernels are in order too.",
		Baselines:  []string{"serial", "hyperq"},
		Dependency: "blockmaestro", CTA: "blockmaestro", Needs: needsRanges, Cost: costOfBlockMaestro,
	})
}

// needsRanges requests the ranges by which a policy orders CTAs.
func needsRanges(f *TraceProfile) string {
	switch {
	case f.Arrays == 0:
		return "it has no arrays, so the bytes that CTAs may touch are unknown"
	case f.Tasks > 0:
		return "it spawns tasks"
	case f.ChildLaunches > 0:
		return "its kernels launch children, whose ranges no analysis of the parent states"
	}
	return ""
}

// The storage that BlockMaestro adds on chip (paper, section IV.C), for places of CTAs.
const (
	maestroListBits    = 4 * 32
	maestroIndexBits   = 32 + 2
	maestroCounterBits = 6
)

// costOfBlockMaestro is the on-chip memory that BlockMaestro adds.
func costOfBlockMaestro(cfg *hardware.Config, _ Args) []CostLine {
	const source = "BlockMaestro paper, section IV.C"
	places := cfg.SM.Count * cfg.SM.MaxCTAs
	lists, counters := float64(places*(maestroListBits+maestroIndexBits)/8),
		float64(places*(maestroIndexBits+maestroCounterBits)/8)
	return []CostLine{
		{fmt.Sprintf("dependency list buffer, %d entries of 4 children", places), lists, "bytes", source},
		{fmt.Sprintf("parent counter buffer, %d counters", places), counters, "bytes", source},
		{"sum", lists + counters, "bytes", "the paper's sum is about 22 KB for 28 SMs of 32 CTAs"},
	}
}

// byPriority places CTAs of the oldest kernel or of the youngest.
type byPriority struct {
	consumer bool
	turns    fifo
}

// Place is of [model.CTAScheduler].
func (p *byPriority) Place(v *model.CTAView) (kernel, sm int, ok bool) {
	if p.consumer {
		for k := len(v.Kernels) - 1; k >= 0; k-- {
			if sm, ok = p.turns.sm(v, k); ok {
				return k, sm, true
			}
		}
		return 0, 0, false
	}
	for _, x := range v.Held { // a kernel before has CTAs to place that must wait
		if x.Stream == v.Kernels[0].Stream && x.Order < v.Kernels[0].Order {
			return 0, 0, false
		}
	}
	sm, ok = p.turns.sm(v, 0)
	return 0, sm, ok
}

// maestro is BlockMaestro's dependency unit. Choices (docs/policies, "BlockMaestro").
type maestro struct {
	raw, kernels bool
	window       int
	parents      int
	m            *model.DependencyMachine
	open         map[uint64]*maestroKernel   // by program order
	streams      map[uint64][]*maestroKernel // that have not completed, in order
}

// maestroKernel is a kernel of the window.
type maestroKernel struct {
	order, stream uint64
	unknown       bool       // its CTAs' accesses are unknown: it depends on all, and all on it
	waits         []uint32   // per CTA, the CTAs that it waits for, and kernels as a whole
	children      [][]ctaRef // per CTA, who waits for it
	after         []ctaRef   // who waits for all of it
	left          int        // CTAs that have not ended
	ended         []bool
	ready         ctaHeap
	spans         [2][]ctaSpan // its reads and its writes, by array and lower bound
}

type ctaRef struct {
	k   *maestroKernel
	cta uint32
}

// ctaSpan is a range of an array, in words, that a CTA may touch.
type ctaSpan struct {
	array, cta uint32
	lo, hi     uint64
	most       uint64 // largest hi of this one and those before it of its array
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

func newBlockMaestro(a Args) (model.Dependency, error) {
	d := &maestro{open: map[uint64]*maestroKernel{}, streams: map[uint64][]*maestroKernel{}}
	switch deps := a.Text("blockmaestro-deps"); deps {
	case "all":
	case "raw":
		d.raw = true
	case "kernel":
		d.kernels = true
	default:
		return nil, fmt.Errorf("blockmaestro-deps=%s: want all, raw or kernel", deps)
	}
	window, err := a.Integer("blockmaestro-window", 1, 64)
	if err != nil {
		return nil, err
	}
	parents, err := a.Integer("blockmaestro-parents", 1, 1<<30)
	d.window, d.parents = int(window), int(parents)
	return d, err
}

// Window is of [model.Dependency].
func (d *maestro) Window() int { return d.window }

// Waits is of [model.CTADependency]: the host copies the arrays that it reads, and copies wait.
func (d *maestro) Waits() bool { return false }

// Start is of [model.CTADependency].
func (d *maestro) Start(m *model.DependencyMachine) { d.m = m }

// Opened is of [model.CTADependency]: it finds whom each CTA waits for.
func (d *maestro) Opened(v *model.KernelView, _ model.Time) error {
	k, err := d.read(v)
	if err != nil {
		return err
	}
	for _, before := range d.streams[k.stream] {
		if before.left == 0 {
			continue
		}
		d.connect(k, before)
	}
	for cta, n := range k.waits {
		if n == 0 {
			k.ready = append(k.ready, uint32(cta)) // ascending: a heap
		}
	}
	d.open[k.order] = k
	d.streams[k.stream] = append(d.streams[k.stream], k)
	return nil
}

// read takes the ranges of a kernel's CTAs.
func (d *maestro) read(v *model.KernelView) (*maestroKernel, error) {
	n := int(v.Left)
	k := &maestroKernel{
		order: v.Order, stream: v.Stream, left: n, waits: make([]uint32, n), children: make([][]ctaRef, n),
		ended: make([]bool, n),
	}
	var head trace.Kernel
	if err := d.m.Kernel(v.ID, &head); err != nil {
		return nil, err
	}
	k.unknown = d.kernels || head.Flags&trace.KernelIrregular != 0
	if k.unknown {
		return k, nil
	}
	known := 0
	err := d.m.CTAs(v.ID, func(c *trace.CTA) {
		if len(c.Ranges) > 0 {
			known++
		}
		for _, r := range c.Ranges {
			s := ctaSpan{array: r.Array, cta: c.ID, lo: r.Lo / 4, hi: (r.Hi + 3) / 4}
			if r.Mode&trace.Read != 0 {
				k.spans[0] = append(k.spans[0], s)
			}
			if r.Mode&trace.Write != 0 {
				k.spans[1] = append(k.spans[1], s)
			}
		}
	})
	k.unknown = known < n
	for _, list := range k.spans {
		slices.SortFunc(list, func(a, b ctaSpan) int {
			return cmp.Or(cmp.Compare(a.array, b.array), cmp.Compare(a.lo, b.lo), cmp.Compare(a.cta, b.cta))
		})
		for i := range list {
			list[i].most = list[i].hi
			if i > 0 && list[i-1].array == list[i].array {
				list[i].most = max(list[i].hi, list[i-1].most)
			}
		}
	}
	return k, err
}

// connect has the CTAs of k wait for CTAs of a kernel before it.
func (d *maestro) connect(k, before *maestroKernel) {
	whole := func(cta uint32) {
		k.waits[cta]++
		before.after = append(before.after, ctaRef{k, cta})
	}
	if k.unknown || before.unknown {
		for cta := range k.waits {
			whole(uint32(cta))
		}
		return
	}
	type pair struct{ later, early int } // lists of k and of the kernel before it
	pairs := []pair{{0, 1}, {1, 0}, {1, 1}}
	if d.raw {
		pairs = pairs[:1]
	}
	parents := make([][]uint32, len(k.waits))
	for _, p := range pairs {
		for i := range k.spans[p.later] {
			s := &k.spans[p.later][i]
			if len(parents[s.cta]) <= d.parents {
				parents[s.cta] = overlapping(parents[s.cta], before.spans[p.early], s)
			}
		}
	}
	for cta, list := range parents {
		if len(list) > d.parents {
			d.m.Count("blockmaestro_fully_connected")
			whole(uint32(cta))
			continue
		}
		for _, p := range list {
			if !before.ended[p] {
				k.waits[cta]++
				before.children[p] = append(before.children[p], ctaRef{k, uint32(cta)})
			}
		}
	}
}

// overlapping adds the CTAs of the spans that s shares words with, each once.
func overlapping(list []uint32, spans []ctaSpan, s *ctaSpan) []uint32 {
	end, _ := slices.BinarySearchFunc(spans, s, func(x ctaSpan, s *ctaSpan) int {
		return cmp.Or(cmp.Compare(x.array, s.array), cmp.Compare(x.lo, s.hi))
	})
	for i := end - 1; i >= 0 && spans[i].array == s.array && spans[i].most > s.lo; i-- {
		if spans[i].hi > s.lo && !slices.Contains(list, spans[i].cta) {
			list = append(list, spans[i].cta)
		}
	}
	return list
}

// Next is of [model.CTADependency].
func (d *maestro) Next(order uint64) (cta uint32, ok bool) {
	k := d.open[order]
	if len(k.ready) == 0 {
		return 0, false
	}
	return k.ready[0], true
}

// Placed is of [model.CTADependency].
func (d *maestro) Placed(order uint64, _ uint32, _ model.Time) { heap.Pop(&d.open[order].ready) }

// Ended is of [model.CTADependency].
func (d *maestro) Ended(order uint64, cta uint32, _ model.Time) {
	k := d.open[order]
	k.ended[cta] = true
	release(k.children[cta])
	k.children[cta] = nil
	if k.left--; k.left == 0 {
		release(k.after)
		k.after = nil
	}
}

// release takes an ended CTA off the counts of the CTAs that waited for it.
func release(waiting []ctaRef) {
	for _, w := range waiting {
		if w.k.waits[w.cta]--; w.k.waits[w.cta] == 0 {
			heap.Push(&w.k.ready, w.cta)
		}
	}
}

// Completed is of [model.CTADependency].
func (d *maestro) Completed(order uint64, _ model.Time) {
	k := d.open[order]
	delete(d.open, order)
	d.streams[k.stream] = slices.DeleteFunc(d.streams[k.stream], func(x *maestroKernel) bool { return x == k })
}
