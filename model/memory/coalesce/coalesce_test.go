package coalesce

import (
	"slices"
	"testing"

	"gpureplay/trace"
)

// Sectors and bytes of accesses of every form, by hand.
func TestCoalesceByHand(t *testing.T) {
	const all = AllBytes
	for _, x := range []struct {
		name    string
		a       trace.Access
		lists   []uint64
		width   uint64
		sectors []uint64
		bytes   []uint32
	}{
		{"no lane", trace.Access{}, nil, 4, nil, nil},
		{"one lane", trace.Access{Base: 0x104, Count: 1}, nil, 4, []uint64{8}, []uint32{0xf0}},
		{"one address", trace.Access{Base: 0x104, Count: 32}, nil, 8, []uint64{8}, []uint32{0xff0}},
		{"across two sectors", trace.Access{Base: 0x1c, Count: 1}, nil, 16, []uint64{0, 1}, []uint32{0xf0000000, 0xfff}},
		{"a line", trace.Access{Stride: 4, Count: 32}, nil, 4, []uint64{0, 1, 2, 3}, []uint32{all, all, all, all}},
		{"a sector each", trace.Access{Base: 4, Stride: 32, Count: 3}, nil, 4, []uint64{0, 1, 2},
			[]uint32{0xf0, 0xf0, 0xf0}},
		{"gaps", trace.Access{Stride: 8, Count: 5}, nil, 4, []uint64{0, 1}, []uint32{0x0f0f0f0f, 0xf}},
		{"downwards", trace.Access{Base: 64, Stride: -32, Count: 3}, nil, 4, []uint64{2, 1, 0}, []uint32{0xf, 0xf, 0xf}},
		{"scattered", trace.Access{List: 1, Count: 4}, []uint64{64, 0, 68, 4}, 4, []uint64{2, 0}, []uint32{0xff, 0xff}},
		{"scattered across", trace.Access{List: 2, Count: 1}, []uint64{7, 30}, 4, []uint64{0, 1},
			[]uint32{0xc0000000, 0x3}},
	} {
		c := New("")
		c.Coalesce(&x.a, x.lists, x.width)
		if !slices.Equal(c.Sectors, x.sectors) || !slices.Equal(c.Bytes, x.bytes) {
			t.Errorf("%s: sectors %v, bytes %x; want %v, %x", x.name, c.Sectors, c.Bytes, x.sectors, x.bytes)
		}
	}
}

// Sorted sectors keep their bytes. A coalescer and its twin do not disturb each other.
func TestAscendKeepsBytes(t *testing.T) {
	c := New("")
	twin := c.Twin()
	a := trace.Access{List: 1, Count: 3}
	c.Coalesce(&a, []uint64{100, 32, 0}, 4)
	twin.Coalesce(&a, []uint64{0, 4, 200}, 4)
	c.Ascend()
	if !slices.Equal(c.Sectors, []uint64{0, 1, 3}) || !slices.Equal(c.Bytes, []uint32{0xf, 0xf, 0xf0}) {
		t.Errorf("sectors %v, bytes %x", c.Sectors, c.Bytes)
	}
	if !slices.Equal(twin.Sectors, []uint64{0, 6}) || !slices.Equal(twin.Bytes, []uint32{0xff, 0xf00}) {
		t.Errorf("twin: sectors %v, bytes %x", twin.Sectors, twin.Bytes)
	}
}

// Blocks of two sectors: sectors of one block share a request, and one that comes again begins another.
func TestGroupByHand(t *testing.T) {
	b := NewBlock(64)
	if b.Sectors() != 2 || b.First(3) != 2 || b.Whole() != 3 || NewBlock(128).Whole() != 15 {
		t.Errorf("block %d: %d sectors, first %d, whole %b", b, b.Sectors(), b.First(3), b.Whole())
	}
	c := New("")
	for i, s := range []uint64{6, 7, 6, 9} {
		c.Append(s, uint32(i+1))
	}
	c.Turns = []int{1, 3, 2, 1}
	c.Group(b)
	want := []Request{
		{Sector: 6, Mask: 3, Turns: 3, Bytes: [MaxSectors]uint32{1, 2}}, {Sector: 6, Mask: 1, Turns: 2,
			Bytes: [MaxSectors]uint32{3}}, {Sector: 8, Mask: 2, Turns: 1, Bytes: [MaxSectors]uint32{0, 4}},
	}
	if !slices.Equal(c.Requests, want) {
		t.Errorf("%+v, want %+v", c.Requests, want)
	}
	if c.Sector(b, 2) != 8 || c.Sector(0, 3) != 9 {
		t.Errorf("sectors %d, %d", c.Sector(b, 2), c.Sector(0, 3))
	}
	if r := WholeSector(5); r.Sector != 5 || r.Mask != 1 || r.Bytes[0] != AllBytes {
		t.Errorf("whole sector: %+v", r)
	}
}

// The data of some sectors of a line lie in the smallest aligned part that holds them.
func TestCarriedByHand(t *testing.T) {
	for mask, want := range map[uint8][2]uint{1: {0, 1}, 4: {2, 1}, 8: {3, 1}, 3: {0, 2}, 12: {2, 2}, 6: {0, 4}, 5: {0, 4},
		15: {0, 4}} {
		if first, n := Carried(mask); first != want[0] || n != want[1] {
			t.Errorf("%b: %d from %d on, want %v", mask, n, first, want)
		}
	}
}

// Bytes outside a request's mask do not count.
func TestPartialRequests(t *testing.T) {
	bytes := [MaxSectors]uint32{1, AllBytes, AllBytes}
	for mask, want := range map[uint8]bool{2: false, 6: false, 1: true, 3: true} {
		if r := (Request{Mask: mask, Bytes: bytes}); r.Partial() != want {
			t.Errorf("mask %b: partial %t", mask, !want)
		}
	}
}
