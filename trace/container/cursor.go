package container

import (
	"fmt"
	"gpureplay/trace"
	"io"
	"sort"
)

// ctaCursor reads the CTAs of one kernel in ascending order.
type ctaCursor struct {
	r         *Reader
	kernel    uint32
	function  uint32
	first     uint32 // CTAs before are skipped
	block     int    // number in ctaBlocks of the next block
	next, end uint32 // CTAs in the one before it
	last      int64  // id of the CTA read last
	warps     uint32 // of a CTA, by the kernel's block
	done      bool
}

// CTAs returns a cursor over the CTAs of a kernel from the CTA first on. It reads nothing yet, and needs no closing.
// It returns an error if there is no such kernel.
func (r *Reader) CTAs(kernel, first uint32) (trace.Cursor[trace.CTA], error) {
	var k trace.Kernel
	if err := r.Kernel(kernel, &k); err != nil {
		return nil, err
	}
	return r.CTAsOf(&k, first), nil
}

// CTAsOf is [Reader.CTAs] for a kernel whose header the caller has read.
func (r *Reader) CTAsOf(k *trace.Kernel, first uint32) trace.Cursor[trace.CTA] {
	return &ctaCursor{r: r, kernel: k.ID, function: k.Function, warps: k.WarpsPerCTA(), first: first, last: -1,
		block: r.findBlock(k.ID, first), done: k.CTAs == 0}
}

// Next reads the next CTA into dst and returns io.EOF at the end of the kernel.
// The slices of dst are reused: those of a warp's Path and Masks are shared and
// read only, and stay valid when dst is reused; all others belong to dst. A cursor
// holds no block of the trace between two calls.
func (c *ctaCursor) Next(dst *trace.CTA) error {
	for c.next == c.end {
		if c.done {
			return io.EOF
		}
		if err := c.open(); err != nil {
			c.done = true
			return err
		}
	}
	i := c.next
	e, err := c.r.acquire(uint32(c.block-1), int64(i))
	if err != nil {
		c.done, c.next = true, c.end
		return fmt.Errorf("kernel %d: %w", c.kernel, err)
	}
	e.copy(dst, i)
	c.r.release(e, int64(i))
	c.next++
	if int64(dst.ID) <= c.last {
		c.done, c.next = true, c.end
		return fmt.Errorf("kernel %d: CTA %d comes after CTA %d", c.kernel, dst.ID, c.last)
	}
	c.last = int64(dst.ID)
	if n := len(dst.Warps); n > 0 && dst.Warps[n-1].ID >= c.warps { // their ids ascend
		c.done, c.next = true, c.end
		return fmt.Errorf("kernel %d, CTA %d: warp %d is outside of the block, which has %d", c.kernel, dst.ID,
			dst.Warps[n-1].ID, c.warps)
	}
	return nil
}

// open goes on to the next block, if it holds CTAs of the kernel.
func (c *ctaCursor) open() error {
	if c.block >= len(c.r.ctaBlocks) || c.r.index[c.r.ctaBlocks[c.block]].kernel > c.kernel {
		c.done = true
		return nil
	}
	e, err := c.r.acquire(uint32(c.block), -1)
	if err != nil {
		return fmt.Errorf("kernel %d: %w", c.kernel, err)
	}
	run, more, ok := e.find(c.kernel, c.first)
	c.r.release(e, -1)
	c.block++
	if !ok {
		return nil
	}
	if run.function != c.function {
		return fmt.Errorf("kernel %d: its CTAs are of function %d, not of %d", c.kernel, run.function, c.function)
	}
	c.next, c.end = run.lo, run.hi
	c.done = c.done || more
	return nil
}

// findRun returns the CTAs of a kernel in a block, from CTA first on, and whether other kernels come after them. id
// gives the id of each CTA of the block.
func findRun(runs []blockRun, kernel, first uint32, id func(i uint32) uint32) (run blockRun, more, ok bool) {
	i := sort.Search(len(runs), func(i int) bool { return runs[i].kernel >= kernel })
	if i == len(runs) || runs[i].kernel != kernel {
		return run, false, false
	}
	run = runs[i]
	if first > 0 {
		run.lo += uint32(sort.Search(int(run.hi-run.lo), func(i int) bool { return id(run.lo+uint32(i)) >= first }))
	}
	return run, i+1 < len(runs), true
}

// copy copies a CTA out of the block.
func (b *ctaBlock) copy(dst *trace.CTA, row *ctaRow) {
	dst.ID, dst.SM = row.id, row.sm
	takeRanges(dst, part(b.spans, row.ranges), row.hasRanges)
	dst.Touches = append(dst.Touches[:0], part(b.spans, row.touchs)...)
	dst.Counts = append(dst.Counts[:0], part(b.counts, row.counts)...)
	rows := part(b.warps, row.warps)
	takeWarps(dst, len(rows))
	for i := range rows {
		w, s := &dst.Warps[i], &rows[i]
		w.ID, w.Path, w.Masks = s.id, part(b.paths, s.path), part(b.masks, s.masks)
		w.Mem = append(w.Mem[:0], part(b.mem, s.mem)...)
		w.Lists = append(w.Lists[:0], part(b.lists, s.lists)...)
		w.Launches = append(w.Launches[:0], part(b.launches, s.launches)...)
	}
}

// takeRanges copies ranges; those that are not stated are nil, and no ranges at
// all are not.
func takeRanges(c *trace.CTA, list []trace.Range, stated bool) {
	c.Ranges = append(c.Ranges[:0], list...)
	if !stated {
		c.Ranges = nil
	} else if c.Ranges == nil {
		c.Ranges = []trace.Range{}
	}
}

// takeWarps makes room for n warps and keeps the memory of those that were there.
func takeWarps(c *trace.CTA, n int) {
	if cap(c.Warps) < n {
		c.Warps = append(c.Warps[:cap(c.Warps)], make([]trace.Warp, n-cap(c.Warps))...)
	}
	c.Warps = c.Warps[:n]
}
