package cycle

// Horizon is of [memory.Port].
func (u *Unit) Horizon() Time {
	n := u.mem.xbar
	if len(u.loads.spare)+u.results.own == len(u.loads.all) {
		return Never // it waits for nothing
	}
	next := n.next() // at the end of that cycle
	if len(u.results.held) > 0 {
		next = min(next, u.Times.Due)
	}
	if len(u.stalled) > 0 || u.inject.blocked || u.pushes() {
		return next + 1 // it goes on, or hits are back, when requests move
	}
	back := n.ejects[n.portOf(u.Sm)].horizon(next, Time(u.Cfg.L2.Latency))
	if u.inject.loads > 0 { // it may be there when it is looked up
		back = max(next, min(back, n.Due[n.leaves+u.Sm]))
	}
	return back + 1
}

// horizon returns the first cycle in which a reply may come to an SM. Requests move from cycle next on, and a slice
// takes at least its latency.
func (h *ejection) horizon(next, latency Time) Time {
	if h.coming == 0 {
		return next + latency
	}
	return min(next+latency, max(next, h.soonest))
}

// Takes is of [memory.Port].
func (u *Unit) Takes(t Time) bool {
	return len(u.stalled) == 0 && u.Free <= t && !u.pushes() && !u.stuck(t)
}

// pushes reports whether the last access still has requests that bypass the L1, where collectors wait for that: the
// unit keeps it until the last is at the crossbar (GPGPU-Sim's ldst_unit::memory_cycle).
func (u *Unit) pushes() bool { return u.collects && u.inject.bypass.n > int32(u.L1.Bypass) }

// Opens is of [memory.Port].
func (u *Unit) Opens(t Time) Time {
	if u.refused = u.Free <= t && u.pushes(); u.refused || len(u.stalled) > 0 {
		return Never
	}
	return max(u.Free, t+1)
}

// opens reports whether the unit may take instructions, and could not before it has gone on.
func (u *Unit) opens(on bool) bool { return on && (!u.collects || len(u.stalled) == 0) }
