package memory

import "gpureplay/trace"

// cUnit is the load/store unit of an SM in the cycle-level engine: requests wait in the banks of its L1, or past them,
// until they get on.
type cUnit struct {
	Front
	mem      *cSystem
	out      *outbox
	line     []*queued // instructions that wait: the unit has stopped
	spare    []*queued // of line
	bank     int32     // the bank for whose room it has stopped; noBank: none
	again    bool      // it goes on at the end of the cycle
	telling  bool      // of accesses that are known
	collects bool      // it takes accesses from operand collectors
	unknown  int       // pending misses
	pending  fillTimes // when the MSHRs of known ones are free
	fetches  fetches
	loads    loads
	results  results
	register writeback
	to       Destination // of the result of the next access, or of that at hand
	work     *Traffic    // of the access at hand
	through  cAccess     // the access that is at hand as it issues
}

// cAccess is an access on its way through the unit.
type cAccess struct {
	access
	load  int32 // its number, where its completion is not known
	tried bool  // the request at hand has its bank
	known Time  // and its address
}

// queued is an instruction at which the unit has stopped, or one behind it.
type queued struct {
	cAccess
	own    Coalescer
	begun  bool // the unit has stopped at it
	global bool
	kind   kind // of one that is not
	cycles Time
	work   *Traffic
}

func (u *cUnit) init(m *cSystem, sm int) {
	u.Front.init(&m.Base, sm)
	u.mem, u.out, u.collects = m, &m.net.sms[sm], m.cfg.SM.Collectors()
	u.out.unit = u
	u.fetches, u.through.load, u.bank = newFetches(), NoLoad, noBank
	u.initResults()
}

// Into is of [Port].
func (u *cUnit) Into(to Destination) { u.to = to }

// Global is of [Port].
func (u *cUnit) Global(w *Traffic, space trace.Space, flags trace.InstFlags, t Time) (done Time, load int32) {
	p := &u.through
	p.way, p.co = u.wayOf(space, flags), u.co
	begun := len(u.line) == 0
	if begun {
		u.work = w
		u.open(p, t)
		if u.takes(p, t) {
			return u.leave(p), u.numbered()
		}
	}
	h := u.queueUp()
	h.cAccess, h.begun, h.global, h.work = *p, begun, true, w
	if !begun {
		h.load, h.at = NoLoad, t
	}
	h.own, *u.co = *u.co, h.own // the sectors of the access are kept
	h.co = &h.own
	u.promise(h)
	return Unknown, u.numbered()
}

// numbered returns the number of the access at hand, or NoLoad.
func (u *cUnit) numbered() int32 {
	load := u.through.load
	u.through.load = NoLoad
	return load
}

// open brings an access to the unit in cycle t.
func (u *cUnit) open(p *cAccess, t Time) {
	u.Front.open(&p.access, t)
	p.tried, p.load = false, NoLoad
}

// unknownFill stands, with the number of its fetch, for the fill time of a sector.
const unknownFill = ^uint32(0) - 1<<16 + 1

// queueUp adds an instruction to those that wait for the unit.
func (u *cUnit) queueUp() *queued {
	var h *queued
	if n := len(u.spare); n > 0 {
		h, u.spare = u.spare[n-1], u.spare[:n-1]
	} else {
		h = &queued{own: u.mem.co.twin()}
	}
	u.line = append(u.line, h)
	u.out.stopped = true
	return h
}

// promise numbers an instruction that waits for the unit.
func (u *cUnit) promise(h *queued) {
	u.refill()
	u.loadOf(&h.cAccess).work = h.work
	u.through.load = h.load
}

// refill finds when a collector is free: those that wait hold one each.
func (u *cUnit) refill() {
	n, waiting := len(u.queue), len(u.line)
	if waiting > 0 && u.line[0].begun {
		waiting--
	}
	switch {
	case n == 0:
	case waiting >= n:
		u.times.Full = Never
	default:
		u.times.Full = u.queue[(u.oldest+waiting)%n]
	}
}

// takes times the requests of an access, up to the first that has to wait. It reports
// whether none has to.
func (u *cUnit) takes(p *cAccess, now Time) bool {
	before, hits := u.l1.stats, p.way == wayLoad
	for ; p.left > 0; p.left-- {
		if hits && !p.tried {
			left := p.left
			if u.takesHits(p) {
				break
			}
			hits = p.left < left // or else there may be none at all
		}
		r := u.requestOf(&p.access, p.left-1)
		if !p.tried {
			u.turnTo(&p.access, r.sector)
			p.known = u.translate(r.sector, p.at)
		}
		if p.tried = !u.ask(p, r, max(p.at, p.known), now); p.tried {
			break
		}
	}
	u.book(u.work, &before)
	return p.left == 0
}

// leave lets the unit take the next instruction, and returns when the access is done, or
// Unknown.
func (u *cUnit) leave(p *cAccess) Time {
	u.free = max(u.free, p.at+1)
	if p.load == NoLoad {
		return p.done
	}
	l := &u.loads.all[p.load]
	l.closed, l.done = true, max(l.done, p.done)
	if l.open > 0 {
		return Unknown
	}
	return l.done
}

// Enter is of [Port]. A unit that an access of a suspended CTA has stopped looks again, since the lines and fetches that
// it may have waited for are gone.
func (u *cUnit) Enter(l1Bytes int, t Time) {
	u.l1.resize(l1Bytes)
	if u.out.stays { // there is a line for it now
		u.mem.net.wake(u, t)
	}
	if len(u.line) == 0 {
		return
	}
	for _, h := range u.line {
		if h.way == wayLoad && u.l1.tags == nil {
			h.way = wayBypass // the kernel leaves the L1 nothing
		}
	}
	if u.line[0].way.passes() != (int(u.bank) == int(u.l1.bankMask)+1) {
		u.bank = noBank
	}
	u.mem.net.wake(u, t)
}

// resume lets the unit go on in cycle t. It reports whether it may take instructions again.
func (u *cUnit) resume(t Time) bool {
	u.again = false
	n := 0
	for n < len(u.line) && u.goOn(u.line[n], t) {
		u.spare = append(u.spare, u.line[n])
		n++
	}
	if n > 0 {
		u.line = append(u.line[:0], u.line[n:]...)
		u.out.stopped = len(u.line) > 0
		u.refill()
	}
	if u.times.Due < Never {
		u.tell()
	}
	return u.opens(n > 0)
}

// bringNext loads what finds the line of the request behind the one at which the unit has
// stopped, and the line that it gets.
func (u *cUnit) bringNext() {
	p := &u.line[0].cAccess
	i := p.left - 1
	if p.tried {
		i--
	}
	if i >= 0 && p.way == wayLoad && u.line[0].begun {
		u.l1.tags.bring(p.co.sector(u.l1.block, i) >> (u.l1.per & 63))
	}
}

// goOn takes an instruction that waits, in cycle t, and reports whether it has passed.
func (u *cUnit) goOn(h *queued, t Time) bool {
	p := &h.cAccess
	if !h.global {
		if done := u.onSM(p, h.kind, h.cycles, t); done < Unknown {
			l := u.loadOf(p)
			l.done, l.closed = done, true
			u.settle(p.load)
		}
		return true
	}
	u.work = h.work
	if load := p.load; h.begun {
		p.at = max(p.at, t)
	} else {
		u.open(p, max(p.at, t))
		h.begun, p.load = true, load
	}
	if !u.takes(p, t) {
		return false
	}
	if u.leave(p) < Unknown {
		u.settle(p.load)
	}
	return true
}

// ask times a request from the cycle in which its bank takes it up to the crossbar, and
// reports whether it could.
func (u *cUnit) ask(p *cAccess, r *request, at, now Time) bool {
	if p.way == wayLoad {
		return u.lineUp(p, r, at, now)
	}
	bank := u.bankOf(p.way, r.sector)
	if !u.out.hasRoom(bank) {
		u.bank = int32(bank)
		return false
	}
	ready, flits := at+u.l1.bypass, u.mem.maskFlits[r.mask&(1<<maxSectors-1)]
	switch p.way {
	case wayBypass:
		flits = uint8(u.mem.dataFlits[0])
	case wayStore:
		ready = at + u.l1.latency
	case wayAtomic:
		if u.l1.invalidate(r.sector); u.out.stays { // it may have made room
			u.mem.net.post(u.mem.net.leaves+u.sm, max(now, u.mem.net.over+1))
		}
	}
	u.loadOf(p).open++
	of, rest := p.load, hasRest(p.way, r)
	if rest {
		of = u.mem.net.rests.keep(r, p.load)
	}
	k := u.mem.net.send(u.out, bank, r.sector, ready, now)
	k.of, k.way, k.mask, k.rest, k.flits = of, p.way, r.mask, rest, flits
	return true
}

// bankOf returns the bank of the L1 that a request goes through; the one behind the last
// is past it.
func (u *cUnit) bankOf(w way, sector uint64) int {
	if w.passes() {
		return int(u.l1.bankMask) + 1
	}
	return int(sector >> (u.l1.block & 7) & u.l1.bankMask)
}

// workOf is the traffic on which an answer is booked.
func (u *cUnit) workOf(w way, load int32) *Traffic {
	if w == wayLoad {
		load = u.fetches.all[load].load
	}
	return u.loads.all[load].work
}

// back takes the answer to a request that is not a fetch.
func (u *cUnit) back(w way, load int32, t Time) {
	if w == wayBypass || w == wayAtomic {
		u.put(clientPast, t, load, NoLoad)
		u.tell()
		return
	}
	u.answered(load, t)
}
