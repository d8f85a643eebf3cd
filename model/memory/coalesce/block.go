package coalesce

import (
	"math/bits"

	"gpureplay/model/hardware"
)

// Block is the unit that a cache fetches: the logarithm of its sectors of 32 B.
type Block uint8

func NewBlock(bytes int) Block { return Block(bits.TrailingZeros(uint(bytes >> hardware.SectorShift))) }

// Sectors is how many a block has.
func (b Block) Sectors() uint { return 1 << (b & 7) }

// First returns the first sector of the block that one of a line lies in.
func (b Block) First(bit uint) uint { return bit &^ (1<<(b&7) - 1) }

// Whole has the bits of all sectors of a block.
func (b Block) Whole() uint8 { return 1<<(1<<(b&3)) - 1 }

// MaxSectors is the most sectors that a line may have.
const MaxSectors = 4

// AllBytes stands for every byte of a sector.
const AllBytes = ^uint32(0)

// Request is one request of the load/store unit: some sectors of a block.
type Request struct {
	Sector uint64             // the first of the block
	Mask   uint8              // which of the block
	Turns  int                // of an atomic: for how many cycles it keeps its slice
	Bytes  [MaxSectors]uint32 // which bytes of each sector of mask, a bit each
}

// Partial reports whether some bytes of its sectors are not its own.
func (r *Request) Partial() bool {
	for m := r.Mask; m != 0; m &= m - 1 {
		if r.Bytes[bits.TrailingZeros8(m)&(MaxSectors-1)] != AllBytes {
			return true
		}
	}
	return false
}

// WholeSector is a request for all of a sector.
func WholeSector(sector uint64) *Request {
	return &Request{Sector: sector, Mask: 1, Turns: 1, Bytes: [MaxSectors]uint32{AllBytes}}
}

// Carried is where the data of a request lies: the smallest aligned part of a block
// that holds its sectors (GPGPU-Sim's memory_coalescing_arch_13_reduce_and_send).
func Carried(mask uint8) (first, n uint) {
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

// Group makes requests of c.sectors, block by block: transaction i of each of them goes with transaction i of the
// others.
func (c *Coalescer) Group(b Block) {
	c.Requests = c.Requests[:0]
	from := 0 // the requests of the block at hand
	for i, s := range c.Sectors {
		first := s &^ uint64(b.Sectors()-1)
		at := s - first
		if n := len(c.Requests); n == 0 || c.Requests[n-1].Sector != first {
			from = n
		}
		j := from
		for j < len(c.Requests) && c.Requests[j].Mask>>at&1 != 0 {
			j++
		}
		if j == len(c.Requests) {
			c.Requests = append(c.Requests, Request{Sector: first, Turns: 1})
		}
		r := &c.Requests[j]
		r.Mask |= 1 << at
		r.Bytes[at] = c.Bytes[i]
		if len(c.Turns) > i {
			r.Turns = max(r.Turns, c.Turns[i])
		}
	}
}
