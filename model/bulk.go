package model

import (
	"cmp"
	"gpureplay/model/hardware"
	"slices"
)

// bulk places CTAs of which nothing is known but for how long they hold their
// places ahead of the machine, in one loop. It may, since a kernel whose CTAs come
// first leaves the others none while it has some to give: until its last one nobody
// else looks at an SM, and every CTA holds its place equally long. What it leaves is
// what placing them one by one would have left, at the cycle up to which it went.
type bulk struct {
	on     bool
	ahead  Time         // placements before this cycle have been made, and some of it
	flying fifo[inBulk] // CTAs on SMs, in the order of their end, which is that of their coming
	room   []int        // per SM, CTAs that still fit
	free   int          // of all together
	fit    int          // of one that is empty
}

// inBulk is a CTA on its SM.
type inBulk struct {
	sm     int
	placed Time
}

// RoundRobin is a [CTAScheduler] that gives the CTAs of the first kernel alone, to
// the SMs with room in turn.
type RoundRobin interface {
	Turn() int // the SM that is asked first
	SetTurn(int)
}

// leastBulk is how many CTAs are left at least for it to be worth it.
const leastBulk = 64

// bulkKernel returns the kernel whose CTAs may be placed ahead, or nil.
func (u *ctaScheduler) bulkKernel() (*kernelRun, RoundRobin) {
	if !u.bulk.on || len(u.entries) == 0 || u.resumes.len() > 0 {
		return nil, nil
	}
	turns, ok := u.m.policy.CTA.(RoundRobin)
	if !ok {
		return nil, nil
	}
	for _, k := range u.entries {
		if k.Left == 0 {
			continue
		}
		plain := k.work.Held() && k.launch == nil && k.fused == nil && !k.narrow && k.cursor == nil && k.groups.len() == 0 && k.group == nil && k.next < k.native
		fit, _ := u.m.cfg.Residency(&k.tk)
		if !plain || fit == 0 || k.Left < leastBulk || k.Resident != u.onSMs {
			return nil, nil
		}
		return k, turns
	}
	return nil, nil
}

// runAhead places CTAs from cycle t on, of which given have been placed in it.
func (u *ctaScheduler) runAhead(k *kernelRun, turns RoundRobin, t Time) {
	b, m := &u.bulk, u.m
	hold := Time(m.cfg.SM.CTALaunchLatency) + k.inferred
	u.lift(k)
	next := turns.Turn()
	for k.Left > 1 && t < m.sampler.next {
		u.land(k, hold, t)
		given := 0
		if u.at == t {
			given = u.given
		}
		for most := u.pace.in(t); given < most && k.Left > 1; given++ {
			sm := b.find(next)
			if sm < 0 {
				break
			}
			u.takeOff(k, sm, t)
			if next = sm + 1; next == len(b.room) {
				next = 0
			}
		}
		u.at, u.given, b.ahead = t, given, t
		if k.Left == 1 { // it may go in the same cycle
			break
		}
		if b.find(next) < 0 {
			t = max(t+1, b.flying.first().placed+hold+1)
		}
		t = u.pace.next(max(t, u.at+1))
	}
	turns.SetTurn(next)
	u.settle(k, hold)
	u.wakeAt(t)
}

// find returns the first SM with room from a place on, around; -1: there is none.
func (b *bulk) find(from int) int {
	n := len(b.room)
	if b.free == 0 {
		return -1
	}
	for i := range n {
		sm := from + i
		if sm >= n {
			sm -= n
		}
		if b.room[sm] > 0 {
			return sm
		}
	}
	return -1
}

// lift takes the CTAs of k off the SMs into the loop's books.
func (u *ctaScheduler) lift(k *kernelRun) {
	b, m := &u.bulk, u.m
	fit, _ := m.cfg.Residency(&k.tk)
	if k.res == (hardware.Resources{}) {
		fit = m.cfg.SM.MaxCTAs
	}
	b.room, b.free, b.fit = b.room[:0], 0, fit
	var all []*ctaRun
	for _, s := range m.sms {
		b.room = append(b.room, fit-len(s.ctas))
		b.free += fit - len(s.ctas)
		all = append(all, s.ctas...)
		m.spareCTAs = append(m.spareCTAs, s.ctas...)
		s.ctas, s.ending, s.ends = s.ctas[:0], s.ending[:0], never
	}
	sortByPlace(all)
	for _, c := range all {
		b.flying.push(inBulk{c.sm.id, c.rec.Dispatch})
	}
}

// land ends the CTAs that end before cycle t.
func (u *ctaScheduler) land(k *kernelRun, hold, t Time) {
	b := &u.bulk
	for b.flying.len() > 0 && b.flying.first().placed+hold < t {
		x := b.flying.pop()
		end := x.placed + hold
		s := u.m.sms[x.sm]
		s.settle(end)
		s.resident -= uint64(k.res.Warps)
		b.room[x.sm]++
		b.free++
		if b.room[x.sm] == b.fit {
			k.went(x.sm, end, u.m.cfg.SM.MaxWarps)
		}
		k.rec.Work.WarpCycles += uint64(k.res.Warps) * uint64(hold)
		k.rec.Work.StallTimes[StallMemory] += hold
		u.m.use.move(k, s, -1, end)
		u.m.sum.CTAs++
		k.done++
	}
}

// takeOff places a CTA on an SM in cycle t.
func (u *ctaScheduler) takeOff(k *kernelRun, sm int, t Time) {
	s := u.m.sms[sm]
	s.settle(t)
	if s.order != k.Order { // nobody else is on it
		s.lsu.enter(k)
	}
	s.holder, s.order = k.ID, k.Order
	if u.bulk.room[sm] == u.bulk.fit {
		k.came(sm, t)
	}
	s.resident += uint64(k.res.Warps)
	u.bulk.room[sm]--
	u.bulk.free--
	u.m.sum.Warps += uint64(k.res.Warps)
	u.m.use.move(k, s, 1, t)
	u.bulk.flying.push(inBulk{sm, t})
	if k.rec.FirstCTA == Unset {
		k.rec.FirstCTA = t
	}
	k.rec.LastCTA = t
	k.Left--
	k.next++
}

// settle puts the CTAs that are under way back on their SMs.
func (u *ctaScheduler) settle(k *kernelRun, hold Time) {
	b, m := &u.bulk, u.m
	for _, s := range m.sms {
		s.used, k.smCTAs[s.id] = hardware.Resources{}, 0
	}
	k.Resident, k.SMs = b.flying.len(), 0
	u.onSMs = k.Resident
	for b.flying.len() > 0 {
		x := b.flying.pop()
		s := m.sms[x.sm]
		c := m.takeCTA()
		c.clear(0)
		c.reset(k, 0)
		c.sm, c.held, c.until = s, true, x.placed+hold
		c.rec.SM, c.rec.Dispatch, c.rec.Start, c.rec.End = uint32(x.sm), x.placed, Unset, Unset
		s.ctas = append(s.ctas, c)
		s.used = s.used.Plus(k.res)
		if k.smCTAs[x.sm]++; k.smCTAs[x.sm] == 1 {
			k.SMs++
		}
		s.end(c, c.until)
	}
}

// sortByPlace sorts CTAs by when they were placed.
func sortByPlace(all []*ctaRun) {
	slices.SortStableFunc(all, func(a, b *ctaRun) int { return cmp.Compare(a.rec.Dispatch, b.rec.Dispatch) })
}
