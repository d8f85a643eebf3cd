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
	recent  []*cachedBlock // unpacked ones, latest last
	bytes   uint64
}

// spareBlocks holds the memory of blocks, *ctaBlock, that nobody uses.
var spareBlocks = sync.Pool{New: func() any { return &ctaBlock{} }}

// cachedBlock is a block that is being unpacked or is.
type cachedBlock struct {
	number uint32 // in Reader.ctaBlocks
	once   sync.Once
	block  *ctaBlock
	err    error
	bytes  uint64
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
		e = &cachedBlock{number: number, block: spareBlocks.Get().(*ctaBlock)}
		c.entries[number] = e
	} else {
		c.touch(e)
	}
	e.users++
	r.mu.Unlock()
	e.once.Do(func() {
		e.err = r.unpackCTAs(number, e.block)
		r.mu.Lock()
		e.bytes = max(e.block.bytes, 1)
		c.bytes += e.bytes
		c.recent = append(c.recent, e)
		c.drop(cacheBytes)
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

// drop lets go of the oldest blocks until at most limit bytes are left, or one
// block. Cursors keep theirs.
func (c *blockCache) drop(limit uint64) {
	for c.bytes > limit && (len(c.recent) > 1 || limit == 0 && len(c.recent) > 0) {
		e := c.recent[0]
		copy(c.recent, c.recent[1:])
		c.recent[len(c.recent)-1] = nil
		c.recent = c.recent[:len(c.recent)-1]
		delete(c.entries, e.number)
		c.bytes -= e.bytes
		e.gone = true
		c.recycle(e)
	}
}

// recycle keeps the memory of a block that nobody uses.
func (c *blockCache) recycle(e *cachedBlock) {
	if e.gone && e.users == 0 && e.block != nil {
		clear(e.block.warps) // paths and masks belong to their readers
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
	if len(block.ctas) != int(row.rows) || len(block.runs) == 0 || block.runs[0].kernel != row.kernel || block.ctas[0].id != row.cta {
		return fmt.Errorf("the block at byte %d does not hold what the index says", row.offset)
	}
	return nil
}
