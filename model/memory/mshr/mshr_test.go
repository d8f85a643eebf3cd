package mshr

import (
	"slices"
	"testing"
)

// Loads come out of a fetch in the order in which they asked, whatever joins another
// meanwhile; a closed fetch is used again.
func TestFetchesKeepOrder(t *testing.T) {
	q := New()
	waiting := func(f int32) (all []int32) {
		load, more := q.All[f].Load, q.All[f].More
		for all = append(all, load); more != None; {
			load, more = q.Next(more)
			all = append(all, load)
		}
		q.Close(f, &q.All[f])
		return all
	}
	a, b := q.Open(1, -1, 0, 0), q.Open(2, -1, 0, 0)
	q.Join(a, 3)
	q.Join(b, 4)
	q.Join(a, 5)
	if got := waiting(a); !slices.Equal(got, []int32{1, 3, 5}) {
		t.Error(got)
	}
	c := q.Open(6, -1, 0, 0)
	if c != a {
		t.Errorf("fetch %d, not %d", c, a)
	}
	q.Join(c, 7)
	if got := waiting(b); !slices.Equal(got, []int32{2, 4}) {
		t.Error(got)
	}
	if got := waiting(c); !slices.Equal(got, []int32{6, 7}) {
		t.Error(got)
	}
	if len(q.All) != 2 || len(q.more) > 3 {
		t.Errorf("%d fetches and %d loads that joined them have room", len(q.All), len(q.more))
	}
}

// A load joins the last of the fetches of its block, also where others have the hash of its sector.
func TestTheLastFetchOfABlockIsJoined(t *testing.T) {
	q := New()
	const other = 7 ^ 1 ^ 1<<8
	for _, sector := range []uint64{7, 9, 7, other} {
		q.Open(0, -1, 0, sector)
	}
	find := func(want map[uint64]int32) {
		t.Helper()
		for sector, f := range want {
			if got := q.Find(sector); got != f {
				t.Errorf("sector %d: fetch %d, want %d", sector, got, f)
			}
		}
	}
	find(map[uint64]int32{7: 2, 9: 1, other: 3, 8: None})
	q.Close(2, &q.All[2])
	find(map[uint64]int32{7: 0, 9: 1, other: 3})
	q.Close(0, &q.All[0])
	find(map[uint64]int32{7: None, 9: 1, other: 3})
}
