package reference

import (
	"math/bits"
	"strings"

	"gpureplay/model/hardware"
)

// nRemainder is a number below n and the bits above it that are looked at, as a
// polynomial over GF(2) modulo the published one, by long division.
func nRemainder(x uint64, n int) uint64 {
	modulus := map[int]uint64{16: 19, 32: 37, 64: 67}[n]
	bits := map[int]int{16: 4 + 13, 32: 5 + 15, 64: 6 + 19}[n]
	x &= 1<<bits - 1
	for bit := bits - 1; 1<<bit >= n; bit-- {
		if x>>bit&1 != 0 {
			x ^= modulus << bit / uint64(n)
		}
	}
	return x
}

// nAddress is a sector's address by the letters of a layout.
type nAddress struct {
	channel, bank, row, part, above uint64 // part: without the bits that choose the slice; above: the channels' bits
	sub                             uint64
}

// nDecode takes an address apart, bit by bit.
func nDecode(c *hardware.Config, sector uint64) (a nAddress) {
	addr, channels, subs := sector*32, uint64(c.DRAM.Channels), uint64(c.L2.Slices/c.DRAM.Channels)
	a.channel, a.above = addr/256%channels, addr/256/channels
	rest := a.above*256 + addr%256
	layout := strings.ReplaceAll(c.DRAM.Mapping, ".", "")
	place, parts := map[byte]uint64{'B': 1, 'R': 1, 'P': 1}, uint64(0)
	for bit := range 64 {
		letter, one := byte('0'), rest>>bit&1 // above the layout: of no row
		if bit < len(layout) {
			letter = layout[len(layout)-1-bit]
		}
		switch {
		case letter == 'B' && place['B'] < subs:
			a.sub += one * place['B']
			a.bank += one * place['B']
			place['B'] *= 2
			continue // not of the part
		case letter == 'B':
			a.bank += one * place['B']
			place['B'] *= 2
		case letter == 'R':
			a.row += one * place['R']
			place['R'] *= 2
		}
		a.part += one << parts
		parts++
	}
	return a
}

// nSlice is the slice of a sector.
func nSlice(c *hardware.Config, sector uint64) int {
	n, subs := uint64(c.L2.Slices), uint64(c.L2.Slices/c.DRAM.Channels)
	chunk := sector / 8
	if c.DRAM.Mapping != "" {
		a := nDecode(c, sector)
		chunk = a.above/subs*n + a.channel*subs + a.sub // its slice without a hash, and the bits above
	}
	switch {
	case c.L2.Hash == "ipoly" && c.DRAM.Mapping != "" && c.DRAM.Channels&(c.DRAM.Channels-1) != 0:
		a, of := nDecode(c, sector), subs
		for of < n { // slices of as many channels as the next power of two
			of *= 2
		}
		return int(nRemainder(a.above*of+a.channel*subs+a.sub, int(of)) % n)
	case c.L2.Hash == "ipoly":
		return int(nRemainder(chunk, c.L2.Slices))
	case c.L2.Hash == "linear" || c.DRAM.Mapping != "":
		return int(chunk % n)
	}
	hi, _ := bits.Mul64((chunk^chunk>>7^chunk>>13)*0x9E3779B97F4A7C15, n)
	return int(hi)
}

// nSet is the set of a line in its slice.
func nSet(c *hardware.Config, line uint64) uint64 {
	sets := c.L2.Bytes / c.L2.Slices / c.L2.LineBytes / c.L2.Ways
	if c.L2.SetHash == "spread" {
		return line * 0x9E3779B97F4A7C15 >> 33 % uint64(sets)
	}
	if c.DRAM.Mapping != "" {
		line = nDecode(c, line*uint64(c.L2.LineBytes/32)).part / uint64(c.L2.LineBytes)
	}
	return nRemainder(line, sets)
}

// nPlace is the bank and the row of a sector.
func nPlace(c *hardware.Config, sector uint64) (bank, row uint64) {
	if c.DRAM.Mapping != "" {
		a := nDecode(c, sector)
		switch n := c.DRAM.Banks; c.DRAM.BankHash {
		case "xor":
			a.bank ^= a.row % uint64(n)
		case "ipoly":
			a.bank = nRemainder(a.row*uint64(n)+a.bank, n)
		}
		return a.bank, a.row
	}
	row = sector / 8 / uint64(c.DRAM.Channels) * 8 / uint64(c.DRAM.RowBytes/32)
	n := uint64(c.DRAM.Banks)
	return (row ^ row/n) % n, row / n
}
