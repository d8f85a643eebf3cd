package timeline

import "testing"

// Work that began later than a wait for it ended shows that the device's clock is ahead: by the latest begin of the
// pieces before the wait's, whichever piece that was in.
func TestBoundsOfAClock(t *testing.T) {
	c := newClocks(times{first: 0, last: clockPieces - 1, any: true}) // a piece is 1 ns
	work := func(call, begin int64) {
		c.pair(&row{start: call}, &row{start: begin})
	}
	work(0, 100)
	work(1, 50)
	c.waited(0, &row{start: 3, duration: 27}) // until 30
	all := []*[clockPieces]clockPiece{c.seen[clockKey{}]}
	if least, most := bounds(all, 2, clockPieces); least != 70 || most != noLow {
		t.Errorf("from the wait on %d to %d, want 70 at least", least, most)
	}
	if least, most := bounds(all, 0, clockPieces); least != 70 || most != 49 {
		t.Errorf("%d to %d, want 70 to 49, the shortest time from a call to its work", least, most)
	}
}

// A call or an activity whose time is 0 or absent has no time.
func TestTimesOfNothingBoundNoClock(t *testing.T) {
	for _, x := range []struct {
		call, act flags
		want      bool
	}{{0, 0, true}, {flagZero, 0, false}, {0, flagZero, false}, {0, flagUntimed, false}, {flagZero, flagZero, false}} {
		c := newClocks(times{first: 0, last: 9, any: true})
		c.pair(&row{start: 5, flags: x.call}, &row{start: 8, flags: x.act})
		if got := c.piece(clockKey{}, 5).low != noLow; got != x.want {
			t.Errorf("flags %b and %b: they bound the clock: %v", x.call, x.act, got)
		}
	}
}

// Each of the 32 pieces of a clock that drifts has the shortest delay of its own 8 pieces of the host's time. A piece
// without a call has the delay of its predecessor.
func TestDriftOfPieces(t *testing.T) {
	c := newClocks(times{first: 0, last: 255, any: true})
	for i := range int64(256) {
		if i/8 != 5 {
			c.pair(&row{start: i, host: 1}, &row{start: 2*i + 1000, device: 3})
		}
	}
	all := []*[clockPieces]clockPiece{c.seen[clockKey{3, 1}]}
	for i, got := range drift(all) {
		want := int64(1000 + 8*i)
		if i == 5 {
			want = 1000 + 8*4
		}
		if got != want {
			t.Errorf("piece %d is ahead by %d, want %d", i, got, want)
		}
	}
}

// A copy that its call waits for begins before the call ends: the clock is ahead by the rest at least.
func TestCopiesThatWaitBoundAClock(t *testing.T) {
	for async, want := range map[flags]int64{0: 70, flagAsync: noHigh} {
		c := newClocks(times{first: 0, last: 255, any: true})
		c.pair(&row{kind: uint8(CallCopy), start: 10, duration: 20, host: 1, flags: async}, &row{start: 100, device: 3})
		if got := c.seen[clockKey{3, 1}][c.at(10)].least; got != want {
			t.Errorf("flags %v: ahead by %d at least, want %d", async, got, want)
		}
	}
}
