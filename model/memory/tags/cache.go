package tags

import (
	"math/bits"

	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/hostmem"
	"gpureplay/model/memory/timing"
)

// Cache is the tag array of a sectored cache with LRU replacement. Sets may be of any associativity: narrow ones
// and wide ones find and order their lines in ways of their own.
//
// A line carries a fill time for each sector: a sector whose fill time has not come is on its way, and a request
// for it merges with the one that fetched it.
//
// The fields of a miss are small and lie together: a machine has some hundred thousand lines, which should stay in
// the caches of the host.
type Cache struct {
	sets   timing.Divisor
	hashed bool     // lines choose their set by a hash of the tag
	mapped *Mapping // or as this says; nil: it does not

	askedTag uint64 // whose set was computed last; NoTag: none
	askedSet int32

	gen    uint8
	last   int32          // the line that was used last, of all
	latest uint64         // its tag; NoTag: the cache is empty
	absent uint64         // a tag that was looked for and is not there
	Block  coalesce.Block // the unit of a fetch
	Lines  []line
	Narrow narrowSets
	Wide   wideSets
	Base   Time // fill times are counted from here

	// keeps is how many lines are written before one of them may be replaced, and kept how many are (GPGPU-Sim's
	// gpgpu_l1_cache_write_ratio, tag_array::probe). 0: a written line is replaced as any other.
	keeps, kept int

	// written has, per line and sector, the bytes that are there of one that is
	// partial; nil until the first.
	written [][coalesce.MaxSectors]uint32
}

// line is one line of a cache.
type line struct {
	Tag     uint64                      // address of the line in units of lines
	Fill    [coalesce.MaxSectors]uint32 // since cache.base
	merges  [coalesce.MaxSectors]uint8  // requests of the fetch of each sector
	valid   uint8                       // sectors present or on their way
	dirty   uint8
	partial uint8 // partially written sectors: a read must fetch the rest
	gen     uint8 // flush after which the line was filled; 0: it never was
}

const NoLine int32 = -1

// NoTag is no line's tag.
const NoTag = ^uint64(0)

// New returns an empty cache. A fetch fills blockBytes. hashed: the set of a line comes from a hash of its tag, not
// from its low bits.
func New(t *hostmem.Tables, bytes, lineBytes, blockBytes, ways int, hashed bool) *Cache {
	n := bytes / lineBytes
	if ways <= 0 || ways > n {
		ways = n
	}
	sets := n / ways
	c := &Cache{sets: timing.NewDivisor(sets), hashed: hashed, gen: 1, Block: coalesce.NewBlock(blockBytes),
		latest: NoTag, absent: NoTag, askedTag: NoTag}
	if ways <= mostNarrow {
		c.Narrow = newNarrowSets(t, sets, ways)
		c.Lines = hostmem.NewTable[line](t, sets<<c.Narrow.shift)
	} else {
		c.Wide = newWideSets(t, sets, ways)
		c.Lines = hostmem.NewTable[line](t, sets*ways)
	}
	return c
}

// newMapped returns the empty cache of a slice: a mapping says where a line goes, or
// else a hash of its tag.
func newMapped(t *hostmem.Tables, bytes, lineBytes, sectorBytes, ways int, m *Mapping) *Cache {
	c := New(t, bytes, lineBytes, sectorBytes, ways, true)
	if m.sets != nil {
		c.mapped = m
	}
	return c
}

// flush empties the cache: lines of an earlier generation are not found, and are
// the oldest of their sets.
func (c *Cache) flush() {
	c.kept, c.latest = 0, NoTag
	c.Wide.flush(c.Lines)
	if c.gen++; c.gen == 0 {
		for i := range c.Lines {
			c.Lines[i].gen = 0
		}
		c.gen = 1
	}
}

// spread is a hash of a tag, good in its upper bits. Here and elsewhere on this path, a mask of a shift spares Go's
// check of its size.
func spread(tag uint64) uint64 { return tag * 0x9E3779B97F4A7C15 }

// set returns the set that tag belongs to.
func (c *Cache) set(tag uint64) int32 {
	if tag != c.askedTag {
		c.askedTag, c.askedSet = tag, c.setOf(tag)
	}
	return c.askedSet
}

func (c *Cache) setOf(tag uint64) int32 {
	if c.mapped != nil {
		return int32(c.mapped.set(tag))
	}
	if c.hashed {
		tag = spread(tag) >> 33
	}
	return int32(c.sets.Mod(tag))
}

// Find returns the line that holds tag, or noLine, without touching the order.
// The sectors of a line come one after another.
func (c *Cache) Find(tag uint64) int32 {
	if tag == c.latest {
		return c.last
	}
	if tag == c.absent {
		return NoLine
	}
	return c.search(tag)
}

// search is find for another line than the last.
func (c *Cache) search(tag uint64) int32 {
	id := NoLine
	if c.Narrow.Sets != nil {
		id = c.Narrow.find(c, tag)
	} else {
		id = c.Wide.find(c, tag)
	}
	if id == NoLine {
		c.absent = tag
	}
	return id
}

// Touch makes a line the most recently used one of its set.
func (c *Cache) Touch(id int32) {
	if id != c.last {
		c.front(id)
	}
}

func (c *Cache) front(id int32) {
	c.last, c.latest = id, c.Lines[id].Tag
	if c.Narrow.Sets != nil {
		c.Narrow.touch(id)
		return
	}
	c.Wide.front(id, c.Wide.end(int32(c.sets.Mod(uint64(id))))) // as [wideSets.line] has it
}

// keep notes that a line has been written.
func (c *Cache) keep(id int32) {
	if l := &c.Lines[id]; c.keeps > 0 && l.dirty == 0 {
		l.dirty = 1
		c.kept++
	}
}

// replaceable reports whether nothing of l is on its way at t, and l is not kept.
func (c *Cache) replaceable(l *line, t Time) bool {
	if c.kept < c.keeps && l.dirty != 0 && l.gen == c.gen {
		return false
	}
	since := t - c.Base
	if Time(max(l.Fill[0], l.Fill[1], l.Fill[2], l.Fill[3])) <= since || l.gen != c.gen {
		return true
	}
	for s, f := range l.Fill {
		if Time(f) > since && l.valid>>(uint(s)&7)&1 != 0 {
			return false
		}
	}
	return true
}

// idle returns from when on nothing of l, of this generation, is on its way.
func (c *Cache) idle(l *line) Time {
	var last uint32
	for s, f := range l.Fill {
		if l.valid>>(uint(s)&7)&1 != 0 {
			last = max(last, f)
		}
	}
	return c.Base + Time(last)
}

// drop makes sectors of a line absent.
func (c *Cache) drop(id int32, sectors uint8) {
	l := &c.Lines[id]
	l.valid &^= sectors
	if c.Narrow.Sets == nil {
		c.Wide.free(c, l.Tag)
	}
}

// Insert makes room for a line that is absent, with no sector present. It replaces the least recently used line of the
// set with nothing on its way at t. It returns the place, and the tag and the dirty sectors of the line that it
// replaced. NoLine: every line of the set is on its way.
func (c *Cache) Insert(tag uint64, t Time) (id int32, was uint64, dirty uint8) {
	unused := false
	if c.Narrow.Sets != nil {
		id, unused = c.Narrow.replace(c, tag, t)
	} else {
		id, unused = c.Wide.replace(c, tag, t)
	}
	if id == NoLine {
		return NoLine, 0, 0
	}
	l := &c.Lines[id]
	if !unused { // or else the host's memory would be requested twice: to read, and to write
		was, dirty = l.Tag, l.dirty
		if c.keeps > 0 && dirty != 0 && l.gen == c.gen {
			c.kept--
		}
	}
	*l = line{Tag: tag, gen: c.gen}
	c.last, c.latest, c.absent = id, tag, NoTag
	return id, was, dirty
}

// Filled returns when all of some valid sectors, mask's sectors from bit on, are filled.
func (c *Cache) Filled(id int32, bit uint, mask uint8) Time {
	fill := &c.Lines[id].Fill
	var last uint32
	for ; mask != 0; mask, bit = mask>>1, bit+1 {
		if mask&1 != 0 {
			last = max(last, fill[bit&3])
		}
	}
	return c.Base + Time(last)
}

// Merge counts one more request for a sector's pending fetch; false: it has as many as there is room for (0: any
// number).
func (c *Cache) Merge(id int32, bit uint, limit int) bool {
	n := &c.Lines[id].merges[c.Block.First(bit)&3]
	if limit > 0 && int(*n) >= limit {
		return false
	}
	if *n < maxMerge {
		*n++
	}
	return true
}

// Crowded reports whether [Cache.Merge] would not count one more.
func (c *Cache) Crowded(id int32, bit uint, limit int) bool {
	return limit > 0 && int(c.Lines[id].merges[c.Block.First(bit)&3]) >= limit
}

// maxMerge is the most requests that a line counts for a sector.
const maxMerge = 255

// Put makes a sector present from a time on, with a number of requests that
// wait for it.
func (c *Cache) Put(id int32, bit uint, t Time, merges uint8) {
	if t-c.Base >= Time(UnknownFill) {
		c.rebase(t)
	}
	c.Lines[id].put(bit, uint32(max(0, t-c.Base)), merges)
}

func (l *line) put(bit uint, fill uint32, merges uint8) {
	l.valid |= 1 << (bit & 7)
	l.partial &^= 1 << (bit & 7)
	l.Fill[bit&3], l.merges[bit&3] = fill, merges
}

// Fill makes the block of a sector present from a time on.
func (c *Cache) Fill(id int32, bit uint, t Time, merges uint8) {
	if t-c.Base >= Time(UnknownFill) {
		c.rebase(t)
	}
	l, fill := &c.Lines[id], uint32(max(0, t-c.Base))
	if c.Block == 0 {
		l.put(bit, fill, merges)
		return
	}
	first := c.Block.First(bit)
	for i := range c.Block.Sectors() {
		l.put(first+i, fill, merges)
	}
}

// rebase counts fill times from half a span before t, an eon after all that have
// come: those that are earlier are past for every request.
func (c *Cache) rebase(t Time) {
	by := t - 1<<31 - c.Base
	for i := range c.Lines {
		for s, f := range c.Lines[i].Fill {
			if f >= UnknownFill {
				continue
			}
			c.Lines[i].Fill[s] = uint32(max(0, Time(f)-by))
		}
	}
	c.Base += by
}

// Readable reports whether the sectors of mask from bit on are there, or on their way, whole.
func (l *line) Readable(bit uint, mask uint8) bool {
	return (l.valid&^l.partial)>>(bit&7)&mask == mask
}

// write puts bytes into a sector, a bit each, and reports whether there was
// something of it. One that was not there is whole when all its bytes have been
// written.
func (c *Cache) write(id int32, bit uint, bytes uint32, t Time) (present bool) {
	l, sector := &c.Lines[id], uint8(1)<<(bit&7)
	if present = l.valid&sector != 0; present {
		if l.partial&sector == 0 {
			return true
		}
		if bytes != coalesce.AllBytes {
			bytes |= c.written[id][bit&3]
		}
	} else {
		if c.Block > 0 {
			if first := c.Block.First(bit); l.valid>>(first&7)&c.Block.Whole() == 0 {
				l.merges[first&3] = 0
			}
		}
		if t-c.Base >= Time(UnknownFill) {
			c.rebase(t)
		}
		l.put(bit, uint32(max(0, t-c.Base)), 0)
	}
	if bytes == coalesce.AllBytes {
		l.partial &^= sector
		return present
	}
	if c.written == nil {
		c.written = make([][coalesce.MaxSectors]uint32, len(c.Lines))
	}
	l.partial |= sector
	c.written[id][bit&3] = bytes
	return present
}

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
