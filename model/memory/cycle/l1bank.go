package cycle

import (
	"math/bits"

	"gpureplay/model/memory"
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/tags"
	"gpureplay/model/memory/unit"
)

// An L1 that is looked up at the heads of its banks (GPGPU-Sim's
// ldst_unit::L1_latency_queue_cycle): a request stands in its bank for the L1's latency at
// least. It stays at the head while the L1 cannot take it, and holds all requests behind it.

// A sector is there thereAhead cycles before a load that waits for it may have its register written, and the MSHR of
// its fill is free mshrAhead cycles before. GPGPU-Sim fills in cycle c, gives up the loads that wait in c + 1, and
// writes their registers in c + 2. A hit that is looked up in c has its register in c, which is c + l1Extra here.
const (
	thereAhead = unit.L1Extra + 2
	mshrAhead  = thereAhead - 1
)

// enqueueLoad brings a load to its bank at a time, which looks it up at the head. Where all banks are empty, nothing
// evicts a line before: a load whose sectors are there, or will be, is a hit at once.
func (u *Unit) enqueueLoad(p *access, r *coalesce.Request, at, now Time) bool {
	l1 := &u.L1
	id, bit, ready := l1.Tags.Find(r.Sector>>(l1.Per&63)), uint(r.Sector)&l1.Last, at+l1.Latency
	if u.inject.held == 0 {
		if fill, hits := l1.Tags.There(id, bit, r.Mask, ready+thereAhead); hits {
			n := uint64(bits.OnesCount8(r.Mask))
			l1.Stats.Reads += n
			l1.Stats.Hits += n
			l1.Tags.Touch(id)
			u.mem.TellHit(u.Sm, r.Sector, fill)
			p.Done = max(p.Done, u.inject.banks[u.bankOf(unit.PathLoad, r.Sector)].hit(ready))
			return true
		}
	}
	bank := u.bankOf(unit.PathLoad, r.Sector)
	if !u.inject.hasRoom(bank) {
		u.stalledBank = int32(bank)
		return false
	}
	u.loadOf(p).open++
	u.inject.loads++
	k := u.mem.xbar.send(u, bank, r.Sector, ready, now)
	k.of, k.way, k.mask, k.rest, k.flits = p.load, unit.PathHit, r.Mask, false, uint8(u.mem.DataFlits[0])
	if id == tags.NoLine {
		k.way = unit.PathLoad
		u.inject.unsure++
	}
	return true
}

// takeHits is [Unit.enqueueLoad] for sectors one after the other that are there, while the banks are empty, most of
// them by far. It reports whether that were all of the access.
func (u *Unit) takeHits(p *access) (all bool) {
	l1, c, n := &u.L1, u.L1.Tags, p.Left
	if u.inject.held != 0 || l1.Block > 0 || c == nil || u.Tlb != nil || u.mem.Watcher != nil {
		return false
	}
	for p.Left > 0 {
		sector, at := p.Co.Sectors[p.Left-1], p.At
		b := sector & l1.BankMask
		q, bank := &u.inject.banks[b], uint64(1)<<(b&(coalesce.MaxBanks-1))
		if p.Taken&bank != 0 {
			at++
		}
		id, bit := c.Find(sector>>(l1.Per&63)), uint(sector)&l1.Last
		if id == tags.NoLine {
			break
		}
		ready, l := at+l1.Latency, &c.Lines[id]
		if !l.Readable(bit, 1) || l.Fill[bit&3] >= tags.UnknownFill || c.Base+Time(l.Fill[bit&3]) > ready+thereAhead {
			break
		}
		c.Touch(id)
		if at > p.At {
			p.At, p.Taken = at, 0
		}
		p.Taken |= bank
		p.Done = max(p.Done, q.hit(ready))
		p.Left--
	}
	n -= p.Left
	l1.Stats.Reads += uint64(n)
	l1.Stats.Hits += uint64(n)
	return p.Left == 0
}

// hit has a hit go through its bank, in which nothing is, and returns when it is back.
func (q *l1Bank) hit(ready Time) Time {
	q.left = max(ready, q.left+1)
	return q.left + unit.L1Extra
}

// probeBanks has the L1 of an SM look at the heads of its banks in cycle t, one after the other,
// and returns when it looks again.
func (n *crossbar) probeBanks(u *Unit, t Time) (next Time) {
	o := &u.inject
	if u.Times.Due <= t { // MSHRs may be free
		u.catchUp(t)
		u.Times.Wake = u.wakes()
	}
	next = Never
	left, banks := false, o.held
	if !o.takesLoad(n) {
		banks &^= o.crowded | o.starved
	} else if o.starved != 0 {
		if again := u.freeMSHR(t); again > t {
			banks &^= o.starved
			next = again
		}
	}
	o.blocked = banks != o.held
	for m := banks; m != 0; m &= m - 1 {
		b := bits.TrailingZeros64(m)
		q := &o.banks[b]
		k := q.head
		if k.ready > t {
			next = min(next, k.ready)
			continue
		}
		bank := m & -m
		if k.way == unit.PathStore && n.misses <= o.misses.n || (o.crowded|o.starved)&bank != 0 && u.waits(n, bank, t) {
			o.blocked = true
			continue
		}
		sure := k.way == unit.PathHit
		if again := u.probe(k, bank, t); again > t {
			if sure { // it is no hit yet, or no more
				k.way = unit.PathLoad
				o.unsure++
			}
			o.blocked = true
			next = min(next, again)
			continue
		}
		if !sure {
			o.unsure--
		}
		left = true
		next = min(next, n.leaveBank(u, q, b, t))
	}
	if left && o.unsure == 0 && o.held != 0 && n.resolve(u, t) {
		return Never
	}
	switch {
	case !o.blocked:
	case left: // it may have made room
		next = t + 1
	default:
		next = min(next, u.gives(t))
	}
	return next
}

// resolve has the L1 of an SM look up all requests in its banks in cycle t, ahead of their times, if each is a hit and
// none is late, nor will the next be: nothing comes between them. It reports whether it has.
func (n *crossbar) resolve(u *Unit, t Time) bool {
	o, l1 := &u.inject, &u.L1
	if l1.Tags == nil || u.Tlb != nil { // a page is found at any time
		return false
	}
	next := max(t, u.Free) // no request comes before
	if o.stopped {
		next = max(t, u.stalled[0].At)
	}
	for m := o.held; m != 0; m &= m - 1 {
		q := &o.banks[bits.TrailingZeros64(m)]
		if q.tail.ready >= next+l1.Latency {
			return false
		}
		before := max(t, q.left)
		for k, i := q.head, q.n; i > 0; k, i = k.next, i-1 {
			if k.ready <= before {
				return false
			}
			before = k.ready
			id, bit := l1.Tags.Find(k.sector>>(l1.Per&63)), uint(k.sector)&l1.Last
			if _, hits := l1.Tags.There(id, bit, k.mask, k.ready+thereAhead); !hits {
				k.way = unit.PathLoad
				o.unsure++
				return false
			}
		}
	}
	for o.held != 0 {
		first, at := 0, Never
		for m := o.held; m != 0; m &= m - 1 {
			if b := bits.TrailingZeros64(m); o.banks[b].head.ready < at {
				first, at = b, o.banks[b].head.ready
			}
		}
		u.probe(o.banks[first].head, 0, at)
		n.leaveBank(u, &o.banks[first], first, at)
	}
	o.blocked = false
	return true
}

// leaveBank has the first request of a bank leave it in cycle t. It returns when the next may.
func (n *crossbar) leaveBank(u *Unit, q *l1Bank, b int, t Time) Time {
	k, o := q.pop(), &u.inject
	if k.way != unit.PathStore {
		o.loads--
	}
	if k.way == unit.PathHit {
		n.packets.drop(k)
	} else {
		o.misses.push(k)
	}
	o.probesAgain(b)
	q.left = t
	if o.stopped && u.stalledBank == int32(b) { // an instruction waits for the bank
		n.goOn(u)
	}
	if q.n == 0 {
		o.held &^= 1 << (b & 63)
		return Never
	}
	return max(t+1, q.head.ready)
}

// probe looks a request up at the head of its bank in cycle t. It returns t if the request leaves, with [unit.PathHit]
// if it goes no further. Otherwise it returns when to look again. Never: when the fill time of a pending miss becomes
// known, or the L1's queue has room.
func (u *Unit) probe(k *packet, bank uint64, t Time) (again Time) {
	if k.way == unit.PathStore {
		return u.probeStore(k, t)
	}
	l1, id, bit := &u.L1, tags.NoLine, uint(k.sector)&u.L1.Last
	if l1.Tags != nil {
		id = l1.Tags.Find(k.sector >> (l1.Per & 63))
	}
	there := id != tags.NoLine && l1.Tags.Lines[id].Readable(bit, k.mask)
	fetch, fill := int32(memory.NoLoad), Time(0)
	if there {
		if fetch, fill = l1.Tags.PendingOrFill(id, bit, k.mask); fetch == memory.NoLoad && fill <= t+thereAhead {
			u.mem.TellHit(u.Sm, k.sector, fill)
			l1.Tags.Touch(id)
			k.way = unit.PathHit
			u.countLoad(k, true)
			u.answered(k.of, t+unit.L1Extra)
			return t
		}
	}
	filling := int32(memory.NoLoad)
	if fetch == memory.NoLoad && u.filling[fillingHash(k.sector)] > 0 {
		filling, fill = u.fillingMSHR(k.sector)
	}
	switch {
	case !u.inject.takesLoad(u.mem.xbar):
		if there && filling != memory.NoLoad {
			return fill - thereAhead
		}
		u.inject.crowded |= bank
		return Never
	case fetch != memory.NoLoad, there && filling != memory.NoLoad:
		return u.mergeLoad(k, id, bit, fetch, filling, fill, t)
	case filling != memory.NoLoad:
		return u.joinFilled(k, id, bit, filling, fill, t)
	}
	if again = u.freeMSHR(t); again > t {
		u.inject.starved |= bank
		return again
	}
	return u.missLoad(k, id, bit, t)
}

// waits reports whether the first load of a bank still waits in cycle t for room in the L1's queue, or for an MSHR.
func (u *Unit) waits(n *crossbar, bank uint64, t Time) bool {
	return !u.inject.takesLoad(n) || u.inject.starved&bank != 0 && u.freeMSHR(t) > t
}

// takesLoad reports whether the L1's queue has room for a miss; one place is for stores (GPGPU-Sim's
// data_cache::rd_miss_base).
func (o *injection) takesLoad(n *crossbar) bool {
	room := n.misses - o.misses.n
	return room > 1 || room == 1 && n.misses == 1
}

// probesAgain has the L1 look at the first load of a bank: a sector has come, or the load is another.
func (o *injection) probesAgain(bank int) {
	o.crowded &^= 1 << (bank & 63)
	o.starved &^= 1 << (bank & 63)
}

// countLoad counts a load that the L1 has looked up.
func (u *Unit) countLoad(k *packet, hit bool) {
	n, w, s := uint64(bits.OnesCount8(k.mask)), u.loads.all[k.of].work, &u.L1.Stats
	s.Reads += n
	w.L1Accesses += n
	if hit {
		s.Hits += n
		w.L1Hits += n
	} else {
		s.Misses += n
	}
}

// mergeLoad makes a load wait for a fill: a fetch's, or one at a known time.
func (u *Unit) mergeLoad(k *packet, id int32, bit uint, fetch, filling int32, fill, t Time) (again Time) {
	tags := u.L1.Tags
	if !tags.Merge(id, bit, u.L1.Cfg.Merge) {
		if fetch != memory.NoLoad {
			return Never
		}
		return fill - thereAhead
	}
	tags.Touch(id)
	u.countLoad(k, true)
	k.way = unit.PathHit // it leaves no more
	if fetch != memory.NoLoad {
		u.mshrs.join(fetch, k.of)
		return t
	}
	u.mem.TellHit(u.Sm, k.sector, fill)
	u.awaitFill(k.of, filling, &u.mshrs.all[filling], fill)
	return t
}

// joinFilled has a load that misses join a fetch that has come and whose loads are not all served. Nothing is fetched
// for it, and the sector is as one on its way until a later load has it fetched (GPGPU-Sim's
// baseline_cache::send_read_request).
func (u *Unit) joinFilled(k *packet, id int32, bit uint, f int32, fill, t Time) (again Time) {
	x := &u.mshrs.all[f]
	if limit := u.L1.Cfg.Merge; limit > 0 && int(x.left) >= limit {
		return t + 1
	}
	if id, again = u.lineOf(k.sector, id, t); again > t {
		return again
	}
	u.L1.Tags.Fill(id, bit, t+neverFetched, 0)
	u.countLoad(k, true)
	k.way = unit.PathHit
	u.awaitFill(k.of, f, x, fill)
	return t
}

// neverFetched is for how many cycles a sector is on its way for which nothing was fetched: longer than it stays.
const neverFetched Time = 1 << 20

// lineOf returns the line of a sector for a load that misses; or when to look again.
func (u *Unit) lineOf(sector uint64, id int32, t Time) (line int32, again Time) {
	c := u.L1.Tags
	if id != tags.NoLine {
		c.Touch(id)
		return id, t
	}
	if id, _, _ = c.Insert(sector>>(u.L1.Per&63), t+thereAhead); id == tags.NoLine {
		return id, u.lineAgain(sector, t)
	}
	return id, t
}
