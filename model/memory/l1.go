package memory

import (
	"math/bits"

	"gpureplay/model/hardware"
)

// l1 is the L1 data cache of an SM: its tags.
type l1 struct {
	tags     *cache // nil: there is none
	latency  Time
	mshrs    int    // 0: any number
	per      uint   // logarithm of sectors per line
	last     uint   // number of the last sector of a line
	bankMask uint64 // block to bank
	block    block
	stats    l1Stats
	cfg      *hardware.L1Config
	caches   map[int]*cache // by size: the L1 gets what shared memory leaves
	tables   *tables
	bypass   Time // the latency of what passes by it
}

// l1Stats counts sector accesses of the L1.
type l1Stats struct {
	reads, hits, misses, writes uint64
}

func (c *l1) init(t *tables, cfg *hardware.L1Config) {
	c.tables, c.cfg, c.caches = t, cfg, make(map[int]*cache)
	c.latency, c.bypass, c.mshrs = Time(cfg.Latency), Time(cfg.BypassLatency), cfg.MSHRs
	c.per = uint(bits.TrailingZeros(uint(cfg.LineBytes >> hardware.SectorShift)))
	c.last, c.bankMask, c.block = 1<<c.per-1, uint64(max(1, cfg.Banks))-1, newBlock(cfg.SectorBytes)
}

// resize flushes the cache and gives it a capacity.
func (c *l1) resize(bytes int) {
	if bytes < c.cfg.LineBytes {
		c.tags = nil
		return
	}
	tags := c.caches[bytes]
	if tags == nil {
		ways := c.cfg.Ways
		if c.cfg.Unified > 0 && c.cfg.Bytes > 0 {
			ways = max(1, ways*bytes/c.cfg.Bytes) // sets stay, ways follow the capacity
		}
		tags = newCache(c.tables, bytes, c.cfg.LineBytes, c.cfg.SectorBytes, ways, false)
		c.caches[bytes] = tags
	}
	c.tags = tags
	tags.flush()
}

// write keeps the bytes that a request writes. It reports whether there is room for its line.
func (c *l1) write(r *request, at Time) bool {
	if c.tags == nil {
		return true
	}
	tag, bit := r.sector>>(c.per&63), uint(r.sector)&c.last
	id := c.tags.find(tag)
	if id == noLine {
		if id, _, _ = c.tags.insert(tag, at); id == noLine {
			return false
		}
	} else {
		c.tags.touch(id)
	}
	for m := r.mask; m != 0; m &= m - 1 {
		i := uint(bits.TrailingZeros8(m)) & (maxSectors - 1)
		c.tags.write(id, bit+i, r.bytes[i], at)
	}
	return true
}

// invalidate drops the copy of the block of a sector.
func (c *l1) invalidate(sector uint64) {
	if c.tags == nil {
		return
	}
	if id := c.tags.find(sector >> (c.per & 63)); id != noLine {
		c.tags.drop(id, c.block.whole()<<(c.block.first(uint(sector)&c.last)&7))
	}
}
