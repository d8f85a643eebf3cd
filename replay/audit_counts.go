package replay

import (
	"gpureplay/model"
	"gpureplay/policies/crcs"
	"gpureplay/trace"
)

// countBook checks the reference counts of CRCS against the trace (page-counts): a page that a
// kernel gets, or whose input arrives, is counted as often as CTAs of the kernel that have not
// ended may read or write it; it leaves a kernel with the last of them, and then it does.
//
// What a CTA may touch is what it states, or, counted exactly, what its accesses touch. Kernels
// that state nothing and are not counted exactly are left out, and so are pages with more
// CTAs than a counter holds.
type countBook struct {
	a       *auditor
	board   *crcs.Board
	shift   uint
	limit   uint32
	kernels map[uint32]map[uint64]*pageCount // of kernels under way, by page; nil: not known
	handed  []model.PageRecord               // since the last CTA ended
}

type pageCount struct {
	readers, writers uint32
	over             bool // more than a counter holds
}

func newCountBook(a *auditor, board *crcs.Board, shift uint) *countBook {
	c := &countBook{a: a, board: board, shift: shift, limit: ^uint32(0), kernels: map[uint32]map[uint64]*pageCount{}}
	if n := board.CounterBits; n > 0 && n < 32 {
		c.limit = 1<<n - 1
	}
	return c
}

// open counts a kernel's CTAs, before the first of them ends.
func (c *countBook) open(kernel uint32, t model.Time) {
	if _, ok := c.kernels[kernel]; ok || kernel == model.NoKernel {
		return
	}
	c.kernels[kernel] = nil
	k := &c.a.book(kernel, t).k
	cursor, err := c.a.tr.CTAs(kernel, 0)
	if err != nil || k.Flags&trace.KernelIrregular != 0 {
		return
	}
	pages := map[uint64]*pageCount{}
	for cta := (trace.CTA{}); cursor.Next(&cta) == nil; {
		touched, ok := c.touched(k, &cta)
		if !ok {
			return
		}
		for page, mode := range touched {
			x := pages[page]
			if x == nil {
				x = &pageCount{}
				pages[page] = x
			}
			x.add(mode, 1)
			x.over = x.over || max(x.readers, x.writers) > c.limit
		}
	}
	c.kernels[kernel] = pages
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
	if len(cta.Ranges) > 0 && (!c.board.Exact || len(list) == 0 && trace.InferredOf(k) != trace.InferredNothing) {
		list = cta.Ranges
	}
	for _, r := range list {
		if int(r.Array) >= len(c.a.tr.Program().Arrays) {
			continue
		}
		x := &c.a.tr.Program().Arrays[r.Array]
		c.span(pages, x.Base+r.Lo, x.Base+min(r.Hi, x.Bytes), r.Mode)
	}
	if len(list) > 0 {
		return pages, true
	}
	insts := c.a.tr.Program().Functions[k.Function].Insts
	for i := range cta.Warps {
		w, next := &cta.Warps[i], 0
		for _, step := range w.Path {
			in := &insts[step]
			if !in.Mem() {
				continue
			}
			a := &w.Mem[next]
			if next++; in.Space != trace.SpaceGlobal && in.Space != trace.SpaceTexture {
				continue
			}
			mode := trace.Read
			switch {
			case in.Flags&trace.InstAtomic != 0:
				mode = trace.ReadWrite
			case in.Flags&trace.InstStore != 0:
				mode = trace.Write
			}
			for i := range a.Count {
				addr := a.Base + uint64(int64(a.Stride)*int64(i))
				if a.List != 0 {
					addr = w.Lists[a.List-1+i]
				}
				c.span(pages, addr, addr+uint64(in.Width), mode)
			}
		}
	}
	return pages, c.board.Exact
}

func (c *countBook) span(pages map[uint64]trace.Mode, lo, hi uint64, mode trace.Mode) {
	for n := lo >> c.shift; lo < hi && n <= (hi-1)>>c.shift; n++ {
		pages[n] |= mode
	}
}

// changed checks a page whose input has arrived; one that goes on is checked when the CTA
// that let it go has ended.
func (c *countBook) changed(r *model.PageRecord) {
	c.open(r.To, r.Time)
	switch {
	case r.From == model.NoKernel && !r.Ready || r.From == model.NoKernel && r.Readers == 0 && r.Writers == 0: // its first CTA is being counted
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
	pages, runs := c.kernels[kernel]
	x := pages[page]
	return !runs || x != nil && x.over
}

// counted checks the counts of a page that a kernel has.
func (c *countBook) counted(r *model.PageRecord) {
	x := c.kernels[r.To][r.Page]
	switch {
	case c.kernels[r.To] == nil || x != nil && x.over:
	case x == nil:
		c.a.fail("page-counts", r.Time, "page %#x goes to kernel %d, which does not touch it", r.Page, r.To)
	case x.readers != r.Readers || x.writers != r.Writers:
		c.a.fail("page-counts", r.Time, "page %#x of kernel %d is counted %d times for reading and %d for writing, its CTAs need %d and %d", r.Page, r.To, r.Readers, r.Writers, x.readers, x.writers)
	}
}

// ended takes a CTA that has ended off its pages, and checks those that have gone on.
func (c *countBook) ended(r *model.CTARecord, b *kernelBook) {
	last := map[uint64]bool{} // the pages of which it was the last
	if pages := c.kernels[r.Kernel]; pages != nil {
		cursor, err := c.a.tr.CTAs(r.Kernel, r.CTA)
		var cta trace.CTA
		if err == nil && cursor.Next(&cta) == nil && cta.ID == r.CTA {
			touched, _ := c.touched(&b.k, &cta)
			for page, mode := range touched {
				x := pages[page]
				x.add(mode, ^uint32(0))
				last[page] = !x.over && x.readers == 0 && x.writers == 0
			}
		}
	}
	for i := range c.handed {
		h := &c.handed[i]
		if x := c.kernels[h.From][h.Page]; x != nil && !x.over && (x.readers > 0 || x.writers > 0) {
			c.a.fail("page-counts", h.Time, "page %#x leaves kernel %d, of which %d CTAs may read and %d write it", h.Page, h.From, x.readers, x.writers)
		}
		if h.To != model.NoKernel {
			c.counted(h)
		}
	}
	c.handed = c.handed[:0]
	for page, was := range last { // none is left in a sound run, so the order does not matter
		if p := c.a.hazards.pages[page]; was && p != nil && p.owner == r.Kernel {
			c.a.fail("page-counts", r.End, "page %#x stays with kernel %d, the last CTA of which to touch it has ended", page, r.Kernel)
		}
	}
}
