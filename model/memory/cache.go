package memory

import (
	"math/bits"
)

// cache is the tag array of a sectored cache with LRU replacement. Sets may be
// of any associativity: narrow ones and wide ones find and order their lines in
// ways of their own.
//
// A line carries a fill time for each sector: a sector whose fill time has not
// come is on its way, and a request for it merges with the one that fetched it.
//
// What is asked of a miss is small and lies together: a machine has some hundred
// thousand lines, which should stay in the caches of the host.
type cache struct {
	sets   divisor
	hashed bool     // lines choose their set by a hash of the tag
	mapped *mapping // or as this says; nil: it does not

	mappedTag uint64 // that it has been asked for last
	mappedSet int32

	gen    uint8
	last   int32  // the line that was used last, of all
	absent uint64 // a tag that was looked for and is not there
	block  block  // what is fetched at once
	lines  []line
	narrow narrowSets
	wide   wideSets
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

const noLine int32 = -1

// noTag is that of no line.
const noTag = ^uint64(0)

// newCache returns an empty cache, of which fetches of blockBytes fill parts. hashed:
// the set of a line comes from a hash of its tag, not from its low bits.
func newCache(t *tables, bytes, lineBytes, blockBytes, ways int, hashed bool) *cache {
	n := bytes / lineBytes
	if ways <= 0 || ways > n {
		ways = n
	}
	sets := n / ways
	c := &cache{sets: newDivisor(sets), hashed: hashed, gen: 1, block: newBlock(blockBytes), absent: noTag}
	if ways <= mostNarrow {
		c.narrow = newNarrowSets(t, sets, ways)
		c.lines = newTable[line](t, sets<<c.narrow.shift)
	} else {
		c.wide = newWideSets(t, sets, ways)
		c.lines = newTable[line](t, sets*ways)
	}
	return c
}

// newMappedCache returns the empty cache of a slice: a mapping says where a line goes, or
// else a hash of its tag.
func newMappedCache(t *tables, bytes, lineBytes, sectorBytes, ways int, m *mapping) *cache {
	c := newCache(t, bytes, lineBytes, sectorBytes, ways, true)
	if m.sets != nil {
		c.mapped, c.mappedTag = m, noTag
	}
	return c
}

// flush empties the cache: lines of an earlier generation are not found, and are
// the oldest of their sets.
func (c *cache) flush() {
	c.wide.flush(c.lines)
	if c.gen++; c.gen == 0 {
		for i := range c.lines {
			c.lines[i].gen = 0
		}
		c.gen = 1
	}
}

// spread is a hash of a tag, good in its upper bits. Here and elsewhere on this
// path, what a shift is masked with spares the check that Go makes of its size.
func spread(tag uint64) uint64 { return tag * 0x9E3779B97F4A7C15 }

// set returns the set that tag belongs to.
func (c *cache) set(tag uint64) int32 {
	if c.mapped != nil {
		if tag != c.mappedTag {
			c.mappedTag, c.mappedSet = tag, int32(c.mapped.set(tag))
		}
		return c.mappedSet
	}
	if c.hashed {
		tag = spread(tag) >> 33
	}
	return int32(c.sets.mod(tag))
}

// find returns the line that holds tag, or noLine, without touching the order.
// The sectors of a line come one after another.
func (c *cache) find(tag uint64) int32 {
	if l := &c.lines[c.last]; l.tag == tag && l.gen == c.gen {
		return c.last
	}
	return c.search(tag)
}

// search is find for another line than the last.
func (c *cache) search(tag uint64) int32 {
	if tag == c.absent {
		return noLine
	}
	id := noLine
	if c.narrow.sets != nil {
		id = c.narrow.find(c, tag)
	} else {
		id = c.wide.find(c, tag)
	}
	if id == noLine {
		c.absent = tag
	}
	return id
}

// touch makes a line the most recently used one of its set.
func (c *cache) touch(id int32) {
	if id != c.last {
		c.front(id)
	}
}

func (c *cache) front(id int32) {
	c.last = id
	if c.narrow.sets != nil {
		c.narrow.touch(id)
		return
	}
	c.wide.front(id, c.wide.end(int32(c.sets.mod(uint64(id))))) // as [wideSets.line] has it
}

// replaceable reports whether nothing of l is on its way at t.
func (c *cache) replaceable(l *line, t Time) bool {
	since := t - c.base
	if Time(max(l.fill[0], l.fill[1], l.fill[2], l.fill[3])) <= since || l.gen != c.gen {
		return true
	}
	for s, f := range l.fill {
		if Time(f) > since && l.valid>>(uint(s)&7)&1 != 0 {
			return false
		}
	}
	return true
}

// idle returns from when on nothing of l, of this generation, is on its way.
func (c *cache) idle(l *line) Time {
	var last uint32
	for s, f := range l.fill {
		if l.valid>>(uint(s)&7)&1 != 0 {
			last = max(last, f)
		}
	}
	return c.base + Time(last)
}

// drop makes sectors of a line absent.
func (c *cache) drop(id int32, sectors uint8) {
	l := &c.lines[id]
	l.valid &^= sectors
	if c.narrow.sets == nil {
		c.wide.free(c, l.tag)
	}
}

// insert makes room for a line that is not there, with no sector present, in place
// of the least recently used one of its set with nothing on its way at t; it
// returns its place, and the tag and dirty sectors of what was there. noLine: every
// line of the set is on its way.
func (c *cache) insert(tag uint64, t Time) (id int32, was uint64, dirty uint8) {
	unused := false
	if c.narrow.sets != nil {
		id, unused = c.narrow.replace(c, tag, t)
	} else {
		id, unused = c.wide.replace(c, tag, t)
	}
	if id == noLine {
		return noLine, 0, 0
	}
	l := &c.lines[id]
	if !unused { // or else the host would be asked for its memory twice: to read, and to write
		was, dirty = l.tag, l.dirty
	}
	*l = line{tag: tag, gen: c.gen}
	c.last, c.absent = id, noTag
	return id, was, dirty
}

// filled returns when all of some valid sectors, those of mask from bit on, are filled.
func (c *cache) filled(id int32, bit uint, mask uint8) Time {
	fill := &c.lines[id].fill
	var last uint32
	for ; mask != 0; mask, bit = mask>>1, bit+1 {
		if mask&1 != 0 {
			last = max(last, fill[bit&3])
		}
	}
	return c.base + Time(last)
}

// merge counts one more request for what was fetched with a sector and is on its way;
// false: it has as many as there is room for (0: any number).
func (c *cache) merge(id int32, bit uint, limit int) bool {
	n := &c.lines[id].merges[c.block.first(bit)&3]
	if limit > 0 && int(*n) >= limit {
		return false
	}
	if *n < maxMerge {
		*n++
	}
	return true
}

// crowded reports whether [cache.merge] would not count one more.
func (c *cache) crowded(id int32, bit uint, limit int) bool {
	return limit > 0 && int(c.lines[id].merges[c.block.first(bit)&3]) >= limit
}

// maxMerge is the most requests that a line counts for a sector.
const maxMerge = 255

// put makes a sector present from a time on, with a number of requests that
// wait for it.
func (c *cache) put(id int32, bit uint, t Time, merges uint8) {
	if t-c.base >= Time(unknownFill) {
		c.rebase(t)
	}
	l := &c.lines[id]
	l.valid |= 1 << (bit & 7)
	l.partial &^= 1 << (bit & 7)
	l.fill[bit&3] = uint32(max(0, t-c.base))
	l.merges[bit&3] = merges
}

// fill makes the block of a sector present from a time on.
func (c *cache) fill(id int32, bit uint, t Time, merges uint8) {
	first := c.block.first(bit)
	for i := range c.block.sectors() {
		c.put(id, first+i, t, merges)
	}
}

// rebase counts fill times from half a span before t, an eon after all that have
// come: those that are earlier are past for every request.
func (c *cache) rebase(t Time) {
	by := t - 1<<31 - c.base
	for i := range c.lines {
		for s, f := range c.lines[i].fill {
			if f >= unknownFill {
				continue
			}
			c.lines[i].fill[s] = uint32(max(0, Time(f)-by))
		}
	}
	c.base += by
}

// readable reports whether the sectors of mask from bit on are there, or on their way, whole.
func (l *line) readable(bit uint, mask uint8) bool {
	return (l.valid&^l.partial)>>(bit&7)&mask == mask
}

// write puts bytes into a sector, a bit each, and reports whether there was
// something of it. One that was not there is whole when all its bytes have been
// written.
func (c *cache) write(id int32, bit uint, bytes uint32, t Time) (present bool) {
	l, sector := &c.lines[id], uint8(1)<<(bit&7)
	switch present = l.valid&sector != 0; {
	case !present:
		if first := c.block.first(bit); c.block > 0 && l.valid>>(first&7)&c.block.whole() == 0 {
			l.merges[first&3] = 0
		}
		c.put(id, bit, t, 0)
	case l.partial&sector == 0:
		return true
	case bytes != allBytes:
		bytes |= c.written[id][bit&3]
	}
	if bytes == allBytes {
		l.partial &^= sector
		return present
	}
	if c.written == nil {
		c.written = make([][maxSectors]uint32, len(c.lines))
	}
	l.partial |= sector
	c.written[id][bit&3] = bytes
	return present
}

// allBytes stands for every byte of a sector.
const allBytes = ^uint32(0)

// lows and highs have the lowest and the highest bit of each byte.
const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// zeroBytes returns the highest bit of each byte of v that is 0, and of some above
// such a one.
func zeroBytes(v uint64) uint64 { return (v - lows) &^ v & highs }

// log2 returns the logarithm of n ≥ 1, rounded up.
func log2(n int) uint { return uint(bits.Len(uint(n - 1))) }
