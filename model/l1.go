package model

import "math/bits"

// l1 is the L1 data cache of an SM: its tags, and the misses on their way.
type l1 struct {
	cfg      *L1Config
	tags     *cache         // nil: there is none
	caches   map[int]*cache // by size: the L1 gets what shared memory leaves
	pending  flights        // fill times of the misses
	stats    l1Stats
	latency  Time
	bypass   Time   // the latency of what passes by it
	mshrs    int    // 0: any number
	per      uint   // logarithm of sectors per line
	last     uint   // number of the last sector of a line
	bankMask uint64 // sector to bank
}

// l1Stats counts sector accesses of the L1.
type l1Stats struct {
	reads, hits, misses, writes uint64
}

func (c *l1) init(cfg *L1Config) {
	c.cfg, c.caches = cfg, make(map[int]*cache)
	c.pending = newFlights()
	c.latency, c.bypass, c.mshrs = Time(cfg.Latency), Time(cfg.BypassLatency), cfg.MSHRs
	c.per = uint(bits.TrailingZeros(uint(cfg.LineBytes >> sectorShift)))
	c.last, c.bankMask = 1<<c.per-1, uint64(max(1, cfg.Banks))-1
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
		tags = newCache(bytes, c.cfg.LineBytes, ways, false)
		c.caches[bytes] = tags
	}
	c.tags = tags
	tags.flush()
}

// write keeps written bytes of a sector, if there is room for its line.
func (c *l1) write(sector uint64, at Time, bytes uint32) {
	if c.tags == nil {
		return
	}
	tag, bit := sector>>(c.per&63), uint(sector)&c.last
	id := c.tags.find(tag)
	if id == noLine {
		if id, _, _ = c.tags.insert(tag, at); id == noLine {
			return
		}
	} else {
		c.tags.touch(id)
	}
	c.tags.write(id, bit, bytes, at)
}

// invalidate drops the copy of a sector.
func (c *l1) invalidate(sector uint64) {
	if c.tags == nil {
		return
	}
	if id := c.tags.find(sector >> (c.per & 63)); id != noLine {
		c.tags.lines[id].valid &^= 1 << (uint(sector) & c.last & 7)
	}
}
