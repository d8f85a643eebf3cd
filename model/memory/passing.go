package memory

import "gpureplay/trace"

// passing is an access on its way through the unit, a request after the other.
type passing struct {
	way   way
	co    *Coalescer
	at    Time   // the cycle in which its banks take requests
	taken uint64 // banks, in that
	left  int    // requests that are not timed
	done  Time
	load  int32 // its number among those that wait for fills
}

// open brings an access to the unit in cycle t.
func (u *LSU) open(p *passing, t Time) {
	p.at, p.taken, p.load = u.begin(t, 0), 0, noLoad
	p.done = p.at + 1
	p.co.ascend()
	if p.left = len(p.co.Sectors); p.left > 8 && u.l1.tags != nil && !p.way.passes() {
		u.look(p.co.Sectors)
	}
	if u.l1.block > 0 {
		p.co.group(u.l1.block)
		p.left = len(p.co.requests)
	}
}

// look brings what finds the lines of sectors, and the places that those take which are
// not there, into the host's caches, all at a time: they would wait for memory one after
// another.
func (u *LSU) look(sectors []uint64) {
	c := u.l1.tags
	if c.narrow.sets != nil {
		return
	}
	u.absent = c.wide.look(c, sectors, u.l1.per, u.absent[:0])
	m, seen := u.mem, chained(0)
	for _, s := range u.absent {
		slice := &m.slices[m.mapping.slice(s)]
		t, tag := slice.tags, s>>(slice.per&63)
		if t.narrow.sets != nil {
			continue
		}
		seen |= *t.wide.head(tag)
		if oldest := t.wide.order[t.wide.end(t.set(tag))].prev; oldest < t.wide.lines {
			seen |= chained(t.lines[oldest].tag)
		}
	}
	c.wide.seen |= uint64(seen)
}

// pass times the next request of an access through L1, crossbar, L2 and DRAM; there is
// one. The L1's banks take them from the last address to the
// first, each one a cycle: one whose bank is taken waits for the next cycle, and those
// behind it too. What passes by the L1 goes one a cycle. Where the L1 fetches more than
// a sector, what a warp asks of a block goes as one.
func (u *LSU) pass(p *passing) {
	p.left--
	r := u.requestOf(p, p.left)
	bank := uint64(1) << (r.sector >> (u.l1.block & 7) & u.l1.bankMask & (maxBanks - 1))
	if p.taken&bank != 0 || p.taken != 0 && p.way.passes() {
		p.at++
		p.taken = 0
	}
	p.taken |= bank
	u.asking = p
	p.done = max(p.done, u.request(p.way, r, u.translate(r.sector, p.at)))
}

// close lets the unit take the next instruction behind an access.
func (u *LSU) close(p *passing) {
	u.free = max(u.free, p.at+1)
	if p.load != noLoad {
		u.waiters.loads[p.load].said = p.done
	}
}

func (u *LSU) requestOf(p *passing, i int) *request {
	if u.l1.block > 0 {
		return &p.co.requests[i]
	}
	r := &u.one
	r.sector, r.mask, r.bytes[0] = p.co.Sectors[i], 1, p.co.bytes[i]
	if p.way == wayAtomic {
		r.turns = p.co.turns[i]
	}
	return r
}

// held is a memory instruction that waits for the accesses that other SMs issue in its
// cycle.
type held struct {
	passing
	own    Coalescer
	global bool
	kind   kind // of one that is not
	cycles Time
	work   *Traffic
	before l1Stats
}

// kind is what an instruction needs that stays on its SM.
type kind uint8

const (
	nothing  kind = iota // a slot
	fixed                // cycles, and the latency of shared memory
	returned             // and the write-back port
)

// Waiting is how many instructions of this cycle are not timed.
func (u *LSU) Waiting() int { return u.waiting }

// Done is when a dependent instruction of the i-th of them may issue.
func (u *LSU) Done(i int) Time { return u.held[i].done }

// DoneLoad is, of the i-th of them, what [LSU.Load] is of one that is timed at once.
func (u *LSU) DoneLoad(i int) int32 { return u.held[i].load }

// local times an instruction that stays on its SM, unless it is behind one that waits.
func (u *LSU) local(k kind, cycles, t Time) (done Time, timed bool) {
	if u.waiting > 0 {
		h := u.hold(t)
		h.global, h.kind, h.cycles = false, k, cycles
		return 0, false
	}
	return u.onSM(k, cycles, t), true
}

func (u *LSU) onSM(k kind, cycles, t Time) Time {
	start := u.begin(t, cycles)
	if k == nothing {
		return start + 1
	}
	done := start + cycles - 1 + Time(u.cfg.Shared.Latency) + l1Extra
	if k == returned {
		done = u.wb.take(done)
	}
	return done
}

// hold keeps an instruction that issues in cycle t. When it starts is not known; only
// the first may start in its cycle.
func (u *LSU) hold(t Time) *held {
	h := &u.held[u.waiting]
	h.load = noLoad
	u.waiting++
	u.Coalescer = &u.held[u.waiting].own
	if n := len(u.queue); n > 0 {
		switch k := u.waiting; {
		case k < n:
			u.Full = u.queue[(u.oldest+k)%n]
		case k == n:
			u.Full = max(t, u.free)
		default:
			u.Full = t + 1
		}
	}
	return h
}

// holdGlobal keeps the access of the Coalescer.
func (u *LSU) holdGlobal(w *Traffic, space trace.Space, flags trace.InstFlags, t Time) {
	h := u.hold(t)
	h.global, h.work = true, w
	h.way, h.co = u.wayOf(space, flags), &h.own
}

// turn times the next request of the instructions that wait since cycle t, and those
// before it that stay on their SM. It reports whether there was one.
func (u *LSU) turn(t Time) bool {
	for ; u.next < u.waiting; u.next, u.under = u.next+1, false {
		h := &u.held[u.next]
		if !h.global {
			h.done = u.onSM(h.kind, h.cycles, t)
			continue
		}
		if !u.under {
			u.under, h.before = true, u.l1.stats
			u.open(&h.passing, t)
		}
		if h.left > 0 {
			u.mem.work = h.work
			u.pass(&h.passing)
			return true
		}
		u.close(&h.passing)
		u.book(h.work, &h.before)
	}
	return false
}

// Answered forgets the instructions, which have been timed.
func (u *LSU) Answered() {
	u.waiting, u.next = 0, 0
	u.Coalescer = &u.held[0].own
}

// InTurn times what units hold since cycle t, a request of each unit in turn: what
// several SMs ask of a slice in one cycle reaches it in the order in which they send it.
func (m *System) InTurn(units []*LSU, t Time) {
	for len(units) > 0 {
		n := 0
		for _, u := range units {
			if u.turn(t) {
				units[n] = u
				n++
			}
		}
		units = units[:n]
	}
	m.work = &m.others
}
