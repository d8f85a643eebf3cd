package cycle

// Horizon is of [memory.Port].
func (u *Unit) Horizon() Time {
	n := u.mem.xbar
	if len(u.loads.spare)+u.results.own == len(u.loads.all) {
		return Never // it waits for nothing
	}
	next := n.next() // at the end of that cycle
	if len(u.stalled) > 0 || u.inject.blocked {
		return next + 1 // it goes on, or hits are back, when requests move
	}
	if u.inject.loads > 0 { // it may be there when it is looked up
		next = max(next, min(n.ejects[n.portOf(u.Sm)].horizon(next, Time(u.Cfg.L2.Latency)), n.wakeups.due[n.leaves+u.Sm]))
		return next + 1
	}
	return n.ejects[n.portOf(u.Sm)].horizon(next, Time(u.Cfg.L2.Latency)) + 1
}

// horizon returns the first cycle in which a reply may come to an SM. Requests move from cycle next on, and a slice
// takes at least its latency.
func (h *ejection) horizon(next, latency Time) Time {
	if h.coming == 0 {
		return next + latency
	}
	return min(next+latency, max(next, h.soonest))
}
