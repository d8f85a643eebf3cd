package model

import "math/bits"

// cache is the tag array of a sectored cache with LRU replacement. Sets may be
// of any associativity: a hash table finds a line, a list per set orders it.
//
// A line carries a fill time for each sector: a sector whose fill time has not
// come is on its way, and a request for it merges with the one that fetched it.
//
// What a replay does most is to find that a line is not there, so the parts are
// small and apart: the table (4 B an entry), the order (8 B a line), the lines
// (32 B). A machine has some hundred thousand lines; they should lie in the
// caches of the host.
type cache struct {
	sets  divisor
	hash  bool // lines choose their set by a hash of the tag
	lines []line
	order []link // of the lines, then of the ends of each set's list

	// table holds id+1 and the upper bits of the hash of the line's tag; 0 is
	// free. An entry whose line has another tag by now is out of date and is
	// dropped when the table is made anew.
	table   []uint32
	shift   uint // of the hash, to the index of the table
	idBits  uint
	entries int

	gen  uint8
	base Time // fill times are counted from here
}

// maxSectors is the most sectors that a line may have.
const maxSectors = 4

// line is one line of a cache.
type line struct {
	tag     uint64             // address of the line in units of lines
	fill    [maxSectors]uint32 // since cache.base
	merges  [maxSectors]uint8  // requests of the fetch of each sector
	valid   uint8              // sectors present or on their way
	dirty   uint8
	partial uint8 // sectors written in part: a read must fetch them
	gen     uint8 // flush after which the line was filled; 0: it never was
}

// link orders the lines of a set in a ring, from the most to the least recently
// used.
type link struct{ prev, next int32 }

const noLine int32 = -1

// maxMerge is the most requests that a line counts for a sector.
const maxMerge = 255

// newCache returns an empty cache. hash: the set of a line comes from a hash of
// its tag, not from its low bits.
func newCache(bytes, lineBytes, ways int, hash bool) *cache {
	n := bytes / lineBytes
	if ways <= 0 || ways > n {
		ways = n
	}
	sets := n / ways
	n = sets * ways
	c := &cache{sets: newDivisor(sets), hash: hash, gen: 1, idBits: uint(bits.Len(uint(n)))}
	c.lines, c.order = make([]line, n), make([]link, n+sets)
	c.shift = 64 - uint(bits.Len(uint(4*n-1)))
	c.table = make([]uint32, 1<<(64-c.shift))
	for set := range sets {
		end := int32(n + set)
		c.order[end] = link{end, end}
		for w := range ways { // the first is the oldest
			id := int32(w*sets + set)
			c.order[id] = link{id, id}
			c.front(id, end)
		}
	}
	return c
}

// flush empties the cache: lines of an earlier generation are not found, and are
// the oldest of their sets.
func (c *cache) flush() {
	if c.gen++; c.gen == 0 {
		for i := range c.lines {
			c.lines[i].gen = 0
		}
		c.gen = 1
	}
}

// spread is a hash of a tag, good in its upper bits.
func spread(tag uint64) uint64 { return tag * 0x9E3779B97F4A7C15 }

// mark is what the table keeps of a hash.
func (c *cache) mark(h uint64) uint32 { return uint32(h>>8) >> c.idBits }

// find returns the line that holds tag, or noLine, without touching the order.
func (c *cache) find(tag uint64) int32 {
	h := spread(tag)
	mark := c.mark(h)
	for i := h >> c.shift; ; i++ {
		e := c.table[i&uint64(len(c.table)-1)]
		if e == 0 {
			return noLine
		}
		if e>>c.idBits == mark {
			id := int32(e&(1<<c.idBits-1)) - 1
			if l := &c.lines[id]; l.tag == tag && l.gen == c.gen {
				return id
			}
		}
	}
}

// enter puts a line into the table.
func (c *cache) enter(id int32, tag uint64) {
	if c.entries >= len(c.table)/2 {
		c.renew()
	}
	h := spread(tag)
	i := h >> c.shift
	for c.table[i&uint64(len(c.table)-1)] != 0 {
		i++
	}
	c.table[i&uint64(len(c.table)-1)] = c.mark(h)<<c.idBits | uint32(id+1)
	c.entries++
}

// renew makes the table anew of the lines that are there: at most a quarter of
// its places.
func (c *cache) renew() {
	clear(c.table)
	c.entries = 0
	for i := range c.lines {
		if l := &c.lines[i]; l.gen == c.gen {
			c.enter(int32(i), l.tag)
		}
	}
}

// set returns the end of the list of the set that tag belongs to.
func (c *cache) set(tag uint64) int32 {
	if c.hash {
		tag = spread(tag) >> 33
	}
	return int32(uint64(len(c.lines)) + c.sets.mod(tag))
}

// touch makes a line the most recently used one of its set.
func (c *cache) touch(id int32) { c.front(id, c.set(c.lines[id].tag)) }

// front moves a line to the front of the list with an end.
func (c *cache) front(id, end int32) {
	e := &c.order[end]
	if e.next == id {
		return
	}
	l := &c.order[id]
	c.order[l.prev].next, c.order[l.next].prev = l.next, l.prev
	c.order[e.next].prev = id
	*l = link{end, e.next}
	e.next = id
}

// victim returns the least recently used line of a set with nothing on its way
// at t, or noLine.
func (c *cache) victim(end int32, t Time) int32 {
	for i := c.order[end].prev; i != end; i = c.order[i].prev {
		if l := &c.lines[i]; l.gen != c.gen || c.idle(l, t) {
			return i
		}
	}
	return noLine
}

// idle reports whether nothing of l is on its way at t.
func (c *cache) idle(l *line, t Time) bool {
	since := t - c.base
	for s, f := range l.fill {
		if Time(f) > since && l.valid>>s&1 != 0 {
			return false
		}
	}
	return true
}

// insert makes room for a line that is not there and returns its place, with no
// sector present, or noLine if every line of its set is on its way.
func (c *cache) insert(tag uint64, t Time) int32 {
	end := c.set(tag)
	id := c.victim(end, t)
	if id != noLine {
		c.replace(id, end, tag)
	}
	return id
}

// replace gives a line of a set to tag, with no valid sector, and makes it the
// most recent.
func (c *cache) replace(id, end int32, tag uint64) {
	c.lines[id] = line{tag: tag, gen: c.gen}
	c.enter(id, tag)
	c.front(id, end)
}

// filled returns the fill time of a valid sector.
func (c *cache) filled(id int32, bit uint) Time { return c.base + Time(c.lines[id].fill[bit]) }

// put makes a sector present from a time on, with a number of requests that
// wait for it.
func (c *cache) put(id int32, bit uint, t Time, merges uint8) {
	if t-c.base >= 1<<32 {
		c.rebase(t)
	}
	l := &c.lines[id]
	l.valid |= 1 << bit
	l.fill[bit] = uint32(max(0, t-c.base))
	l.merges[bit] = merges
}

// rebase counts fill times from half a span before t, an eon after all that have
// come: those that are earlier are past for every request.
func (c *cache) rebase(t Time) {
	by := t - 1<<31 - c.base
	for i := range c.lines {
		for s, f := range c.lines[i].fill {
			c.lines[i].fill[s] = uint32(max(0, Time(f)-by))
		}
	}
	c.base += by
}
