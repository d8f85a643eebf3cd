package model

import "math/bits"

// slots reserves single cycles of a port, bank or bus. Requests are computed
// out of time order, so a next-free counter would be wrong by an order of
// magnitude (MODEL.md, choice 3); a bit a cycle over a window is exact.
type slots struct {
	words []uint64
	epoch []Time // time of the first cycle of the word, in units of 64 cycles
	ratio ratio  // SM cycles to cycles of the port
}

// slotWindow is how many cycles a port remembers.
const slotWindow = 1 << 14

func newSlots(r ratio) slots {
	s := slots{words: make([]uint64, slotWindow/64), epoch: make([]Time, slotWindow/64), ratio: r}
	for i := range s.epoch {
		s.epoch[i] = -1
	}
	return s
}

// reserve takes the first free cycle at or after t and returns its time.
func (s *slots) reserve(t Time) Time {
	if s.ratio.one() {
		return s.take(t)
	}
	return s.ratio.back(s.take(s.ratio.to(t)))
}

// packet takes the first free cycles at or after t for the flits of a packet and
// returns the time of the last.
func (s *slots) packet(t Time, flits int) Time {
	t = s.reserve(t)
	for ; flits > 1; flits-- {
		t = s.reserve(t)
	}
	return t
}

func (s *slots) take(t Time) Time {
	for {
		e := t >> 6
		i := int(e) & (slotWindow/64 - 1)
		if s.epoch[i] < e {
			s.epoch[i], s.words[i] = e, 0
		}
		// A word that a later time has taken over counts as full.
		if s.epoch[i] == e {
			if free := ^s.words[i] >> (t & 63); free != 0 {
				t += Time(bits.TrailingZeros64(free))
				s.words[i] |= 1 << (t & 63)
				return t
			}
		}
		t = (e + 1) << 6
	}
}

// ratio converts SM cycles into cycles of another clock, exactly.
type ratio struct{ num, den Time }

// newRatio returns the ratio of a clock to the SM clock; both in MHz with three
// decimals.
func newRatio(clock, core float64) ratio {
	n, d := Time(clock*1000+0.5), Time(core*1000+0.5)
	if n <= 0 || d <= 0 {
		return ratio{1, 1}
	}
	g := gcd(n, d)
	return ratio{n / g, d / g}
}

func gcd(a, b Time) Time {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (r ratio) one() bool { return r.num == r.den }

// to returns the first cycle of the other clock that begins at or after t.
func (r ratio) to(t Time) Time { return (t*r.num + r.den - 1) / r.den }

// back returns the first SM cycle that begins at or after cycle t of the other
// clock.
func (r ratio) back(t Time) Time { return (t*r.den + r.num - 1) / r.num }
