package trace

import (
	"fmt"
	"io"
	"sort"
)

// CTACursor reads the CTAs of one kernel in ascending order.
type CTACursor struct {
	r         *Reader
	kernel    uint32
	function  uint32
	first     uint32 // CTAs before are skipped
	block     int    // number in ctaBlocks of the next block
	held      *cachedBlock
	next, end uint32 // CTAs in held
	last      int64  // id of the CTA read last
	done      bool
}

// CTAs returns a cursor over the CTAs of a kernel from the CTA first on. It
// reads nothing yet. A cursor that is not read to its end needs no closing.
func (r *Reader) CTAs(kernel, first uint32) (*CTACursor, error) {
	var k Kernel
	if err := r.Kernel(kernel, &k); err != nil {
		return nil, err
	}
	c := &CTACursor{r: r, kernel: kernel, function: k.Function, first: first, last: -1, block: r.findBlock(kernel, first)}
	c.done = k.CTAs == 0
	return c, nil
}

// Next reads the next CTA into dst and returns io.EOF at the end of the kernel.
// The slices of dst are reused: those of a warp's Path and Masks are shared and
// read only, and stay valid when dst is reused; all others belong to dst.
func (c *CTACursor) Next(dst *CTA) error {
	for c.next == c.end {
		if c.done {
			c.drop()
			return io.EOF
		}
		if err := c.open(); err != nil {
			c.done = true
			c.drop()
			return err
		}
	}
	b := c.held.block
	row := &b.ctas[c.next]
	c.next++
	if int64(row.id) <= c.last {
		c.done, c.next = true, c.end
		return fmt.Errorf("kernel %d: CTA %d comes after CTA %d", c.kernel, row.id, c.last)
	}
	c.last = int64(row.id)
	b.copy(dst, row)
	return nil
}

// Close gives back what the cursor holds; Next returns io.EOF after it. Only a
// cursor that was not read to its end needs it.
func (c *CTACursor) Close() {
	c.done = true
	c.drop()
}

func (c *CTACursor) drop() {
	if c.held != nil {
		c.r.release(c.held)
		c.held = nil
	}
	c.next, c.end = 0, 0
}

// open goes on to the next block, if it holds CTAs of the kernel.
func (c *CTACursor) open() error {
	c.drop()
	if c.block >= len(c.r.ctaBlocks) || c.r.index[c.r.ctaBlocks[c.block]].kernel > c.kernel {
		c.done = true
		return nil
	}
	held, err := c.r.acquire(uint32(c.block))
	if err != nil {
		return fmt.Errorf("kernel %d: %w", c.kernel, err)
	}
	c.block++
	c.held = held
	b := held.block
	i := sort.Search(len(b.runs), func(i int) bool { return b.runs[i].kernel >= c.kernel })
	if i == len(b.runs) || b.runs[i].kernel != c.kernel {
		return nil
	}
	run := &b.runs[i]
	if run.function != c.function {
		return fmt.Errorf("kernel %d: its CTAs are of function %d, not of %d", c.kernel, run.function, c.function)
	}
	c.next, c.end = run.lo, run.hi
	if i+1 < len(b.runs) {
		c.done = true
	}
	if c.first > 0 {
		c.next += uint32(sort.Search(int(run.hi-run.lo), func(i int) bool { return b.ctas[int(run.lo)+i].id >= c.first }))
	}
	return nil
}

// copy copies a CTA out of the block.
func (b *ctaBlock) copy(dst *CTA, row *ctaRow) {
	dst.ID, dst.SM = row.id, row.sm
	dst.Ranges = append(dst.Ranges[:0], b.spans[row.ranges[0]:row.ranges[1]]...)
	if !row.hasRanges {
		dst.Ranges = nil
	} else if dst.Ranges == nil {
		dst.Ranges = []Range{}
	}
	dst.Touches = append(dst.Touches[:0], b.spans[row.touchs[0]:row.touchs[1]]...)
	dst.Counts = append(dst.Counts[:0], b.counts[row.counts[0]:row.counts[1]]...)
	rows := b.warps[row.warps[0]:row.warps[1]]
	if cap(dst.Warps) < len(rows) {
		dst.Warps = append(dst.Warps[:cap(dst.Warps)], make([]Warp, len(rows)-cap(dst.Warps))...)
	}
	dst.Warps = dst.Warps[:len(rows)]
	for i := range rows {
		w, s := &dst.Warps[i], &rows[i]
		w.ID, w.Path, w.Masks = s.id, s.path, s.masks
		w.Mem = append(w.Mem[:0], b.mem[s.mem[0]:s.mem[1]]...)
		w.Lists = append(w.Lists[:0], b.lists[s.lists[0]:s.lists[1]]...)
		w.Launches = append(w.Launches[:0], b.launches[s.launches[0]:s.launches[1]]...)
	}
}
