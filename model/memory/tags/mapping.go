package tags

import (
	"math/bits"
	"strings"

	"gpureplay/model/hardware"
	"gpureplay/model/memory/timing"
)

// Mapping is where an address lies: its slice of the L2, the set there, and the bank and row of its channel. An
// address is split in two at a bit: the upper part goes round the channels, and the quotient with the lower part is
// the address in the channel. A layout in the form of GPGPU-Sim's gpgpu_mem_addr_mapping assigns its bits; the
// lowest bits of the bank choose the slice of a channel. Without a layout chunks of 256 B go round slices and
// channels, and rows round the banks.
type Mapping struct {
	hash     hashKind
	layout   bool
	slices   timing.Divisor
	channels timing.Divisor
	polyOf   *poly // over slices; nil: another hash

	subs      uint64          // slices of a channel less one: a mask
	subShift  uint            // of the bits that choose one, in a sector's address in its channel
	subBits   uint            // how many
	bankLow   hardware.BitRun // the lower bits of a bank's number
	bankHigh  hardware.BitRun // and the upper ones
	rowShift  uint            // of the lowest bit of the row
	RowBits   uint64          // mask of a row's bits: of a layout the ones that it has
	rows      timing.Divisor  // without a layout: sectors of a row
	banks     timing.Divisor
	lineShift uint   // sectors of a line
	sets      *poly  // over sets of a slice; nil: the cache chooses by itself
	bankMask  uint64 // of the row's bits that a bank's number is hashed with; 0: none
	bankPoly  *poly  // over banks; nil: another hash
	gap       bool   // channels are no power of two: a polynomial's slice is a remainder

	grain uint   // logarithm of how many sectors side by side lie in one slice
	last  uint64 // those that have been requested last
	of    int    // their slice
}

// hashKind is how an address chooses its slice.
type hashKind uint8

const (
	hashLinear hashKind = iota
	hashXOR
	hashPoly
)

var hashes = map[string]hashKind{"linear": hashLinear, "xor": hashXOR, "ipoly": hashPoly}

// ChunkShift is the span of addresses that goes to one slice, where there is no layout. With a layout it is the span of
// a channel (dramid@8 in every configuration of GPGPU-Sim).
const ChunkShift = 8 - hardware.SectorShift // 256 B

func NewMapping(c *hardware.Config) *Mapping {
	m := &Mapping{
		hash: hashes[c.L2.Hash], layout: c.DRAM.Mapping != "", slices: timing.NewDivisor(c.L2.Slices),
		channels:  timing.NewDivisor(c.DRAM.Channels),
		rows:      timing.NewDivisor(max(c.DRAM.RowBytes, 1<<(ChunkShift+hardware.SectorShift)) >> hardware.SectorShift),
		banks:     timing.NewDivisor(c.DRAM.Banks),
		lineShift: uint(bits.TrailingZeros(uint(c.L2.LineBytes >> hardware.SectorShift))),
		grain:     ChunkShift, last: ^uint64(0), RowBits: ^uint64(0),
	}
	if m.hash == hashPoly {
		m.polyOf = newPoly(c.HashedSlices())
	}
	if c.L2.SetHash == "ipoly" {
		m.sets = newPoly(c.L2.Sets())
	}
	if m.layout {
		runs := hardware.LayoutRuns(c.DRAM.Mapping, 'B')
		m.bankLow, m.rowShift = runs[0], hardware.LayoutRuns(c.DRAM.Mapping, 'R')[0].Shift
		if len(runs) > 1 {
			m.bankHigh = runs[1]
		}
		switch hashes[c.DRAM.BankHash] {
		case hashXOR:
			m.bankMask = uint64(c.DRAM.Banks) - 1
		case hashPoly:
			m.bankPoly = newPoly(c.DRAM.Banks)
		}
		m.gap = c.DRAM.Channels&(c.DRAM.Channels-1) != 0
		m.RowBits = 1<<strings.Count(c.DRAM.Mapping, "R") - 1
		m.subs = uint64(c.L2.Slices/c.DRAM.Channels) - 1
		m.subShift, m.subBits = m.bankLow.Shift, uint(bits.OnesCount64(m.subs))
		m.grain = min(m.grain, m.subShift)
	}
	return m
}

// Grain is the logarithm of how many sectors side by side lie in one slice.
func (m *Mapping) Grain() uint { return m.grain }

// Slice returns the slice that a sector lies in.
func (m *Mapping) Slice(sector uint64) int {
	if at := sector >> (m.grain & 63); at != m.last {
		m.last, m.of = at, m.sliceOf(sector)
	}
	return m.of
}

func (m *Mapping) sliceOf(sector uint64) int {
	if !m.layout {
		chunk := sector >> ChunkShift
		switch m.hash {
		case hashXOR: // every stride is spread, whatever the number of slices (docs/model, choice 8)
			hi, _ := bits.Mul64((chunk^chunk>>7^chunk>>13)*0x9E3779B97F4A7C15, m.slices.N)
			return int(hi)
		case hashPoly:
			return int(m.polyOf.hash(chunk))
		}
		return int(m.slices.Mod(chunk))
	}
	chunk := sector >> ChunkShift
	above := m.channels.Div(chunk)
	index := (chunk-above*m.channels.N)<<(m.subBits&63) | m.inChannel(sector, above)>>(m.subShift&63)&m.subs
	switch {
	case m.hash != hashPoly:
	case m.gap:
		index = m.slices.Mod(index ^ m.polyOf.of(above))
	default:
		index ^= m.polyOf.of(above >> (m.subBits & 63))
	}
	return int(index)
}

// inChannel returns the address of a sector in its channel.
func (m *Mapping) inChannel(sector, above uint64) uint64 {
	return above<<ChunkShift | sector&(1<<ChunkShift-1)
}

// set returns the set of a line in its slice: the address in the channel without the
// bits that choose the slice.
func (m *Mapping) set(line uint64) uint64 {
	if !m.layout {
		return m.sets.hash(line)
	}
	sector := line << (m.lineShift & 63)
	rest := m.inChannel(sector, m.channels.Div(sector>>ChunkShift))
	rest = rest>>((m.subShift+m.subBits)&63)<<(m.subShift&63) | rest&(1<<(m.subShift&63)-1)
	return m.sets.hash(rest >> (m.lineShift & 63))
}

// Locate returns the bank and the row of a sector in its channel. Address bits above a layout's are no part of the
// row: addresses that differ in them alone share it (linear_to_raw_address_translation::addrdec_tlx).
func (m *Mapping) Locate(sector uint64) (bank, row uint64) {
	above := m.channels.Div(sector >> ChunkShift)
	if !m.layout {
		n := m.rows.Div(above << ChunkShift)
		row = m.banks.Div(n)
		return m.banks.Mod(n ^ row), row
	}
	rest := m.inChannel(sector, above)
	bank, row = m.bankLow.Of(rest)|m.bankHigh.Of(rest), rest>>(m.rowShift&63)&m.RowBits
	if m.bankPoly != nil { // dram_req_t::dram_req_t
		bank ^= m.bankPoly.of(row)
	}
	return bank ^ row&m.bankMask, row
}

// poly is the hash of pseudo-randomly interleaved memory (Rau, ISCA 1991): the bits
// of a number as a polynomial over GF(2), modulo an irreducible one. As GPGPU-Sim's
// hashing.cc has it, it looks at some bits alone.
type poly struct {
	index     uint64 // mask of the bits that are the remainder by themselves
	shift     uint   // of those above
	low, high [1 << 10]uint8
}

func newPoly(n int) *poly {
	p := &poly{index: uint64(n) - 1, shift: log2(n)}
	of := hardware.Polynomials[n]
	term := uint64(1) << (p.shift - 1)
	var terms [20]uint8
	for bit := range of.Above {
		if term <<= 1; term&uint64(n) != 0 {
			term ^= of.Modulus
		}
		terms[bit] = uint8(term)
	}
	for b := range 10 { // with the bits below, there already
		for i := range 1 << b {
			p.low[1<<b+i], p.high[1<<b+i] = p.low[i]^terms[b], p.high[i]^terms[10+b]
		}
	}
	return p
}

// of returns the remainder of the bits above an index.
func (p *poly) of(above uint64) uint64 {
	return uint64(p.low[above&(1<<10-1)] ^ p.high[above>>10&(1<<10-1)])
}

// hash returns the remainder of a number.
func (p *poly) hash(x uint64) uint64 { return x&p.index ^ p.of(x>>(p.shift&63)) }
