package model

import (
	"gpureplay/model/clock"
	"gpureplay/model/exec"
)

// forwardState is a state of the loop of [fastForward], with the sums at its time. A state determines all later
// placements. It has times relative to its own: the cycle within the period of the pace, the SM that is tried
// first, the SM and age of each CTA, and since when each SM is in use.
type forwardState struct {
	t      Time // Unset: no state is kept
	next   int
	others int
	onSM   []forwardedCTA
	since  []Time // per SM, the first of the kernel's CTAs came; 0: there is none
	busy   []Time // per SM, the first warp came; 0: there is none
	held   []Time // per SM, cycles in which it had a CTA
	left   uint64
	work   KernelWork
	sums   forwardSums
	use    clock.Sum
	after  uint64 // placements after which the next state is kept
	period Time   // of the pace
}

// clear drops the state that is kept.
func (x *forwardState) clear() { x.t = Unset }

// skip returns a later cycle than t, up to a limit, at which the loop is in the same state
// as in t; t itself if that is not the state that is kept. The first state is kept when a
// kernel's first CTA has ended. Each next one is kept after twice as many CTAs, so that a
// period of any length is found.
func (u *ctaScheduler) skip(t, limit Time) Time {
	b, k, x := &u.forwarding, u.forwarding.k, &u.forwarding.seen
	switch {
	case k.done == 0:
	case x.t == Unset:
		x.after, x.period = uint64(max(leastForward, b.onSM.n)), u.pace.Period()
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
	b, k, x := &u.forwarding, u.forwarding.k, &u.forwarding.seen
	u.use.settle(t)
	x.t, x.next, x.others, x.left = t, b.next, len(b.others), k.Left
	x.work, x.sums, x.use = k.rec.Work, b.sums, u.use.sum
	x.onSM, x.since, x.busy, x.held = x.onSM[:0], x.since[:0], x.busy[:0], x.held[:0]
	for i := range b.onSM.n {
		x.onSM = append(x.onSM, *b.onSM.at(i))
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

// same reports whether the state at t, with the same SM tried first, is the one that is
// kept.
func (x *forwardState) same(u *ctaScheduler, t Time) bool {
	b, k, later := &u.forwarding, u.forwarding.k, t-x.t
	if later <= 0 || later%x.period != 0 || b.onSM.n != len(x.onSM) || len(b.others) != x.others {
		return false
	}
	for i := range x.onSM {
		if f := b.onSM.at(i); f.sm != x.onSM[i].sm || f.placed != x.onSM[i].placed+later {
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

// repeat adds n times the sums from the kept state to t, in which so many CTAs were placed,
// and moves every time by later.
func (u *ctaScheduler) repeat(n uint64, t, later Time, ctas uint64) {
	b, k, x := &u.forwarding, u.forwarding.k, &u.forwarding.seen
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
	for i := range b.onSM.n {
		b.onSM.at(i).placed += later
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
