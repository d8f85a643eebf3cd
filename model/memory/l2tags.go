package memory

import (
	"math/bits"

	"gpureplay/model/hardware"
)

// l2Tags are the tags and the counts of a slice of the L2.
type l2Tags struct {
	tags   *cache
	per    uint // logarithm of sectors per line
	evicts bool // stores go through to DRAM
	stats  Record
}

func newL2Tags(t *tables, c *hardware.Config, where *mapping) l2Tags {
	return l2Tags{
		tags: newMappedCache(t, c.L2.Bytes/c.L2.Slices, c.L2.LineBytes, c.L2.SectorBytes, c.L2.Ways, where),
		per:  uint(bits.TrailingZeros(uint(c.L2.LineBytes >> hardware.SectorShift))), evicts: !c.L2.WriteBack,
	}
}

func (s *l2Tags) lookup(sector uint64) (int32, uint) {
	id := s.tags.find(sector >> (s.per & 63))
	if id != noLine {
		s.tags.touch(id)
	}
	return id, uint(sector) & (1<<(s.per&63) - 1)
}

// dirty marks the sectors of mask from bit on. Where stores go through to DRAM
// nothing is.
func (s *l2Tags) dirty(l *line, bit uint, mask uint8) {
	if !s.evicts {
		l.dirty |= mask << (bit & 7)
	}
}

// countRead counts a read of some sectors.
func (s *l2Tags) countRead(mask uint8) (sectors uint64) {
	n := uint64(bits.OnesCount8(mask))
	s.stats.Accesses += n
	s.stats.ReadSectors += n
	return n
}

// countWrite counts a write of some sectors.
func (s *l2Tags) countWrite(mask uint8) {
	n := uint64(bits.OnesCount8(mask))
	s.stats.Accesses += n
	s.stats.WriteSectors += n
}

// store puts the bytes of a request into its line at t.
func (s *l2Tags) store(id int32, bit uint, r *request, t Time) {
	for m := r.mask; m != 0; m &= m - 1 {
		i := uint(bits.TrailingZeros8(m)) & (maxSectors - 1)
		if s.tags.write(id, bit+i, r.bytes[i], t) {
			s.stats.Hits++
		} else {
			s.stats.Misses++
		}
	}
	s.dirty(&s.tags.lines[id], bit, r.mask)
}

// passBy counts a store that goes on to DRAM at t. A block that is there whole is dropped; one on its way comes
// (GPGPU-Sim 3's data_cache::access).
func (s *l2Tags) passBy(r *request, id int32, bit uint, t Time) {
	n := uint64(bits.OnesCount8(r.mask))
	s.stats.Misses += n
	if id == noLine {
		return
	}
	there := s.tags.lines[id].valid & (s.tags.block.whole() << (s.tags.block.first(bit) & 7))
	if there != 0 && s.tags.filled(id, 0, there) <= t {
		s.stats.Hits += n
		s.stats.Misses -= n
		s.tags.drop(id, there)
	}
}

// fill makes n sectors of a line present and dirty, as a copy that goes through the L2 does.
func (s *l2Tags) fill(id int32, first, n uint, t Time) {
	l := &s.tags.lines[id]
	for bit := first; bit < first+n; bit++ {
		s.tags.put(id, bit, t, 0)
		s.dirty(l, bit, 1)
	}
}
