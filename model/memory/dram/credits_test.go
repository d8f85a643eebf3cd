package dram

import (
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory/hostmem"
	"gpureplay/model/memory/tags"
)

// A channel of two slices with places for two requests beside each slice's own: a slice gets its own place back first,
// and a place is free from the cycle on that the request names, in the order of time.
func TestPlacesOfSlices(t *testing.T) {
	cfg, err := hardware.Preset("rtx3070")
	if err != nil {
		t.Fatal(err)
	}
	cfg.DRAM.Window, cfg.DRAM.Return, cfg.DRAM.WriteQueue = 1, 1, 0
	c := New(cfg, tags.NewMapping(cfg), &hostmem.Tables{}).Channel(0)
	c.Connect(4)
	c.Connect(5)
	a, b := &c.slices[0], &c.slices[1]
	for i := range 3 {
		if !c.hasPlace(a) {
			t.Fatalf("no place for request %d of the first slice", i)
		}
		c.takePlace(a)
	}
	if c.hasPlace(a) || !c.hasPlace(b) {
		t.Errorf("a place for the first slice: %v, for the second: %v", c.hasPlace(a), c.hasPlace(b))
	}
	a.n, a.at = 1, 10
	c.returns(0, 30) // a read, whose data come later than those of
	c.returns(0, 20) // a write-back
	if at := c.leaves(a); at != 20 {
		t.Errorf("the first slice has a place in cycle %d", at)
	}
	if c.free(19); c.hasPlace(a) {
		t.Error("a place is free before its cycle")
	}
	if c.free(20); a.own || c.shared != 0 {
		t.Errorf("the slice has its place back: %v; %d for all", !a.own, c.shared)
	}
	if c.free(40); a.own || c.shared != 1 || c.returned() != Never {
		t.Errorf("the slice has its place back: %v; %d for all, the next in cycle %d", !a.own, c.shared, c.returned())
	}
}
