package timing

import "testing"

// The turn goes on from the one whose turn it is, over words of 64, and begins again behind the last.
func TestTurnGoesRound(t *testing.T) {
	for _, x := range []struct {
		asking []uint64
		turn   int32
		want   int
	}{
		{[]uint64{1 << 3}, 3, 3}, {[]uint64{1<<3 | 1<<9}, 4, 9}, {[]uint64{1 << 3}, 4, 3},
		{[]uint64{1 << 3, 1 << 5}, 4, 69}, // those of the next word come before those that are behind the turn
		{[]uint64{1<<3 | 1<<7, 1 << 5}, 70, 3}, {[]uint64{0, 1 << 5, 1 << 60}, 70, 188},
		{[]uint64{0, 1 << 5}, 128, 69},
	} {
		if got := Turn(x.asking, x.turn); got != x.want {
			t.Errorf("%x ask, the turn is %d: %d, want %d", x.asking, x.turn, got, x.want)
		}
	}
}
