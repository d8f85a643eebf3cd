package hardware

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

func checkDRAM(c *Config) error {
	d, slices := &c.DRAM, "l2.slices"
	if c.HashedSlices() != c.L2.Slices {
		slices += ", with dram.channels as the next power of two,"
	}
	per := c.Icnt.SMsPerPort
	return firstError(
		relate(c.SM.Count%per == 0, "icnt.sms_per_port", per, "a divisor of sm.count = %d", c.SM.Count),
		relate(per == 1 || c.CycleMemory(), "icnt.sms_per_port", per, "1 where memory.engine is reserve"),
		relate(c.L2.Slices%d.Channels == 0, "l2.slices", c.L2.Slices, "a multiple of dram.channels = %d", d.Channels),
		checkHash("l2.hash", c.L2.Hash, slices, c.HashedSlices()),
		checkHash("l2.set_hash", c.L2.SetHash, "sets of a slice", c.L2.Sets()),
		checkLayout(c), checkBankHash(c), checkWriteQueue(d),
		relate(d.RowBytes >= c.L2.LineBytes, "dram.row_bytes", d.RowBytes, "at least l2.line_bytes = %d", c.L2.LineBytes),
		relate(d.BurstBytes == 32 || c.CycleMemory(), "dram.burst_bytes", d.BurstBytes, "32 where memory.engine is reserve"),
		relate(!c.CycleMemory() || d.Banks <= 64, "dram.banks", d.Banks, "at most 64 where memory.engine is cycle"),
		relate(d.TREFI == 0 || d.TREFI-d.TRFC > d.TRCD+d.TRRD, "dram.trefi", d.TREFI,
			"0 (no refresh) or more than dram.trfc + dram.trcd + dram.trrd = %d", d.TRFC+d.TRCD+d.TRRD),
	)
}

// checkHash refuses a polynomial that is not published.
func checkHash(key, hash, of string, n int) error {
	if _, ok := Polynomials[n]; hash != "ipoly" || ok {
		return nil
	}
	return &ValueError{key, strconv.Quote(hash), fmt.Sprintf("another hash where %s = %d: polynomials are published "+
		"for 16, 32 and 64", of, n)}
}

// checkBankHash refuses a hash of banks that has no rows, or no polynomial.
func checkBankHash(c *Config) error {
	d := &c.DRAM
	if d.BankHash != "linear" && d.Mapping == "" {
		return &ValueError{"dram.bank_hash", strconv.Quote(d.BankHash),
			"linear where dram.mapping is empty: rows then go round the banks"}
	}
	return checkHash("dram.bank_hash", d.BankHash, "dram.banks", d.Banks)
}

// checkWriteQueue has a channel that writes begin and end. Else its queue would fill, and requests wait for ever.
func checkWriteQueue(d *DRAMConfig) error {
	if d.WriteQueue == 0 {
		return nil
	}
	return firstError(
		relate(d.WriteHigh >= 1 && d.WriteHigh <= d.WriteQueue, "dram.write_high", d.WriteHigh,
			"1 to dram.write_queue = %d", d.WriteQueue),
		relate(d.WriteLow >= 1 && d.WriteLow <= d.WriteHigh, "dram.write_low", d.WriteLow, "1 to dram.write_high = %d",
			d.WriteHigh),
	)
}

// checkLayout refuses a layout of addresses that does not fit the channels.
func checkLayout(c *Config) error {
	layout, d := c.DRAM.Mapping, &c.DRAM
	if layout == "" {
		return nil
	}
	bad := func(allowed string, args ...any) error {
		return &ValueError{"dram.mapping", strconv.Quote(layout), fmt.Sprintf(allowed, args...)}
	}
	if c.L2.Hash == "xor" {
		return &ValueError{"l2.hash", strconv.Quote(c.L2.Hash),
			"linear or ipoly where dram.mapping is set: a layout has no xor"}
	}
	if strings.Trim(layout, "RBCS.") != "" || len(layout) > 80 {
		return bad("made of the letters R (row), B (bank), C (column) and S (burst), from the highest bit, with " +
			"points between")
	}
	all := layoutBits(layout)
	banks, rows := strings.Count(all, "B"), strings.Count(all, "R")
	subs := c.L2.Slices / d.Channels
	switch runs := LayoutRuns(layout, 'B'); {
	case banks == 0 || 1<<banks != d.Banks:
		return bad("with as many B as dram.banks = %d has bits", d.Banks)
	case rows == 0 || !strings.HasSuffix(all, strings.Repeat("R", rows)):
		return bad("with one run of R, the highest bits")
	case len(runs) > 2:
		return bad("with at most two runs of B")
	case strings.Count(all, "S") < SectorShift || !strings.HasPrefix(all, strings.Repeat("S", SectorShift)):
		return bad("with S for at least the lowest %d bits", SectorShift)
	case strings.Count(all, "C")+strings.Count(all, "S") != bits.Len(uint(d.RowBytes))-1:
		return bad("with as many C and S as dram.row_bytes = %d has bits", d.RowBytes)
	case subs&(subs-1) != 0 || runs[0].mask < uint64(subs-1):
		return bad("\"\" where l2.slices / dram.channels = %d is no power of two, or more than its lowest run "+
			"of B chooses", subs)
	case runs[0].Shift < uint(bits.TrailingZeros(uint(c.L2.LineBytes>>SectorShift))):
		return bad("with B above the l2.line_bytes = %d of a line", c.L2.LineBytes)
	}
	return nil
}
