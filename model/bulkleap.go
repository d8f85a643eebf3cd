package model

import (
	"gpureplay/model/clock"
	"gpureplay/model/exec"
)

// bulkState is a state of the loop of [bulk], and what had been added up when it was
// in it. A state is all that what follows depends on, times counted from its own:
// the cycle within the period of the pace, the SM that is asked first, which CTAs are
// where since when, and since when each SM is in use.
type bulkState struct {
	t      Time // Unset: none is kept
	next   int
	others int
	flying []inBulk
	since  []Time // per SM, the first of the kernel's CTAs came; 0: there is none
	busy   []Time // per SM, the first warp came; 0: there is none
	held   []Time // per SM, cycles in which it had a CTA
	left   uint64
	work   KernelWork
	sums   bulkSums
	use    clock.Sum
	after  uint64 // placements after which another is kept
	period Time   // of the pace
}

// forget drops the state that is kept.
func (x *bulkState) forget() { x.t = Unset }

// leap returns a later cycle than t, up to a limit, at which the loop is in the state
// in which it is in t, and in which it was before; t itself if it was in none that is
// kept. The first state is kept when a kernel's first CTA has ended, another after
// twice as many CTAs each time, so that a period of any length is found.
func (u *ctaScheduler) leap(t, limit Time) Time {
	b, k, x := &u.bulk, u.bulk.k, &u.bulk.seen
	switch {
	case k.done == 0:
	case x.t == Unset:
		x.after, x.period = uint64(max(leastBulk, b.flying.n)), u.pace.Period()
		u.keepState(t)
	case b.next == x.next && x.same(u, t):
		if len(b.others) > 0 {
			limit = min(limit, b.others[0].end)
		}
		length, ctas := t-x.t, x.left-k.Left
		n := min((k.Left-1)/ctas, uint64(max(0, limit-t)/length))
		u.repeat(n, t, Time(n)*length, ctas)
		t += Time(n) * length
		u.keepState(t)
	case x.left-k.Left >= x.after:
		x.after *= 2
		u.keepState(t)
	}
	return t
}

// keepState keeps the state at t.
func (u *ctaScheduler) keepState(t Time) {
	b, k, x := &u.bulk, u.bulk.k, &u.bulk.seen
	u.use.settle(t)
	x.t, x.next, x.others, x.left = t, b.next, len(b.others), k.Left
	x.work, x.sums, x.use = k.rec.Work, b.sums, u.use.sum
	x.flying, x.since, x.busy, x.held = x.flying[:0], x.since[:0], x.busy[:0], x.held[:0]
	for i := range b.flying.n {
		x.flying = append(x.flying, *b.flying.at(i))
	}
	for _, s := range u.sms {
		since, busy := Time(0), Time(0)
		if k.smCTAs[s.ID] > 0 {
			since = k.smSince[s.ID]
		}
		if s.Resident > 0 {
			busy = s.Settled
		}
		x.since, x.busy = append(x.since, since), append(x.busy, busy)
		x.held = append(x.held, s.Occupied(t, u.use.ctas[s.ID] > 0))
	}
}

// same reports whether the state at t, with the same SM asked first, is the one that
// is kept.
func (x *bulkState) same(u *ctaScheduler, t Time) bool {
	b, k, later := &u.bulk, u.bulk.k, t-x.t
	if later <= 0 || later%x.period != 0 || b.flying.n != len(x.flying) || len(b.others) != x.others {
		return false
	}
	for i := range x.flying {
		if f := b.flying.at(i); f.sm != x.flying[i].sm || f.placed != x.flying[i].placed+later {
			return false
		}
	}
	for i, s := range u.sms {
		if k.smCTAs[i] > 0 && k.smSince[i] != x.since[i] && k.smSince[i] != x.since[i]+later {
			return false
		}
		if s.Resident > 0 && s.Settled != x.busy[i] && s.Settled != x.busy[i]+later {
			return false
		}
	}
	return true
}

// repeat adds n times what has been added up to t since the state that is kept, in
// which so many CTAs were placed, and moves every time by later.
func (u *ctaScheduler) repeat(n uint64, t, later Time, ctas uint64) {
	b, k, x := &u.bulk, u.bulk.k, &u.bulk.seen
	u.use.settle(t)
	w := &k.rec.Work
	w.ActiveSMCycles += n * (w.ActiveSMCycles - x.work.ActiveSMCycles)
	w.PlaceCycles += n * (w.PlaceCycles - x.work.PlaceCycles)
	w.WarpCycles += n * (w.WarpCycles - x.work.WarpCycles)
	w.StallTimes[exec.StallMemory] += Time(n) * (w.StallTimes[exec.StallMemory] - x.work.StallTimes[exec.StallMemory])
	b.sums.placed += n * ctas
	b.sums.ended += n * ctas
	b.sums.active += n * (b.sums.active - x.sums.active)
	b.sums.warpCycles += n * (b.sums.warpCycles - x.sums.warpCycles)
	u.use.sum.Repeat(n, &x.use)
	u.use.at += later
	k.Left -= n * ctas
	k.next += n * ctas
	k.done += n * ctas
	k.rec.LastCTA += later
	for i := range b.flying.n {
		b.flying.at(i).placed += later
	}
	for i, s := range u.sms {
		if k.smCTAs[i] > 0 && k.smSince[i] != x.since[i] {
			k.smSince[i] += later
		}
		if s.Resident > 0 && s.Settled != x.busy[i] {
			s.Settled += later
		}
		has := u.use.ctas[i] > 0
		s.Pass(later, Time(n)*(s.Occupied(t, has)-x.held[i]), has)
	}
}
