package memory

// Horizon is of [Port].
func (u *cUnit) Horizon() Time {
	n := u.mem.net
	if len(u.loads.spare)+u.results.own == len(u.loads.all) {
		return Never // it waits for nothing
	}
	next := n.next() // at the end of that cycle
	if len(u.line) > 0 || u.out.stays {
		return next + 1 // it goes on, or hits are back, when requests move
	}
	if u.out.loads > 0 { // it may be there when it is looked up
		next = max(next, min(n.homes[u.sm].horizon(next, Time(u.cfg.L2.Latency)), n.agenda.due[n.leaves+u.sm]))
		return next + 1
	}
	return n.homes[u.sm].horizon(next, Time(u.cfg.L2.Latency)) + 1
}

// horizon returns the first cycle in which an answer may come to an SM, where requests
// move from a cycle on and a slice takes so long for one at least.
func (h *home) horizon(next, latency Time) Time {
	if h.coming == 0 {
		return next + latency
	}
	return min(next+latency, max(next, h.soonest))
}
