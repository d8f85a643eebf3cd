package cycle

import (
	"gpureplay/model/memory"
	"gpureplay/model/memory/unit"
)

// loads are the accesses of an SM whose completion time is not known yet, by number.
type loads struct {
	all   []openLoad
	spare []int32 // free numbers
	done  []memory.Done
}

// openLoad is an access with requests on their way.
type openLoad struct {
	open   int32 // requests whose completion time is not known
	queued int32 // of them, results that the write-back register has not written
	closed bool  // the unit has taken all of them
	own    bool  // of shared memory
	atomic bool
	work   *memory.Traffic
	to     memory.Destination
	done   Time // of the requests that are known
}

// ripe reports whether the access waits for the write-back register alone.
func (l *openLoad) ripe() bool { return l.closed && l.open == l.queued }

// last reports whether all of the access is done but one result.
func (l *openLoad) last() bool { return l.closed && l.open == 1 }

// number returns the number of a new access.
func (q *loads) number() int32 {
	if n := len(q.spare); n > 0 {
		id := q.spare[n-1]
		q.spare = q.spare[:n-1]
		return id
	}
	q.all = append(q.all, openLoad{})
	return int32(len(q.all) - 1)
}

// settle notes that the completion time of an access is known, and frees its number.
func (q *loads) settle(load int32) {
	q.done = append(q.done, memory.Done{Load: load, At: q.all[load].done})
	q.spare = append(q.spare, load)
}

// loadOf numbers an access whose completion time is not known.
func (u *Unit) loadOf(p *access) *openLoad {
	if p.load == memory.NoLoad {
		p.load = u.loads.number()
		u.loads.all[p.load] = openLoad{work: u.work, to: u.to, atomic: p.Path == unit.PathAtomic}
	}
	return &u.loads.all[p.load]
}

// answered notes when a request of an access is back.
func (u *Unit) answered(load int32, t Time) {
	l := &u.loads.all[load]
	l.open--
	l.done = max(l.done, t)
	switch {
	case !l.ripe():
	case l.open == 0:
		u.settle(load)
	default:
		u.ripens()
		u.nameSM()
	}
}

// settle notes that the completion time of an access is known, and has the SM look.
func (u *Unit) settle(load int32) {
	u.loads.settle(load)
	u.nameSM()
}

// nameSM has the SM look which accesses are known, and when the write-back register is due.
func (u *Unit) nameSM() {
	if n := u.mem.xbar; !u.named {
		u.named = true
		n.known = append(n.known, u.Sm)
	}
}

// Known is of [memory.Port].
func (u *Unit) Known() []memory.Done {
	done := u.loads.done
	u.named, u.loads.done = false, done[:0]
	return done
}
