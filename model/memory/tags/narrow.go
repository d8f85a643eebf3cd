package tags

import (
	"math/bits"

	"gpureplay/model/memory/hostmem"
)

// narrowSets finds and orders the lines of sets of few ways. The words of a set lie together, so that a miss touches
// them and the line that it drives out.
type narrowSets struct {
	Sets  []narrowSet // nil: the cache has wide sets
	shift uint        // line = set << shift + way
	last  uint        // shift of the oldest way in narrowSet.order
	ways  [2]uint64   // the ways that exist, as their bits in zeroBytes
	first uint64      // the order of a set's ways before any is used
	all   uint64      // ways of a set
}

// narrowSet is one set. It fills half a line of the host's caches. It is zero before its first use: the host gives
// memory for sets that are used.
type narrowSet struct {
	prints [2]uint64 // a byte of each way: part of the hash of its tag
	order  uint64    // ways, four bits each, from the most to the least recently used, less narrowSets.first: xor
	used   uint64    // ways that have been filled; the others are the oldest
}

// mostNarrow is how many ways a narrow set has at most.
const mostNarrow = 16

func newNarrowSets(t *hostmem.Tables, sets, ways int) narrowSets {
	n := narrowSets{Sets: hostmem.NewTable[narrowSet](t, sets), shift: log2(ways), last: 4 * uint(ways-1)}
	for w := range ways {
		n.ways[w/8] |= 1 << (w%8*8 + 7)
	}
	n.all = uint64(ways)
	for w := range ways {
		n.first = n.first<<4 | uint64(w)
	}
	return n
}

// print returns the part of a tag's hash by which its set looks for it, in the
// lowest byte.
func print(tag uint64) uint64 { return spread(tag) >> 24 & 0xff }

func (n *narrowSets) find(c *Cache, tag uint64) int32 {
	set := c.set(tag)
	s, like := &n.Sets[set], print(tag)*lows
	for half := range s.prints {
		for m := zeroBytes(s.prints[half]^like) & n.ways[half]; m != 0; m &= m - 1 {
			id := set<<(n.shift&31) + int32(half<<3+bits.TrailingZeros64(m)>>3)
			if l := &c.Lines[id]; l.Tag == tag && l.gen == c.gen {
				return id
			}
		}
	}
	hostmem.Prefetch(&c.Lines[set<<(n.shift&31)+int32(n.oldest(s))])
	return NoLine
}

// oldest returns the least recently used way of a set.
func (n *narrowSets) oldest(s *narrowSet) uint64 { return (s.order ^ n.first) >> (n.last & 63) & 15 }

// place returns the set and way of a line.
func (n *narrowSets) place(id int32) (*narrowSet, uint64) {
	return &n.Sets[id>>(n.shift&31)], uint64(id) & (1<<(n.shift&31) - 1)
}

func (n *narrowSets) touch(id int32) {
	s, way := n.place(id)
	s.front(way, n.first)
}

// front makes a way the most recently used, where the first order is known.
func (s *narrowSet) front(way, first uint64) {
	const lows, highs = 0x1111111111111111, 0x8888888888888888
	order := s.order ^ first
	v := order ^ way*lows
	at := uint(bits.TrailingZeros64((v-lows)&^v&highs)) - 3 // the lowest four bits that are way
	younger := order & (1<<(at&63) - 1)
	s.order = (order&^(16<<(at&63)-1) | younger<<4 | way) ^ first
}

// replace gives the line of the oldest way that can be replaced to tag, or returns
// noLine. unused: it has never been filled.
func (n *narrowSets) replace(c *Cache, tag uint64, t Time) (id int32, unused bool) {
	set := c.set(tag)
	s := &n.Sets[set]
	for at := int(n.last); at >= 0; at -= 4 {
		way := (s.order ^ n.first) >> (uint(at) & 63) & 15
		id := set<<(n.shift&31) + int32(way)
		if unused = s.used < n.all; unused {
			s.used++
		} else if !c.replaceable(&c.Lines[id], t) {
			continue
		}
		p, at := &s.prints[way>>3&1], way&7*8
		*p = *p&^(0xff<<(at&63)) | print(tag)<<(at&63)
		s.front(way, n.first)
		return id, unused
	}
	return NoLine, false
}
