package reference

import (
	"slices"

	"gpureplay/model"
	"gpureplay/trace"
)

// nMSHR is an entry of an L1 that is looked up at the heads of its banks. It is in use while a request waits for
// its fill, and until 5 cycles before the register of the last request is there.
type nMSHR struct {
	waiting int
	free    model.Time
	come    bool // its fill, at a time
	fill    model.Time
}

// A sector is there nThere cycles before a load that waits for it has its register. In GPGPU-Sim a fill in cycle c
// gives up the loads that wait for it in c + 1, and their registers are there in c + 2. A hit that is looked up in
// c has its register in c, which is c + 4 here.
const nThere = 6

// lineAtHead finds a line, or makes one, for a request that the L1 looks up in cycle t; nil: all
// lines of the set are on their way.
func (u *nLSU) lineAtHead(set, tag uint64, t model.Time) *nLine {
	l := u.l1.find(set, tag, true)
	if l == nil {
		l, _ = u.l1.allocate(set, tag, t+nThere)
	}
	return l
}

// storeAtHead looks a store up in cycle t, and reports whether it leaves its bank.
func (u *nLSU) storeAtHead(k *nPacket, set, tag uint64, block []uint64, t model.Time) bool {
	c, x := &u.n.cfg.L1, u.n.mem.net
	if len(x.queue[k.sm]) >= x.roomFor(k) {
		return false
	}
	if c.WriteAllocate {
		l := u.lineAtHead(set, tag, t)
		if l == nil {
			return false
		}
		l.written = true
		for _, s := range k.r.sectors {
			l.write(s, c.SectorBytes, k.r.bytes[s], t+nThere)
			l.overwrite(s, c.SectorBytes, k.r.bytes[s], t+nThere)
		}
	} else {
		u.l1.drop(set, tag, block)
	}
	u.n.mem.l1Count.accesses += uint64(len(k.r.sectors))
	u.n.mem.l1Count.writes += uint64(len(k.r.sectors))
	x.queue[k.sm] = append(x.queue[k.sm], k)
	return true
}

// overwrite has a sector there at once that is on its way and of which all bytes are written.
func (l *nLine) overwrite(sector uint64, blockBytes int, bytes map[uint64]bool, t model.Time) {
	if s := l.at(sector); blockBytes == 32 && len(bytes) == 32 && s.whole() && (s.fetch != nil || s.fill > t) {
		s.fetch, s.fill = nil, t
	}
}

// hits reports whether a load finds its sectors when it is looked up in cycle t.
func (u *nLSU) hits(set, tag uint64, sectors []uint64, t model.Time) bool {
	l := u.l1.find(set, tag, false)
	return l.whole(sectors) && l.unknown(sectors) == nil && l.filled(sectors) <= t+nThere
}

// keepHits has the loads in the banks hit that would find their sectors, if the L1 were not flushed now.
func (u *nLSU) keepHits() {
	c, x, sm := &u.n.cfg.L1, u.n.mem.net, u.s.id
	for i, bank := range x.banks[sm][:c.Banks] {
		at := max(u.n.t, x.left[sm][i]+1)
		for _, k := range bank {
			at = max(at, k.ready)
			tag := k.r.sectors[0] / uint64(c.LineBytes/32)
			set := tag % uint64(c.Bytes/c.LineBytes/c.Ways)
			k.kept = k.kept || k.kind == trace.InstLoad && u.hits(set, tag, k.r.sectors, at)
			at++
		}
	}
}

// loadAtHead looks a load up in cycle t, and reports whether it leaves its bank.
func (u *nLSU) loadAtHead(h *nHeld, k *nPacket, set, tag uint64, block []uint64, t model.Time) bool {
	c, x, sectors, count := &u.n.cfg.L1, u.n.mem.net, k.r.sectors, &u.n.mem.l1Count
	if k.kept || u.hits(set, tag, sectors, t) {
		u.l1.find(set, tag, !k.kept)
		count.note(true, false, len(sectors))
		u.answered(h, t+4)
		x.flying--
		return true
	}
	if len(x.queue[k.sm]) >= x.roomFor(k) {
		return false
	}
	l, f := u.l1.find(set, tag, false), u.blocks[block[0]]
	if f != nil && f.mshr.waiting == 0 {
		f = nil
	}
	whole := l.whole(sectors)
	if whole && l.unknown(sectors) != nil {
		f = l.unknown(sectors)
	}
	if whole && f != nil {
		if !l.joins(sectors[0], c.SectorBytes, c.Merge) {
			return false
		}
		u.l1.find(set, tag, true)
		count.note(true, false, len(sectors))
		x.flying--
		u.join(h, f)
		return true
	}
	if f != nil {
		return u.joinMSHR(h, f, set, tag, len(sectors), block, t)
	}
	u.mshrs = slices.DeleteFunc(u.mshrs, func(x *nMSHR) bool { return x.waiting == 0 && x.free <= t })
	if c.MSHRs > 0 && len(u.mshrs) >= c.MSHRs {
		return false
	}
	if l = u.lineAtHead(set, tag, t); l == nil {
		return false
	}
	count.note(false, false, len(sectors))
	u.fetchAtHead(h, k, set, tag, block)
	l.fetch(block, 1<<50)
	for _, s := range block {
		l.at(s).fetch = k.fetch
	}
	x.queue[k.sm] = append(x.queue[k.sm], k)
	return true
}

// join has one more load wait for a fetch, whether it has come or not.
func (u *nLSU) join(h *nHeld, f *nFetch) {
	if f.mshr.come {
		u.await(h, f.mshr, f.mshr.fill)
		return
	}
	f.waiting = append(f.waiting, h)
	f.mshr.waiting++
}

// joinMSHR has a load that misses join a fetch of its block whose loads are not all served; nothing is fetched.
func (u *nLSU) joinMSHR(h *nHeld, f *nFetch, set, tag uint64, sectors int, block []uint64, t model.Time) bool {
	if limit := u.n.cfg.L1.Merge; limit > 0 && f.mshr.waiting >= limit {
		return false
	}
	l := u.lineAtHead(set, tag, t)
	if l == nil {
		return false
	}
	if l.fetch(block, t+1<<20); !f.mshr.come {
		l.fetch(block, 1<<50)
		for _, s := range block {
			l.at(s).fetch = f
		}
	}
	u.n.mem.l1Count.note(true, false, sectors)
	u.n.mem.net.flying--
	u.join(h, f)
	return true
}

// await has a load wait for a fill whose time is known.
func (u *nLSU) await(h *nHeld, x *nMSHR, fill model.Time) {
	x.waiting++
	u.writes(2, fill, h, x)
}

// fetchAtHead makes a packet the fetch of a block, for a load.
func (u *nLSU) fetchAtHead(h *nHeld, k *nPacket, set, tag uint64, block []uint64) {
	f := &nFetch{waiting: []*nHeld{h}, mshr: &nMSHR{waiting: 1}}
	if u.blocks == nil {
		u.blocks = map[uint64]*nFetch{}
	}
	u.blocks[block[0]] = f
	u.mshrs = append(u.mshrs, f.mshr)
	k.r, k.fetch = &nAsked{sectors: block, turns: 1}, f
	k.back = func(fill model.Time) {
		if l := u.l1.find(set, tag, false); l != nil {
			for _, s := range block {
				if y := l.at(s); y.valid && y.fetch == f {
					y.fetch, y.fill = nil, fill
				}
			}
		}
		f.mshr.come, f.mshr.fill = true, fill
		for _, w := range f.waiting {
			f.mshr.waiting--
			u.await(w, f.mshr, fill)
		}
	}
}
