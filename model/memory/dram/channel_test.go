package dram

import (
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory/hostmem"
	"gpureplay/model/memory/tags"
)

// A read alone takes the time of [Channel.Alone] from its slice on; a second one to its row is a row hit, and comes a
// column command later. A write has no reply.
func TestChannelServesReads(t *testing.T) {
	cfg, err := hardware.Preset("rtx3070")
	if err != nil {
		t.Fatal(err)
	}
	d := New(cfg, tags.NewMapping(cfg), &hostmem.Tables{})
	c := d.Channel(0)
	queue := c.Connect(3)
	if d.Next() != Never {
		t.Errorf("a channel without requests acts in %d", d.Next())
	}
	c.Put(queue, 0, 1, 1000, false, 7)
	c.Put(queue, 1, 1, 1000, false, 8)
	c.Put(queue, 2, 1, 1000, true, NoFetch)
	if at := d.Next(); at != 1002 && at != 1001 {
		t.Errorf("the channel acts in %d", at)
	}
	for n := 0; d.Next() < Never; n++ {
		if n > 10_000 {
			t.Fatal("the channel never rests")
		}
		d.Advance(d.Next())
	}
	if len(d.Left) != 3 || d.Left[0] != 3 {
		t.Errorf("left slices: %v", d.Left)
	}
	if len(d.Filled) != 2 || d.Filled[0].Fetch != 7 || d.Filled[1].Fetch != 8 {
		t.Fatalf("filled: %v", d.Filled)
	}
	first, second := d.Filled[0].At, d.Filled[1].At
	closed := 1000 + c.Alone() - c.times.ratio.Back(Time(cfg.DRAM.TRP)) // its bank has no row to close
	if first < closed || first > closed+4 {
		t.Errorf("the first read is there at %d, want %d to %d", first, closed, closed+4)
	}
	if second <= first || second > first+3 {
		t.Errorf("the second read is there at %d, behind %d", second, first)
	}
	if s := c.Stats; s.RowHits != 2 || s.ReadSectors != 2 || s.WriteSectors != 1 || s.Accesses != 3 {
		t.Errorf("%+v", s)
	}
}
