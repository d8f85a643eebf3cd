package model

import "math/bits"

// cache is the tag array of a sectored cache with LRU replacement. Sets may be
// of any associativity: a hash finds a line, a list per set orders it.
//
// A line carries a fill time for each sector: a sector whose fill time has not
// come is on its way, and a request for it merges with the one that fetched it.
//
// Chains, order and lines are apart and small: a machine has some hundred
// thousand lines, which should lie in the caches of the host.
type cache struct {
	sets   divisor
	hashed bool // lines choose their set by a hash of the tag
	lines  []line
	order  []link  // of the lines, then of the ends of each set's list
	bucket []int32 // hash chains: a line's number + 1; 0: the end
	chain  []int32 // per line: the next in its chain
	shift  uint    // of the hash, to the index of its bucket
	gen    uint8
	base   Time // fill times are counted from here

	// written has, per line and sector, the bytes that are there of one that is
	// partial; nil until the first.
	written [][maxSectors]uint32
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
	partial uint8 // sectors of which only written bytes are there: a read must fetch the rest
	gen     uint8 // flush after which the line was filled; 0: it never was
}

// link orders the lines of a set in a ring, from the most to the least recently
// used.
type link struct{ prev, next int32 }

const noLine int32 = -1

// maxMerge is the most requests that a line counts for a sector.
const maxMerge = 255

// newCache returns an empty cache. hashed: the set of a line comes from a hash of
// its tag, not from its low bits.
func newCache(bytes, lineBytes, ways int, hashed bool) *cache {
	n := bytes / lineBytes
	if ways <= 0 || ways > n {
		ways = n
	}
	sets := n / ways
	n = sets * ways
	c := &cache{sets: newDivisor(sets), hashed: hashed, gen: 1}
	c.lines, c.order, c.chain = make([]line, n), make([]link, n+sets), make([]int32, n)
	c.shift = 64 - uint(bits.Len(uint(2*n-1)))
	c.bucket = make([]int32, 1<<(64-c.shift))
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
		clear(c.bucket)
		c.gen = 1
	}
}

// spread is a hash of a tag, good in its upper bits. Here and elsewhere on this
// path, what a shift is masked with spares the check that Go makes of its size.
func spread(tag uint64) uint64 { return tag * 0x9E3779B97F4A7C15 }

// find returns the line that holds tag, or noLine, without touching the order.
func (c *cache) find(tag uint64) int32 {
	for i := c.bucket[spread(tag)>>(c.shift&63)]; i != 0; i = c.chain[i-1] {
		if l := &c.lines[i-1]; l.tag == tag && l.gen == c.gen {
			return i - 1
		}
	}
	return noLine
}

// set returns the end of the list of the set that tag belongs to.
func (c *cache) set(tag uint64) int32 {
	if c.hashed {
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
	if Time(max(l.fill[0], l.fill[1], l.fill[2], l.fill[3])) <= since {
		return true
	}
	for s, f := range l.fill {
		if Time(f) > since && l.valid>>(uint(s)&7)&1 != 0 {
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
	l := &c.lines[id]
	if l.gen != 0 {
		p := &c.bucket[spread(l.tag)>>(c.shift&63)]
		for *p != id+1 {
			p = &c.chain[*p-1]
		}
		*p = c.chain[id]
	}
	*l = line{tag: tag, gen: c.gen}
	b := &c.bucket[spread(tag)>>(c.shift&63)]
	c.chain[id], *b = *b, id+1
	c.front(id, end)
}

// filled returns the fill time of a valid sector.
func (c *cache) filled(id int32, bit uint) Time { return c.base + Time(c.lines[id].fill[bit&3]) }

// put makes a sector present from a time on, with a number of requests that
// wait for it.
func (c *cache) put(id int32, bit uint, t Time, merges uint8) {
	if t-c.base >= 1<<32 {
		c.rebase(t)
	}
	l := &c.lines[id]
	l.valid |= 1 << (bit & 7)
	l.partial &^= 1 << (bit & 7)
	l.fill[bit&3] = uint32(max(0, t-c.base))
	l.merges[bit&3] = merges
}

// readable reports whether a sector of l is there, or on its way, whole.
func (l *line) readable(bit uint) bool { return (l.valid&^l.partial)>>(bit&7)&1 != 0 }

// write puts bytes into a sector, a bit each, and reports whether there was
// something of it. One that was not there is whole when all its bytes have been
// written.
func (c *cache) write(id int32, bit uint, bytes uint32, t Time) (present bool) {
	l := &c.lines[id]
	present = l.valid>>(bit&7)&1 != 0
	switch {
	case !present:
		c.put(id, bit, t, 0)
	case l.partial>>(bit&7)&1 != 0:
		bytes |= c.written[id][bit&3]
	default:
		return true
	}
	if bytes == allBytes {
		l.partial &^= 1 << (bit & 7)
		return present
	}
	if c.written == nil {
		c.written = make([][maxSectors]uint32, len(c.lines))
	}
	l.partial |= 1 << (bit & 7)
	c.written[id][bit&3] = bytes
	return present
}

// allBytes stands for every byte of a sector.
const allBytes = ^uint32(0)

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
