package model

import (
	"cmp"
	"slices"

	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
)

// bulk places CTAs of which nothing is known but for how long they hold their
// places ahead of the machine, in one loop. It may, since a kernel whose CTAs come
// first leaves the others none while it has some to give: until its last one nobody
// else looks at an SM, and every CTA holds its place equally long. What it leaves is
// what placing them one by one would have left, at the cycle up to which it went.
//
// While a kernel is aloft, the SMs hold no CTAs but in the books here. CTAs of
// kernels before it that are still on SMs, of which no more is known either, end in
// the same loop. Where the loop comes to a state in which it has been, it leaps over
// as many returns as there are (bulkleap.go).
type bulk struct {
	on     bool
	k      *kernelRun // the kernel that is aloft; nil: none is
	turns  RoundRobin
	hold   Time   // for how long each of its CTAs holds its place
	next   int    // the SM that is asked first
	ahead  Time   // placements before this cycle have been made, and some of it
	flying flight // its CTAs on SMs, in the order of their end, which is that of their coming
	others []other
	rest   []hardware.Resources // per SM, what others hold
	room   []int                // per SM, CTAs that still fit
	free   int                  // of all together
	held   int                  // CTAs on SMs that do nothing but hold their place, where none is aloft
	sums   bulkSums
	seen   bulkState
}

// inBulk is a CTA on its SM.
type inBulk struct {
	sm     int
	placed Time
}

// other is one of a kernel before.
type other struct {
	kernel *kernelRun
	sm     int
	end    Time
}

// bulkSums are what the loop adds up beside the records.
type bulkSums struct {
	placed, ended uint64 // CTAs
	active        uint64 // cycles of SMs with a warp
	warpCycles    uint64
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
func (u *ctaScheduler) bulkKernel() *kernelRun {
	if !u.bulk.on || len(u.entries) == 0 || u.resumes.Len() > 0 || u.bulk.held != u.onSMs {
		return nil
	}
	if _, ok := u.policy.CTA.(RoundRobin); !ok {
		return nil
	}
	for _, k := range u.entries {
		if k.Left == 0 {
			continue
		}
		plain := k.work.Held() && k.launch == nil && k.fused == nil && !k.narrow && k.cursor == nil && k.groups.Len() == 0 && k.next < k.native
		if !plain || k.Left < leastBulk || k.Left < uint64(u.onSMs/8) {
			return nil
		}
		return k
	}
	return nil
}

// runAhead places CTAs of the kernel that is aloft from cycle t on, up to a cycle in
// which somebody looks.
func (u *ctaScheduler) runAhead(t Time) {
	b, k := &u.bulk, u.bulk.k
	limit := min(u.sampler.next, u.cut+1, host.Horizon)
	for k.Left > 1 && t < limit {
		u.land(t)
		if later := u.leap(t, limit); later > t {
			t = later
			continue
		}
		given := 0
		if u.at == t {
			given = u.given
		}
		for most := u.pace.In(t); given < most && b.free > 0 && k.Left > 1; given++ {
			u.takeOff(t)
		}
		u.at, u.given, b.ahead = t, given, t
		if k.Left == 1 { // it may go in the same cycle
			break
		}
		if b.free == 0 {
			t = max(t+1, b.firstEnd()+1)
		}
		t = u.pace.Next(max(t, u.at+1))
	}
	if k.Left > 1 {
		t = max(limit, b.ahead)
		u.land(t)
		u.publish()
	} else {
		u.settle(t)
	}
	b.ahead = t
	u.wakeAt(t)
}

// firstEnd is when the first of the CTAs on SMs ends.
func (b *bulk) firstEnd() Time {
	end := never
	if b.flying.n > 0 {
		end = b.flying.first().placed + b.hold
	}
	if len(b.others) > 0 {
		end = min(end, b.others[0].end)
	}
	return end
}

// lift takes the CTAs off the SMs into the loop's books, in cycle t.
func (u *ctaScheduler) lift(k *kernelRun, t Time) {
	b, m := &u.bulk, u
	b.k, b.hold = k, Time(m.cfg.SM.CTALaunchLatency)+k.inferred
	b.turns = m.policy.CTA.(RoundRobin)
	b.next = b.turns.Turn()
	b.sums = bulkSums{}
	b.room, b.rest, b.others, b.free = b.room[:0], b.rest[:0], b.others[:0], 0
	var all []*ctaRun
	for _, s := range m.sms {
		s.Settle(t)
		b.sums.warpCycles -= s.Resident * uint64(t)
		room := m.cfg.Room(s.Used, k.seen.Resources)
		b.room, b.free = append(b.room, room), b.free+room
		rest := s.Used
		s.Lift(func(on *exec.CTA, end Time) {
			c := of(on)
			if c.kernel == k {
				all, rest = append(all, c), rest.Minus(k.seen.Resources)
			} else {
				b.others = append(b.others, other{c.kernel, s.ID, end})
			}
			m.kernels.spareCTAs = append(m.kernels.spareCTAs, c)
		})
		b.rest = append(b.rest, rest)
	}
	slices.SortStableFunc(all, func(a, b *ctaRun) int { return cmp.Compare(a.Rec.Dispatch, b.Rec.Dispatch) })
	for _, c := range all {
		b.flying.push(inBulk{c.SM.ID, c.Rec.Dispatch})
	}
	slices.SortStableFunc(b.others, func(a, b other) int { return cmp.Compare(a.end, b.end) })
	b.seen.forget()
}

// land ends the CTAs that end before cycle t.
func (u *ctaScheduler) land(t Time) {
	b, k := &u.bulk, u.bulk.k
	for {
		end := b.firstEnd()
		if end >= t {
			return
		}
		if b.flying.n > 0 && b.flying.first().placed+b.hold == end {
			sm := b.flying.pop().sm
			u.touchDown(k, sm, end)
			k.rec.Work.WarpCycles += uint64(k.seen.Resources.Warps) * uint64(b.hold)
			k.rec.Work.StallTimes[exec.StallMemory] += b.hold
			if b.rest[sm].CTAs == 0 {
				b.room[sm]++
				b.free++
				continue
			}
			u.makeRoom(sm)
			continue
		}
		x := b.others[0]
		b.others = b.others[1:]
		u.touchDown(x.kernel, x.sm, end)
		b.rest[x.sm] = b.rest[x.sm].Minus(x.kernel.seen.Resources)
		u.makeRoom(x.sm)
		began := end - Time(u.cfg.SM.CTALaunchLatency) - x.kernel.inferred
		x.kernel.rec.Work.WarpCycles += uint64(x.kernel.seen.Resources.Warps) * uint64(end-began)
		x.kernel.rec.Work.StallTimes[exec.StallMemory] += end - began
		if x.kernel.Resident--; x.kernel.done == x.kernel.total {
			u.end(x.kernel, end+1)
		}
	}
}

// makeRoom finds how many CTAs an SM takes on which others are or were.
func (u *ctaScheduler) makeRoom(sm int) {
	b := &u.bulk
	used := b.rest[sm].With(b.k.seen.Resources, int(b.k.smCTAs[sm]))
	room := u.cfg.Room(used, b.k.seen.Resources)
	b.free += room - b.room[sm]
	b.room[sm] = room
}

// touchDown ends a CTA of k on an SM.
func (u *ctaScheduler) touchDown(k *kernelRun, sm int, end Time) {
	b, s, warps := &u.bulk, u.sms[sm], uint64(k.seen.Resources.Warps)
	if k.smCTAs[sm]--; k.smCTAs[sm] == 0 {
		k.SMs--
		k.went(sm, end, u.cfg.SM.MaxWarps)
	}
	s.Resident -= warps
	if s.Resident == 0 && warps > 0 {
		b.sums.active += uint64(end - s.Settled)
	}
	b.sums.warpCycles += warps * uint64(end)
	b.sums.ended++
	u.use.move(k, s, -1, end)
	if u.use.ctas[sm] == 0 {
		s.Vacate(end)
	}
	k.done++
}

// takeOff places a CTA on the next SM with room, in cycle t.
func (u *ctaScheduler) takeOff(t Time) {
	b, m, k := &u.bulk, u, u.bulk.k
	sm := b.next
	for b.room[sm] == 0 {
		if sm++; sm == len(b.room) {
			sm = 0
		}
	}
	if b.next = sm + 1; b.next == len(b.room) {
		b.next = 0
	}
	s, warps := m.sms[sm], uint64(k.seen.Resources.Warps)
	s.TurnTo(&k.seen, m.use.ctas[sm] == 0, t)
	if k.smCTAs[sm]++; k.smCTAs[sm] == 1 {
		k.SMs++
		k.came(sm, t)
	}
	if s.Resident == 0 {
		s.Settled = t
	}
	s.Resident += warps
	b.sums.warpCycles -= warps * uint64(t)
	b.sums.placed++
	m.sum.Events++
	m.use.move(k, s, 1, t)
	b.flying.push(inBulk{sm, t})
	if b.rest[sm].CTAs == 0 {
		b.room[sm]--
		b.free--
	} else {
		u.makeRoom(sm)
	}
	if k.rec.FirstCTA == Unset {
		k.rec.FirstCTA = t
	}
	k.rec.LastCTA = t
	k.Left--
	k.next++
}

// publish tells the machine how many CTAs are on SMs, and what they hold.
func (u *ctaScheduler) publish() {
	b, m := &u.bulk, u
	for _, s := range m.sms {
		s.Used = b.rest[s.ID].With(b.k.seen.Resources, int(b.k.smCTAs[s.ID]))
	}
	b.k.Resident = b.flying.n
	u.onSMs = b.flying.n + len(b.others)
	m.sum.CTAs += b.sums.ended
	m.sum.Warps += b.sums.placed * uint64(b.k.seen.Resources.Warps)
	b.sums.ended, b.sums.placed = 0, 0
}

// settle puts the CTAs that are under way back on their SMs, in cycle t.
func (u *ctaScheduler) settle(t Time) {
	b, m := &u.bulk, u
	u.publish()
	b.turns.SetTurn(b.next)
	for _, s := range m.sms {
		if s.Resident > 0 {
			b.sums.active += uint64(t - s.Settled)
		}
		s.Settled = t
		b.sums.warpCycles += s.Resident * uint64(t)
	}
	m.sms[0].WarpCycles += b.sums.warpCycles // only their sum is told
	m.sms[0].ActiveCycles += b.sums.active
	for _, x := range b.others {
		u.putBack(x.kernel, x.sm, x.end)
	}
	for b.flying.n > 0 {
		x := b.flying.pop()
		u.putBack(b.k, x.sm, x.placed+b.hold)
	}
	b.held, b.others, b.k = u.onSMs, b.others[:0], nil
}

// putBack makes a CTA of k that ends at a time one that the machine knows.
func (u *ctaScheduler) putBack(k *kernelRun, sm int, end Time) {
	m := u
	s, c := m.sms[sm], m.kernels.takeCTA()
	c.clear(0)
	c.reset(k, 0)
	s.PutBack(&c.CTA, end-Time(m.cfg.SM.CTALaunchLatency)-k.inferred, end)
}

// flight is a queue of CTAs in a ring.
type flight struct {
	ring []inBulk
	head int
	n    int
}

func (f *flight) first() *inBulk { return &f.ring[f.head] }

// at returns the i-th from the first.
func (f *flight) at(i int) *inBulk { return &f.ring[(f.head+i)&(len(f.ring)-1)] }

func (f *flight) push(x inBulk) {
	if f.n == len(f.ring) {
		ring := make([]inBulk, max(64, 2*f.n))
		for i := range f.n {
			ring[i] = *f.at(i)
		}
		f.ring, f.head = ring, 0
	}
	f.n++
	*f.at(f.n - 1) = x
}

func (f *flight) pop() inBulk {
	x := f.ring[f.head]
	f.head = (f.head + 1) & (len(f.ring) - 1)
	f.n--
	return x
}
