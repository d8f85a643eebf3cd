package tags

import (
	"testing"

	"gpureplay/model/memory/coalesce"
)

// A block of two sectors that is dropped while four requests wait for its fetch is free when a byte of it is
// written anew: a request for the written byte, from an SM whose cycle is earlier, has room.
func TestWriteBeginsABlockAnew(t *testing.T) {
	c := New(nil, 4*128, 128, 64, 2, false)
	id, _, _ := c.Insert(7, 0)
	c.Fill(id, 0, 100, 1)
	for range 3 {
		if !c.Merge(id, 1, 4) {
			t.Fatal("a fetch has no room for its fourth request")
		}
	}
	if c.Merge(id, 1, 4) {
		t.Fatal("a fetch has room for a fifth request of four")
	}
	c.drop(id, 3)
	if c.write(id, 1, coalesce.AllBytes, 50) {
		t.Error("a sector that was dropped is present")
	}
	if !c.Merge(id, 1, 4) {
		t.Error("a block that was written after it was dropped has the requests of its former fetch")
	}
}

// In a set whose lines all have a sector on its way until 50, none can be replaced before. Another sector was to
// come in 1000 and was dropped: no request waits for it.
func TestSetIsBusyUntilALineIsFilled(t *testing.T) {
	for _, ways := range []int{2, 32} {
		c := New(nil, ways*128, 128, 32, ways, false)
		for tag := range uint64(ways) {
			id, _, _ := c.Insert(tag, 0)
			c.Put(id, 0, 50, 1)
			c.Put(id, 1, 1000, 1)
			c.drop(id, 1<<1)
		}
		for _, x := range []struct {
			at   Time
			room bool
		}{{20, false}, {49, false}, {50, true}} {
			if id, _, _ := c.Insert(99, x.at); (id != NoLine) != x.room {
				t.Errorf("%d ways: in %d there is room: %v, want %v", ways, x.at, id != NoLine, x.room)
			}
		}
	}
}
