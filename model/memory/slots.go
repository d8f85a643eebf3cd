package memory

import (
	"math/bits"
)

// slots reserves single cycles of a port, bank or bus. Requests are computed
// out of time order, so a next-free counter would be wrong by an order of
// magnitude (docs/model, choice 3); a bit a cycle over a window is exact.
type slots struct {
	at    slotWord // at hand, most of what is asked for; what others has of it is old
	ratio *Ratio   // SM cycles to cycles of the port; nil: they are the same

	// The load before an epoch, as it was asked for last. It stands until a word before that
	// epoch is at hand, or one so late that it has the place of such a word.
	loadOf Time
	loaded int

	// What is asked for seldom lies elsewhere: of each port the machine has the words above
	// at hand.
	others *otherWords
}

// otherWords are those of a window.
type otherWords struct {
	top Time // the last epoch that has been at hand: nothing is taken behind it

	// A crowded port is searched over many words that stay full: from the first word of
	// a run of them to the one behind it.
	full, behind Time
	words        [slotWindow / 64]slotWord
}

// slotWord is 64 cycles: a bit for each that is free.
type slotWord struct {
	epoch Time // of its first cycle, in units of 64 cycles
	free  uint64
}

// slotWindow is how many cycles a port remembers.
const slotWindow = 1 << 14

func newSlots(t *tables, r Ratio) slots {
	s := slots{at: slotWord{free: ^uint64(0)}, loadOf: noEpoch, others: newEntry[otherWords](t)} // epoch 0
	if !r.one() {
		s.ratio = &r
	}
	return s
}

// reserve takes the first free cycle at or after t and returns its time.
func (s *slots) reserve(t Time) Time {
	if s.ratio == nil {
		return s.take(t)
	}
	return s.ratio.Back(s.take(s.ratio.to(t)))
}

// grab takes cycle t of a port at the SM's clock, if that is free and near the last one
// that has been asked for.
func (s *slots) grab(t Time) bool {
	bit := uint64(1) << (uint(t) & 63)
	if s.ratio != nil || s.at.epoch != t>>6 || s.at.free&bit == 0 {
		return false
	}
	s.at.free &^= bit
	return true
}

// has reports whether cycle t is one that grab takes.
func (s *slots) has(t Time) bool {
	return s.ratio == nil && s.at.epoch == t>>6 && s.at.free>>(uint(t)&63)&1 != 0
}

// claim takes a cycle of the port in SM cycle t, if one is free, and the first free ones
// behind it for the other flits of a packet, and returns the time of the last of them; or
// else that of the first free one after t, and takes nothing.
func (s *slots) claim(t Time, flits int) (at Time, taken bool) {
	if at = s.when(t); at > t {
		return at, false
	}
	return s.send(t, flits), true
}

// send is packet for a packet that goes in its turn, in SM cycle t or later.
func (s *slots) send(t Time, flits int) Time {
	c := s.take(s.from(t))
	for ; flits > 1; flits-- {
		c = s.take(c)
	}
	return s.back(c)
}

// when returns the time of the first free cycle in SM cycle t or later, and leaves it free.
func (s *slots) when(t Time) Time { return s.back(s.next(s.from(t))) }

// from returns the first cycle of the port in SM cycle t or later. An SM cycle has the port's
// cycles that begin behind SM cycle t-1 does, and no later than t. So a request that comes
// again at the time of a free cycle finds it.
func (s *slots) from(t Time) Time {
	if s.ratio == nil || t <= 0 {
		return t
	}
	return s.ratio.during(t-1) + 1
}

// back returns the SM cycle in which a cycle of the port is.
func (s *slots) back(c Time) Time {
	if s.ratio == nil {
		return c
	}
	return s.ratio.Back(c)
}

// after returns when the cycle of the port begins that follows the one of t.
func (s *slots) after(t Time) Time {
	if s.ratio == nil {
		return t + 1
	}
	return s.ratio.Back(s.ratio.during(t) + 1)
}

// packet takes the first free cycles at or after t for the flits of a packet and
// returns the time of the last.
func (s *slots) packet(t Time, flits int) Time {
	if flits == 1 && s.ratio == nil {
		return s.take(t)
	}
	for ; flits > 1; flits-- {
		t = s.reserve(t)
	}
	return s.reserve(t)
}

// turn brings the word of an epoch to hand, and reports whether there is one: a later
// one may have its place.
func (s *slots) turn(e Time) bool {
	if s.at.epoch == e {
		return true
	}
	if uint(e-s.loadOf) >= slotWindow/64-2 {
		s.loadOf = noEpoch
	}
	o := s.others
	o.words[uint(s.at.epoch)&(slotWindow/64-1)] = s.at
	if e > o.top { // the host would wait for what is old
		o.top, s.at = e, slotWord{e, ^uint64(0)}
		return true
	}
	w := o.words[uint(e)&(slotWindow/64-1)]
	if w.epoch > e {
		return false
	}
	if w.epoch < e {
		w = slotWord{e, ^uint64(0)}
	}
	s.at = w
	return true
}

// peek returns the word in the place of that of an epoch.
func (s *slots) peek(e Time) slotWord {
	if uint(s.at.epoch^e)&(slotWindow/64-1) == 0 {
		return s.at
	}
	return s.others.words[uint(e)&(slotWindow/64-1)]
}

// fill takes as many free cycles as SM cycles n come to, from the one in which t
// lies on.
func (s *slots) fill(t, n Time) {
	if n > 0 && s.ratio != nil {
		t, n = s.ratio.during(t), s.ratio.to(n)
	}
	for n > 0 {
		e := t >> 6
		if s.turn(e) {
			free := s.at.free >> (uint(t) & 63) << (uint(t) & 63)
			if k := Time(bits.OnesCount64(free)); k <= n {
				s.at.free &^= free
				n -= k
			} else {
				for ; n > 0; n-- {
					s.at.free &^= free & -free
					free &= free - 1
				}
			}
		}
		t = (e + 1) << 6
	}
}

// load returns how many cycles are taken of the 128 before the 64 that t lies in.
func (s *slots) load(t Time) (taken int) {
	if s.ratio != nil {
		t = s.ratio.to(t)
	}
	now := t >> 6
	if now == s.loadOf {
		return s.loaded
	}
	for e := max(0, now-2); e < now; e++ {
		taken += s.taken(e)
	}
	if s.at.epoch >= now {
		s.loadOf, s.loaded = now, taken
	}
	return taken
}

// noEpoch is that of no word.
const noEpoch Time = -1 << 40

// taken returns how many of the 64 cycles of an epoch are taken.
func (s *slots) taken(e Time) int {
	w := s.at
	if uint(w.epoch^e)&(slotWindow/64-1) != 0 {
		w = s.others.words[uint(e)&(slotWindow/64-1)]
	}
	switch {
	case w.epoch < e:
		return 0
	case w.epoch > e: // a later one has its place
		return 64
	}
	return bits.OnesCount64(^w.free)
}

// next returns the first free cycle at or after t, and leaves it free.
func (s *slots) next(t Time) Time {
	for {
		e := t >> 6
		if e != s.at.epoch && e > s.others.top {
			return t
		}
		w := s.peek(e)
		if w.epoch < e {
			return t
		}
		if w.epoch == e {
			if free := w.free >> (uint(t) & 63); free != 0 {
				return t + Time(bits.TrailingZeros64(free))
			}
		}
		t = (e + 1) << 6
	}
}

// bar takes all cycles from one to before another, whether they are free or not.
func (s *slots) bar(from, to Time) {
	for from = max(0, from); from < to; from = from>>6<<6 + 64 {
		if s.turn(from >> 6) {
			most := ^uint64(0)
			if n := to - from; n < 64 {
				most = 1<<uint(n) - 1
			}
			s.at.free &^= most << (uint(from) & 63)
		}
	}
}

// take is reserve in cycles of the port. Most requests find their cycle in the word at hand.
func (s *slots) take(t Time) Time {
	if free := s.at.free >> (uint(t) & 63); free != 0 && s.at.epoch == t>>6 {
		t += Time(bits.TrailingZeros64(free))
		s.at.free &^= 1 << (uint(t) & 63)
		return t
	}
	return s.search(t)
}

// search is take over all words.
func (s *slots) search(t Time) Time {
	for {
		e, there := t>>6, true
		if s.at.epoch != e {
			there = s.turn(e)
		}
		if there {
			if free := s.at.free >> (uint(t) & 63); free != 0 {
				t += Time(bits.TrailingZeros64(free))
				s.at.free &^= 1 << (uint(t) & 63)
				return t
			}
		}
		// A word that a later time has taken over counts as full.
		switch o := s.others; {
		case e >= o.full && e < o.behind:
			e = o.behind
		case there && s.at.free != 0: // before t
			e++
		case e == o.behind:
			o.behind++
			e++
		default:
			o.full, o.behind = e, e+1
			e++
		}
		t = e << 6
	}
}

// A Ratio converts SM cycles into cycles of another clock, exactly.
type Ratio struct{ num, den divisor }

// NewRatio returns the ratio of a clock to the SM clock; both in MHz with three
// decimals.
func NewRatio(clock, core float64) Ratio {
	n, d := Time(float64(clock*1000)+0.5), Time(float64(core*1000)+0.5)
	if n <= 0 || d <= 0 {
		return sameClock
	}
	g := gcd(n, d)
	return Ratio{newDivisor(int(n / g)), newDivisor(int(d / g))}
}

// sameClock is the ratio of a port that runs at the SM clock.
var sameClock = Ratio{newDivisor(1), newDivisor(1)}

func gcd(a, b Time) Time {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (r *Ratio) one() bool { return r.num.n == r.den.n }

// to returns the first cycle of the other clock that begins at or after t.
func (r *Ratio) to(t Time) Time {
	return Time(r.den.div(uint64(t)*r.num.n + r.den.n - 1))
}

// during returns the cycle of the other clock in which SM cycle t begins.
func (r *Ratio) during(t Time) Time { return Time(r.den.div(uint64(t) * r.num.n)) }

// Back returns the first SM cycle that begins at or after cycle t of the other
// clock.
func (r *Ratio) Back(t Time) Time {
	return Time(r.num.div(uint64(t)*r.den.n + r.num.n - 1))
}
