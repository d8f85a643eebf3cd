package tags

import (
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/memory/coalesce"
)

// A store of half a sector leaves it partial; the other half makes it whole and hits. A line that is left in the L2 is
// present and dirty. Reads and writes are counted by sectors.
func TestL2ByHand(t *testing.T) {
	s := L2{Tags: New(nil, 4096, 128, 32, 2, true), Per: 2}
	if id, bit := s.Lookup(5); id != NoLine || bit != 1 {
		t.Errorf("line %d, sector %d of an empty cache", id, bit)
	}
	s.Leave(4, 4, true, 10)
	id, bit := s.Lookup(6)
	if id == NoLine || bit != 2 || !s.Tags.Lines[id].Readable(0, 15) || s.Tags.Lines[id].dirty != 15 {
		t.Fatalf("line %d, sector %d: %+v", id, bit, s.Tags.Lines)
	}
	id, _, _ = s.Tags.Insert(2, 0)
	half := coalesce.Request{Sector: 8, Mask: 1, Bytes: [coalesce.MaxSectors]uint32{0xffff}}
	s.Store(id, 0, &half, 20)
	if s.Stats.Misses != 1 || s.Tags.Lines[id].Readable(0, 1) || s.Tags.Lines[id].dirty != 1 {
		t.Errorf("half a sector: %+v, %+v", s.Stats, s.Tags.Lines[id])
	}
	half.Bytes[0] = 0xffff0000
	s.Store(id, 0, &half, 21)
	if s.Stats.Hits != 1 || !s.Tags.Lines[id].Readable(0, 1) {
		t.Errorf("both halves: %+v, %+v", s.Stats, s.Tags.Lines[id])
	}
	if r, w := s.CountRead(0b1011), s.CountWrite(1); r != 3 || w != 1 || s.Stats.Accesses != 4 ||
		s.Stats.ReadSectors != 3 || s.Stats.WriteSectors != 1 {
		t.Errorf("%d read, %d written: %+v", r, w, s.Stats)
	}
	s.Fill(id, 2, 2, 30)
	if !s.Tags.Lines[id].Readable(2, 3) || s.Tags.Lines[id].dirty != 13 || s.Tags.Filled(id, 2, 3) != 30 {
		t.Errorf("filled: %+v", s.Tags.Lines[id])
	}
}

// A store that goes on to DRAM drops a copy that is there, and leaves one that is on its way.
func TestStoresPassBy(t *testing.T) {
	s := L2{Tags: New(nil, 4096, 128, 32, 2, true), Per: 2, Evicts: true}
	s.Leave(0, 2, true, 50)
	id, _ := s.Lookup(0)
	if s.Tags.Lines[id].dirty != 0 {
		t.Error("a line is dirty where stores go through")
	}
	store := coalesce.Request{Mask: 1, Turns: 1}
	s.PassBy(&store, id, 0, 49)
	s.PassBy(&store, NoLine, 0, 49)
	if s.Stats.Misses != 2 || !s.Tags.Lines[id].Readable(0, 3) {
		t.Errorf("before its fill: %+v, %+v", s.Stats, s.Tags.Lines[id])
	}
	s.PassBy(&store, id, 0, 50)
	if s.Stats.Hits != 1 || s.Stats.Misses != 2 || s.Tags.Lines[id].Readable(0, 1) || !s.Tags.Lines[id].Readable(1, 1) {
		t.Errorf("behind its fill: %+v, %+v", s.Stats, s.Tags.Lines[id])
	}
}

// An L1 of two lines keeps written bytes, and loses them by invalidation and when it gets another size. One without
// room for a line is none.
func TestL1ByHand(t *testing.T) {
	var c L1
	c.Init(nil, &hardware.L1Config{Bytes: 256, LineBytes: 128, SectorBytes: 32, Ways: 2, Banks: 4, Latency: 30})
	if c.Latency != 30 || c.Per != 2 || c.Last != 3 || c.Bank(6) != 4 {
		t.Errorf("latency %d, 2^%d sectors a line, bank mask of sector 6: %b", c.Latency, c.Per, c.Bank(6))
	}
	whole := coalesce.WholeSector(5)
	c.Resize(64)
	if !c.Write(whole, 0) || c.Tags != nil {
		t.Error("an L1 of half a line has tags")
	}
	c.Invalidate(5)
	c.Resize(256)
	if !c.Write(whole, 1) || !c.Tags.Lines[c.Tags.Find(1)].Readable(1, 1) {
		t.Error("a written sector is not there")
	}
	if c.Invalidate(5); c.Tags.Lines[c.Tags.Find(1)].Readable(1, 1) {
		t.Error("an invalidated sector is there")
	}
	tags := c.Tags
	if c.Resize(128); c.Tags == tags || c.Tags.Find(1) != NoLine {
		t.Error("another size has the old lines")
	}
	if c.Resize(256); c.Tags != tags || c.Tags.Find(1) != NoLine {
		t.Error("the size of before is not flushed")
	}
}

// A fetch of a block of two sectors takes so many merged requests.
func TestMergesByHand(t *testing.T) {
	c := New(nil, 1024, 128, 64, 2, false)
	id, _, _ := c.Insert(3, 0)
	c.Fill(id, 1, 40, 1)
	if !c.Lines[id].Readable(0, 3) || c.Lines[id].Readable(2, 1) || c.Filled(id, 0, 3) != 40 {
		t.Errorf("%+v", c.Lines[id])
	}
	if c.Crowded(id, 0, 2) || !c.Merge(id, 1, 2) || !c.Crowded(id, 0, 2) || c.Merge(id, 0, 2) || c.Crowded(id, 0, 0) {
		t.Errorf("merged requests: %d of 2", c.Lines[id].merges[0])
	}
}
