package tags

import "testing"

// A sector with an unknown fill time keeps its line until the time is known, and only the fetch that it waits for
// gives it one.
func TestExpectedFills(t *testing.T) {
	for _, ways := range []int{1, 32} { // narrow and wide sets
		c := New(nil, 128*ways, 128, 32, ways, false)
		for w := range ways {
			id, _, _ := c.Insert(uint64(w), 10)
			c.SetPending(id, 1, UnknownFill+uint32(w))
			if f := c.PendingMiss(id, 1, 1); f != int32(w) {
				t.Fatalf("%d ways: sector waits for fetch %d, not %d", ways, f, w)
			}
		}
		if id, _, _ := c.Insert(1000, 1<<20); id != NoLine {
			t.Fatalf("%d ways: a line goes that is on its way", ways)
		}
		id := c.Find(0)
		c.SetFill(id, 1, UnknownFill+7777, 50)
		if c.PendingMiss(id, 1, 1) < 0 {
			t.Fatalf("%d ways: another fetch fills the sector", ways)
		}
		c.SetFill(id, 1, UnknownFill, 50)
		if f := c.Filled(id, 1, 1); c.PendingMiss(id, 1, 1) >= 0 || f != 50 {
			t.Fatalf("%d ways: filled at %d, not 50", ways, f)
		}
		if got, _, _ := c.Insert(1000, 49); got != NoLine {
			t.Fatalf("%d ways: the line goes before its fill", ways)
		}
		if got, _, _ := c.Insert(1000, 50); got != id {
			t.Fatalf("%d ways: line %d goes, not %d", ways, got, id)
		}
	}
}

// Sectors are there from their fill on, unless their line is not, or a fetch's fill time is unknown.
func TestThere(t *testing.T) {
	c := New(nil, 512, 128, 32, 4, false)
	id, _, _ := c.Insert(5, 0)
	c.Fill(id, 0, 20, 0)
	c.Fill(id, 1, 30, 0)
	c.SetPending(id, 2, UnknownFill+3)
	for _, x := range []struct {
		id    int32
		bit   uint
		mask  uint8
		t     Time
		there bool
	}{{id, 0, 1, 19, false}, {id, 0, 1, 20, true}, {id, 0, 3, 20, false}, {id, 0, 3, 30, true}, {id, 2, 1, 1000, false},
		{id, 1, 3, 1000, false}, {id, 3, 1, 1000, false}, {NoLine, 0, 1, 1000, false}} {
		if _, there := c.There(x.id, x.bit, x.mask, x.t); there != x.there {
			t.Errorf("line %d, sectors %b from %d on, time %d: there: %v", x.id, x.mask, x.bit, x.t, there)
		}
	}
	if fill, _ := c.There(id, 0, 3, 30); fill != 30 {
		t.Errorf("there since %d, want 30", fill)
	}
}
