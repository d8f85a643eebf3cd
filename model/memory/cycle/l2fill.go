package cycle

import (
	"gpureplay/model/memory/dram"
	"gpureplay/model/memory/tags"
)

// l2Misses are the fetches of slices whose fill times are not known, and the answers
// that wait for them.
type l2Misses struct {
	all  []l2Miss
	free int32
	held []heldReply
	rest int32 // the first of held that is free
}

// l2Miss is one of them.
type l2Miss struct {
	slice       int32
	line        int32 // that it fills; noLine: none
	bit         uint8 // the first sector
	counts      bool  // it has an MSHR
	first, last int32 // answers that wait for it, in their order; of one that is free last is the next
}

type heldReply struct {
	reply
	next int32
}

const (
	noFetch  = dram.NoFetch
	noAnswer = -1
)

func newL2Misses() l2Misses { return l2Misses{free: noFetch, rest: noAnswer} }

// open numbers a fetch of a slice.
func (q *l2Misses) open(slice int32) int32 {
	f := q.free
	if f == noFetch {
		f = int32(len(q.all))
		q.all = append(q.all, l2Miss{})
	} else {
		q.free = q.all[f].last
	}
	q.all[f] = l2Miss{slice: slice, line: tags.NoLine, first: noAnswer}
	return f
}

// close drops a fetch for which no answer waits.
func (q *l2Misses) close(f int32) { q.all[f].last, q.free = q.free, f }

// hold has an answer wait for a fetch.
func (q *l2Misses) hold(f int32, x *reply) {
	id := q.rest
	if id == noAnswer {
		id = int32(len(q.held))
		q.held = append(q.held, heldReply{})
	} else {
		q.rest = q.held[id].next
	}
	q.held[id] = heldReply{*x, noAnswer}
	if o := &q.all[f]; o.first == noAnswer {
		o.first, o.last = id, id
	} else {
		q.held[o.last].next, o.last = id, id
	}
}

// next takes out an answer that waits for a fetch, and returns it and the one behind it.
func (q *l2Misses) next(id int32) (x reply, behind int32) {
	h := &q.held[id]
	x, behind = h.reply, h.next
	h.next, q.rest = q.rest, id
	return x, behind
}

// deliverFills notifies slices of fetches that come, and of room for requests.
func (n *crossbar) deliverFills(t Time) {
	d := n.m.dram
	for _, k := range d.Filled {
		f := &n.fills.all[k.Fetch]
		s, b := &n.m.slices[f.slice], &n.replies[f.slice]
		if f.line != tags.NoLine {
			s.Tags.SetFill(f.line, uint(f.bit), tags.UnknownFill+uint32(k.Fetch), k.At)
		}
		if f.counts {
			s.pendingMisses--
			s.pending.Push(k.At)
		}
		for id := f.first; id != noAnswer; {
			var x reply
			x, id = n.fills.next(id)
			x.at = k.At + 1
			b.fills.push(&x)
			if !b.hasHead {
				n.post(n.offers+int(f.slice), x.at)
			}
		}
		n.retry(f.slice, t)
		n.fills.close(k.Fetch)
	}
	for _, slice := range d.Left {
		n.m.slices[slice].asked--
		n.retry(slice, t)
	}
	d.Filled, d.Left = d.Filled[:0], d.Left[:0]
}

// retry has a slice try its first request in cycle t, which it did not take.
func (n *crossbar) retry(slice int32, t Time) {
	if s := &n.m.slices[slice]; s.blockedFirst {
		s.blockedFirst = false
		n.scheduleFirst(&n.queues[slice], int(slice), t)
	}
}
