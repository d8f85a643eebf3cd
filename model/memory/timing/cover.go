package timing

import (
	"math/bits"

	"gpureplay/model/memory/hostmem"
)

// Cover counts the cycles that intervals cover, each once, whatever order the
// intervals come in. It remembers as many cycles as a port; those that it has
// forgotten count as covered.
type Cover struct {
	words  []coverWord
	lo, hi Time // the cycles between are covered: those that are requested most
	noted  Time // of these words has those before this
	top    Time // no cycle from here on is covered
}

// coverWord is 64 cycles from 64·epoch on, a bit each.
type coverWord struct {
	epoch Time
	bits  uint64
}

func NewCover(t *hostmem.Tables) Cover {
	return Cover{words: hostmem.NewTable[coverWord](t, Window/64)}
}

// Add covers from ≤ t < to and returns how many of them had not been covered.
func (c *Cover) Add(from, to Time) (added Time) {
	switch {
	case from > c.hi || to < c.lo: // apart
		c.note()
		if c.lo, c.hi = from, max(from, to); from < to {
			added = c.mark(from, to)
		}
		c.noted, c.top = c.hi, max(c.top, c.hi)
		return added
	case from < c.lo:
		if c.hi-from > Window/2 { // an unnoted cycle may take the place of a requested one
			c.note()
		}
		added = c.mark(from, c.lo)
		c.lo = from
	}
	switch {
	case to <= c.hi:
	case c.hi == c.top: // as a rule
		added += to - c.hi
		c.hi, c.top = to, to
	default:
		c.note()
		added += c.mark(c.hi, to)
		c.hi, c.noted, c.top = to, to, max(c.top, to)
	}
	return added
}

// note has words have all that is covered.
func (c *Cover) note() {
	if c.noted < c.hi {
		c.mark(c.noted, c.hi)
		c.noted = c.hi
	}
}

// mark is add, bit by bit.
func (c *Cover) mark(from, to Time) (added Time) {
	for from < to {
		e := from >> 6
		end := min(to, (e+1)<<6)
		w := &c.words[int(e)&(Window/64-1)]
		if w.epoch < e {
			*w = coverWord{epoch: e}
		}
		if w.epoch == e {
			m := ^uint64(0) >> (64 - (end - from)) << (from & 63)
			added += Time(bits.OnesCount64(m &^ w.bits))
			w.bits |= m
		}
		from = end
	}
	return added
}
