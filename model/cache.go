package model

import "math/bits"

// cache is the tag array of a sectored cache with LRU replacement. Sets may be
// of any associativity: a hash finds a line, a list per set orders it.
//
// A line carries a fill time for each sector: a sector whose fill time has not
// come is on its way, and a request for it merges with the one that fetched it.
type cache struct {
	sets      int
	lineShift uint
	lines     []line
	head      []int32 // per set: most recently used
	tail      []int32
	bucket    []int32 // hash chains
	mask      uint32
	gen       uint32
}

// maxSectors is the most sectors that a line may have.
const maxSectors = 4

// line is one line of a cache.
type line struct {
	tag        uint64 // address of the line in units of lines
	fill       [maxSectors]Time
	valid      uint8 // sectors present or on their way
	dirty      uint8
	partial    uint8             // sectors written in part: a read must fetch them
	merges     [maxSectors]uint8 // requests of the fetch of each sector
	prev, next int32             // in the set, from most to least recently used
	chain      int32             // in the hash bucket
	id         int32
	gen        uint32 // flush after which the line was filled; 0: it never was
}

// maxMerge is the most requests that a line counts for a sector.
const maxMerge = 255

const noLine int32 = -1

func newCache(bytes, lineBytes, ways int) *cache {
	n := bytes / lineBytes
	if ways <= 0 || ways > n {
		ways = n
	}
	c := &cache{sets: n / ways, lineShift: uint(bits.TrailingZeros(uint(lineBytes)))}
	n = c.sets * ways
	c.lines = make([]line, n)
	c.head, c.tail = make([]int32, c.sets), make([]int32, c.sets)
	for c.mask = 1; int(c.mask) < 2*n; c.mask <<= 1 {
	}
	c.bucket = make([]int32, c.mask)
	c.mask--
	c.gen = 1
	c.reset()
	return c
}

// flush empties the cache, in constant time: lines of an earlier generation are
// not found, and are the oldest of their sets.
func (c *cache) flush() { c.gen++ }

// reset puts every line in its set, the highest id first.
func (c *cache) reset() {
	for i := range c.bucket {
		c.bucket[i] = noLine
	}
	n, sets := int32(len(c.lines)), int32(c.sets)
	for i := range c.lines {
		l := &c.lines[i]
		id := int32(i)
		l.id, l.prev, l.next = id, id+sets, id-sets
		if l.prev >= n {
			l.prev = noLine
			c.head[id%sets] = id
		}
		if l.next < 0 {
			l.next = noLine
			c.tail[id%sets] = id
		}
	}
}

func (c *cache) hash(tag uint64) uint32 {
	return uint32(tag*0x9E3779B97F4A7C15>>32) & c.mask
}

// find returns the line that holds tag, or nil, without touching the order.
func (c *cache) find(tag uint64) *line {
	for i := c.bucket[c.hash(tag)]; i != noLine; i = c.lines[i].chain {
		if l := &c.lines[i]; l.tag == tag && l.gen == c.gen {
			return l
		}
	}
	return nil
}

// set is the set of l: lines go round the sets.
func (c *cache) set(l *line) int { return int(l.id) % c.sets }

// touch makes l the most recently used line of its set.
func (c *cache) touch(l *line) {
	if c.head[c.set(l)] == l.id {
		return
	}
	c.unlink(l.id)
	c.push(l.id)
}

// victim returns the least recently used line of a set with no sector on its
// way at t, or nil if all have.
func (c *cache) victim(set int, t Time) *line {
	for i := c.tail[set]; i != noLine; i = c.lines[i].prev {
		if l := &c.lines[i]; l.gen != c.gen || l.idle(t) {
			return l
		}
	}
	return nil
}

// idle reports whether no sector of l is on its way at t.
func (l *line) idle(t Time) bool {
	for s, f := range l.fill {
		if l.valid>>s&1 != 0 && f > t {
			return false
		}
	}
	return true
}

// replace gives l to tag with no valid sector and makes it the most recent.
func (c *cache) replace(l *line, tag uint64) {
	if l.gen > 0 {
		c.unhash(l.id)
	}
	l.tag, l.gen = tag, c.gen
	l.valid, l.dirty, l.partial = 0, 0, 0
	b := c.hash(tag)
	l.chain = c.bucket[b]
	c.bucket[b] = l.id
	c.touch(l)
}

func (c *cache) unlink(i int32) {
	l := &c.lines[i]
	if l.prev != noLine {
		c.lines[l.prev].next = l.next
	} else {
		c.head[c.set(l)] = l.next
	}
	if l.next != noLine {
		c.lines[l.next].prev = l.prev
	} else {
		c.tail[c.set(l)] = l.prev
	}
}

func (c *cache) push(i int32) {
	l := &c.lines[i]
	l.prev, l.next = noLine, c.head[c.set(l)]
	if l.next != noLine {
		c.lines[l.next].prev = i
	} else {
		c.tail[c.set(l)] = i
	}
	c.head[c.set(l)] = i
}

func (c *cache) unhash(i int32) {
	p := &c.bucket[c.hash(c.lines[i].tag)]
	for *p != i {
		p = &c.lines[*p].chain
	}
	*p = c.lines[i].chain
}
