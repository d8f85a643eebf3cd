package tags

import (
	"math/bits"

	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/hostmem"
)

// L2 are the tags and the counts of a slice of the L2.
type L2 struct {
	Tags   *Cache
	Per    uint // logarithm of sectors per line
	Evicts bool // stores go through to DRAM
	Stats  memory.Record
}

func NewL2(t *hostmem.Tables, c *hardware.Config, where *Mapping) L2 {
	return L2{
		Tags: newMapped(t, c.L2.Bytes/c.L2.Slices, c.L2.LineBytes, c.L2.SectorBytes, c.L2.Ways, where),
		Per:  uint(bits.TrailingZeros(uint(c.L2.LineBytes >> hardware.SectorShift))), Evicts: !c.L2.WriteBack,
	}
}

func (s *L2) Lookup(sector uint64) (int32, uint) {
	id := s.Tags.Find(sector >> (s.Per & 63))
	if id != NoLine {
		s.Tags.Touch(id)
	}
	return id, uint(sector) & (1<<(s.Per&63) - 1)
}

// Dirty marks the sectors of mask from bit on. Where stores go through to DRAM
// nothing is.
func (s *L2) Dirty(l *line, bit uint, mask uint8) {
	if !s.Evicts {
		l.dirty |= mask << (bit & 7)
	}
}

// CountRead counts a read of some sectors.
func (s *L2) CountRead(mask uint8) (sectors uint64) {
	n := uint64(bits.OnesCount8(mask))
	s.Stats.Accesses += n
	s.Stats.ReadSectors += n
	return n
}

// CountWrite counts a write of some sectors.
func (s *L2) CountWrite(mask uint8) (sectors uint64) {
	n := uint64(bits.OnesCount8(mask))
	s.Stats.Accesses += n
	s.Stats.WriteSectors += n
	return n
}

// Store puts the bytes of a request into its line at t.
func (s *L2) Store(id int32, bit uint, r *coalesce.Request, t Time) {
	for m := r.Mask; m != 0; m &= m - 1 {
		i := uint(bits.TrailingZeros8(m)) & (coalesce.MaxSectors - 1)
		if s.Tags.write(id, bit+i, r.Bytes[i], t) {
			s.Stats.Hits++
		} else {
			s.Stats.Misses++
		}
	}
	s.Dirty(&s.Tags.Lines[id], bit, r.Mask)
}

// PassBy counts a store that goes on to DRAM at t. A block that is there whole is dropped; one on its way comes
// (GPGPU-Sim 3's data_cache::access).
func (s *L2) PassBy(r *coalesce.Request, id int32, bit uint, t Time) {
	n := uint64(bits.OnesCount8(r.Mask))
	s.Stats.Misses += n
	if id == NoLine {
		return
	}
	there := s.Tags.Lines[id].valid & (s.Tags.Block.Whole() << (s.Tags.Block.First(bit) & 7))
	if there != 0 && s.Tags.Filled(id, 0, there) <= t {
		s.Stats.Hits += n
		s.Stats.Misses -= n
		s.Tags.drop(id, there)
	}
}

// Leave makes n sectors of a line present at t, without traffic: the line that it replaces is dropped.
func (s *L2) Leave(sector uint64, n uint, written bool, t Time) {
	id, first := s.Lookup(sector)
	if id == NoLine {
		if id, _, _ = s.Tags.Insert(sector>>(s.Per&63), t); id == NoLine {
			return
		}
	}
	l := &s.Tags.Lines[id]
	for bit := first; bit < first+n; bit++ {
		if l.valid>>(bit&7)&1 == 0 {
			s.Tags.Put(id, bit, t, 0)
		}
		if written {
			s.Dirty(l, bit, 1)
		}
	}
}

// Fill makes n sectors of a line present and dirty, as a copy that goes through the L2 does.
func (s *L2) Fill(id int32, first, n uint, t Time) {
	c := s.Tags
	if t-c.Base >= Time(UnknownFill) {
		c.rebase(t)
	}
	l, fill := &c.Lines[id], uint32(max(0, t-c.Base))
	for bit := first; bit < first+n; bit++ {
		l.Fill[bit&3], l.merges[bit&3] = fill, 0
	}
	mask := uint8(1<<(n&7)-1) << (first & 7)
	l.valid |= mask
	l.partial &^= mask
	s.Dirty(l, first, uint8(1<<(n&7)-1))
}
