package model_test

import (
	"cmp"
	"slices"

	"gpureplay/model"
)

// nWaiter is a request that waits for a fill.
type nWaiter struct {
	fill model.Time
	load *nHeld
	mshr *nMSHR // of the fill, where the L1 is looked up at a bank's head
}

// serve gives the port to the requests of fills that nothing more can wait for, in the
// order of the fills and for each as they came.
func (u *nLSU) serve() {
	c := u.n.cfg
	known := u.n.t + model.Time(c.L1.Latency+min(4, 2*c.Icnt.Latency+c.L2.Latency))
	if c.Icnt.InTurn {
		known = u.n.t + model.Time(min(4, max(2, c.Icnt.Latency)-1))
	}
	if u.heads() {
		known = u.n.t + model.Time(min(5, max(2, c.Icnt.Latency)-1))
	}
	slices.SortStableFunc(u.waiters, func(a, b nWaiter) int { return cmp.Compare(a.fill, b.fill) })
	for len(u.waiters) > 0 && u.waiters[0].fill <= known {
		x := u.waiters[0]
		u.waiters = u.waiters[1:]
		at := u.wb.reserve(x.fill)
		x.load.served = max(x.load.served, at)
		if x.mshr != nil {
			x.mshr.waiting--
			x.mshr.free = max(x.mshr.free, at-5)
		}
		if x.load.left--; c.Icnt.InTurn {
			x.load.done = max(x.load.done, x.load.served)
			u.settle(x.load)
		} else if x.load.left == 0 && x.load.served > x.load.done {
			x.load.later(x.load.served)
		}
	}
}

// arrive is when a request of a load that needs a fill is back, as far as is known.
func (u *nLSU) arrive(h *nHeld, fill model.Time) model.Time {
	if !u.n.cfg.L1.MSHROrder {
		return u.wb.reserve(fill)
	}
	u.waiters = append(u.waiters, nWaiter{fill, h, nil})
	h.left++
	return fill
}

// nFetch is a block that an L1 fetches and of which nobody knows when it comes.
type nFetch struct {
	waiting []nJoined
	mshr    *nMSHR

	// Of a slice (`dram.in_turn`), or what it writes:
	slice   int
	block   []uint64
	line    *nLine     // that it fills; nil: none
	counts  bool       // it has an MSHR
	answers []*nPacket // that wait for it
}

// nJoined waits for a fetch, unless that has come by when it would be a hit.
type nJoined struct {
	*nHeld
	hit model.Time
}

// unknown is the fetch that some of the sectors wait for.
func (l *nLine) unknown(sectors []uint64) *nFetch {
	for _, s := range sectors {
		if f := l.at(s).fetch; f != nil {
			return f
		}
	}
	return nil
}

// nMSHRs are the fill times of misses.
type nMSHRs struct {
	fills  []model.Time
	latest model.Time // of the requests
}

// admit returns when a request at t has an MSHR, of a number of them (0: any).
func (p *nMSHRs) admit(t model.Time, limit int) model.Time {
	p.latest = max(p.latest, t)
	p.fills = slices.DeleteFunc(p.fills, func(f model.Time) bool { return f <= p.latest })
	if limit == 0 || len(p.fills) < limit {
		return t
	}
	first := slices.Index(p.fills, slices.Min(p.fills))
	t = p.fills[first]
	p.fills = slices.Delete(p.fills, first, first+1)
	return t
}
