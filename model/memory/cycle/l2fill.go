package cycle

import (
	"gpureplay/model/memory/dram"
	"gpureplay/model/memory/hostmem"
	"gpureplay/model/memory/tags"
)

// l2Misses are the fetches of slices whose fill times are not known, and the replies that wait for them.
type l2Misses struct {
	all  []l2Miss
	free int32
}

// l2Miss is one of them.
type l2Miss struct {
	slice   int32
	line    int32 // that it fills; NoLine: none; of one that is free the next
	bit     uint8 // the first sector
	counts  bool  // it has an MSHR
	waiting fifo  // replies that wait for it
}

const noFetch = dram.NoFetch

func newL2Misses() l2Misses { return l2Misses{free: noFetch} }

// open numbers a fetch of a slice.
func (q *l2Misses) open(slice int32) int32 {
	f := q.free
	if f == noFetch {
		f = int32(len(q.all))
		q.all = append(q.all, l2Miss{})
	} else {
		q.free = q.all[f].line
	}
	q.all[f] = l2Miss{slice: slice, line: tags.NoLine}
	return f
}

// close drops a fetch for which no reply waits.
func (q *l2Misses) close(f int32, x *l2Miss) { x.line, q.free = q.free, f }

// deliverFills notifies slices of fetches that come, and of room for requests.
func (n *crossbar) deliverFills(t Time) {
	d := n.m.dram
	for i := range d.Filled { // all at a time, or else the host would wait for each
		f := &n.fills.all[d.Filled[i].Fetch]
		if f.line != tags.NoLine {
			hostmem.Prefetch(&n.slices[f.slice].Tags.Lines[f.line])
		}
		hostmem.Prefetch(f.waiting.head)
	}
	for _, k := range d.Filled {
		f := &n.fills.all[k.Fetch]
		s := n.slices[f.slice]
		if f.line != tags.NoLine {
			s.Tags.SetFill(f.line, uint(f.bit), tags.UnknownFill+uint32(k.Fetch), k.At)
		}
		if f.waiting.n > 0 && s.replies.head == nil {
			n.Post(n.offers+int(f.slice), k.At+1)
		}
		for f.waiting.n > 0 {
			x := f.waiting.pop()
			x.ready, x.rest = k.At+1, f.counts && f.waiting.n == 0
			s.replies.pushFill(x)
		}
		if s.blockedFirst {
			n.retry(s, t)
		} else if at := s.replies.soonest(); at < s.again { // sooner than the fill of a unit of the machine
			s.again = at
			n.Post(int(f.slice), s.in.When(at))
		}
		n.fills.close(k.Fetch, f)
	}
	for _, slice := range d.Left {
		s := n.slices[slice]
		if s.asked--; s.blockedFirst {
			n.retry(s, t)
		}
	}
	d.Filled, d.Left = d.Filled[:0], d.Left[:0]
}

// retry has a slice try its first request in cycle t, which it did not take.
func (n *crossbar) retry(s *slice, t Time) {
	s.blockedFirst = false
	n.scheduleFirst(s, t)
}
