// Package mshr has the miss-status holding registers of a cache: the blocks that it fetches, and the loads that wait
// for each.
package mshr

import "gpureplay/model/clock"

// None is no fetch, and no load.
const None int32 = -1

// Table has the blocks that a cache fetches, until all loads that wait for them are served. Few words each: there are
// some hundred of an SM.
type Table struct {
	All  []Entry
	of   [256]int32 // the last of those whose blocks have a hash, one more than its number; 0: none
	free int32      // the first of those that are free
	more []merged
	rest int32 // the first of more that is free
}

// Entry is one of them.
type Entry struct {
	Load int32 // that requested it; of one that is free the next
	More int32 // the first of those that have joined it, in their order, for [Table.Next]; None: none
	last int32 // and the last
	Line int32 // that it fills; NoLine: none
	Bit  uint8 // the first sector there

	Left   int32      // loads that have not been served
	before int32      // the one before it with its hash, as in of
	Sector uint64     // the first of the block, in units of 32 B of addresses
	Fill   clock.Time // the SM cycle in which it comes; Never: not known yet
	Free   clock.Time // from when another may have it
}

// merged is a load that has joined a fetch.
type merged struct{ load, next int32 }

// New returns an empty table.
func New() Table { return Table{free: None, rest: None} }

// Open numbers the fetch of a block from a sector on, for a load, which fills a line from its sector bit on.
func (q *Table) Open(load, line int32, bit uint, sector uint64) int32 {
	f := q.free
	if f == None {
		f = int32(len(q.All))
		q.All = append(q.All, Entry{})
	} else {
		q.free = q.All[f].Load
	}
	first := q.hashed(sector)
	q.All[f] = Entry{Load: load, More: None, Line: line, Bit: uint8(bit), Left: 1, before: *first, Sector: sector,
		Fill: clock.Never}
	*first = f + 1
	return f
}

// hashed is where the fetches of a block are found, and of others with its hash.
func (q *Table) hashed(sector uint64) *int32 { return &q.of[uint8(sector^sector>>8)] }

// Find returns the last fetch of a block, or None.
func (q *Table) Find(sector uint64) int32 {
	f := *q.hashed(sector)
	for f > 0 && q.All[f-1].Sector != sector {
		f = q.All[f-1].before
	}
	return f - 1
}

// Join has one more load wait for a fetch.
func (q *Table) Join(f, load int32) {
	n := q.rest
	if n == None {
		n = int32(len(q.more))
		q.more = append(q.more, merged{})
	} else {
		q.rest = q.more[n].next
	}
	q.more[n] = merged{load, None}
	x := &q.All[f]
	if x.Left++; x.More == None {
		x.More, x.last = n, n
	} else {
		q.more[x.last].next, x.last = n, n
	}
}

// Next takes out a load that has joined a fetch, and returns it and the one behind it.
func (q *Table) Next(n int32) (load, more int32) {
	x := &q.more[n]
	load, more = x.load, x.next
	x.next, q.rest = q.rest, n
	return load, more
}

// Close drops a fetch whose merged loads have all been taken out.
func (q *Table) Close(f int32, x *Entry) {
	at := q.hashed(x.Sector)
	for *at != f+1 {
		at = &q.All[*at-1].before
	}
	*at, x.Load, q.free = x.before, q.free, f
}
