package coalesce

import (
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// MaxBanks is the most banks of shared memory, and of an L1.
const MaxBanks = 64

// Shared counts the cycles of accesses to shared memory.
type Shared struct {
	banks  int
	widest uint64 // bytes of a lane that count for conflicts
	row    bool   // words of 32 lanes that follow each other lie in banks of their own
}

// NewShared returns the rule of a configuration.
func NewShared(c *hardware.SharedConfig) Shared {
	row := c.Banks >= hardware.WarpSize && c.Banks&(c.Banks-1) == 0
	return Shared{c.Banks, widestShared[c.Wide], row}
}

// Cycles returns for how many cycles an access of so many bytes a lane keeps the load/store unit.
func (s *Shared) Cycles(a *trace.Access, lists []uint64, width uint64) int {
	return sharedCycles(a, lists, min(width, s.widest), s.banks)
}

// InRow reports whether an access takes a cycle, seen without a search: to words that follow each other, or to one.
func (s *Shared) InRow(a *trace.Access, width uint64) bool {
	return s.row && a.List == 0 && width <= 4 && (a.Stride == 4 || a.Stride == 0) && a.Count <= hardware.WarpSize
}

// widestShared is how many bytes of a lane count for conflicts, by `shared.wide`.
var widestShared = map[string]uint64{"passes": 1 << 16, "first": 4}

// sharedCycles returns how many cycles an access to shared memory takes: the most
// distinct 4-byte words that fall on one bank. Lanes that read the same word
// share it. Of a width beyond 4 bytes lanes go in 2 or 4 passes of 16 or 8.
func sharedCycles(a *trace.Access, lists []uint64, width uint64, banks int) int {
	if a.Count == 0 || banks == 0 {
		return 1
	}
	perLane := max(1, width/4)
	if perLane == 1 && banks&(banks-1) == 0 && fits(a, lists, uint64(banks-1)) {
		return 1
	}
	lanes := max(1, 32/perLane)
	total := 0
	for from := uint64(0); from < uint64(a.Count); from += lanes {
		total += pass(a, lists, from, min(from+lanes, uint64(a.Count)), perLane, uint64(banks))
	}
	return max(1, total)
}

// fits reports whether no two words of 4 bytes of an access fall on one bank. The number of banks is a power of two.
func fits(a *trace.Access, lists []uint64, mask uint64) bool {
	n := uint64(a.Count)
	if n > 32 || mask >= MaxBanks {
		return false
	}
	if a.List == 0 { // words that follow each other, or one
		return a.Stride == 0 || a.Stride == 4 && n <= mask+1
	}
	var at [MaxBanks]uint64
	taken, last := uint64(0), ^uint64(0)
	for _, addr := range lists[a.List-1 : uint64(a.List)-1+n] {
		word := addr >> 2
		if word == last {
			continue
		}
		last = word
		b := word & mask & (MaxBanks - 1)
		if taken>>b&1 != 0 && at[b] != word {
			return false
		}
		taken |= 1 << b
		at[b] = word
	}
	return true
}

// pass returns the cycles for addresses from ≤ i < to.
func pass(a *trace.Access, lists []uint64, from, to, perLane, banks uint64) int {
	if a.List == 0 { // words that follow each other
		switch n := to - from; {
		case (a.Stride == 0 || n == 1) && perLane <= banks, a.Stride == int32(4*perLane) && n*perLane <= banks:
			return 1
		}
	}
	var words [64]uint64 // distinct words, by bank in a chain
	var next [64]int8
	var head [MaxBanks]int8
	var depth [MaxBanks]uint8
	n, most := int8(0), uint8(1)
	for i := from; i < to; i++ {
		addr := a.Base + uint64(int64(a.Stride))*i
		if a.List != 0 {
			addr = lists[uint64(a.List)-1+i]
		}
		for p := range perLane {
			if n == int8(len(words)) {
				break
			}
			word := addr>>2 + p
			b := word % banks
			if listed(&words, &next, head[b], word) {
				continue
			}
			words[n], next[n] = word, head[b]
			n++
			head[b] = n
			depth[b]++
			most = max(most, depth[b])
		}
	}
	return int(most)
}

func listed(words *[64]uint64, next *[64]int8, i int8, word uint64) bool {
	for ; i != 0; i = next[i-1] {
		if words[i-1] == word {
			return true
		}
	}
	return false
}
