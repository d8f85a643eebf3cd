package reserve

import (
	"math/bits"

	"gpureplay/model/memory/hostmem"
	"gpureplay/model/memory/timing"
)

// outstandingMisses holds the times at which the misses of a cache are filled, to count
// those on their way. Most times lie in a window and are counts of its cycles;
// the others are in a queue.
type outstandingMisses struct {
	counts *[flightWindow]uint8       // of the cycles with a bit in words
	words  *[flightWindow / 64]uint64 // cycles that have times
	base   Time                       // begin of the window, a multiple of 64
	near   int                        // times in the window
	seen   Time                       // the latest that has been requested
	others timing.TimeQueue
}

// flightWindow is how many cycles the window has: more than a fill takes but on
// the most crowded of channels.
const flightWindow = 1 << 12

func newOutstandingMisses(t *hostmem.Tables) outstandingMisses {
	return outstandingMisses{
		counts: hostmem.NewEntry[[flightWindow]uint8](t), words: hostmem.NewEntry[[flightWindow / 64]uint64](t),
	}
}

// n is the number of times.
func (f *outstandingMisses) n() int { return f.near + f.others.N }

// admit returns when one more of a limited number of misses may be on its way, for a request at t. Requests come
// out of time order: misses outstanding at the latest requested time count for all later requests.
func (f *outstandingMisses) admit(t Time, limit int) Time {
	f.seen = max(f.seen, t)
	if f.n() < limit {
		return t // those that have landed need not be looked for
	}
	f.drop(f.seen)
	if f.n() < limit {
		return t
	}
	return max(t, f.pop())
}

// push adds a time.
func (f *outstandingMisses) push(t Time) {
	if t-f.base >= flightWindow {
		f.drop(f.seen)
	}
	i := uint(t) & (flightWindow - 1)
	n, w, bit := &f.counts[i], &f.words[i>>6], uint64(1)<<(i&63)
	switch {
	case uint64(t-f.base) >= flightWindow:
		f.others.Push(t)
		return
	case *w&bit == 0:
		*w |= bit
		*n = 1
	case *n == 255:
		f.others.Push(t)
		return
	default:
		*n++
	}
	f.near++
}

// drop takes the times up to t out.
func (f *outstandingMisses) drop(t Time) {
	f.others.Drop(t)
	for ; f.base+63 <= t; f.base += 64 {
		if f.near == 0 {
			f.base = (t + 1) &^ 63
			break
		}
		f.take(f.base>>6, ^uint64(0))
	}
	if t >= f.base && f.near > 0 {
		f.take(f.base>>6, ^uint64(0)>>(uint(f.base+63-t)&63))
	}
}

// take empties cycles of a word of the window.
func (f *outstandingMisses) take(word Time, mask uint64) {
	i := uint(word) & (flightWindow/64 - 1)
	w := &f.words[i]
	for m := *w & mask; m != 0; m &= m - 1 {
		f.near -= int(f.counts[(i<<6+uint(bits.TrailingZeros64(m)))&(flightWindow-1)])
	}
	*w &^= mask
}

// nearest returns the earliest time of the window, which has one.
func (f *outstandingMisses) nearest() Time {
	e := f.base >> 6
	for f.words[e&(flightWindow/64-1)] == 0 {
		e++
	}
	return e<<6 + Time(bits.TrailingZeros64(f.words[e&(flightWindow/64-1)]))
}

// pop takes the earliest time out; there is one.
func (f *outstandingMisses) pop() Time {
	if f.near == 0 {
		return f.others.Pop()
	}
	t := f.nearest()
	if f.others.N > 0 && f.others.First() < t {
		return f.others.Pop()
	}
	w := &f.words[t>>6&(flightWindow/64-1)]
	f.near--
	if n := &f.counts[t&(flightWindow-1)]; *n > 1 {
		*n--
	} else {
		*w &= *w - 1
	}
	return t
}
