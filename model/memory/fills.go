package memory

// fills are the fetches of slices of which nobody knows when they come, and the answers
// that wait for them.
type fills struct {
	all  []fillOf
	free int32
	held []heldAnswer
	rest int32 // the first of held that is free
}

// fillOf is one of them.
type fillOf struct {
	slice       int32
	line        int32 // that it fills; noLine: none
	bit         uint8 // the first sector
	counts      bool  // it has an MSHR
	first, last int32 // answers that wait for it, in their order; of one that is free last is the next
}

type heldAnswer struct {
	answer
	next int32
}

const (
	noFetch  = -1
	noAnswer = -1
)

func newFills() fills { return fills{free: noFetch, rest: noAnswer} }

// open numbers a fetch of a slice.
func (q *fills) open(slice int32) int32 {
	f := q.free
	if f == noFetch {
		f = int32(len(q.all))
		q.all = append(q.all, fillOf{})
	} else {
		q.free = q.all[f].last
	}
	q.all[f] = fillOf{slice: slice, line: noLine, first: noAnswer}
	return f
}

// close forgets a fetch for which no answer waits.
func (q *fills) close(f int32) { q.all[f].last, q.free = q.free, f }

// hold has an answer wait for a fetch.
func (q *fills) hold(f int32, x *answer) {
	id := q.rest
	if id == noAnswer {
		id = int32(len(q.held))
		q.held = append(q.held, heldAnswer{})
	} else {
		q.rest = q.held[id].next
	}
	q.held[id] = heldAnswer{*x, noAnswer}
	if o := &q.all[f]; o.first == noAnswer {
		o.first, o.last = id, id
	} else {
		q.held[o.last].next, o.last = id, id
	}
}

// next takes out an answer that waits for a fetch, and returns it and the one behind it.
func (q *fills) next(id int32) (x answer, behind int32) {
	h := &q.held[id]
	x, behind = h.answer, h.next
	h.next, q.rest = q.rest, id
	return x, behind
}

// filling is a fetch of which is known now when it comes.
type filling struct {
	fetch int32
	t     Time
}

// due has a channel act in the cycle in which it has something to do next. What slices
// take in an SM cycle comes to it their latency later, and so it acts so long before its time.
func (n *network) due(c *controller) {
	n.dramDue[c.index] = c.next
	n.dramSoon = min(n.dramSoon, n.dramTimes.timeOf(c.next)-n.rop)
}

// serveDRAM has the channels act that have something to do up to SM cycle t.
func (n *network) serveDRAM(t Time) {
	next, limit := Never, n.dramTimes.from(t+n.rop+1)
	for i, due := range n.dramDue {
		if due < limit {
			c := &n.m.channels[i]
			c.bringNext()
			c.run(limit)
			due = c.next
			n.dramDue[i] = due
		}
		next = min(next, due)
	}
	if len(n.known)+len(n.freed) > 0 {
		n.bringLines() // all at a time, or else each would be waited for
		n.tellSlices(t)
	}
	if n.dramSoon = Never; next < Never {
		n.dramSoon = n.dramTimes.timeOf(next) - n.rop
	}
}

// bringLines loads the lines that fetches fill, the answers that wait for them, and what finds
// the line of the first request of a slice for which there is room now.
func (n *network) bringLines() {
	for i := range n.known {
		f := &n.fills.all[n.known[i].fetch]
		if f.line != noLine {
			bring(&n.m.slices[f.slice].tags.lines[f.line])
		}
		if f.first != noAnswer {
			bring(&n.fills.held[f.first])
		}
	}
	for _, slice := range n.freed {
		if s := &n.m.slices[slice]; s.stands {
			s.tags.bringSet(n.inboxes[slice].first(n.packets.all).sector >> (s.per & 63))
		}
	}
}

// tellSlices tells slices which fetches come, and that there is room for requests.
func (n *network) tellSlices(t Time) {
	for _, k := range n.known {
		f := &n.fills.all[k.fetch]
		s, b := &n.m.slices[f.slice], &n.back[f.slice]
		if f.line != noLine {
			s.tags.known(f.line, uint(f.bit), unknownFill+uint32(k.fetch), k.t)
		}
		if f.counts {
			s.unknown--
			s.pending.push(k.t)
		}
		for id := f.first; id != noAnswer; {
			var x answer
			x, id = n.fills.next(id)
			x.at = k.t + 1
			b.fills.push(&x)
			if !b.heads {
				n.post(n.offers+int(f.slice), x.at)
			}
		}
		n.lookAgain(f.slice, t)
		n.fills.close(k.fetch)
	}
	for _, slice := range n.freed {
		n.m.slices[slice].asked--
		n.lookAgain(slice, t)
	}
	n.known, n.freed = n.known[:0], n.freed[:0]
}

// lookAgain has a slice try its first request in cycle t, which it did not take.
func (n *network) lookAgain(slice int32, t Time) {
	if s := &n.m.slices[slice]; s.stands {
		s.stands = false
		n.first(&n.inboxes[slice], int(slice), t)
	}
}
