package cycle

import (
	"math/bits"

	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/mshr"
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
	k.of, k.way, k.mask, k.rest, k.flits, k.kept = p.load, unit.PathHit, r.Mask, false, uint8(u.mem.DataFlits[0]), false
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
			if _, hits := u.finds(k, k.ready); !hits {
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

// finds reports whether a load finds its sectors in cycle t, and since when they are there.
func (u *Unit) finds(k *packet, t Time) (fill Time, hits bool) {
	l1 := &u.L1
	if k.kept || l1.Tags == nil {
		return 0, k.kept
	}
	id, bit := l1.Tags.Find(k.sector>>(l1.Per&63)), uint(k.sector)&l1.Last
	return l1.Tags.There(id, bit, k.mask, t+thereAhead)
}

// keepHits has the loads in the banks hit that would find their sectors, if the L1 were not flushed in cycle t.
func (u *Unit) keepHits(t Time) {
	for m := u.inject.held; m != 0; m &= m - 1 {
		q := &u.inject.banks[bits.TrailingZeros64(m)]
		at := max(t, q.left+1)
		for k, i := q.head, q.n; i > 0; k, i, at = k.next, i-1, at+1 {
			at = max(at, k.ready)
			fill, hits := u.finds(k, at)
			if k.way == unit.PathStore || k.kept || !hits {
				continue
			}
			if k.kept = true; k.way == unit.PathLoad {
				k.way = unit.PathHit
				u.inject.unsure--
			}
			u.mem.TellHit(u.Sm, k.sector, fill)
		}
	}
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
	if k.kept {
		return u.hit(k, t)
	}
	l1, id, bit := &u.L1, tags.NoLine, uint(k.sector)&u.L1.Last
	if l1.Tags != nil {
		id = l1.Tags.Find(k.sector >> (l1.Per & 63))
	}
	there := id != tags.NoLine && l1.Tags.Lines[id].Readable(bit, k.mask)
	fetch, fill := mshr.None, Time(0)
	if there {
		if fetch, fill = l1.Tags.PendingOrFill(id, bit, k.mask); fetch == mshr.None && fill <= t+thereAhead {
			u.mem.TellHit(u.Sm, k.sector, fill)
			l1.Tags.Touch(id)
			return u.hit(k, t)
		}
	}
	joins := fetch
	if fetch == mshr.None && l1.Tags != nil {
		joins = u.mshrs.Find(k.sector)
	}
	switch {
	case !u.inject.takesLoad(u.mem.xbar):
		if there && joins != fetch {
			return comes(&u.mshrs.All[joins], t)
		}
		u.inject.crowded |= bank
		return Never
	case joins != mshr.None && there:
		return u.mergeLoad(k, id, bit, joins, t)
	case joins != mshr.None:
		return u.joinMSHR(k, id, bit, joins, t)
	}
	if again = u.freeMSHR(t); again > t {
		u.inject.starved |= bank
		return again
	}
	return u.missLoad(k, id, bit, t)
}

// hit has a load of a bank hit in cycle t, which it returns.
func (u *Unit) hit(k *packet, t Time) Time {
	k.way = unit.PathHit
	u.countLoad(k, true)
	u.answered(k.of, t+unit.L1Extra)
	return t
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

// mergeLoad makes a load wait for a fetch of sectors that are on their way.
func (u *Unit) mergeLoad(k *packet, id int32, bit uint, f int32, t Time) (again Time) {
	tags, x := u.L1.Tags, &u.mshrs.All[f]
	if !tags.Merge(id, bit, u.L1.Cfg.Merge) {
		return comes(x, t)
	}
	tags.Touch(id)
	if x.Fill < Never {
		u.mem.TellHit(u.Sm, k.sector, x.Fill)
	}
	u.join(k, f, x)
	return t
}

// join has a load, which leaves no more, wait for a fetch.
func (u *Unit) join(k *packet, f int32, x *mshr.Entry) {
	u.countLoad(k, true)
	k.way = unit.PathHit
	if x.Fill < Never {
		u.awaitFill(k.of, f, x, x.Fill)
	} else {
		u.mshrs.Join(f, k.of)
	}
}

// joinMSHR has a load that misses join a fetch of its block whose loads are not all served: a store has dropped its
// sectors, or a line has taken their place. Nothing is fetched for it. If the fetch has come, the sectors are as on
// their way until a later load has them fetched (GPGPU-Sim's baseline_cache::send_read_request).
func (u *Unit) joinMSHR(k *packet, id int32, bit uint, f int32, t Time) (again Time) {
	c, x := u.L1.Tags, &u.mshrs.All[f]
	if limit := u.L1.Cfg.Merge; limit > 0 && int(x.Left) >= limit {
		return comes(x, t)
	}
	if id, again = u.lineOf(k.sector, id, t); again > t {
		return again
	}
	if x.Fill < Never {
		c.Fill(id, bit, t+neverFetched, 1)
	} else {
		x.Line = id
		c.SetPending(id, bit, tags.UnknownFill+uint32(f))
	}
	u.join(k, f, x)
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
