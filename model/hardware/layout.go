package hardware

import (
	"math/bits"
	"strings"
)

// SectorShift is the logarithm of the bytes of a sector, the unit in which caches and DRAM are counted.
const SectorShift = 5

// BitRun is a run of bits of an address, and where they lie in a number.
type BitRun struct {
	Shift, at uint
	mask      uint64
}

func (b *BitRun) Of(x uint64) uint64 { return x >> (b.Shift & 63) & b.mask << (b.at & 63) }

// Sets is how many sets a slice has.
func (c *L2Config) Sets() int { return c.Bytes / c.Slices / c.LineBytes / c.Ways }

// layoutBits returns the letters of a layout from the lowest bit on.
func layoutBits(layout string) string {
	var b strings.Builder
	for i := len(layout) - 1; i >= 0; i-- {
		if layout[i] != '.' {
			b.WriteByte(layout[i])
		}
	}
	return b.String()
}

// LayoutRuns returns the runs of bits of a letter in a layout, from the lowest, in
// addresses of sectors.
func LayoutRuns(layout string, letter byte) (runs []BitRun) {
	all, at := layoutBits(layout), uint(0)
	for i := SectorShift; i < len(all); i++ {
		if all[i] != letter {
			continue
		}
		if all[i-1] != letter || i == SectorShift {
			runs = append(runs, BitRun{Shift: uint(i - SectorShift), at: at})
		}
		r := &runs[len(runs)-1]
		r.mask = r.mask<<1 | 1
		at++
	}
	return runs
}

// Polynomials are the polynomials of GPGPU-Sim's hashing.cc by the number of remainders,
// and how many bits above the index it looks at: x⁴+x+1, x⁵+x²+1 and x⁶+x+1.
var Polynomials = map[int]struct{ Modulus, Above uint64 }{16: {0b10011, 13}, 32: {0b100101, 15}, 64: {0b1000011, 19}}

// HashedSlices is over how many slices a polynomial chooses. With a layout these are the slices of as many channels as
// the next power of two has, and the slice is the remainder (linear_to_raw_address_translation::addrdec_tlx, gap).
func (c *Config) HashedSlices() int {
	channels := c.DRAM.Channels
	if c.DRAM.Mapping == "" || channels&(channels-1) == 0 {
		return c.L2.Slices
	}
	return c.L2.Slices / channels << bits.Len(uint(channels))
}

// NumberInPort is the number of an SM where those of a port follow each other, as in GPGPU-Sim (cid_to_sid).
func (c *Config) NumberInPort(sm int) int {
	per := c.Icnt.SMsPerPort
	if per <= 1 {
		return sm
	}
	ports := c.SM.Count / per
	return sm%ports*per + sm/ports
}

// DRAMGBs is the peak of the DRAM's buses in 1e9 bytes a second.
func (c *Config) DRAMGBs() float64 {
	d := &c.DRAM
	return float64(d.Channels*d.BusBytes*d.DataRate) * c.Clock.DRAMMHz / 1e3
}
