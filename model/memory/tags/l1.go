package tags

import (
	"math/bits"

	"gpureplay/model/hardware"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/hostmem"
)

// L1 is the L1 data cache of an SM: its tags.
type L1 struct {
	Tags     *Cache // nil: there is none
	Latency  Time
	Mshrs    int    // 0: any number
	Per      uint   // logarithm of sectors per line
	Last     uint   // number of the last sector of a line
	BankMask uint64 // block to bank
	Block    coalesce.Block
	Stats    L1Stats
	Cfg      *hardware.L1Config
	caches   map[int]*Cache // by size: the L1 gets the rest of shared memory's carve-out
	tables   *hostmem.Tables
	Bypass   Time // the latency of bypassing requests
	Keeps    int  // % of the lines: written lines stay while they are fewer
}

// L1Stats counts sector accesses of the L1.
type L1Stats struct {
	Reads, Hits, Misses, Writes uint64
}

func (c *L1) Init(t *hostmem.Tables, cfg *hardware.L1Config) {
	c.tables, c.Cfg, c.caches = t, cfg, make(map[int]*Cache)
	c.Latency, c.Bypass, c.Mshrs = Time(cfg.Latency), Time(cfg.BypassLatency), cfg.MSHRs
	c.Per = uint(bits.TrailingZeros(uint(cfg.LineBytes >> hardware.SectorShift)))
	c.Last, c.BankMask, c.Block = 1<<c.Per-1, uint64(max(1, cfg.Banks))-1, coalesce.NewBlock(cfg.SectorBytes)
}

// Bank is the bank of a sector, a bit of all.
func (c *L1) Bank(sector uint64) uint64 {
	return 1 << (sector >> (c.Block & 7) & c.BankMask & (coalesce.MaxBanks - 1))
}

// Resize flushes the cache and gives it a capacity.
func (c *L1) Resize(bytes int) {
	if bytes < c.Cfg.LineBytes {
		c.Tags = nil
		return
	}
	tags := c.caches[bytes]
	if tags == nil {
		ways := c.Cfg.Ways
		if c.Cfg.Unified > 0 && c.Cfg.Bytes > 0 {
			ways = max(1, ways*bytes/c.Cfg.Bytes) // sets stay, ways follow the capacity
		}
		tags = New(c.tables, bytes, c.Cfg.LineBytes, c.Cfg.SectorBytes, ways, false)
		tags.keeps = (bytes/c.Cfg.LineBytes*c.Keeps + 99) / 100
		c.caches[bytes] = tags
	}
	c.Tags = tags
	tags.flush()
}

// Write keeps the bytes that a request writes. It reports whether there is room for its line.
func (c *L1) Write(r *coalesce.Request, at Time) bool {
	if c.Tags == nil {
		return true
	}
	tag, bit := r.Sector>>(c.Per&63), uint(r.Sector)&c.Last
	id := c.Tags.Find(tag)
	if id == NoLine {
		if id, _, _ = c.Tags.Insert(tag, at); id == NoLine {
			return false
		}
	} else {
		c.Tags.Touch(id)
	}
	c.Tags.keep(id)
	for m := r.Mask; m != 0; m &= m - 1 {
		i := uint(bits.TrailingZeros8(m)) & (coalesce.MaxSectors - 1)
		c.Tags.write(id, bit+i, r.Bytes[i], at)
	}
	return true
}

// Invalidate drops the copy of the block of a sector.
func (c *L1) Invalidate(sector uint64) {
	if c.Tags == nil {
		return
	}
	if id := c.Tags.Find(sector >> (c.Per & 63)); id != NoLine {
		c.Tags.drop(id, c.Block.Whole()<<(c.Block.First(uint(sector)&c.Last)&7))
	}
}
