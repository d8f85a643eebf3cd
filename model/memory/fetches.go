package memory

// fetches are the blocks that an L1 fetches and of which nobody knows when they come. Few
// words each: there are some hundred of an SM.
type fetches struct {
	all  []fetching
	free int32 // the first of those that are free
	more []joined
	rest int32 // the first of more that is free

	coming []int32 // those that are known and not served, where the L1 is looked up at a bank's head
}

// fetching is one of them.
type fetching struct {
	load int32 // that asked for it; of one that is free the next
	more int32 // the first of those that have joined it, in their order; noLoad: none
	last int32 // and the last
	line int32 // that it fills; noLine: none
	bit  uint8 // the first sector

	// Where the L1 is looked up at the heads of its banks:
	left   int32  // requests that have not been served
	sector uint64 // the first
	free   Time   // from when its MSHR is
}

// joined is a load that has joined a fetch: a hit if that has come by when it would be one.
type joined struct {
	load, next int32
	hit        Time
}

func newFetches() fetches { return fetches{free: noLoad, rest: noLoad} }

// open numbers the fetch of a block, for a load, which fills a line from a sector on.
func (q *fetches) open(load, line int32, bit uint) int32 {
	f := q.free
	if f == noLoad {
		f = int32(len(q.all))
		q.all = append(q.all, fetching{})
	} else {
		q.free = q.all[f].load
	}
	q.all[f] = fetching{load: load, more: noLoad, line: line, bit: uint8(bit)}
	return f
}

// join has one more load wait for a fetch, unless that comes before it would be a hit.
func (q *fetches) join(f, load int32, hit Time) {
	n := q.rest
	if n == noLoad {
		n = int32(len(q.more))
		q.more = append(q.more, joined{})
	} else {
		q.rest = q.more[n].next
	}
	q.more[n] = joined{load, noLoad, hit}
	if x := &q.all[f]; x.more == noLoad {
		x.more, x.last = n, n
	} else {
		q.more[x.last].next, x.last = n, n
	}
}

// next takes out a load that has joined a fetch, and returns it, when it would be a hit,
// and the one behind it.
func (q *fetches) next(n int32) (load int32, hit Time, more int32) {
	x := &q.more[n]
	load, hit, more = x.load, x.hit, x.next
	x.next, q.rest = q.rest, n
	return load, hit, more
}

// close forgets a fetch, of which all that have joined it have been taken out.
func (q *fetches) close(f int32) { q.all[f].load, q.free = q.free, f }

// fetched tells the loads that wait for a fetch when it comes.
func (u *LSU) fetched(f int32, fill Time) {
	if u.l1.heads {
		u.fetchedAtHead(f, fill)
		return
	}
	x, q, l1 := &u.fetches.all[f], u.waiters, &u.l1
	u.unknown--
	u.before.line = false
	if u.before.fetch == f {
		u.before.fetch = noLoad
	}
	if l1.mshrs > 0 {
		l1.pending.push(fill)
	}
	if c := l1.tags; c != nil && int(x.line) < len(c.lines) { // of a suspended CTA the L1 may have another size by then
		l1.tags.known(x.line, uint(x.bit), unknownFill+uint32(f), fill)
	}
	load, more, t := x.load, x.more, Time(0)
	for {
		switch { // the L1 looks for a load behind its latency: what has come by then is there
		case t >= fill:
			u.answered(load, t)
		case u.results.on:
			u.put(clientFills, fill, load, noLoad)
		case q.order:
			q.wait(load, noLoad, fill)
			u.answered(load, fill)
		default:
			u.answered(load, u.wb.take(fill))
		}
		if more == noLoad {
			break
		}
		load, t, more = u.fetches.next(more)
	}
	u.Soon = min(u.Soon, q.soon)
	if u.results.on {
		u.tell()
	}
	u.fetches.close(f)
}

// obstacle is the cause for which a unit has stopped: one of these.
type obstacle struct {
	bank  int32 // room in a bank; noBank: not for that
	mshr  bool  // and an MSHR
	line  bool  // or a line of a set of which nobody knows when one has come
	fetch int32 // or for a fetch that as many wait for as may; noLoad: not for that
}

const noBank = -1

// able reports whether a unit that has stopped may go on in cycle t. A request that has
// waited for its bank comes to it then, and has the latency of the L1 before it.
func (u *LSU) able(t Time) bool {
	o := &u.before
	if o.bank != noBank {
		if !u.out.hasRoom(int(o.bank)) {
			return false
		}
		p := &u.line[0].passing
		u.moved = u.collects
		if p.at < t { // else banks have taken the requests before it in that cycle
			p.at, p.taken = t, 1<<(o.bank&(maxBanks-1))
		}
		o.bank = noBank
	}
	return o.fetch == noLoad && !o.line && !(o.mshr && u.noMSHR())
}

// noMSHR reports whether fetches of which nobody knows when they come have all MSHRs, so
// that a bank of the L1 takes no miss.
func (u *LSU) noMSHR() bool { return u.l1.mshrs > 0 && u.unknown >= u.l1.mshrs }
