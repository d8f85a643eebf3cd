package model

import "strings"

// sectorShift is the logarithm of the bytes of a sector, what caches and DRAM are counted in.
const sectorShift = 5

// bitRun is a run of bits of an address, and where they lie in a number.
type bitRun struct {
	shift, at uint
	mask      uint64
}

func (b *bitRun) of(x uint64) uint64 { return x >> (b.shift & 63) & b.mask << (b.at & 63) }

// sets is how many sets a slice has.
func (c *L2Config) sets() int { return c.Bytes / c.Slices / c.LineBytes / c.Ways }

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

// layoutRuns returns the runs of bits of a letter in a layout, from the lowest, in
// addresses of sectors.
func layoutRuns(layout string, letter byte) (runs []bitRun) {
	all, at := layoutBits(layout), uint(0)
	for i := sectorShift; i < len(all); i++ {
		if all[i] != letter {
			continue
		}
		if all[i-1] != letter || i == sectorShift {
			runs = append(runs, bitRun{shift: uint(i - sectorShift), at: at})
		}
		r := &runs[len(runs)-1]
		r.mask = r.mask<<1 | 1
		at++
	}
	return runs
}

// polys are the polynomials of GPGPU-Sim's hashing.cc by the number of remainders,
// and how many bits above the index it looks at: x⁴+x+1, x⁵+x²+1 and x⁶+x+1.
var polys = map[int]struct{ modulus, above uint64 }{16: {0b10011, 13}, 32: {0b100101, 15}, 64: {0b1000011, 19}}
