package tags

import "testing"

// Two tags lie in one bucket, and as much of their hashes is equal as a chain has: each finds its own line alone.
func TestTagsOfOneChain(t *testing.T) {
	const ways = 32
	c := New(nil, ways*128, 128, 32, ways, true)
	inverse := uint64(1)
	for range 6 { // Newton: each step doubles the bits that are right
		inverse *= 2 - inverse*spread(1)
	}
	const one = uint64(7)
	other := one
	for low := uint64(1); other == one; low++ { // the lowest 20 bits of a hash are in no chain
		if x := inverse * (spread(one) ^ low); low >= 1<<20 {
			t.Fatal("no second tag")
		} else if c.Wide.index(x) == c.Wide.index(one) && c.Wide.chained(x) == c.Wide.chained(one) {
			other = x
		}
	}
	first, _, _ := c.Insert(one, 0)
	if id := c.Wide.find(c, other); id != NoLine {
		t.Errorf("tag %#x finds line %d of tag %#x", other, id, one)
	}
	second, _, _ := c.Insert(other, 0)
	if a, b := c.Wide.find(c, one), c.Wide.find(c, other); a != first || b != second || first == second {
		t.Errorf("the tags have the lines %d and %d, and find %d and %d", first, second, a, b)
	}
}
