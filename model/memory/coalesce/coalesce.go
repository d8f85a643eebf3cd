package coalesce

import (
	"slices"

	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// Coalescer turns the addresses of one warp access into the distinct 32 B
// sectors that they touch, in order of their first lane or, with ascend, of address.
type Coalescer struct {
	Sectors  []uint64       // sector addresses: byte address >> sectorShift
	Bytes    []uint32       // which bytes of each the access touches, a bit each
	Turns    []int          // of an atomic: for how many cycles each keeps its slice
	Requests []Request      // where the L1 fetches more than a sector: the requests
	table    *coalesceTable // of all SMs
	rule     conflictRule   // of atomics
}

// New returns a coalescer with a rule of sm.atomic_conflicts.
func New(conflicts string) Coalescer {
	return Coalescer{table: new(coalesceTable), rule: conflictRules[conflicts]}
}

// Twin returns a coalescer that may take the place of c.
func (c *Coalescer) Twin() Coalescer { return Coalescer{table: c.table, rule: c.rule} }

// coalesceTable finds the sectors of the access at hand.
type coalesceTable struct {
	at    [256]uint8 // index into sectors
	stamp [256]uint32
	round uint32
}

// Coalesce fills c.Sectors with the sectors of a.
func (c *Coalescer) Coalesce(a *trace.Access, lists []uint64, width uint64) {
	c.Reset()
	n := uint64(a.Count)
	if n == 0 {
		return
	}
	if a.List == 0 && (a.Stride == 0 || n == 1) {
		c.span(a.Base, width)
		return
	}
	if a.List == 0 && a.Stride > 0 && uint64(a.Stride) <= width {
		c.span(a.Base, uint64(a.Stride)*(n-1)+width)
		return
	}
	if a.List == 0 && a.Stride >= 1<<hardware.SectorShift && within(a, width) {
		c.stride(a.Base, uint64(a.Stride), n, covered(a.Base, a.Base+width))
		return
	}
	h := c.table
	h.round++
	if h.round == 0 {
		h.stamp, h.round = [256]uint32{}, 1
	}
	if a.List != 0 {
		for _, addr := range lists[a.List-1 : uint64(a.List)-1+n] {
			c.add(addr, width)
		}
		return
	}
	addr := a.Base
	for range n {
		c.add(addr, width)
		addr += uint64(int64(a.Stride))
	}
}

// within reports whether every element of a strided access lies in the same place
// of a sector of its own.
func within(a *trace.Access, width uint64) bool {
	return a.Stride&(1<<hardware.SectorShift-1) == 0 && a.Base&(1<<hardware.SectorShift-1)+width <= 1<<hardware.SectorShift
}

// stride adds n sectors, a number of bytes apart.
func (c *Coalescer) stride(base, step, n uint64, bytes uint32) {
	sectors, touched := c.extend(n)
	for i := range sectors {
		sectors[i], touched[i] = base>>hardware.SectorShift, bytes
		base += step
	}
}

// extend adds n sectors, whose numbers and bytes are to be set.
func (c *Coalescer) extend(n uint64) (sectors []uint64, bytes []uint32) {
	at := len(c.Sectors)
	c.Sectors = slices.Grow(c.Sectors, int(n))[:at+int(n)]
	c.Bytes = slices.Grow(c.Bytes, int(n))[:at+int(n)]
	sectors = c.Sectors[at:]
	return sectors, c.Bytes[at:][:len(sectors)]
}

// covered returns the bits of the bytes lo ≤ b < hi of one sector.
func covered(lo, hi uint64) uint32 {
	return uint32((uint64(1)<<(hi-lo) - 1) << (lo & (1<<hardware.SectorShift - 1)))
}

// span adds the sectors of a run of bytes, all unseen.
func (c *Coalescer) span(base, bytes uint64) {
	if bytes == 0 {
		return
	}
	first, last := base>>hardware.SectorShift, (base+bytes-1)>>hardware.SectorShift
	sectors, touched := c.extend(last - first + 1)
	for i := range sectors {
		sectors[i], touched[i] = first+uint64(i), AllBytes
	}
	const within = 1<<hardware.SectorShift - 1
	touched[0] &= AllBytes << (base & within)
	touched[len(touched)-1] &= AllBytes >> (within - (base+bytes-1)&within)
}

// Sector returns the sector of a request, of blocks.
func (c *Coalescer) Sector(b Block, i int) uint64 {
	if b > 0 {
		return c.Requests[i].Sector
	}
	return c.Sectors[i]
}

// Reset drops the last access.
func (c *Coalescer) Reset() { c.Sectors, c.Bytes = c.Sectors[:0], c.Bytes[:0] }

// Append adds a sector and which of its bytes are touched, a bit each.
func (c *Coalescer) Append(sector uint64, bytes uint32) {
	c.Sectors = append(c.Sectors, sector)
	c.Bytes = append(c.Bytes, bytes)
}

func (c *Coalescer) add(addr, width uint64) {
	end := addr + width
	if addr>>hardware.SectorShift == (end-1)>>hardware.SectorShift {
		c.addPart(addr>>hardware.SectorShift, covered(addr, end))
		return
	}
	for addr < end {
		next := min(end, (addr>>hardware.SectorShift+1)<<hardware.SectorShift)
		c.addPart(addr>>hardware.SectorShift, covered(addr, next))
		addr = next
	}
}

func (c *Coalescer) addPart(s uint64, bytes uint32) {
	n := len(c.Sectors)
	if n > 0 && c.Sectors[n-1] == s {
		c.Bytes[n-1] |= bytes
		return
	}
	if n >= 128 { // a bulk transfer: its elements do not overlap
		c.Append(s, bytes)
		return
	}
	t := c.table
	for h := uint8(s * 0x9E3779B97F4A7C15 >> 56); ; h++ {
		if t.stamp[h] != t.round {
			t.stamp[h], t.at[h] = t.round, uint8(n)
			c.Append(s, bytes)
			return
		}
		if i := t.at[h]; c.Sectors[i] == s {
			c.Bytes[i] |= bytes
			return
		}
	}
}

// Ascend sorts the sectors, which are in order as a rule. A bulk transfer keeps the
// order of its elements.
func (c *Coalescer) Ascend() {
	if len(c.Sectors) > 128 {
		return
	}
	last := uint64(0)
	for i, s := range c.Sectors {
		if s >= last { // most do
			last = s
			continue
		}
		b, j := c.Bytes[i], i
		for ; j > 0 && c.Sectors[j-1] > s; j-- {
			c.Sectors[j], c.Bytes[j] = c.Sectors[j-1], c.Bytes[j-1]
		}
		c.Sectors[j], c.Bytes[j] = s, b
	}
}
