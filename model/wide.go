package model

// wideSets finds and orders the lines of sets of many ways: a hash finds a line, a
// list per set orders it.
type wideSets struct {
	bucket []chained
	order  []link // of the lines, then of the ends of each set's list
	lines  int32
	shift  uint    // of the hash, to the index of its bucket
	number chained // the bits of a line's number
}

// link orders the lines of a set in a ring, from the most to the least recently
// used, and those of a bucket in a chain.
type link struct {
	prev, next int32
	chain      chained
}

// chained is the number of a line + 1, below as much of the hash of its tag as
// there is room for; 0: none.
type chained uint32

func newWideSets(sets, ways int) wideSets {
	n := sets * ways
	w := wideSets{lines: int32(n), order: make([]link, n+sets), shift: 64 - log2(2*n), number: 1<<log2(n+1) - 1}
	w.bucket = make([]chained, 1<<(64-w.shift))
	step, first := int32(sets), int32(n-sets)
	for id := range w.lines { // each follows that of the next way: way 0 is the oldest
		w.order[id] = link{prev: id + step, next: id - step}
	}
	for set := range step {
		w.order[w.end(set)] = link{prev: set, next: first + set}
		w.order[first+set].prev, w.order[set].next = w.end(set), w.end(set)
	}
	return w
}

// end returns the end of the list of a set.
func (w *wideSets) end(set int32) int32 { return w.lines + set }

// chained returns what stands for a tag in a chain, without the number of its line.
func (w *wideSets) chained(tag uint64) chained { return chained(spread(tag)>>20) &^ w.number }

func (w *wideSets) find(c *cache, tag uint64) int32 {
	like := w.chained(tag)
	for e := w.bucket[spread(tag)>>(w.shift&63)]; e != 0; {
		id := int32(e&w.number) - 1
		if e&^w.number == like {
			if l := &c.lines[id]; l.tag == tag && l.gen == c.gen {
				return id
			}
		}
		e = w.order[id].chain
	}
	return noLine
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

// replace gives the oldest line that can be replaced to tag, or returns noLine.
func (w *wideSets) replace(c *cache, tag uint64, t Time) int32 {
	end := w.end(c.set(tag))
	for id := w.order[end].prev; id != end; id = w.order[id].prev {
		if l := &c.lines[id]; c.replaceable(l, t) {
			w.unchain(id, l)
			b := &w.bucket[spread(tag)>>(w.shift&63)]
			w.order[id].chain, *b = *b, w.chained(tag)|chained(id+1)
			w.front(id, end)
			return id
		}
	}
	return noLine
}

// unchain takes a line out of the chain that it is in, if it is in one.
func (w *wideSets) unchain(id int32, l *line) {
	if l.gen == 0 {
		return
	}
	p := &w.bucket[spread(l.tag)>>(w.shift&63)]
	for *p&w.number != chained(id+1) {
		p = &w.order[*p&w.number-1].chain
	}
	*p = w.order[id].chain
}
