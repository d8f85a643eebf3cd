package coalesce

import (
	"slices"
	"testing"

	"gpureplay/trace"
)

// Lanes that add to the last word of a sector and to one that straddles two: transactions
// by hand.
func TestAtomicTransactions(t *testing.T) {
	for name, x := range map[string]struct {
		lists          []uint64
		width          uint64
		sectors, turns []int
	}{
		"the last word, twice": {[]uint64{28, 28}, 4, []int{0, 0}, []int{1, 1}},
		"one word of each":     {[]uint64{0, 28, 32}, 4, []int{0, 1}, []int{1, 1}},
		"straddling, twice":    {[]uint64{28, 28}, 8, []int{0, 0, 1, 1}, []int{1, 1, 1, 1}},
	} {
		c := New("split")
		c.Atomic(&trace.Access{List: 1, Count: uint32(len(x.lists))}, x.lists, x.width)
		var sectors []int
		for _, s := range c.Sectors {
			sectors = append(sectors, int(s))
		}
		if !slices.Equal(sectors, x.sectors) || !slices.Equal(c.Turns, x.turns) {
			t.Errorf("%s: sectors %v in turns %v, want %v in %v", name, sectors, c.Turns, x.sectors, x.turns)
		}
	}
}
