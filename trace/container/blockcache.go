package container

import (
	"fmt"
	"gpureplay/trace"
	"sync"
)

// Limits of the memory that a Reader keeps for later reads: bytes of unpacked blocks, and bytes of unread CTAs of
// earlier blocks. Children are read in the order of their starts, not in the order of the trace. Without the second
// kind a block would be unpacked again for a few CTAs at a time. With more children, more of them wait between
// launch and first read, and the limit is higher.
const (
	unpackedBytes = 16 << 20
	keptBytes     = 64 << 20
	keptPerChild  = 64
	mostKeptBytes = 1 << 30
)

// keptLimit is how many bytes of CTAs are kept of a trace with so many children.
func keptLimit(children uint64) uint64 {
	return min(max(keptBytes, keptPerChild*min(children, mostKeptBytes)), mostKeptBytes)
}

// blockCache shares blocks between the cursors of a Reader: many small kernels lie in one block, and several models
// replay the same one. Of a block that leaves the cache, the unread CTAs stay, packed.
type blockCache struct {
	entries        map[uint32]*cachedBlock
	unpacked, kept recency
}

// spareBlocks holds the memory of unused blocks, *ctaBlock.
var spareBlocks = sync.Pool{New: func() any { return &ctaBlock{} }}

// cachedBlock is a block while it is unpacked, after that, and as its unread CTAs.
type cachedBlock struct {
	cached // number: in Reader.ctaBlocks
	once   sync.Once
	block  *ctaBlock
	kept   *keptCTAs // instead of block
	read   []uint64  // bit for each CTA: somebody has read it
	unread int
	err    error
	users  int
	gone   bool // no longer in the cache
}

// find returns the CTAs of a kernel in the block, from CTA first on, and whether
// other kernels come after them.
func (e *cachedBlock) find(kernel, first uint32) (run blockRun, more, ok bool) {
	if e.kept != nil {
		return findRun(e.kept.runs, kernel, first, func(i uint32) uint32 { return e.kept.ids[i] })
	}
	return findRun(e.block.runs, kernel, first, func(i uint32) uint32 { return e.block.ctas[i].id })
}

// copy copies a CTA.
func (e *cachedBlock) copy(dst *trace.CTA, i uint32) {
	if e.kept != nil {
		e.kept.copy(dst, i)
		return
	}
	e.block.copy(dst, &e.block.ctas[i])
}

// has reports whether a CTA can be copied; a negative one stands for none.
func (e *cachedBlock) has(i int64) bool { return e.kept == nil || i < 0 || e.kept.at[i] != 0 }

// acquire returns a block in which a CTA can be read, or none if i is negative.
// The caller releases it.
func (r *Reader) acquire(number uint32, i int64) (*cachedBlock, error) {
	r.mu.Lock()
	if r.ahead.wants(number) && int(number)+1 < len(r.ctaBlocks) && r.blocks.entries[number+1] == nil {
		r.ahead.Go(func() {
			r.mu.Lock()
			if e, err := r.get(number+1, -1); err == nil {
				r.release(e, -1)
			} // or else whoever reads the block is told
		})
	}
	return r.get(number, i)
}

// get is acquire under the lock, which it gives back.
func (r *Reader) get(number uint32, i int64) (*cachedBlock, error) {
	c := &r.blocks
	e := c.entries[number]
	switch {
	case e == nil:
		e = c.enter(number)
	case !e.has(i): // it is read a second time, as others may be
		c.forget(e, &c.kept)
		e = c.enter(number)
	case e.kept != nil:
		c.kept.use(&e.cached)
	default:
		c.unpacked.use(&e.cached)
	}
	e.users++
	r.mu.Unlock()
	if e.kept == nil {
		e.once.Do(func() { r.fill(e) })
	}
	if e.err != nil {
		r.release(e, -1)
		return nil, e.err
	}
	return e, nil
}

// enter makes the entry of a block that is to be unpacked.
func (c *blockCache) enter(number uint32) *cachedBlock {
	if c.entries == nil {
		c.entries = map[uint32]*cachedBlock{}
	}
	e := &cachedBlock{cached: cached{number: number}, block: spareBlocks.Get().(*ctaBlock)}
	c.entries[number] = e
	return e
}

// fill unpacks a block and makes room for it.
func (r *Reader) fill(e *cachedBlock) {
	e.err = r.unpackCTAs(e.number, e.block)
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &r.blocks
	e.unread = len(e.block.ctas)
	e.read = make([]uint64, (e.unread+63)/64)
	e.bytes = e.block.held()
	c.unpacked.add(&e.cached)
	c.shrink()
}

// release gives a block back after CTA i of it has been read; a negative i stands for none.
func (r *Reader) release(e *cachedBlock, i int64) {
	r.mu.Lock()
	if e.users--; i >= 0 && e.read[i>>6]>>(i&63)&1 == 0 {
		e.read[i>>6] |= 1 << (i & 63)
		if e.unread--; e.unread == 0 && e.kept != nil && !e.gone {
			r.blocks.forget(e, &r.blocks.kept)
		}
	}
	e.recycle()
	r.mu.Unlock()
}

// shrink lets go of the oldest blocks until both limits hold. Blocks that are being read stay valid.
func (c *blockCache) shrink() {
	for x := c.unpacked.over(); x != nil; x = c.unpacked.over() {
		e := c.entries[x.number]
		c.forget(e, &c.unpacked)
		if e.unread > 0 && e.err == nil && c.kept.limit > 0 {
			k := keep(e)
			c.entries[e.number] = k
			c.kept.add(&k.cached)
		}
		e.recycle()
	}
	for x := c.kept.over(); x != nil; x = c.kept.over() {
		c.forget(c.entries[x.number], &c.kept)
	}
}

// forget takes an entry out of the cache.
func (c *blockCache) forget(e *cachedBlock, from *recency) {
	from.remove(&e.cached)
	delete(c.entries, e.number)
	e.gone = true
}

// drop lets go of everything.
func (c *blockCache) drop() {
	c.unpacked.limit, c.kept.limit = 0, 0
	c.shrink()
}

// recycle keeps the memory of an unused block.
func (e *cachedBlock) recycle() {
	if e.gone && e.users == 0 && e.block != nil {
		e.block.paths, e.block.masks = nil, nil // they belong to their readers
		spareBlocks.Put(e.block)
		e.block = nil
	}
}

func (r *Reader) unpackCTAs(number uint32, block *ctaBlock) error {
	f := frames.Get().(*frame)
	defer func() {
		f.decoder.release()
		frames.Put(f)
	}()
	row := &r.index[r.ctaBlocks[number]]
	raw, err := r.readFrame(f, row)
	if err != nil {
		return err
	}
	f.decoder.p, f.decoder.kernels = &r.prog, uint32(r.count[0])
	if err := f.decoder.decode(block, raw); err != nil {
		return fmt.Errorf("the block at byte %d: %w", row.offset, err)
	}
	if len(block.ctas) != int(row.rows) || len(block.runs) == 0 || block.runs[0].kernel != row.kernel ||
		block.ctas[0].id != row.cta {
		return fmt.Errorf("the block at byte %d does not hold what the index says", row.offset)
	}
	return nil
}
