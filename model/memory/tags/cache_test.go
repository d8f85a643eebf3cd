package tags

import (
	"math/rand"
	"slices"
	"testing"
)

// plainCache is a cache in the plainest way: each set a list of lines, the most recently used one first.
type plainCache struct {
	c    *Cache
	ways int
	sets map[int32][]uint64
}

func (p *plainCache) use(tag uint64) (hit bool) {
	set := p.c.set(tag)
	all := p.sets[set]
	if i := slices.Index(all, tag); i >= 0 {
		all, hit = slices.Delete(all, i, i+1), true
	} else if len(all) == p.ways {
		all = all[:p.ways-1]
	}
	p.sets[set] = slices.Insert(all, 0, tag)
	return hit
}

// TestCacheShapes compares caches of every kind of set with lists, over flushes
// beyond the range of the number of a flush.
func TestCacheShapes(t *testing.T) {
	for _, x := range []struct {
		lines, ways int
		hashed      bool
	}{{1, 1, false}, {4, 1, true}, {6, 2, true}, {24, 3, false}, {64, 8, true}, {45, 9, false}, {64, 16, true},
		{48, 16, false},
		{34, 17, true}, {51, 17, false}, {256, 64, false}, {1024, 0, false}} {
		r := rand.New(rand.NewSource(1))
		c := New(nil, x.lines*128, 128, 32, x.ways, x.hashed)
		p := &plainCache{c: c, ways: len(c.Lines), sets: map[int32][]uint64{}}
		if x.ways > 0 {
			p.ways = x.ways
		}
		for n := range 40_000 {
			if n%100 == 99 || n/1000%4 == 3 && n%10 == 9 { // of many lines, and of few
				c.flush()
				clear(p.sets)
			}
			tag := uint64(r.Intn(3 * x.lines))
			if r.Intn(8) == 0 {
				tag |= uint64(r.Intn(3)) << 50
			}
			id := c.Find(tag)
			if hit := p.use(tag); hit != (id != NoLine) {
				t.Fatalf("%d lines of %d ways, use %d: line %d, expected hit: %v", x.lines, x.ways, n, id, hit)
			}
			if again := c.Find(tag); again != id {
				t.Fatalf("%d lines of %d ways, use %d: line %d, and %d when it is looked for again", x.lines, x.ways, n, id, again)
			}
			if id != NoLine {
				c.Touch(id)
				continue
			}
			id, _, _ = c.Insert(tag, Time(n))
			c.Put(id, 0, Time(n), 1)
		}
	}
}

// Lines that follow each other have buckets side by side, and no walk over a full cache has
// many lines in one.
func TestBucketsOfWideSets(t *testing.T) {
	w := newWideSets(nil, 4, 256)
	for tag := range uint64(1 << 12) {
		if a, b := w.index(tag), w.index(tag^1); a>>4 != b>>4 {
			t.Fatalf("lines %d and %d have buckets %d and %d", tag, tag^1, a, b)
		}
	}
	for stride := uint64(1); stride <= 1<<16; stride = stride*3/2 + 1 {
		in, most := map[uint64]int{}, 0
		for i := range uint64(1024) {
			at := w.index(1<<40 + i*stride)
			in[at]++
			most = max(most, in[at])
		}
		if most > 16 {
			t.Errorf("of 1,024 lines %d apart %d are in one bucket", stride, most)
		}
	}
}
