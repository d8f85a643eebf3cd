package memory

// takesHits is [cUnit.lineUp] for sectors one after the other that are there and find nothing
// else in their banks, most of them by far. It reports whether that were all of the access.
func (u *cUnit) takesHits(p *cAccess) (all bool) {
	l1, c, n := &u.l1, u.l1.tags, p.left
	if l1.block > 0 || c == nil || u.tlb != nil || u.mem.watcher != nil {
		return false
	}
	for p.left > 0 {
		sector, at := p.co.Sectors[p.left-1], p.at
		b := sector & l1.bankMask
		q, bank := &u.out.banks[b], uint64(1)<<(b&(maxBanks-1))
		if p.taken&bank != 0 {
			at++
		}
		id, bit := c.find(sector>>(l1.per&63)), uint(sector)&l1.last
		if id == noLine || q.n > 0 {
			break
		}
		ready, l := at+l1.latency, &c.lines[id]
		if !l.readable(bit, 1) || l.fill[bit&3] >= unknownFill || c.base+Time(l.fill[bit&3]) > ready+thereAhead {
			break
		}
		c.touch(id)
		if at > p.at {
			p.at, p.taken = at, 0
		}
		p.taken |= bank
		q.left = max(ready, q.left+1)
		p.done = max(p.done, q.left+l1Extra)
		p.left--
	}
	n -= p.left
	l1.stats.reads += uint64(n)
	l1.stats.hits += uint64(n)
	return p.left == 0
}

// hitInBank has a hit go through its bank, which it may leave from a time on, and returns
// when it is back: 0 if a miss or store is before it, which may find no room (GPGPU-Sim's
// ldst_unit::L1_latency_queue_cycle), and a negative time if the bank has none.
func (u *cUnit) hitInBank(p *cAccess, r *request, ready Time) Time {
	o, bank := u.out, u.bankOf(wayLoad, r.sector)
	q := &o.banks[bank]
	switch {
	case q.n == 0:
		q.left = max(ready, q.left+1)
		return q.left + l1Extra
	case q.n >= o.depth:
		u.bank = int32(bank)
		return -1
	}
	u.loadOf(p).open++
	s := &u.mem.net.packets
	id := s.put()
	k := &s.all[id]
	k.way, k.of, k.ready = wayHit, p.load, ready
	q.push(s.all, id)
	o.loads++
	return 0
}

// leaveHits finds when the hits leave a bank before which nothing else is in it: one a cycle.
func (n *network) leaveHits(o *outbox, q *l1Bank) {
	for q.n > 0 {
		k := q.first(n.packets.all)
		if k.way != wayHit {
			k.ready = max(k.ready, q.left+1)
			return
		}
		q.left = max(k.ready, q.left+1)
		n.packets.drop(k, q.pop(k))
		o.loads--
		o.unit.answered(k.of, q.left+l1Extra)
	}
}
