package trace

import (
	"fmt"
	"sync"
)

// cacheBytes is how much unpacked memory a Reader keeps beyond what its cursors
// hold.
const cacheBytes = 48 << 20

// blockCache shares unpacked blocks between the cursors of a Reader: many small
// kernels lie in one block, and several models replay the same one.
type blockCache struct {
	entries map[uint32]*cachedBlock
	recent  []*cachedBlock // latest last
	bytes   uint64
	spare   []*ctaBlock
}

// cachedBlock is a block that is being unpacked or is.
type cachedBlock struct {
	number uint32 // in Reader.ctaBlocks
	once   sync.Once
	block  *ctaBlock
	err    error
	users  int
	gone   bool // no longer in the cache
}

// acquire returns an unpacked block, which the caller releases.
func (r *Reader) acquire(number uint32) (*cachedBlock, error) {
	r.mu.Lock()
	c := &r.blocks
	if c.entries == nil {
		c.entries = map[uint32]*cachedBlock{}
	}
	e := c.entries[number]
	if e == nil {
		e = &cachedBlock{number: number}
		if n := len(c.spare); n > 0 {
			e.block, c.spare = c.spare[n-1], c.spare[:n-1]
		} else {
			e.block = &ctaBlock{}
		}
		c.entries[number] = e
		c.recent = append(c.recent, e)
	} else {
		c.touch(e)
	}
	e.users++
	r.mu.Unlock()
	e.once.Do(func() {
		e.err = r.unpackCTAs(number, e.block)
		r.mu.Lock()
		c.bytes += e.block.bytes
		c.trim()
		r.mu.Unlock()
	})
	if e.err != nil {
		r.release(e)
		return nil, e.err
	}
	return e, nil
}

func (r *Reader) release(e *cachedBlock) {
	r.mu.Lock()
	e.users--
	r.blocks.recycle(e)
	r.mu.Unlock()
}

// touch makes e the latest.
func (c *blockCache) touch(e *cachedBlock) {
	for i := len(c.recent) - 1; i >= 0; i-- {
		if c.recent[i] == e {
			copy(c.recent[i:], c.recent[i+1:])
			c.recent[len(c.recent)-1] = e
			return
		}
	}
}

// trim lets go of the oldest blocks. Cursors keep theirs.
func (c *blockCache) trim() {
	for c.bytes > cacheBytes && len(c.recent) > 1 {
		e := c.recent[0]
		copy(c.recent, c.recent[1:])
		c.recent[len(c.recent)-1] = nil
		c.recent = c.recent[:len(c.recent)-1]
		delete(c.entries, e.number)
		c.bytes -= min(c.bytes, e.block.bytes)
		e.gone = true
		c.recycle(e)
	}
}

// recycle keeps the memory of a block that nobody uses.
func (c *blockCache) recycle(e *cachedBlock) {
	if e.gone && e.users == 0 && e.block != nil && len(c.spare) < 4 {
		for i := range e.block.warps {
			e.block.warps[i] = warpRow{} // paths and masks belong to their readers
		}
		c.spare = append(c.spare, e.block)
		e.block = nil
	}
}

func (r *Reader) unpackCTAs(number uint32, block *ctaBlock) error {
	f := r.frames.Get().(*frame)
	defer r.frames.Put(f)
	row := &r.index[r.ctaBlocks[number]]
	raw, err := r.readFrame(f, row)
	if err != nil {
		return err
	}
	f.decoder.p, f.decoder.kernels = &r.prog, uint32(r.count[0])
	if err := f.decoder.decode(block, raw); err != nil {
		return fmt.Errorf("the block at byte %d: %w", row.offset, err)
	}
	if len(block.ctas) != int(row.rows) || len(block.runs) == 0 || block.runs[0].kernel != row.kernel || block.ctas[0].id != row.cta {
		return fmt.Errorf("the block at byte %d does not hold what the index says", row.offset)
	}
	return nil
}
