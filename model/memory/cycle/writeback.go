package cycle

import (
	"gpureplay/model/memory"
)

// writebackQueues wait for the write-back register of an SM's load/store unit, behind loads of shared memory that are
// on their way to it (GPGPU-Sim's ldst_unit::m_next_wb, m_pipeline_reg). The clients of the register take turns.
type writebackQueues struct {
	depth    int  // stages of shared memory: loads that are in them at most
	direct   bool // the register gets none sooner than it enters: it may be noted as there before
	latency  Time // from when a load of shared memory enters them until it may be written
	entering []entering
	first    [numClients]Time // when the first of each is ready
	soonest  Time             // the least of these
	clients  [numClients]resultQueue
	responses
	turn int // client that is probed first
	own  int // loads of shared memory that are not written
}

// entering is a load of shared memory that keeps the unit until it has entered.
type entering struct {
	at   Time // no sooner
	load int32
}

// The clients are in the order of their turns (ldst_unit::writeback).
const (
	clientShared = iota
	clientPast   // answers to requests that pass by the L1
	clientFills  // requests that wait for fills of the L1
	numClients
)

// writebackRegister is the write-back register of the unit. Its SM lets it act in several cycles at once where no
// access can be complete in them.
type writebackRegister struct {
	file memory.RegisterFile // that it writes into
	ripe int                 // accesses whose requests are all here or before it
	full bool
	load int32
	to   memory.Destination // with the banks that are not written
}

// Registers is of [memory.Port].
func (u *Unit) Registers(file memory.RegisterFile) { u.register.file = file }

// WriteBack is of [memory.Port].
func (u *Unit) WriteBack(t Time) (done []memory.Done) {
	u.catchUp(t)
	if u.Times.Wake = u.wakes(); len(u.loads.done) > 0 || u.named {
		done = u.Known()
	}
	return done
}

// catchUp has the register act up to the end of cycle t.
func (u *Unit) catchUp(t Time) {
	for u.Times.Due <= t {
		u.act(u.Times.Due)
	}
}

// wakes returns a cycle before which the register completes no access: it takes a result a cycle, and writes it in the
// next.
func (u *Unit) wakes() Time {
	r, due := &u.results, u.Times.Due
	switch {
	case r.own > 0 || len(r.held) > 0: // each completes one, or may
		return due
	case u.register.ripe == 0:
		return Never
	case u.register.full:
		if l := &u.loads.all[u.register.load]; l.ripe() && l.queued == 1 {
			return due
		}
	}
	soon := Never
	for i := range r.clients {
		q := &r.clients[i]
		for n, x := range q.all[q.head:] {
			if l := &u.loads.all[x.load]; l.ripe() {
				at := max(due+Time(n), x.ready-memory.WrittenAhead-1)
				if !l.atomic {
					at++
				}
				soon = min(soon, at)
				break
			}
		}
	}
	return soon
}

// act has the register act at the end of cycle t, for the cycle WrittenAhead later. A result that finds a bank taken
// keeps the register, and the results behind it wait.
func (u *Unit) act(t Time) {
	r, at := &u.register, t+memory.WrittenAhead
	if len(u.results.entering) > 0 {
		u.advanceShared(t)
	}
	if r.full {
		if r.to.Banks != 0 {
			r.to.Banks = r.file.Write(r.to.Subcore, r.to.Banks, at, t)
		}
		if r.to.Banks == 0 {
			r.full = false
			u.written(r.load, at)
		}
	}
	if !r.full {
		if r.load = u.result(at + 1); r.load >= 0 {
			l := &u.loads.all[r.load]
			if r.full, r.to = true, l.to; l.atomic && l.last() {
				u.loads.done = append(u.loads.done, memory.Done{Load: r.load, Taken: true, At: at + 1})
			}
		}
	}
	if len(u.results.held) > 0 {
		u.respondHeld(t)
	}
	if r.full {
		u.Times.Due = t + 1
	} else {
		u.setDue(t)
	}
}

// result may be written in cycle ready.
type result struct {
	ready Time
	load  int32
	fetch int32 // whose fill it waits for, where that keeps its MSHR until then; or NoLoad
}

// resultQueue has results in the order in which they are ready, and came.
type resultQueue struct {
	all  []result
	head int
}

func (q *resultQueue) n() int { return len(q.all) - q.head }

// add adds a result behind all others.
func (q *resultQueue) add(x result) {
	if len(q.all) == cap(q.all) && 2*q.head >= len(q.all) {
		q.all, q.head = q.all[:copy(q.all, q.all[q.head:])], 0
	}
	q.all = append(q.all, x)
}

// put adds a result behind those that are ready no later.
func (q *resultQueue) put(x result) {
	q.add(x)
	for i := len(q.all) - 1; i > q.head && q.all[i-1].ready > x.ready; i-- {
		q.all[i-1], q.all[i] = x, q.all[i-1]
	}
}

// pop takes out the first, and returns it and when the next is ready.
func (q *resultQueue) pop() (x result, next Time) {
	x = q.all[q.head]
	if q.head++; q.head == len(q.all) {
		q.all, q.head = q.all[:0], 0
		return x, Never
	}
	return x, q.all[q.head].ready
}

func (u *Unit) initResults() {
	c := u.Cfg
	u.results.first = [numClients]Time{Never, Never, Never}
	u.results.depth = max(1, c.Shared.Latency)
	u.results.latency = Time(c.Shared.Latency+c.Shared.Writeback) - 1
	u.results.direct = u.results.latency > memory.WrittenAhead
	u.results.soonest = Never
}

// put has a result of a load wait for the register, which has acted in all cycles before one. The load is open until it
// is written. It reports whether the register may complete it sooner than was known.
func (u *Unit) put(client int, ready, from Time, load, fetch int32) (ripens bool) {
	due := ready - memory.WrittenAhead - 1
	if due < from {
		due = from
		u.catchUp(from - 1)
	}
	r := &u.results
	r.clients[client].put(result{ready, load, fetch})
	r.first[client] = min(r.first[client], ready)
	r.soonest = min(r.soonest, ready)
	u.Times.Due = min(u.Times.Due, due)
	l := &u.loads.all[load]
	if l.queued++; l.ripe() {
		u.ripens()
		return true
	}
	return false
}

// ripens notes that all requests of an access wait for the register.
func (u *Unit) ripens() {
	u.register.ripe++
	u.Times.Wake = min(u.Times.Wake, u.wakes())
}

// enqueueShared has a load of shared memory enter its stages at a time, or when there is room.
func (u *Unit) enqueueShared(p *access, at Time) {
	r, l := &u.results, u.loadOf(p)
	l.open, l.closed, l.own = l.open+1, true, true
	r.own++
	if r.direct && len(r.entering) == 0 && r.clients[clientShared].n() < r.depth { // there is room then, too
		l.queued++
		u.register.ripe++
		ready := at + r.latency
		r.clients[clientShared].add(result{ready, p.load, memory.NoLoad}) // they come in the order of their times
		r.first[clientShared] = min(r.first[clientShared], ready)
		r.soonest = min(r.soonest, ready)
		u.Times.Due = min(u.Times.Due, ready-memory.WrittenAhead-1)
		u.Times.Wake = min(u.Times.Wake, u.Times.Due)
		return
	}
	r.entering = append(r.entering, entering{at, p.load})
	u.Times.Due = min(u.Times.Due, at)
	u.Times.Wake = min(u.Times.Wake, at)
}

// stuck reports whether a load of shared memory may keep the unit in cycle t: its stages are full.
func (u *Unit) stuck(t Time) bool {
	r := &u.results
	return len(r.entering) > 0 && r.entering[0].at <= t && r.clients[clientShared].n() >= r.depth
}

// result takes out the next result that may be written up to cycle t, and returns its load, or a negative number.
func (u *Unit) result(t Time) (load int32) {
	r := &u.results
	if r.soonest > t {
		return memory.NoLoad
	}
	client := r.turn
	for r.first[client] > t {
		client = behindClient[client]
	}
	r.turn = behindClient[client]
	x, next := r.clients[client].pop()
	r.first[client] = next
	r.soonest = min(r.first[clientShared], r.first[clientPast], r.first[clientFills])
	if x.fetch != memory.NoLoad {
		u.released(x.fetch, t)
	}
	return x.load
}

// behindClient is the client behind each.
var behindClient = [numClients]int{clientPast, clientFills, clientShared}

// gives returns the next cycle behind t in which the register may take a result, and an MSHR become free.
func (u *Unit) gives(t Time) Time {
	if u.results.soonest == Never {
		return Never
	}
	return max(t+1, u.Times.Due, u.results.soonest-memory.WrittenAhead-1)
}

// written notes that a result of a load is written in cycle t. The caller asks which loads are known ([Unit.Known]).
func (u *Unit) written(load int32, t Time) {
	l := &u.loads.all[load]
	l.open--
	l.queued--
	if l.done = max(l.done, t); l.open > 0 || !l.closed {
		return
	}
	if u.register.ripe--; l.own { // it waits for this alone
		u.results.own--
		l.done = t
	}
	u.loads.settle(load)
}

// advanceShared lets the first load of shared memory enter its stages in cycle t, if there is room. The
// load that the register gets for the cycle WrittenAhead later has not left them yet.
func (u *Unit) advanceShared(t Time) {
	r := &u.results
	if r.entering[0].at > t {
		return
	}
	if r.clients[clientShared].n() < r.depth {
		u.put(clientShared, t+r.latency, t, r.entering[0].load, memory.NoLoad)
		if rest := r.entering[1:]; len(rest) == 0 { // nearly always
			r.entering = r.entering[:0]
		} else {
			r.entering = r.entering[:copy(r.entering, rest)]
		}
	}
	if len(r.entering) > 0 && r.entering[0].at <= t {
		u.Free = max(u.Free, t+1)
	}
}

// setDue finds when the register has something to do, behind cycle t.
func (u *Unit) setDue(t Time) {
	r := &u.results
	u.Times.Due = Never
	if len(r.entering) > 0 {
		u.Times.Due = r.entering[0].at
	}
	if r.soonest < Never {
		u.Times.Due = min(u.Times.Due, r.soonest-memory.WrittenAhead-1)
	}
	u.Times.Due = max(min(u.Times.Due, u.responds(t)), t+1)
}
