package timing

import (
	"math/bits"

	"gpureplay/model/memory/hostmem"
)

// Reservations reserves single cycles of a port, bank or bus. Requests are computed out of time order. A next-free
// counter would be wrong by an order of magnitude (docs/model, choice 3), and a bit for each cycle of a window is
// exact.
type Reservations struct {
	near   [nearWords]nearWord // at hand, by the lowest bits of their epochs; their copies in others are stale
	ratio  *Ratio              // SM cycles to cycles of the port; nil: they are the same
	top    Time                // the last epoch that has come to hand: nothing is taken behind it
	others *otherWords         // few requests go there
}

// nearWords is how many words lie beside each other in a port, a power of two: requests come from several cycles.
const nearWords = 4

// otherWords are the words of a window.
type otherWords struct {
	// A crowded port is searched over many words that stay full: from the first word of
	// a run of them to the one behind it.
	full, behind Time
	words        [Window / 64]word
}

// word is 64 cycles: a bit for each that is free.
type word struct {
	epoch Time // of its first cycle, in units of 64 cycles
	free  uint64
}

// nearWord is a word at hand, and how many of its cycles are taken.
type nearWord struct {
	word
	taken int
}

func near(w word) nearWord { return nearWord{w, 64 - bits.OnesCount64(w.free)} }

// Window is how many cycles a port remembers.
const Window = 1 << 14

func NewReservations(t *hostmem.Tables, r Ratio) Reservations {
	s := Reservations{others: hostmem.NewEntry[otherWords](t)}
	for e := range s.near {
		s.near[e] = near(word{Time(e), ^uint64(0)})
	}
	if !r.one() {
		s.ratio = &r
	}
	return s
}

// Reserve takes the first free cycle at or after t and returns its time.
func (s *Reservations) Reserve(t Time) Time {
	if s.ratio != nil {
		return s.ratio.Back(s.Take(s.ratio.To(t)))
	}
	if at, ok := s.quick(t); ok {
		return at
	}
	return s.search(t)
}

// Grab takes cycle t of a port at the SM's clock, if that is free and near the last one
// that has been requested.
func (s *Reservations) Grab(t Time) bool {
	bit, w := uint64(1)<<(uint(t)&63), s.nearest(t>>6)
	if s.ratio != nil || w.epoch != t>>6 || w.free&bit == 0 {
		return false
	}
	w.free &^= bit
	w.taken++
	return true
}

// Has reports whether cycle t is one that grab takes.
func (s *Reservations) Has(t Time) bool {
	w := s.nearest(t >> 6)
	return s.ratio == nil && w.epoch == t>>6 && w.free>>(uint(t)&63)&1 != 0
}

// nearest returns the word at hand that has the place of an epoch's.
func (s *Reservations) nearest(e Time) *nearWord { return &s.near[uint(e)&(nearWords-1)] }

// Claim takes a cycle of the port in SM cycle t, if one is free, and the first free ones behind it for the other flits.
// It returns the time of the last flit. Otherwise it takes nothing, and returns the time of the first free cycle after
// t.
func (s *Reservations) Claim(t Time, flits int) (at Time, taken bool) {
	if at = s.When(t); at > t {
		return at, false
	}
	return s.Send(t, flits), true
}

// Send is packet for a packet that goes in its turn, in SM cycle t or later.
func (s *Reservations) Send(t Time, flits int) Time {
	c := s.Take(s.from(t))
	for ; flits > 1; flits-- {
		c = s.Take(c)
	}
	return s.back(c)
}

// When returns the time of the first free cycle in SM cycle t or later, and leaves it free.
func (s *Reservations) When(t Time) Time { return s.back(s.Next(s.from(t))) }

// from returns the first cycle of the port in SM cycle t or later. An SM cycle has the port's
// cycles that begin behind SM cycle t-1 does, and no later than t. So a request that comes
// again at the time of a free cycle finds it.
func (s *Reservations) from(t Time) Time {
	if s.ratio == nil || t <= 0 {
		return t
	}
	return s.ratio.During(t-1) + 1
}

// back returns the SM cycle in which a cycle of the port is.
func (s *Reservations) back(c Time) Time {
	if s.ratio == nil {
		return c
	}
	return s.ratio.Back(c)
}

// After returns when the cycle of the port begins that follows the one of t.
func (s *Reservations) After(t Time) Time {
	if s.ratio == nil {
		return t + 1
	}
	return s.ratio.Back(s.ratio.During(t) + 1)
}

// Packet takes the first free cycles at or after t for the flits of a packet and
// returns the time of the last.
func (s *Reservations) Packet(t Time, flits int) Time {
	for ; flits > 1; flits-- {
		t = s.Reserve(t)
	}
	return s.Reserve(t)
}

// turn brings the word of an epoch to hand, and reports whether there is one: a later
// one may have its place.
func (s *Reservations) turn(e Time) bool {
	at := s.nearest(e)
	if at.epoch == e {
		return true
	}
	o := s.others
	o.words[uint(at.epoch)&(Window/64-1)] = at.word
	if e > s.top { // the host would wait for a stale word
		s.top, *at = e, nearWord{word: word{e, ^uint64(0)}}
		return true
	}
	w := o.words[uint(e)&(Window/64-1)]
	if w.epoch > e {
		return false
	}
	if w.epoch < e {
		w = word{e, ^uint64(0)}
	}
	*at = near(w)
	return true
}

// peek returns the word in an epoch's place.
func (s *Reservations) peek(e Time) word {
	if w := s.nearest(e); uint(w.epoch^e)&(Window/64-1) == 0 {
		return w.word
	}
	return s.others.words[uint(e)&(Window/64-1)]
}

// Fill takes as many free cycles as SM cycles n come to, from the one in which t
// lies on.
func (s *Reservations) Fill(t, n Time) {
	if n > 0 && s.ratio != nil {
		t, n = s.ratio.During(t), s.ratio.To(n)
	}
	for n > 0 {
		e := t >> 6
		w := s.nearest(e)
		if w.epoch == e || s.turn(e) {
			for free := w.free >> (uint(t) & 63) << (uint(t) & 63); free != 0 && n > 0; n-- {
				w.free &^= free & -free
				w.taken++
				free &= free - 1
			}
		}
		t = (e + 1) << 6
	}
}

// load returns how many cycles are taken of the 128 before the 64 that t lies in.
func (s *Reservations) load(t Time) (taken int) {
	if s.ratio != nil {
		t = s.ratio.To(t)
	}
	e := t >> 6
	if n := s.loadNear(e); n >= 0 { // as a rule
		return n
	}
	if w := s.nearest(e - 1); w.epoch == e-1 {
		taken = w.taken
	} else if e-1 <= s.top {
		taken = s.taken(e - 1)
	}
	if w := s.nearest(e - 2); w.epoch == e-2 {
		taken += w.taken
	} else if e-2 <= s.top {
		taken += s.taken(e - 2)
	}
	return taken
}

// loadNear is load before an epoch where both words are at hand; or it is negative.
func (s *Reservations) loadNear(e Time) int {
	w, v := s.nearest(e-1), s.nearest(e-2)
	if w.epoch != e-1 || v.epoch != e-2 {
		return -1
	}
	return w.taken + v.taken
}

// taken returns how many of the 64 cycles of an epoch are taken, whose word is not at hand.
func (s *Reservations) taken(e Time) int {
	if e < 0 {
		return 0
	}
	w := s.peek(e)
	switch {
	case w.epoch < e:
		return 0
	case w.epoch > e: // a later one has its place
		return 64
	}
	return 64 - bits.OnesCount64(w.free)
}

// Next returns the first free cycle at or after t, and leaves it free.
func (s *Reservations) Next(t Time) Time {
	for {
		e := t >> 6
		w := s.nearest(e).word
		if w.epoch != e {
			if e > s.top {
				return t
			}
			w = s.peek(e)
		}
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

// Bar takes all cycles from one to before another, whether they are free or not.
func (s *Reservations) Bar(from, to Time) {
	for from = max(0, from); from < to; from = from>>6<<6 + 64 {
		if s.turn(from >> 6) {
			most := ^uint64(0)
			if n := to - from; n < 64 {
				most = 1<<uint(n) - 1
			}
			w := s.nearest(from >> 6)
			w.free &^= most << (uint(from) & 63)
			w.taken = 64 - bits.OnesCount64(w.free)
		}
	}
}

// Take is reserve in cycles of the port. Most requests find their cycle in a word at hand.
func (s *Reservations) Take(t Time) Time {
	if at, ok := s.quick(t); ok {
		return at
	}
	return s.search(t)
}

// quick is take in the word at hand.
func (s *Reservations) quick(t Time) (at Time, ok bool) {
	w := s.nearest(t >> 6)
	free := w.free >> (uint(t) & 63)
	if free == 0 || w.epoch != t>>6 {
		return 0, false
	}
	t += Time(bits.TrailingZeros64(free))
	w.free &^= 1 << (uint(t) & 63)
	w.taken++
	return t, true
}

// search is take over all words.
func (s *Reservations) search(t Time) Time {
	for {
		e := t >> 6
		w, there := s.nearest(e), true
		if w.epoch != e {
			there = s.turn(e)
		}
		if there {
			if free := w.free >> (uint(t) & 63); free != 0 {
				t += Time(bits.TrailingZeros64(free))
				w.free &^= 1 << (uint(t) & 63)
				w.taken++
				return t
			}
		}
		// A word that a later time has taken over counts as full.
		switch o := s.others; {
		case e >= o.full && e < o.behind:
			e = o.behind
		case there && w.free != 0: // before t
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
type Ratio struct{ num, den Divisor }

// NewRatio returns the ratio of a clock to the SM clock; both in MHz with three
// decimals.
func NewRatio(clock, core float64) Ratio {
	n, d := Time(float64(clock*1000)+0.5), Time(float64(core*1000)+0.5)
	if n <= 0 || d <= 0 {
		return SameClock
	}
	g := gcd(n, d)
	return Ratio{NewDivisor(int(n / g)), NewDivisor(int(d / g))}
}

// SameClock is the ratio of a port that runs at the SM clock.
var SameClock = Ratio{NewDivisor(1), NewDivisor(1)}

func gcd(a, b Time) Time {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Common returns after how many SM cycles, and cycles of the other clock, both begin at once again.
func (r Ratio) Common() (core, other uint64) { return r.den.N, r.num.N }

func (r *Ratio) one() bool { return r.num.N == r.den.N }

// To returns the first cycle of the other clock that begins at or after t.
func (r *Ratio) To(t Time) Time {
	return Time(r.den.Div(uint64(t)*r.num.N + r.den.N - 1))
}

// During returns the cycle of the other clock in which SM cycle t begins.
func (r *Ratio) During(t Time) Time { return Time(r.den.Div(uint64(t) * r.num.N)) }

// Back returns the first SM cycle that begins at or after cycle t of the other
// clock.
func (r *Ratio) Back(t Time) Time {
	return Time(r.num.Div(uint64(t)*r.den.N + r.num.N - 1))
}
