package cycle

import (
	"slices"
	"testing"

	"gpureplay/model/memory"
	"gpureplay/model/memory/tags"
)

// Loads come out of a fetch in the order in which they asked, whatever joins another
// meanwhile; a closed fetch is used again.
func TestFetchesKeepOrder(t *testing.T) {
	q := newMSHRTable()
	waiting := func(f int32) (all []int32) {
		load, more := q.all[f].load, q.all[f].more
		for all = append(all, load); more != memory.NoLoad; {
			load, more = q.next(more)
			all = append(all, load)
		}
		q.close(f, &q.all[f])
		return all
	}
	a, b := q.open(1, tags.NoLine, 0, 0), q.open(2, tags.NoLine, 0, 0)
	q.join(a, 3)
	q.join(b, 4)
	q.join(a, 5)
	if got := waiting(a); !slices.Equal(got, []int32{1, 3, 5}) {
		t.Error(got)
	}
	c := q.open(6, tags.NoLine, 0, 0)
	if c != a {
		t.Errorf("fetch %d, not %d", c, a)
	}
	q.join(c, 7)
	if got := waiting(b); !slices.Equal(got, []int32{2, 4}) {
		t.Error(got)
	}
	if got := waiting(c); !slices.Equal(got, []int32{6, 7}) {
		t.Error(got)
	}
	if len(q.all) != 2 || len(q.more) > 3 {
		t.Errorf("%d fetches and %d loads that joined them have room", len(q.all), len(q.more))
	}
}
