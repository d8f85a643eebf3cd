package cycle

import (
	"gpureplay/model/memory/coalesce"
	"gpureplay/model/memory/tags"
	"gpureplay/model/memory/unit"
)

// takeHits is [Unit.enqueueLoad] for sectors one after the other that are there and find nothing
// else in their banks, most of them by far. It reports whether that were all of the access.
func (u *Unit) takeHits(p *access) (all bool) {
	l1, c, n := &u.L1, u.L1.Tags, p.Left
	if l1.Block > 0 || c == nil || u.Tlb != nil || u.mem.Watcher != nil {
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
		if id == tags.NoLine || q.n > 0 {
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
		q.left = max(ready, q.left+1)
		p.Done = max(p.Done, q.left+unit.L1Extra)
		p.Left--
	}
	n -= p.Left
	l1.Stats.Reads += uint64(n)
	l1.Stats.Hits += uint64(n)
	return p.Left == 0
}

// enqueueHit has a hit go through its bank, which it may leave from a time on, and returns when it is back. It returns
// 0 if a miss or a store is before it, which may find no room (GPGPU-Sim's ldst_unit::L1_latency_queue_cycle). It
// returns a negative time if the bank has no room.
func (u *Unit) enqueueHit(p *access, r *coalesce.Request, ready Time) Time {
	o, bank := &u.inject, u.bankOf(unit.PathLoad, r.Sector)
	q := &o.banks[bank]
	switch {
	case q.n == 0:
		q.left = max(ready, q.left+1)
		return q.left + unit.L1Extra
	case q.n >= o.depth:
		u.stalledBank = int32(bank)
		return -1
	}
	u.loadOf(p).open++
	k := u.mem.xbar.packets.put()
	k.way, k.of, k.ready = unit.PathHit, p.load, ready
	q.push(k)
	o.loads++
	return 0
}

// retireHits finds when the hits leave a bank before which nothing else is in it: one a cycle.
func (u *Unit) retireHits(q *l1Bank) {
	for q.n > 0 {
		k := q.head
		if k.way != unit.PathHit {
			k.ready = max(k.ready, q.left+1)
			return
		}
		q.left = max(k.ready, q.left+1)
		u.mem.xbar.packets.drop(q.pop())
		u.inject.loads--
		u.answered(k.of, q.left+unit.L1Extra)
	}
}
