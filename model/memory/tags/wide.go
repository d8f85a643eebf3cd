package tags

import (
	"math"

	"gpureplay/model/memory/hostmem"
)

// wideSets finds and orders the lines of sets of many ways: a hash finds a line, a list per set orders those that
// have been filled since the last flush.
//
// A set begins with way 0 again after a flush: unused parts of a cache cost the host no memory.
type wideSets struct {
	bucket []chained
	order  []link // of the lines, then of the ends of each set's list
	rooms  []room // of the sets
	lines  int32
	ways   int32
	shift  uint    // of the hash, to the index of its bucket
	number chained // the bits of a line's number
	busy   bool    // some set has been
}

// room is the state of a set: from which way on it is empty since the last flush, and was always empty. When all lines
// of a full set are on their way, busy is until when they are.
type room struct {
	empty, unused int32
	busy          Time
}

// link orders the lines of a set in a ring, from the most to the least recently used. It also orders the lines of a
// bucket in a chain, both ways: a line that leaves its chain does not wait for memory of the host that lies elsewhere.
type link struct {
	prev, next int32
	chain      chained
	back       int32 // the line before it in its chain; of the first the complement of its bucket
}

// chained is the number of a line + 1, below as much of the hash of its tag as
// there is room for; 0: none.
type chained uint32

func newWideSets(t *hostmem.Tables, sets, ways int) wideSets {
	n := sets * ways
	w := wideSets{
		lines: int32(n), ways: int32(ways), order: hostmem.NewTable[link](t, n+sets), rooms: hostmem.NewTable[room](t, sets),
		shift: 64 - log2(2*n), number: 1<<log2(n+1) - 1,
	}
	w.bucket = hostmem.NewTable[chained](t, 1<<(64-w.shift))
	w.flush(nil)
	return w
}

// flush empties the sets.
func (w *wideSets) flush(lines []line) {
	w.clear(lines)
	for set := range w.rooms {
		end := w.end(int32(set))
		w.order[end] = link{prev: end, next: end}
		w.rooms[set].empty, w.rooms[set].busy = 0, 0
	}
}

// clear empties the lines' buckets, or all where that is less.
func (w *wideSets) clear(lines []line) {
	used := 0
	for set := range w.rooms {
		used += int(w.rooms[set].empty)
	}
	if used > len(w.bucket)/64 {
		clear(w.bucket)
		return
	}
	for set := range w.rooms {
		for way := range w.rooms[set].empty {
			*w.head(lines[w.line(int32(set), way)].Tag) = 0
		}
	}
}

// line returns the line of a way of a set.
func (w *wideSets) line(set, way int32) int32 { return way*int32(len(w.rooms)) + set }

// head returns the begin of the chain of a tag.
func (w *wideSets) head(tag uint64) *chained { return &w.bucket[w.index(tag)] }

// index returns the bucket of a tag. The buckets of 16 consecutive lines lie together.
func (w *wideSets) index(tag uint64) uint64 { return spread(tag>>4)>>(w.shift&63) ^ tag&15 }

// end returns the end of the list of a set.
func (w *wideSets) end(set int32) int32 { return w.lines + set }

// chained returns a tag's entry in a chain, without the number of its line.
func (w *wideSets) chained(tag uint64) chained { return chained(spread(tag)>>20) &^ w.number }

func (w *wideSets) find(c *Cache, tag uint64) int32 {
	like := w.chained(tag)
	for e := *w.head(tag); e != 0; {
		id := int32(e&w.number) - 1
		if e&^w.number == like {
			if l := &c.Lines[id]; l.Tag == tag && l.gen == c.gen {
				return id
			}
		}
		e = w.order[id].chain
	}
	return NoLine
}

// Look reads the buckets of sectors and the lines that these name first, so that the host's
// caches have them. It puts the lines of the sectors in places; noLine: it is not the first
// of its chain.
func (w *wideSets) Look(c *Cache, sectors []uint64, per uint, places []int32) {
	last, id := NoTag, NoLine
	for i, s := range sectors {
		if tag := s >> (per & 63); tag != last {
			last, id = tag, int32(*w.head(tag)&w.number)-1
		}
		places[i] = id
	}
	for i, id := range places {
		if id == NoLine {
			continue
		}
		if l := &c.Lines[id]; l.Tag != sectors[i]>>(per&63) || l.gen != c.gen {
			places[i] = NoLine
		}
	}
}

// front moves a line to the front of the list with an end.
func (w *wideSets) front(id, end int32) {
	e := &w.order[end]
	if e.next == id {
		return
	}
	l := &w.order[id]
	w.order[l.prev].next, w.order[l.next].prev = l.next, l.prev
	w.order[e.next].prev = id
	l.prev, l.next = end, e.next
	e.next = id
}

// push puts a line that is in no list to the front of the one with an end.
func (w *wideSets) push(id, end int32) {
	e, l := &w.order[end], &w.order[id]
	w.order[e.next].prev = id
	l.prev, l.next = end, e.next
	e.next = id
}

// replace gives a line to tag, the next that is empty or else the oldest that can be
// replaced, or returns noLine. unused: it has never been filled.
func (w *wideSets) replace(c *Cache, tag uint64, t Time) (id int32, unused bool) {
	set := c.set(tag)
	if w.rooms[set].empty < w.ways {
		return w.fill(set, tag)
	}
	if t < w.rooms[set].busy {
		return NoLine, false
	}
	end, idle := w.end(set), Time(math.MaxInt64)
	for id := w.order[end].prev; id != end; id = w.order[id].prev {
		l := &c.Lines[id]
		if c.replaceable(l, t) {
			w.unchain(id)
			w.enchain(id, tag)
			if oldest := w.order[id].prev; oldest < w.lines {
				hostmem.Prefetch(&c.Lines[oldest])
			}
			w.front(id, end)
			return id, false
		}
		idle = min(idle, c.idle(l))
	}
	w.rooms[set].busy, w.busy = idle, true
	return NoLine, false
}

// free has the set of a tag look again for a line that can be replaced.
func (w *wideSets) free(c *Cache, tag uint64) {
	if w.busy {
		w.rooms[c.set(tag)].busy = 0
	}
}

// fill gives the next empty line of a set to tag.
func (w *wideSets) fill(set int32, tag uint64) (id int32, unused bool) {
	room := &w.rooms[set]
	id, unused = w.line(set, room.empty), room.empty == room.unused
	if room.empty++; unused {
		room.unused++
	}
	w.enchain(id, tag)
	w.push(id, w.end(set))
	return id, unused
}

// enchain puts a line into the chain of its tag.
func (w *wideSets) enchain(id int32, tag uint64) {
	at := w.index(tag)
	b, l := &w.bucket[at], &w.order[id]
	l.chain, l.back = *b, ^int32(at)
	if l.chain != 0 {
		w.order[l.chain&w.number-1].back = id
	}
	*b = w.chained(tag) | chained(id+1)
}

// unchain takes a line out of the chain that it is in.
func (w *wideSets) unchain(id int32) {
	l := &w.order[id]
	if l.back < 0 {
		w.bucket[^l.back] = l.chain
	} else {
		w.order[l.back].chain = l.chain
	}
	if l.chain != 0 {
		w.order[l.chain&w.number-1].back = l.back
	}
}
