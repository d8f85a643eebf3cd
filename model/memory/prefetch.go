package memory

import (
	"math/bits"
	"unsafe"
)

// bring has the host load the line at p into its caches while this goes on: the next steps
// wait for memory more than for anything else. Nothing is read.
func bring[T any](p *T) { prefetch(unsafe.Pointer(p)) }

// Bring is bring for what an SM looks at next.
func Bring[T any](p *T) { prefetch(unsafe.Pointer(p)) }

// bringSet loads what finds a tag.
func (c *cache) bringSet(tag uint64) {
	if c.narrow.sets != nil {
		bring(&c.narrow.sets[c.set(tag)])
	} else {
		bring(c.wide.head(tag))
	}
}

// bringFirst loads where find looks first for the tag of another line than the last.
func (c *cache) bringFirst(tag uint64) {
	if c.lines[c.last].tag == tag {
		return
	}
	if c.narrow.sets != nil {
		c.narrow.bring(c, tag)
	} else {
		bring(c.wide.head(tag))
	}
}

// bringLine loads the line of a tag, if it is there, or else the one that it may replace.
func (c *cache) bringLine(tag uint64) {
	if c.narrow.sets == nil {
		c.find(tag)
		return
	}
	if l := &c.lines[c.last]; l.tag != tag {
		c.narrow.bring(c, tag)
	}
}

// bring loads the line at which find looks first, or else the one that is replaced next.
func (n *narrowSets) bring(c *cache, tag uint64) {
	set := c.set(tag)
	s, like := &n.sets[set], print(tag)*lows
	way := s.order >> (n.last & 63) & 15
	for half := range s.prints {
		if m := zeroBytes(s.prints[half]^like) & n.ways[half]; m != 0 {
			way = uint64(half<<3 + bits.TrailingZeros64(m)>>3)
			break
		}
	}
	bring(&c.lines[set<<(n.shift&31)+int32(way)])
}

// bring loads the index of a tag, and the line that it gets if it is not there.
func (c *cache) bring(tag uint64) {
	set := c.set(tag)
	if c.narrow.sets != nil {
		bring(&c.narrow.sets[set])
		return
	}
	w := &c.wide
	bring(w.head(tag))
	if oldest := w.order[w.end(set)].prev; oldest < w.lines {
		bring(&c.lines[oldest])
	}
}
