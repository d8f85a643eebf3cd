package clock

import (
	"math/bits"
)

// wheelSlots is how many cycles ahead the wheel reaches.
const WheelSlots = 1024

// Wheel says which SMs act in which of the coming cycles: one bit per SM and
// slot. An SM may stand in several slots; the one that counts is in due.
type Wheel struct {
	words int // per slot
	slots []uint64
	full  [WheelSlots / 64]uint64 // slots with a bit
	Due   []Time                  // per SM: the cycle in which it acts next
	Now   Time
}

// NewWheel returns the wheel of a number of SMs.
func NewWheel(sms int) *Wheel {
	w := &Wheel{words: (sms + 63) / 64, Due: make([]Time, sms)}
	w.slots = make([]uint64, WheelSlots*w.words)
	for i := range w.Due {
		w.Due[i] = never
	}
	return w
}

// Add notes that sm acts at t, now ≤ t < now+wheelSlots.
func (w *Wheel) Add(t Time, sm int) {
	s := int(t) & (WheelSlots - 1)
	w.slots[s*w.words+sm>>6] |= 1 << (sm & 63)
	w.full[s>>6] |= 1 << (s & 63)
}

// Next returns the first cycle from now on in which an SM may act.
func (w *Wheel) Next() Time {
	s := int(w.Now) & (WheelSlots - 1)
	i, shift := s>>6, s&63
	if word := w.full[i] >> shift; word != 0 {
		return w.Now + Time(bits.TrailingZeros64(word))
	}
	ahead := 64 - shift
	for n := 1; n <= len(w.full); n++ {
		word := w.full[(i+n)%len(w.full)]
		if n == len(w.full) {
			word &= 1<<shift - 1
		}
		if word != 0 {
			return w.Now + Time(ahead+bits.TrailingZeros64(word))
		}
		ahead += 64
	}
	return never
}

// Join adds the SMs of the slot of cycle t to dst, and empties the slot. It reports whether
// the slot had any.
func (w *Wheel) Join(t Time, dst []uint64) bool {
	s := int(t) & (WheelSlots - 1)
	if w.full[s>>6]>>(s&63)&1 == 0 {
		return false
	}
	w.full[s>>6] &^= 1 << (s & 63)
	for i, word := range w.slots[s*w.words : (s+1)*w.words] {
		dst[i] |= word
	}
	clear(w.slots[s*w.words : (s+1)*w.words])
	return true
}

// Take empties the slot of cycle t into dst and reports whether it held any.
func (w *Wheel) Take(t Time, dst []uint64) bool {
	s := int(t) & (WheelSlots - 1)
	if w.full[s>>6]>>(s&63)&1 == 0 {
		return false
	}
	w.full[s>>6] &^= 1 << (s & 63)
	slot := w.slots[s*w.words : (s+1)*w.words]
	copy(dst, slot)
	clear(slot)
	return true
}
