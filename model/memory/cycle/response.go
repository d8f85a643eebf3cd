package cycle

import (
	"gpureplay/model/memory"
	"gpureplay/model/memory/unit"
)

// responses have the replies of an SM that may not go on when they come, oldest first (GPGPU-Sim's
// ldst_unit::m_response_fifo): past the L1 there is room for one that waits for the write-back register
// (m_next_global), and the next holds all behind it.
type responses struct {
	held []response
	last Time // when one of them may be written, the last that was held
}

// response is a reply that may be written in cycle ready.
type response struct {
	ready Time
	of    int32
	way   unit.Path
}

// responseAhead is how long before its result may be written a reply leaves the queue: it goes past the L1, or fills
// it, in cycle c, and comes to the register in c + 1 and from there in c + 2.
const responseAhead = 2

// respond takes a reply that comes to the SM.
func (u *Unit) respond(x response) {
	r, now := &u.results, u.mem.xbar.Now
	if u.heldUp(&x) && u.Times.Due <= now {
		u.catchUp(now)
		u.Times.Wake = u.wakes()
	}
	if u.heldUp(&x) {
		r.held = append(r.held, x)
		u.Times.Due = min(u.Times.Due, u.responds(now))
		u.Times.Wake = u.wakes()
		u.nameSM()
		return
	}
	if x.ready <= r.last {
		x.ready = r.last + 1
		r.last++
	}
	u.leaves(x, now)
}

// heldUp reports whether a reply may not go on when it comes.
func (u *Unit) heldUp(x *response) bool {
	r := &u.results
	return len(r.held) > 0 || x.past() && r.clients[clientPast].n() > 0
}

// past reports whether a reply goes past the L1 to the write-back register.
func (x *response) past() bool { return x.way == unit.PathBypass || x.way == unit.PathAtomic }

// responds returns the first cycle behind t in which the register may take the oldest reply, as it looks ahead.
func (u *Unit) responds(t Time) Time {
	r := &u.results
	if len(r.held) == 0 || r.held[0].past() && r.clients[clientPast].n() > 0 {
		return Never
	}
	return max(t+1, r.held[0].ready-responseAhead-memory.WrittenAhead)
}

// respondHeld has the oldest reply go on in cycle t, if it may, for the cycle WrittenAhead later.
func (u *Unit) respondHeld(t Time) {
	if u.responds(t-1) > t {
		return
	}
	r := &u.results
	x := r.held[0]
	r.held = r.held[:copy(r.held, r.held[1:])]
	x.ready = t + memory.WrittenAhead + responseAhead
	r.last = x.ready
	u.leaves(x, t)
}

// leaves has a reply go on, from a cycle on.
func (u *Unit) leaves(x response, from Time) {
	switch x.way {
	case unit.PathLoad:
		u.filled(x.of, x.ready, from)
	case unit.PathBypass, unit.PathAtomic:
		if u.put(clientPast, x.ready, u.mem.xbar.Now+1, x.of, memory.NoLoad) {
			u.nameSM()
		}
	default:
		u.answered(x.of, x.ready-acknowledged)
	}
}
