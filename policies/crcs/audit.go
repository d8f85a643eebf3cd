package crcs

import (
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// countBook checks the reference counts of CRCS against the trace (page-counts). A page that a kernel gets, or
// whose input arrives, is counted once for each unfinished CTA of the kernel that may read or write it. It leaves
// the kernel with the last of them.
//
// A CTA may touch its stated ranges, or, counted exactly, the pages of its accesses. Kernels that state nothing and
// are not counted exactly are left out, and so are pages with more CTAs than a counter holds.
type countBook struct {
	model.Discard
	tr      *container.Reader
	fail    model.AuditFail
	exact   bool
	shift   uint
	limit   uint32
	kernels map[uint32]*kernelCount // under way
	owners  map[uint64]uint32       // kernel of each page
	handed  []model.PageRecord      // since the last CTA ended
}

// kernelCount is a kernel with the CTAs of its pages; nil pages: not known.
type kernelCount struct {
	k     trace.Kernel
	pages map[uint64]*pageCount
}

type pageCount struct {
	readers, writers uint32
	over             bool // more than a counter holds
}

// Audit makes the board a [model.Audited].
func (b *Board) Audit(tr *container.Reader, cfg *hardware.Config, fail model.AuditFail) model.Observer {
	c := &countBook{
		tr: tr, fail: fail, exact: b.Exact, shift: b.Grain(cfg), limit: ^uint32(0),
		kernels: map[uint32]*kernelCount{}, owners: map[uint64]uint32{},
	}
	if n := b.CounterBits; n > 0 && n < 32 {
		c.limit = 1<<n - 1
	}
	return c
}

// open counts a kernel's CTAs, before the first of them ends.
func (c *countBook) open(kernel uint32) {
	if _, ok := c.kernels[kernel]; ok || kernel == model.NoKernel {
		return
	}
	x := &kernelCount{}
	c.kernels[kernel] = x
	k := &x.k
	if c.tr.Kernel(kernel, k) != nil || k.Flags&trace.KernelIrregular != 0 {
		return
	}
	pages := map[uint64]*pageCount{}
	for cta, err := range trace.EachCTA(c.tr, kernel) {
		if err != nil {
			break
		}
		touched, ok := c.touched(k, cta)
		if !ok {
			return
		}
		for page, mode := range touched {
			n := pages[page]
			if n == nil {
				n = &pageCount{}
				pages[page] = n
			}
			n.add(mode, 1)
			n.over = n.over || max(n.readers, n.writers) > c.limit
		}
	}
	x.pages = pages
}

func (x *pageCount) add(mode trace.Mode, by uint32) {
	if mode&trace.Read != 0 {
		x.readers += by
	}
	if mode&trace.Write != 0 {
		x.writers += by
	}
}

// touched returns the pages that a CTA may touch, and how; !ok: it does not say.
func (c *countBook) touched(k *trace.Kernel, cta *trace.CTA) (pages map[uint64]trace.Mode, ok bool) {
	pages = map[uint64]trace.Mode{}
	list := cta.Touches
	if len(cta.Ranges) > 0 && (!c.exact || len(list) == 0 && trace.InferredOf(k) != trace.InferredNothing) {
		list = cta.Ranges
	}
	for _, r := range list {
		if int(r.Array) >= len(c.tr.Program().Arrays) {
			continue
		}
		x := &c.tr.Program().Arrays[r.Array]
		c.span(pages, x.Base+r.Lo, x.Base+min(r.Hi, x.Bytes), r.Mode)
	}
	if len(list) > 0 {
		return pages, true
	}
	insts := c.tr.Program().Functions[k.Function].Insts
	for i := range cta.Warps {
		w := &cta.Warps[i]
		for in, a := range w.Accesses(insts) {
			if !in.Global() {
				continue
			}
			for addr := range a.Addresses(w.Lists) {
				c.span(pages, addr, addr+uint64(in.Width), in.Mode())
			}
		}
	}
	return pages, c.exact
}

func (c *countBook) span(pages map[uint64]trace.Mode, lo, hi uint64, mode trace.Mode) {
	for n := lo >> c.shift; lo < hi && n <= (hi-1)>>c.shift; n++ {
		pages[n] |= mode
	}
}

// Placed makes the book a [model.PlacementObserver], told of CTAs placed.
func (c *countBook) Placed(r *model.CTARecord) { c.open(r.Kernel) }

// Dispatched checks nothing.
func (*countBook) Dispatched(*model.KernelRecord) {}

// Released checks nothing.
func (*countBook) Released(*model.KernelRecord) {}

// Kernel drops the counts of a kernel that has ended.
func (c *countBook) Kernel(r *model.KernelRecord) { delete(c.kernels, r.ID) }

// Page checks a page whose input has arrived. A page that changes hands is checked at the
// end of the CTA that released it.
func (c *countBook) Page(r *model.PageRecord) {
	c.owners[r.Page] = r.To
	c.open(r.To)
	switch {
	case r.From == model.NoKernel && (!r.Ready || r.Readers == 0 && r.Writers == 0): // its first CTA is being counted
	case r.From == r.To:
		c.counted(r)
	case c.overflowed(r.From, r.Page):
		if r.To != model.NoKernel {
			c.counted(r)
		}
	default:
		c.handed = append(c.handed, *r)
	}
}

// overflowed reports whether a page of a kernel has more CTAs than a counter holds, so that
// it goes on when the kernel has ended.
func (c *countBook) overflowed(kernel uint32, page uint64) bool {
	k := c.kernels[kernel]
	if k == nil {
		return true
	}
	x := k.pages[page]
	return x != nil && x.over
}

// counted checks the counts of a page that a kernel has.
func (c *countBook) counted(r *model.PageRecord) {
	pages := c.pages(r.To)
	x := pages[r.Page]
	switch {
	case pages == nil || x != nil && x.over:
	case x == nil:
		c.fail("page-counts", r.Time, "page %#x goes to kernel %d, which does not touch it", r.Page, r.To)
	case x.readers != r.Readers || x.writers != r.Writers:
		c.fail("page-counts", r.Time, "page %#x of kernel %d is counted %d times for reading and %d for writing, its "+
			"CTAs need %d and %d",
			r.Page, r.To, r.Readers, r.Writers, x.readers, x.writers)
	}
}

// pages returns the counts of a kernel under way; nil: they are not known.
func (c *countBook) pages(kernel uint32) map[uint64]*pageCount {
	if k := c.kernels[kernel]; k != nil {
		return k.pages
	}
	return nil
}

// CTA takes a CTA that has ended off its pages, and checks those that have gone on.
func (c *countBook) CTA(r *model.CTARecord) {
	last := map[uint64]bool{} // the pages that no other CTA of the kernel touches any more
	if pages := c.pages(r.Kernel); pages != nil {
		cursor, err := c.tr.CTAs(r.Kernel, r.CTA)
		var cta trace.CTA
		if err == nil && cursor.Next(&cta) == nil && cta.ID == r.CTA {
			touched, _ := c.touched(&c.kernels[r.Kernel].k, &cta)
			for page, mode := range touched {
				x := pages[page]
				x.add(mode, ^uint32(0))
				last[page] = !x.over && x.readers == 0 && x.writers == 0
			}
		}
	}
	for i := range c.handed {
		h := &c.handed[i]
		if x := c.pages(h.From)[h.Page]; x != nil && !x.over && (x.readers > 0 || x.writers > 0) {
			c.fail("page-counts", h.Time, "page %#x leaves kernel %d, whose CTAs may still read it (%d) and write it (%d)",
				h.Page, h.From, x.readers, x.writers)
		}
		if h.To != model.NoKernel {
			c.counted(h)
		}
	}
	c.handed = c.handed[:0]
	for page, was := range last { // none is left in a sound run, so the order does not matter
		if owner, ok := c.owners[page]; was && ok && owner == r.Kernel {
			c.fail("page-counts", r.End, "page %#x stays with kernel %d, whose last CTA to touch it has ended",
				page, r.Kernel)
		}
	}
}
