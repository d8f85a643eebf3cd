package memory

// Takes reports whether the unit takes an instruction in cycle t, where collectors serve all
// pipes. One that has stopped for a line, an MSHR or a merge takes what its banks have room
// for: requests stand in them for as long as the L1's latency (GPGPU-Sim's
// ldst_unit::L1_latency_queue_cycle).
func (u *LSU) Takes(t Time) bool {
	if len(u.line) == 0 {
		return u.free <= t && !u.stuck(t)
	}
	return u.entry <= t && u.before.bank == noBank && !u.crowded()
}

// Opens returns when, after t, the unit may take an instruction; Never: it says so itself.
func (u *LSU) Opens(t Time) Time {
	switch {
	case len(u.line) == 0:
		return max(u.free, t+1)
	case u.before.bank != noBank || u.crowded():
		return Never
	}
	return max(u.entry, t+1)
}

// opens reports whether the unit, which has gone on in cycle t if it says so, may take
// instructions.
func (u *LSU) opens(on bool, t Time) bool {
	if !u.collects {
		return on
	}
	on = on || u.moved
	u.moved = false
	return on && u.Opens(t) < Never
}

// crowded reports whether a bank has no room for a request of what the unit takes.
func (u *LSU) crowded() bool {
	for _, n := range u.waiting[:u.l1.bankMask+1] {
		if n > 0 && Time(n) >= u.l1.latency {
			return true
		}
	}
	return false
}

// stand notes where the requests of an access stand that the unit has taken in cycle t and
// could not pass.
func (u *LSU) stand(h *queued, t Time) {
	if !h.begun {
		h.co.ascend()
		if h.left = len(h.co.Sectors); u.l1.block > 0 {
			h.co.group(u.l1.block)
			h.left = len(h.co.requests)
		}
	}
	for i := range h.left {
		u.waiting[u.bankOf(h.way, u.requestOf(&h.passing, i).sector)]++
	}
	u.entry = t + u.turnsOf(&h.passing)
}

// turnsOf returns how many cycles the banks take for the requests of an access.
func (u *LSU) turnsOf(p *passing) Time {
	q := *p
	q.at, q.taken = 0, 0
	n := len(q.co.Sectors)
	if u.l1.block > 0 {
		n = len(q.co.requests)
	}
	for i := range n {
		u.turnTo(&q, u.requestOf(&q, n-1-i).sector)
	}
	return q.at + 1
}

// stood notes that the request at hand of an access in line has passed.
func (u *LSU) stood(p *passing, r *request) {
	if p != &u.through {
		u.waiting[u.bankOf(p.way, r.sector)]--
		u.moved = true
	}
}
