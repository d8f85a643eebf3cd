package tags

import (
	"math/bits"

	"gpureplay/model/memory/hostmem"
)

// PrefetchFirst loads where find looks first for the tag of another line than the last.
func (c *Cache) PrefetchFirst(tag uint64) {
	if tag == c.latest {
		return
	}
	if c.Narrow.Sets != nil {
		c.Narrow.prefetch(c, tag)
	} else {
		hostmem.Prefetch(c.Wide.head(tag))
	}
}

// PrefetchLine loads the line of a tag, if it is there, or else the one that it may replace.
func (c *Cache) PrefetchLine(tag uint64) {
	if c.Narrow.Sets == nil {
		c.Find(tag)
		return
	}
	if tag != c.latest {
		c.Narrow.prefetch(c, tag)
	}
}

// prefetch loads the line at which find looks first, or else the one that is replaced next.
func (n *narrowSets) prefetch(c *Cache, tag uint64) {
	set := c.set(tag)
	s, like := &n.Sets[set], print(tag)*lows
	var way uint64
	if m := zeroBytes(s.prints[0]^like) & n.ways[0]; m != 0 {
		way = uint64(bits.TrailingZeros64(m) >> 3)
	} else if m = zeroBytes(s.prints[1]^like) & n.ways[1]; m != 0 {
		way = uint64(8 + bits.TrailingZeros64(m)>>3)
	} else {
		way, c.absent = n.oldest(s), tag
	}
	hostmem.Prefetch(&c.Lines[set<<(n.shift&31)+int32(way)])
}

// Prefetch loads the index of a tag, and the line that it gets if it is not there.
func (c *Cache) Prefetch(tag uint64) {
	set := c.set(tag)
	if c.Narrow.Sets != nil {
		hostmem.Prefetch(&c.Narrow.Sets[set])
		return
	}
	w := &c.Wide
	hostmem.Prefetch(w.head(tag))
	if oldest := w.order[w.end(set)].prev; oldest < w.lines {
		hostmem.Prefetch(&c.Lines[oldest])
	}
}
