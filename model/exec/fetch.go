package exec

import (
	"math/bits"

	"gpureplay/model/clock"
	"gpureplay/model/memory"
)

// fetching gives warps their next two instructions, some warps a cycle (`sm.fetch_width`; GPGPU-Sim's
// shader_core_ctx::fetch and decode), at the end of the cycle in which they have issued the last fetched one. As a
// rule all warps without instructions get theirs, and only the last one must be remembered.
type fetching struct {
	width   int
	last    int    // slot that got its instructions last
	cycle   Time   // in which
	since   uint64 // these have none left
	waiting uint64 // these had no turn
	next    Time   // when one of them may have
	exited  uint64 // slots of warps that have exited, to which no fetch has come since
	full    Time   // the last cycle in which every fetch found a warp
}

// mostFetched is how many instructions a warp gets.
const mostFetched = 2

// used notes that w has issued the last of its instructions in cycle t, and goes on.
func (s *SM) used(w *Warp, t Time) {
	f := &s.fetch
	f.turnTo(t)
	f.since |= 1 << s.Slot(w)
	w.has = mostFetched
	if bits.OnesCount64(f.since) >= f.width {
		f.next = min(f.next, t)
		s.closeAt(t)
	}
}

// turnTo ends the cycle before t in which warps had none left: all of them got theirs.
func (f *fetching) turnTo(t Time) {
	if f.cycle == t {
		return
	}
	if m := f.since; m != 0 {
		if before := m & (1<<(f.last+1) - 1); before != 0 {
			m = before
		}
		f.last = 63 - bits.LeadingZeros64(m)
	}
	f.cycle, f.since = t, 0
}

// starve has w wait until it gets instructions, in cycle t at the earliest.
func (s *SM) starve(w *Warp, t Time) {
	if !w.starved {
		w.has, w.starved, w.kept = 0, true, w.floor
		if w.ready < memory.Unknown {
			w.kept = w.ready
		}
		w.floor, w.ready = memory.Unknown, memory.Unknown
	}
	w.begins = t
	f := &s.fetch
	f.waiting |= 1 << s.Slot(w)
	f.next = min(f.next, t)
	s.closeAt(t)
}

// fetches gives warps their instructions at the end of cycle t.
func (s *SM) fetches(t Time) {
	f := &s.fetch
	f.turnTo(t)
	all := f.since
	for m := f.waiting; m != 0; m &= m - 1 {
		if b := bits.TrailingZeros64(m); s.warps[b].begins <= t {
			all |= 1 << b
		}
	}
	first, found := f.last, 0
	for k := range f.width {
		m := all
		if m == 0 {
			break
		}
		found++
		if behind := m &^ (1<<(f.last+1) - 1); behind != 0 {
			m = behind
		}
		f.last = bits.TrailingZeros64(m)
		all &^= 1 << f.last
		at := t + 1
		if k == f.width-1 {
			at++
		}
		s.gets(&s.warps[f.last], at, t)
	}
	if found == f.width {
		s.lookedAt(between(first, f.last), t)
	}
	for m := all & f.since; m != 0; m &= m - 1 {
		s.holdBack(&s.warps[bits.TrailingZeros64(m)], t)
	}
	f.since, f.next = 0, clock.Never
	for m := f.waiting; m != 0; m &= m - 1 {
		f.next = min(f.next, max(t+1, s.warps[bits.TrailingZeros64(m)].begins))
	}
}

// between returns the bits of the slots behind one up to another, going round.
func between(first, last int) uint64 {
	upTo := func(slot int) uint64 { return 2<<slot - 1 }
	if first < last {
		return upTo(last) &^ upTo(first)
	}
	return upTo(last) | ^upTo(first)
}

// lookedAt notes the slots that the fetches of cycle t looked at, if every fetch found a warp. A fetch that finds none
// has looked at all slots. A fetch takes warps that are done off the SM on its way. Source: GPGPU-Sim's
// shader_core_ctx::fetch.
func (s *SM) lookedAt(slots uint64, t Time) {
	f := &s.fetch
	for m := f.exited; m != 0; m &= m - 1 {
		b := bits.TrailingZeros64(m)
		if w := &s.warps[b]; w.open == 0 && (w.last <= t && slots>>b&1 != 0 || w.last < t && f.full < t-1) {
			f.exited &^= 1 << b
		}
	}
	f.full = t
}

// passedOver reports whether the fetches of cycle t, at its end, have not come to one of the slots, whose warps are
// done.
func (f *fetching) passedOver(slots uint64, t Time) bool { return f.full == t && f.exited&slots != 0 }

// gets lets w issue from cycle at on, as far as its instructions are concerned.
func (s *SM) gets(w *Warp, at, t Time) {
	if w.starved {
		s.fetch.waiting &^= 1 << s.Slot(w)
		w.has, w.starved, w.floor = mostFetched, false, max(w.kept, at)
		s.reschedule(w, t)
		return
	}
	if at > t+1 {
		w.floor = max(w.floor, at)
		if w.ready < at {
			w.ready = at
			s.delay(w)
		}
	}
}

// holdBack takes a warp that has none left, and no turn in cycle t, out of its scheduler.
func (s *SM) holdBack(w *Warp, t Time) {
	if s.withdraw(w) {
		w.parked = true
	}
	s.starve(w, t+1)
}

// forget drops the fetch of w, which leaves its slot in cycle t.
func (s *SM) forget(w *Warp, t Time) {
	f, b := &s.fetch, uint64(1)<<s.Slot(w)
	if f.width == 0 {
		return
	}
	f.turnTo(t)
	if f.since&b != 0 {
		w.has = 0
	}
	f.since &^= b
	f.waiting &^= b
}

// fresh reports whether w has issued the last of its instructions in cycle t.
func (f *fetching) fresh(s *SM, w *Warp, t Time) bool {
	return f.cycle == t && f.since>>s.Slot(w)&1 != 0
}
