package reference

import (
	"slices"

	"gpureplay/model"
	"gpureplay/trace"
)

type nPage struct {
	number      uint64
	arrays      []uint32 // that lie in it
	counts      []*nRefs // by program order of kernels; the first is the owner's
	ready       bool
	input       bool // the prelude brings it
	back, sent  bool // it goes to the host, it has gone
	toBeWritten int  // arrays of the prelude whose part is not written
}

// nRefs are the CTAs of a kernel that have not ended and may read or write a page.
type nRefs struct {
	k                *nKernel
	readers, writers int
	held             bool // a count overflowed, until the kernel ends
}

// nTouch is a page that a CTA may touch.
type nTouch struct {
	page *nPage
	mode trace.Mode
}

// nSpan is a span of addresses of an array, touched in one way.
type nSpan struct {
	array  uint32
	mode   trace.Mode
	lo, hi uint64
}

// page finds the page of an address; nil: no array lies there.
func (o *nOverlap) page(addr uint64) *nPage {
	for _, p := range o.pages {
		if p.number == addr/o.pageBytes {
			return p
		}
	}
	return nil
}

// pagesOf lists the pages of an array.
func (o *nOverlap) pagesOf(array uint32) (all []*nPage) {
	for _, p := range o.pages {
		if slices.Contains(p.arrays, array) {
			all = append(all, p)
		}
	}
	return all
}

// part is how many bytes of an array lie in a page.
func (o *nOverlap) part(array uint32, p *nPage) (n uint64) {
	a := &o.n.prog.Arrays[array]
	for b := p.number * o.pageBytes; b < (p.number+1)*o.pageBytes; b++ {
		if b >= a.Base && b < a.Base+a.Bytes {
			n++
		}
	}
	return n
}

// arrayOf is the array of an address; between arrays, the first of the page.
func (o *nOverlap) arrayOf(addr uint64, p *nPage) uint32 {
	for _, i := range p.arrays {
		if a := &o.n.prog.Arrays[i]; addr >= a.Base && addr < a.Base+a.Bytes {
			return i
		}
	}
	return p.arrays[0]
}

func addresses(w *trace.Warp, a *trace.Access) []uint64 { return slices.Collect(a.Addresses(w.Lists)) }

func paged(in *trace.Inst) bool { return in.Mem() && in.Global() }

// footprint lists the pages that a CTA may touch: the pages of its stated ranges, or of the hull of its accesses in
// each array. With exact pages it lists the pages of its accesses.
func (o *nOverlap) footprint(k *nKernel, c *trace.CTA) []nTouch {
	var spans []nSpan
	if len(c.Ranges) > 0 && !o.exact {
		for _, r := range c.Ranges {
			a := &o.n.prog.Arrays[r.Array]
			if hi := min(r.Hi, a.Bytes); r.Lo < hi {
				spans = append(spans, nSpan{r.Array, r.Mode, a.Base + r.Lo, a.Base + hi})
			}
		}
		return o.touches(spans)
	}
	for i := range c.Warps {
		w := &c.Warps[i]
		for in, a := range w.Accesses(o.n.prog.Functions[k.tk.Function].Insts) {
			if !in.Global() {
				continue
			}
			for addr := range a.Addresses(w.Lists) {
				if p := o.page(addr); p != nil {
					spans = append(spans, nSpan{o.arrayOf(addr, p), in.Mode(), addr, addr + uint64(in.Width)})
				}
			}
		}
	}
	if o.exact {
		return o.touches(spans)
	}
	return o.touches(hulls(spans))
}

// hulls joins the spans of each array and mode.
func hulls(spans []nSpan) (all []nSpan) {
	for _, s := range spans {
		i := slices.IndexFunc(all, func(h nSpan) bool { return h.array == s.array && h.mode == s.mode })
		if i < 0 {
			all = append(all, s)
			continue
		}
		all[i].lo, all[i].hi = min(all[i].lo, s.lo), max(all[i].hi, s.hi)
	}
	return all
}

func (o *nOverlap) touches(spans []nSpan) (all []nTouch) {
	for _, s := range spans {
		for number := s.lo / o.pageBytes; number <= (s.hi-1)/o.pageBytes; number++ {
			p := o.page(number * o.pageBytes)
			i := slices.IndexFunc(all, func(t nTouch) bool { return t.page == p })
			if p != nil && i < 0 {
				all = append(all, nTouch{p, s.mode})
			} else if p != nil {
				all[i].mode |= s.mode
			}
		}
	}
	return all
}

// count raises the counts of a page for one CTA of k.
func (o *nOverlap) count(k *nKernel, x nTouch) {
	p := x.page
	if len(p.counts) == 0 || p.counts[len(p.counts)-1].k != k {
		p.counts = append(p.counts, &nRefs{k: k})
	}
	r := p.counts[len(p.counts)-1]
	for mode, n := range map[trace.Mode]*int{trace.Read: &r.readers, trace.Write: &r.writers} {
		if x.mode&mode == 0 {
			continue
		}
		if o.limit > 0 && *n == o.limit {
			if o.overflows++; !r.held {
				r.held, k.held = true, append(k.held, p)
			}
		} else {
			*n++
		}
	}
}

// release takes one CTA of k off the counts of a page.
func (o *nOverlap) release(k *nKernel, x nTouch) {
	for i, r := range x.page.counts {
		if r.k != k || r.held {
			continue
		}
		if x.mode&trace.Read != 0 {
			r.readers--
		}
		if x.mode&trace.Write != 0 {
			r.writers--
		}
		if i == 0 && r.readers+r.writers == 0 {
			o.handOver(x.page, o.n.t+1) // an SM's steps reach the others a cycle later
		}
		return
	}
}

// letGo gives the pages on that k held because a count overflowed, in that order.
func (o *nOverlap) letGo(k *nKernel) {
	for _, p := range k.held {
		for i, r := range p.counts {
			if r.k == k && r.held {
				r.held, r.readers, r.writers = false, 0, 0
				if i == 0 {
					o.handOver(p, o.n.t)
				}
				break
			}
		}
	}
}

// handOver gives a page to the next kernel with a count on it, or to the host, whose
// link it reaches at a time.
func (o *nOverlap) handOver(p *nPage, link model.Time) {
	p.counts = p.counts[1:]
	for len(p.counts) > 0 && p.counts[0].readers+p.counts[0].writers == 0 {
		p.counts = p.counts[1:]
	}
	o.changed(p, link)
}

// changed wakes the warps that wait for a page in the next cycle, and sends an unneeded page to the host.
func (o *nOverlap) changed(p *nPage, link model.Time) {
	if len(p.counts) == 0 && o.allCounted() {
		o.send(p, link)
	}
	for _, s := range o.n.sms {
		for _, w := range s.slots {
			if w != nil && w.page == p {
				w.page, w.from = nil, max(w.from, o.n.t+1)
			}
		}
	}
}

// stalls parks w if its next access touches a page that is not there or belongs to
// another kernel.
func (o *nOverlap) stalls(w *nWarp) bool {
	in := w.inst(o.n)
	if in == nil || !paged(in) {
		return false
	}
	sectors, _ := touchedSectors(addresses(w.w, &w.w.Mem[w.mem]), uint64(in.Width))
	for _, s := range sectors {
		p := o.page(32 * s)
		if p == nil || p.ready && (len(p.counts) == 0 || p.counts[0].k == w.cta.k || irregular(w.cta.k)) {
			continue
		}
		w.page = p
		return true
	}
	return false
}

func irregular(k *nKernel) bool { return k.tk.Flags&trace.KernelIrregular != 0 }

// owned counts the pages that count for shares, and how many of them k owns.
func (o *nOverlap) owned(k *nKernel, text bool) (all, its int) {
	for _, p := range o.pages {
		if p.ready && (p.input || !text) {
			all++
			if len(p.counts) > 0 && p.counts[0].k == k {
				its++
			}
		}
	}
	return all, its
}

// profile counts the pages of all CTAs of k and returns the time of the pre-profiler.
func (o *nOverlap) profile(k *nKernel) model.Time {
	arrays, updates := 1, 0
	for i := range k.items {
		arrays = max(arrays, len(k.items[i].tc.Ranges))
		for _, x := range o.footprint(k, k.items[i].tc) {
			o.count(k, x)
			updates++
		}
	}
	if !o.cost {
		return 0
	}
	c := o.n.cfg
	insts := 8 * arrays
	chain := model.Time(insts * (c.Exec.Int.Latency + c.SM.PipelineDepth))
	issue := ceilDiv(model.Time(len(k.items)*insts), model.Time(c.SM.Count*c.SM.Schedulers))
	l2 := port(c.Clock.L2MHz, c.Clock.CoreMHz)
	counters := ceilDiv(ceilDiv(model.Time(updates), model.Time(c.L2.Slices))*l2.against, l2.clock)
	return model.Time(c.KMU.DispatchLatency) + max(chain, issue, counters) + model.Time(c.L2.Latency)
}

// postProfile finds the pages that c gives back, and the time of the post-profiler.
func (o *nOverlap) postProfile(c *nCTA) model.Time {
	if irregular(c.k) {
		return 0
	}
	tc := c.item.tc
	c.gives = o.footprint(c.k, tc)
	if !o.cost {
		return 0
	}
	return model.Time(8*max(1, len(tc.Ranges))*(o.n.cfg.Exec.Int.Latency+o.n.cfg.SM.PipelineDepth) + len(c.gives))
}
