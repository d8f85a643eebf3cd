package cycle

import (
	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
)

// mshrTable are the blocks that an L1 fetches and whose fill times are not known. Few
// words each: there are some hundred of an SM.
type mshrTable struct {
	all  []mshr
	free int32 // the first of those that are free
	more []merged
	rest int32 // the first of more that is free
}

// mshr is one of them.
type mshr struct {
	load int32 // that requested it; of one that is free the next
	more int32 // the first of those that have joined it, in their order; NoLoad: none
	last int32 // and the last
	line int32 // that it fills; noLine: none
	bit  uint8 // the first sector

	left   int32  // requests that have not been served
	sector uint64 // the first
	free   Time   // from when its MSHR is
}

// merged is a load that has joined a fetch.
type merged struct{ load, next int32 }

func newMSHRTable() mshrTable { return mshrTable{free: memory.NoLoad, rest: memory.NoLoad} }

// open numbers the fetch of a block from a sector on, for a load, which fills a line from its sector bit on.
func (q *mshrTable) open(load, line int32, bit uint, sector uint64) int32 {
	f := q.free
	if f == memory.NoLoad {
		f = int32(len(q.all))
		q.all = append(q.all, mshr{})
	} else {
		q.free = q.all[f].load
	}
	q.all[f] = mshr{load: load, more: memory.NoLoad, line: line, bit: uint8(bit), sector: sector}
	return f
}

// join has one more load wait for a fetch.
func (q *mshrTable) join(f, load int32) {
	n := q.rest
	if n == memory.NoLoad {
		n = int32(len(q.more))
		q.more = append(q.more, merged{})
	} else {
		q.rest = q.more[n].next
	}
	q.more[n] = merged{load, memory.NoLoad}
	if x := &q.all[f]; x.more == memory.NoLoad {
		x.more, x.last = n, n
	} else {
		q.more[x.last].next, x.last = n, n
	}
}

// next takes out a load that has joined a fetch, and returns it and the one behind it.
func (q *mshrTable) next(n int32) (load, more int32) {
	x := &q.more[n]
	load, more = x.load, x.next
	x.next, q.rest = q.rest, n
	return load, more
}

// close drops a fetch whose merged requests have all been taken out.
func (q *mshrTable) close(f int32, x *mshr) { x.load, q.free = q.free, f }

const noBank = -1

// able reports whether a unit that has stopped may go on in cycle t. A request that has
// waited for its bank comes to it then, and has the latency of the L1 before it.
func (u *Unit) able(t Time) bool {
	if u.stalledBank == noBank {
		return true
	}
	if !u.inject.hasRoom(int(u.stalledBank)) {
		return false
	}
	p := &u.stalled[0].access
	if p.At < t { // else banks have taken the requests before it in that cycle
		p.At, p.Taken = t, 1<<(u.stalledBank&(coalesce.MaxBanks-1))
	}
	u.stalledBank = noBank
	return true
}
