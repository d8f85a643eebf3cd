package memory

import (
	"gpureplay/trace"
)

// queued is an instruction at which the unit has stopped, or one behind it.
type queued struct {
	passing
	own    Coalescer
	begun  bool // the unit has stopped at it
	global bool
	kind   kind // of one that is not
	cycles Time
	work   *Traffic
}

// unknownFill stands, with the number of its fetch, for the fill time of a sector.
const unknownFill = ^uint32(0) - 1<<16 + 1

// enter brings the access of the Coalescer to the unit, which issues at t. It returns
// when it is done, or Unknown.
func (u *LSU) enter(w *Traffic, space trace.Space, flags trace.InstFlags, t Time) Time {
	p := &u.through
	p.way, p.co = u.wayOf(space, flags), u.Coalescer
	begun := len(u.line) == 0
	if begun {
		u.work = w
		u.open(p, t)
		if u.takes(p, t) {
			return u.leave(p)
		}
	}
	h := u.queueUp()
	h.passing, h.begun, h.global, h.work = *p, begun, true, w
	if !begun {
		h.load, h.at = noLoad, t
	}
	h.own, *u.Coalescer = *u.Coalescer, h.own // what it asks for is kept
	h.co = &h.own
	u.promise(h)
	return Unknown
}

// queueUp adds an instruction to those that wait for the unit.
func (u *LSU) queueUp() *queued {
	var h *queued
	if n := len(u.spare); n > 0 {
		h, u.spare = u.spare[n-1], u.spare[:n-1]
	} else {
		h = &queued{own: Coalescer{table: u.mem.co.table}}
	}
	u.line = append(u.line, h)
	u.out.stopped = true
	return h
}

// promise numbers an instruction that waits for the unit.
func (u *LSU) promise(h *queued) {
	u.refill()
	u.loadOf(&h.passing).work = h.work
	u.through.load = h.load
}

// refill finds when a collector is free: those that wait hold one each.
func (u *LSU) refill() {
	n, waiting := len(u.queue), len(u.line)
	if waiting > 0 && u.line[0].begun {
		waiting--
	}
	switch {
	case n == 0:
	case waiting >= n:
		u.Full = Never
	default:
		u.Full = u.queue[(u.oldest+waiting)%n]
	}
}

// takes times the requests of an access, up to the first that has to wait. It reports
// whether none has to.
func (u *LSU) takes(p *passing, now Time) bool {
	before, hits := u.l1.stats, p.way == wayLoad
	for ; p.left > 0; p.left-- {
		if hits && !p.tried {
			left := p.left
			if u.takesHits(p) {
				break
			}
			hits = p.left < left // or else there may be none at all
		}
		r := u.requestOf(p, p.left-1)
		if !p.tried {
			u.turnTo(p, r.sector)
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
func (u *LSU) leave(p *passing) Time {
	u.free = max(u.free, p.at+1)
	if p.load == noLoad {
		return p.done
	}
	l := &u.loads.all[p.load]
	l.closed, l.done = true, max(l.done, p.done)
	if l.open > 0 {
		return Unknown
	}
	return l.done
}

// Flushed has a unit that a suspended CTA's access has stopped look again in cycle t, since
// the lines and fetches that it may have waited for are gone.
func (u *LSU) Flushed(t Time) {
	if u.out != nil && u.out.stays { // there is a line for it now
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
func (u *LSU) resume(t Time) bool {
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
	if u.Due < Never {
		u.tell()
	}
	return u.opens(n > 0)
}

// bringNext loads what finds the line of the request behind the one at which the unit has
// stopped, and the line that it gets.
func (u *LSU) bringNext() {
	p := &u.line[0].passing
	i := p.left - 1
	if p.tried {
		i--
	}
	if i >= 0 && p.way == wayLoad && u.line[0].begun {
		u.l1.tags.bring(p.co.sector(u.l1.block, i) >> (u.l1.per & 63))
	}
}

// goOn takes an instruction that waits, in cycle t, and reports whether it has passed.
func (u *LSU) goOn(h *queued, t Time) bool {
	p := &h.passing
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
func (u *LSU) ask(p *passing, r *request, at, now Time) bool {
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
func (u *LSU) bankOf(w way, sector uint64) int {
	if w.passes() {
		return int(u.l1.bankMask) + 1
	}
	return int(sector >> (u.l1.block & 7) & u.l1.bankMask)
}

// workOf is the traffic on which an answer is booked.
func (u *LSU) workOf(w way, load int32) *Traffic {
	if w == wayLoad {
		load = u.fetches.all[load].load
	}
	return u.loads.all[load].work
}

// back takes the answer to a request that is not a fetch.
func (u *LSU) back(w way, load int32, t Time) {
	if w == wayBypass || w == wayAtomic {
		u.put(clientPast, t, load, noLoad)
		u.tell()
		return
	}
	u.answered(load, t)
}
