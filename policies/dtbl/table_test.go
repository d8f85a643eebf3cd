package dtbl

import "testing"

// A table of four entries gives each to one group: any that is free, or the one that the
// hardware thread names.
func TestTable(t *testing.T) {
	for _, c := range []struct {
		name   string
		hashed bool
		want   [6]int32 // for threads 5, 1, 6, then one more of 5 when the first has left, then 7 and 9
	}{
		{"any", false, [6]int32{0, 1, 2, 0, 3, -1}},
		{"hashed", true, [6]int32{1, -1, 2, 1, 3, -1}},
	} {
		a := newTable(4, c.hashed)
		var got [6]int32
		for i, thread := range []uint32{5, 1, 6, 5, 7, 9} {
			if i == 3 {
				a.free(got[0])
			}
			got[i] = a.allocate(thread)
		}
		if got != c.want {
			t.Errorf("%s: entries %v, want %v", c.name, got, c.want)
		}
		if want := map[bool]int{false: 4, true: 3}[c.hashed]; a.n != want || a.most != want {
			t.Errorf("%s: %d in use, %d at most, want %d", c.name, a.n, a.most, want)
		}
	}
	if none := newTable(0, false); none.allocate(0) >= 0 {
		t.Error("a table without entries gave one")
	}
}
