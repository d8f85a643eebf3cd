package cycle

import (
	"testing"

	"gpureplay/model/memory"
	"gpureplay/model/memory/tags"
)

// A load joins the last of the fetches of its block that are known to come: an atomic may have
// dropped the sectors of an earlier one.
func TestTheLastFetchOfABlockIsJoined(t *testing.T) {
	u := &Unit{mshrs: newMSHRTable()}
	for i, sector := range []uint64{7, 9, 7} {
		f := u.mshrs.open(0, tags.NoLine, 0, sector)
		u.results.clients[clientFills].put(result{Time(i), 0, f})
	}
	for sector, want := range map[uint64]result{7: {2, 0, 2}, 9: {1, 0, 1}, 8: {0, 0, memory.NoLoad}} {
		if f, fill := u.fillingMSHR(sector); f != want.fetch || fill != want.ready {
			t.Errorf("sector %d: fetch %d, come in cycle %d, want %d and %d", sector, f, fill, want.fetch, want.ready)
		}
	}
}

// A load leaves the last place of an L1's queue to stores, where there are two.
func TestALoadLeavesAPlace(t *testing.T) {
	for _, x := range []struct {
		places, taken int32
		want          bool
	}{{1, 0, true}, {1, 1, false}, {2, 0, true}, {2, 1, false}, {8, 6, true}, {8, 7, false}} {
		o := injection{misses: fifo{n: x.taken}}
		if got := o.takesLoad(&crossbar{misses: x.places}); got != x.want {
			t.Errorf("%d of %d places are taken: a load has one: %v", x.taken, x.places, got)
		}
	}
}
