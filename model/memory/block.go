package memory

import (
	"math/bits"

	"gpureplay/model/hardware"
)

// block is what a cache fetches at once: so many sectors of 32 B, as their logarithm.
type block uint8

func newBlock(bytes int) block { return block(bits.TrailingZeros(uint(bytes >> hardware.SectorShift))) }

// sectors is how many a block has.
func (b block) sectors() uint { return 1 << (b & 7) }

// first returns the first sector of the block that one of a line lies in.
func (b block) first(bit uint) uint { return bit &^ (1<<(b&7) - 1) }

// whole has the bits of all sectors of a block.
func (b block) whole() uint8 { return 1<<(1<<(b&3)) - 1 }

// request is what the load/store unit asks for at once: some sectors of a block.
type request struct {
	sector uint64             // the first of the block
	mask   uint8              // which of the block
	turns  int                // of an atomic: for how many cycles it keeps its slice
	bytes  [maxSectors]uint32 // which bytes of each sector of mask, a bit each
}

// wholeSector is a request for all of a sector.
func wholeSector(sector uint64) *request {
	return &request{sector: sector, mask: 1, turns: 1, bytes: [maxSectors]uint32{allBytes}}
}

// carried is where the data of a request lies: the smallest aligned part of a block
// that holds its sectors (GPGPU-Sim's memory_coalescing_arch_13_reduce_and_send).
func carried(mask uint8) (first, n uint) {
	switch {
	case mask&(mask-1) == 0:
		return uint(bits.TrailingZeros8(mask)), 1
	case mask&^3 == 0:
		return 0, 2
	case mask&^12 == 0:
		return 2, 2
	}
	return 0, 4
}

// group makes requests of c.sectors, of which those of a block lie side by side:
// transaction i of each of them goes with transaction i of the others.
func (c *Coalescer) group(b block) {
	c.requests = c.requests[:0]
	from := 0 // the requests of the block at hand
	for i, s := range c.Sectors {
		first := s &^ uint64(b.sectors()-1)
		at := s - first
		if n := len(c.requests); n == 0 || c.requests[n-1].sector != first {
			from = n
		}
		j := from
		for j < len(c.requests) && c.requests[j].mask>>at&1 != 0 {
			j++
		}
		if j == len(c.requests) {
			c.requests = append(c.requests, request{sector: first, turns: 1})
		}
		r := &c.requests[j]
		r.mask |= 1 << at
		r.bytes[at] = c.bytes[i]
		if len(c.turns) > i {
			r.turns = max(r.turns, c.turns[i])
		}
	}
}
