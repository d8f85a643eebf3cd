package model

import (
	"cmp"
	"slices"

	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
)

// fastForward places equal CTAs ahead of the machine in one loop. All that is known of such
// a CTA is how long it holds its place on an SM. The kernel at the front of the distributor
// gets every free place while it has CTAs to give, and each of them holds its place equally
// long. So until its last CTA no other unit looks at an SM, and the loop leaves the state
// that placing the CTAs one by one would have left.
//
// While a kernel is fast-forwarded (from enterForward to leaveForward), its CTAs are in the
// books here and not on the SMs. CTAs of earlier kernels, of the same kind, retire in the
// same loop. When the loop returns to an earlier state, it skips whole periods
// (fastforward_skip.go).
type fastForward struct {
	on     bool
	k      *kernelRun // the kernel that is fast-forwarded; nil: none
	turns  RoundRobin
	hold   Time    // cycles for which each of its CTAs holds its place
	next   int     // SM that is tried first
	ahead  Time    // all placements before this cycle, and some of it, are made
	onSM   ctaRing // its CTAs on SMs, in the order of placement and so of their ends
	others []otherCTA
	rest   []hardware.Resources // per SM, resources of others
	room   []int                // per SM, CTAs that still fit
	free   int                  // sum of room
	held   int                  // CTAs on SMs that only hold their places, while no kernel is fast-forwarded
	sums   forwardSums
	seen   forwardState
}

// forwardedCTA is a CTA of the kernel on its SM.
type forwardedCTA struct {
	sm     int
	placed Time
}

// otherCTA is a CTA of an earlier kernel.
type otherCTA struct {
	kernel *kernelRun
	sm     int
	end    Time
}

// forwardSums are the sums of the loop beside the records.
type forwardSums struct {
	placed, ended uint64 // CTAs
	active        uint64 // cycles of SMs with a warp
	warpCycles    uint64
}

// RoundRobin is a [CTAScheduler] that places CTAs of the first kernel only, on the SMs with
// room in turn.
type RoundRobin interface {
	Turn() int // SM that is tried first
	SetTurn(int)
}

// leastForward is how many CTAs a kernel has left at least to be fast-forwarded.
const leastForward = 64

// forwardable returns the kernel that may be fast-forwarded, or nil.
func (u *ctaScheduler) forwardable() *kernelRun {
	if !u.forwarding.on || len(u.entries) == 0 || u.resumes.Len() > 0 || u.forwarding.held != u.onSMs {
		return nil
	}
	if _, ok := u.policy.CTA.(RoundRobin); !ok {
		return nil
	}
	for _, k := range u.entries {
		if k.Left == 0 {
			continue
		}
		plain := k.work.Held() && k.launch == nil && k.fused == nil && !k.narrow && k.cursor == nil &&
			k.groups.Len() == 0 && k.next < k.native
		if !plain || k.Left < leastForward || k.Left < uint64(u.onSMs/8) {
			return nil
		}
		return k
	}
	return nil
}

// forward places CTAs of the fast-forwarded kernel from cycle t on, up to a cycle in which
// another unit looks at the SMs.
func (u *ctaScheduler) forward(t Time) {
	b, k := &u.forwarding, u.forwarding.k
	limit := min(u.sampler.next, u.cut+1, host.Horizon)
	for k.Left > 1 && t < limit {
		u.retire(t)
		if later := u.skip(t, limit); later > t {
			t = later
			continue
		}
		given := 0
		if u.at == t {
			given = u.given
		}
		for most := u.pace.In(t); given < most && b.free > 0 && k.Left > 1; given++ {
			u.placeCTA(t)
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
		u.retire(t)
		u.publish()
	} else {
		u.leaveForward(t)
	}
	b.ahead = t
	u.wakeAt(t)
}

// firstEnd is when the first CTA on an SM ends.
func (b *fastForward) firstEnd() Time {
	end := never
	if b.onSM.n > 0 {
		end = b.onSM.first().placed + b.hold
	}
	if len(b.others) > 0 {
		end = min(end, b.others[0].end)
	}
	return end
}

// enterForward moves the CTAs from the SMs into the loop's books in cycle t.
func (u *ctaScheduler) enterForward(k *kernelRun, t Time) {
	b, m := &u.forwarding, u
	b.k, b.hold = k, Time(m.cfg.SM.CTALaunchLatency)+k.inferred
	b.turns = m.policy.CTA.(RoundRobin)
	b.next = b.turns.Turn()
	b.sums = forwardSums{}
	b.room, b.rest, b.others, b.free = b.room[:0], b.rest[:0], b.others[:0], 0
	var all []*ctaRun
	for _, s := range m.sms {
		s.Settle(t)
		b.sums.warpCycles -= s.Resident * uint64(t)
		room := m.cfg.Room(s.Used, k.seen.Resources)
		b.room, b.free = append(b.room, room), b.free+room
		rest := s.Used
		s.TakeCTAs(func(on *exec.CTA, end Time) {
			c := of(on)
			if c.kernel == k {
				all, rest = append(all, c), rest.Minus(k.seen.Resources)
			} else {
				b.others = append(b.others, otherCTA{c.kernel, s.ID, end})
			}
			m.kernels.spareCTAs = append(m.kernels.spareCTAs, c)
		})
		b.rest = append(b.rest, rest)
	}
	slices.SortStableFunc(all, func(a, b *ctaRun) int { return cmp.Compare(a.Rec.Dispatch, b.Rec.Dispatch) })
	for _, c := range all {
		b.onSM.push(forwardedCTA{c.SM.ID, c.Rec.Dispatch})
	}
	slices.SortStableFunc(b.others, func(a, b otherCTA) int { return cmp.Compare(a.end, b.end) })
	b.seen.clear()
}

// retire ends the CTAs whose time is over before cycle t.
func (u *ctaScheduler) retire(t Time) {
	b, k := &u.forwarding, u.forwarding.k
	for {
		end := b.firstEnd()
		if end >= t {
			return
		}
		if b.onSM.n > 0 && b.onSM.first().placed+b.hold == end {
			sm := b.onSM.pop().sm
			u.retireCTA(k, sm, end)
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
		u.retireCTA(x.kernel, x.sm, end)
		b.rest[x.sm] = b.rest[x.sm].Minus(x.kernel.seen.Resources)
		u.makeRoom(x.sm)
		began := end - Time(u.cfg.SM.CTALaunchLatency) - x.kernel.inferred
		x.kernel.rec.Work.WarpCycles += uint64(x.kernel.seen.Resources.Warps) * uint64(end-began)
		x.kernel.rec.Work.StallTimes[exec.StallMemory] += end - began
		if x.kernel.Resident--; x.kernel.done == x.kernel.CTAs {
			u.end(x.kernel, end+1)
		}
	}
}

// makeRoom computes how many more CTAs fit on an SM that holds or held others.
func (u *ctaScheduler) makeRoom(sm int) {
	b := &u.forwarding
	used := b.rest[sm].With(b.k.seen.Resources, int(b.k.smCTAs[sm]))
	room := u.cfg.Room(used, b.k.seen.Resources)
	b.free += room - b.room[sm]
	b.room[sm] = room
}

// retireCTA ends a CTA of k on an SM.
func (u *ctaScheduler) retireCTA(k *kernelRun, sm int, end Time) {
	b, s, warps := &u.forwarding, u.sms[sm], uint64(k.seen.Resources.Warps)
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

// placeCTA places a CTA on the next SM with room in cycle t.
func (u *ctaScheduler) placeCTA(t Time) {
	b, m, k := &u.forwarding, u, u.forwarding.k
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
	m.sum.Wakeups++
	m.use.move(k, s, 1, t)
	b.onSM.push(forwardedCTA{sm, t})
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

// publish writes the CTAs on SMs and their resources into the machine's books.
func (u *ctaScheduler) publish() {
	b, m := &u.forwarding, u
	for _, s := range m.sms {
		s.Used = b.rest[s.ID].With(b.k.seen.Resources, int(b.k.smCTAs[s.ID]))
	}
	b.k.Resident = b.onSM.n
	u.onSMs = b.onSM.n + len(b.others)
	m.sum.CTAs += b.sums.ended
	m.sum.Warps += b.sums.placed * uint64(b.k.seen.Resources.Warps)
	b.sums.ended, b.sums.placed = 0, 0
}

// leaveForward puts the CTAs back on their SMs in cycle t.
func (u *ctaScheduler) leaveForward(t Time) {
	b, m := &u.forwarding, u
	u.publish()
	b.turns.SetTurn(b.next)
	for _, s := range m.sms {
		if s.Resident > 0 {
			b.sums.active += uint64(t - s.Settled)
		}
		s.Settled = t
		b.sums.warpCycles += s.Resident * uint64(t)
	}
	m.sms[0].WarpCycles += b.sums.warpCycles // only the sum over SMs is reported
	m.sms[0].ActiveCycles += b.sums.active
	for _, x := range b.others {
		u.giveBack(x.kernel, x.sm, x.end)
	}
	for b.onSM.n > 0 {
		x := b.onSM.pop()
		u.giveBack(b.k, x.sm, x.placed+b.hold)
	}
	b.held, b.others, b.k = u.onSMs, b.others[:0], nil
}

// giveBack puts a CTA of k that ends at a time on its SM.
func (u *ctaScheduler) giveBack(k *kernelRun, sm int, end Time) {
	m := u
	s, c := m.sms[sm], m.kernels.takeCTA()
	c.clear(0)
	c.reset(k, 0)
	s.PutBack(&c.CTA, end-Time(m.cfg.SM.CTALaunchLatency)-k.inferred, end)
}

// ctaRing is a queue of CTAs in a ring buffer.
type ctaRing struct {
	ring []forwardedCTA
	head int
	n    int
}

func (f *ctaRing) first() *forwardedCTA { return &f.ring[f.head] }

// at returns the i-th from the first.
func (f *ctaRing) at(i int) *forwardedCTA { return &f.ring[(f.head+i)&(len(f.ring)-1)] }

func (f *ctaRing) push(x forwardedCTA) {
	if f.n == len(f.ring) {
		ring := make([]forwardedCTA, max(64, 2*f.n))
		for i := range f.n {
			ring[i] = *f.at(i)
		}
		f.ring, f.head = ring, 0
	}
	f.n++
	*f.at(f.n - 1) = x
}

func (f *ctaRing) pop() forwardedCTA {
	x := f.ring[f.head]
	f.head = (f.head + 1) & (len(f.ring) - 1)
	f.n--
	return x
}
