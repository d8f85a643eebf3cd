package memory

import "math/bits"

// An L1 that is looked up at the heads of its banks (GPGPU-Sim's
// ldst_unit::L1_latency_queue_cycle): a request stands in its bank for the L1's latency at
// least. It stays at the head while the L1 cannot take it, and holds all requests behind it.

// A sector is there thereAhead cycles before a load that waits for it may have its register
// written, and the MSHR of its fill is free mshrAhead cycles before. GPGPU-Sim fills in cycle
// c, gives up the loads that wait in c + 1, and writes their registers in c + 2. A hit that is
// looked up in c has its register in c, which is c + l1Extra here.
const (
	thereAhead = l1Extra + 2
	mshrAhead  = thereAhead - 1
)

// lineUp brings a load to its bank at a time. What is there, or will be when it comes to the
// head, is a hit, in the L1's order from here on; the other is looked up at the head.
func (u *cUnit) lineUp(p *cAccess, r *request, at, now Time) bool {
	l1 := &u.l1
	id, bit, ready := l1.tags.find(r.sector>>(l1.per&63)), uint(r.sector)&l1.last, at+l1.latency
	if id != noLine && l1.tags.lines[id].readable(bit, r.mask) {
		if fetch, fill := l1.tags.coming(id, bit, r.mask); fetch == NoLoad && fill <= ready+thereAhead {
			done := u.hitInBank(p, r, ready)
			if done < 0 {
				return false
			}
			n := uint64(bits.OnesCount8(r.mask))
			l1.stats.reads += n
			l1.stats.hits += n
			l1.tags.touch(id)
			if u.mem.watcher != nil {
				u.mem.watcher.Hit(&Hit{u.sm, r.sector, fill})
			}
			p.done = max(p.done, done)
			return true
		}
	}
	bank := u.bankOf(wayLoad, r.sector)
	if !u.out.hasRoom(bank) {
		u.bank = int32(bank)
		return false
	}
	u.loadOf(p).open++
	u.out.loads++
	k := u.mem.net.send(u.out, bank, r.sector, ready, now)
	k.of, k.way, k.mask, k.rest, k.flits = p.load, wayLoad, r.mask, false, uint8(u.mem.dataFlits[0])
	return true
}

// heads has the L1 of an SM look at the heads of its banks in cycle t, one after the other,
// and returns when it looks again.
func (n *network) heads(o *outbox, t Time) (next Time) {
	next, all := Never, n.packets.all
	left := false
	o.stays = false
	for m := o.held; m != 0; m &= m - 1 {
		b := bits.TrailingZeros64(m)
		q := &o.banks[b]
		k := q.first(all)
		if k.ready > t {
			next = min(next, k.ready)
			continue
		}
		if again := o.unit.lookUp(o, k, t); again > t {
			o.stays = true
			next = min(next, again)
			continue
		}
		id := q.pop(k)
		if k.way != wayStore {
			o.loads--
		}
		if k.way == wayHit {
			n.packets.drop(k, id)
		} else {
			o.misses.push(all, id)
		}
		if q.left, left = t, true; q.n > 0 && q.first(all).way == wayHit {
			n.leaveHits(o, q)
		}
		next = min(next, n.behind(o, b, t))
	}
	if left && o.stays { // it may have made room
		next = t + 1
	}
	return next
}

// lookUp looks for a request at the head of its bank in cycle t. It returns t if the request
// leaves, with [wayHit] if it goes no further, or else when to look again; Never: when
// a fetch is known to come, or the L1's queue has room.
func (u *cUnit) lookUp(o *outbox, k *packet, t Time) (again Time) {
	if k.way == wayStore {
		return u.lookUpStore(o, k, t)
	}
	l1, id, bit := &u.l1, noLine, uint(k.sector)&u.l1.last
	if l1.tags != nil {
		id = l1.tags.find(k.sector >> (l1.per & 63))
	}
	there := id != noLine && l1.tags.lines[id].readable(bit, k.mask)
	fetch, fill := int32(NoLoad), Time(0)
	if there {
		if fetch, fill = l1.tags.coming(id, bit, k.mask); fetch == NoLoad && fill <= t+thereAhead {
			if u.mem.watcher != nil {
				u.mem.watcher.Hit(&Hit{u.sm, k.sector, fill})
			}
			l1.tags.touch(id)
			k.way = wayHit
			u.countLoad(k, true)
			u.answered(k.of, t+l1Extra)
			return t
		}
	}
	if !o.takesLoad(u.mem.net) {
		if there && fetch == NoLoad {
			return fill - thereAhead
		}
		return Never
	}
	if there {
		return u.joinAtHead(k, id, bit, fetch, fill, t)
	}
	return u.missAtHead(k, id, bit, t)
}

// takesLoad reports whether the L1's queue has room for a miss, one place of which is for
// stores (GPGPU-Sim's data_cache::rd_miss_base).
func (o *outbox) takesLoad(n *network) bool {
	room := n.misses - o.misses.n
	return room > 1 || room == 1 && n.misses == 1
}

// countLoad counts a load that the L1 has looked up.
func (u *cUnit) countLoad(k *packet, hit bool) {
	n, w, s := uint64(bits.OnesCount8(k.mask)), u.loads.all[k.of].work, &u.l1.stats
	s.reads += n
	w.L1Accesses += n
	if hit {
		s.hits += n
		w.L1Hits += n
	} else {
		s.misses += n
	}
}

// joinAtHead has a load wait for a fill: that of a fetch, or one that is known.
func (u *cUnit) joinAtHead(k *packet, id int32, bit uint, fetch int32, fill, t Time) (again Time) {
	tags := u.l1.tags
	if !tags.merge(id, bit, u.l1.cfg.Merge) {
		if fetch != NoLoad {
			return Never
		}
		return fill - thereAhead
	}
	tags.touch(id)
	u.countLoad(k, true)
	k.way = wayHit // it leaves no more
	if fetch != NoLoad {
		u.fetches.join(fetch, k.of)
		return t
	}
	if u.mem.watcher != nil {
		u.mem.watcher.Hit(&Hit{u.sm, k.sector, fill})
	}
	u.await(k.of, u.fetches.comingTo(k.sector), fill)
	return t
}

// await has a load wait for the fill of a fetch, of which it is known when it comes.
func (u *cUnit) await(load, fetch int32, fill Time) {
	u.fetches.all[fetch].left++
	u.put(clientFills, fill, load, fetch)
	u.tell()
}

// missAtHead has a load fetch its block.
func (u *cUnit) missAtHead(k *packet, id int32, bit uint, t Time) (again Time) {
	l1 := &u.l1
	if again = u.freeMSHR(t); again > t {
		return again
	}
	if l1.tags != nil {
		if id == noLine {
			if id, _, _ = l1.tags.insert(k.sector>>(l1.per&63), t+thereAhead); id == noLine {
				return u.lineAgain(k.sector, t)
			}
		} else {
			l1.tags.touch(id)
		}
	}
	u.countLoad(k, false)
	u.unknown++
	f := u.fetches.open(k.of, id, bit)
	u.fetches.all[f].sector = k.sector
	k.of, k.mask = f, l1.block.whole()
	if id != noLine {
		l1.tags.expect(id, bit, unknownFill+uint32(f))
	}
	return t
}

// lineAgain returns when a line of a full set can be replaced: Never if nobody knows.
func (u *cUnit) lineAgain(sector uint64, t Time) Time {
	c := u.l1.tags
	if idle := c.firstIdle(sector >> (u.l1.per & 63)); idle-c.base < Time(unknownFill) {
		return max(t+1, idle-thereAhead)
	}
	return Never
}

// freeMSHR returns t if there is an MSHR for a miss in cycle t, or else when there may be one.
func (u *cUnit) freeMSHR(t Time) Time {
	l1 := &u.l1
	if l1.mshrs == 0 || u.unknown+u.pending.n < l1.mshrs {
		return t
	}
	if u.pending.drop(t); u.unknown+u.pending.n < l1.mshrs {
		return t
	}
	return max(t+1, u.pending.earliest())
}

// lookUpStore looks up a store. An L1 that allocates on writes keeps the bytes.
func (u *cUnit) lookUpStore(o *outbox, k *packet, t Time) (again Time) {
	if u.mem.net.misses <= o.misses.n {
		return Never
	}
	l1, x := &u.l1, u.mem.net.rests.of(k)
	if l1.cfg.WriteAllocate {
		if !l1.write(&x.request, t+thereAhead) {
			return u.lineAgain(k.sector, t)
		}
	} else {
		l1.invalidate(k.sector)
	}
	n := uint64(bits.OnesCount8(k.mask))
	l1.stats.writes += n
	u.loads.all[x.of].work.L1Accesses += n
	return t
}

// fetched tells the loads that wait for a fetch when it comes.
func (u *cUnit) fetched(f int32, fill Time) {
	x, l1, n := &u.fetches.all[f], &u.l1, u.mem.net
	if c := l1.tags; c != nil && int(x.line) < len(c.lines) { // of a suspended CTA the L1 may have another size by then
		l1.tags.known(x.line, uint(x.bit), unknownFill+uint32(f), fill)
	}
	x.left, x.free = 0, 0
	u.fetches.coming = append(u.fetches.coming, f)
	u.await(x.load, f, fill)
	for more := x.more; more != NoLoad; {
		var load int32
		load, more = u.fetches.next(more)
		u.await(load, f, fill)
	}
	if u.out.stays {
		n.post(n.leaves+u.sm, max(n.now, fill-thereAhead))
	}
}

// servedOf notes that a request that waits for a fetch is written back at a time. Behind the
// last its MSHR is free.
func (u *cUnit) servedOf(f int32, at Time) {
	x := &u.fetches.all[f]
	x.free = max(x.free, at-mshrAhead)
	if x.left--; x.left > 0 {
		return
	}
	u.unknown--
	if u.l1.mshrs > 0 {
		u.pending.push(x.free)
	}
	q := &u.fetches
	for i, c := range q.coming { // it is the first, nearly always
		if c == f {
			q.coming = append(q.coming[:i], q.coming[i+1:]...)
			break
		}
	}
	q.close(f)
}

// comingTo returns the last fetch of a block that is known to come and has not been served.
func (q *fetches) comingTo(sector uint64) int32 {
	for i := len(q.coming) - 1; i >= 0; i-- {
		if f := q.coming[i]; q.all[f].sector == sector {
			return f
		}
	}
	return NoLoad
}
