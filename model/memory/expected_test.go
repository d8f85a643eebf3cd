package memory

import "testing"

// A sector that is on its way for a time that nobody knows keeps its line until the time
// is known, and only the fetch that it waits for gives it one.
func TestExpectedFills(t *testing.T) {
	for _, ways := range []int{1, 32} { // narrow and wide sets
		c := newCache(nil, 128*ways, 128, 32, ways, false)
		for w := range ways {
			id, _, _ := c.insert(uint64(w), 10)
			c.expect(id, 1, unknownFill+uint32(w))
			if f := c.expected(id, 1, 1); f != int32(w) {
				t.Fatalf("%d ways: sector waits for fetch %d, not %d", ways, f, w)
			}
		}
		if id, _, _ := c.insert(1000, 1<<20); id != noLine {
			t.Fatalf("%d ways: a line goes that is on its way", ways)
		}
		id := c.find(0)
		c.known(id, 1, unknownFill+7777, 50)
		if c.expected(id, 1, 1) < 0 {
			t.Fatalf("%d ways: another fetch fills the sector", ways)
		}
		c.known(id, 1, unknownFill, 50)
		if f := c.filled(id, 1, 1); c.expected(id, 1, 1) >= 0 || f != 50 {
			t.Fatalf("%d ways: filled at %d, not 50", ways, f)
		}
		if got, _, _ := c.insert(1000, 49); got != noLine {
			t.Fatalf("%d ways: the line goes before its fill", ways)
		}
		if got, _, _ := c.insert(1000, 50); got != id {
			t.Fatalf("%d ways: line %d goes, not %d", ways, got, id)
		}
	}
}
