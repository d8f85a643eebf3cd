package model

import (
	"math/bits"

	"gpureplay/model/memory"
)

// never is later than any time of a run.
const never = memory.Never

// wheelSlots is how many cycles ahead the wheel reaches.
const wheelSlots = 1024

// wheel says which SMs act in which of the coming cycles: one bit per SM and
// slot. An SM may stand in several slots; the one that counts is in due.
type wheel struct {
	words int // per slot
	slots []uint64
	full  [wheelSlots / 64]uint64 // slots with a bit
	due   []Time                  // per SM: the cycle in which it acts next
	now   Time
}

func newWheel(sms int) *wheel {
	w := &wheel{words: (sms + 63) / 64, due: make([]Time, sms)}
	w.slots = make([]uint64, wheelSlots*w.words)
	for i := range w.due {
		w.due[i] = never
	}
	return w
}

// add notes that sm acts at t, now ≤ t < now+wheelSlots.
func (w *wheel) add(t Time, sm int) {
	s := int(t) & (wheelSlots - 1)
	w.slots[s*w.words+sm>>6] |= 1 << (sm & 63)
	w.full[s>>6] |= 1 << (s & 63)
}

// next returns the first cycle from now on in which an SM may act.
func (w *wheel) next() Time {
	s := int(w.now) & (wheelSlots - 1)
	i, shift := s>>6, s&63
	if word := w.full[i] >> shift; word != 0 {
		return w.now + Time(bits.TrailingZeros64(word))
	}
	ahead := 64 - shift
	for n := 1; n <= len(w.full); n++ {
		word := w.full[(i+n)%len(w.full)]
		if n == len(w.full) {
			word &= 1<<shift - 1
		}
		if word != 0 {
			return w.now + Time(ahead+bits.TrailingZeros64(word))
		}
		ahead += 64
	}
	return never
}

// take empties the slot of cycle t into dst and reports whether it held any.
func (w *wheel) take(t Time, dst []uint64) bool {
	s := int(t) & (wheelSlots - 1)
	if w.full[s>>6]>>(s&63)&1 == 0 {
		return false
	}
	w.full[s>>6] &^= 1 << (s & 63)
	slot := w.slots[s*w.words : (s+1)*w.words]
	copy(dst, slot)
	clear(slot)
	return true
}
