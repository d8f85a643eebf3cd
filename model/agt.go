package model

import (
	"gpureplay/model/exec"
	"gpureplay/trace"
)

// agt is DTBL's aggregated group table. A group that finds no entry keeps its
// record in global memory (DTBL paper, section 4.2).
type agt struct {
	used   []bool
	hashed bool    // the launching hardware thread names the entry; otherwise any free one
	spare  []int32 // free entries, the next one last, if not hashed
	n      int
	most   int
}

func newAGT(size int, hashed bool) *agt {
	a := &agt{used: make([]bool, size), hashed: hashed}
	for i := size - 1; i >= 0 && !hashed; i-- {
		a.spare = append(a.spare, int32(i))
	}
	return a
}

// allocate returns an entry for a group of a hardware thread, or -1 if there is
// none.
func (a *agt) allocate(tid uint32) int32 {
	i := int32(tid & uint32(len(a.used)-1))
	if !a.hashed {
		if len(a.spare) == 0 {
			return -1
		}
		i, a.spare = a.spare[len(a.spare)-1], a.spare[:len(a.spare)-1]
	}
	if a.used[i] {
		return -1
	}
	a.used[i] = true
	a.n++
	a.most = max(a.most, a.n)
	return i
}

func (a *agt) free(i int32) {
	a.used[i] = false
	a.n--
	if !a.hashed {
		a.spare = append(a.spare, i)
	}
}

// pendingGroup is an aggregated group in the list of its kernel.
type pendingGroup struct {
	launch *childLaunch
	loaded Time      // when its record is on chip; ^t: known from cycle t on, and not looked at yet
	first  uint64    // CTAs of its kernel that were before it when it joined
	since  Time      // it is in the list
	run    *groupRun // nil: none of its CTAs has been placed

	awaited bool // the CTA scheduler looks again when it is on chip
}

// groupRun is an aggregated group whose CTAs are being placed or run.
type groupRun struct {
	launch *childLaunch
	first  uint64     // as pendingGroup has it
	run    *kernelRun // its CTAs; it is no kernel of the distributor
	left   uint64     // CTAs that have not ended
}

// groupsFound handles the launch command of a warp when it reaches the SMX
// scheduler: each group joins an eligible kernel, or becomes a device kernel.
func (u *children) groupsFound(number uint64, t Time) error {
	c := u.takeOpen(number)
	refused := u.takeCall(c.w)
	for i, g := range c.groups {
		if u.policy.Match == MatchNone {
			g.arrive, g.reason = t, u.reason("entry of its own")
			u.direct.Push(g)
			continue
		}
		joined, err := u.coalesce(g, c.tids[i], t)
		if err != nil {
			return err
		}
		if !joined {
			refused.groups = append(refused.groups, g)
		}
	}
	until := max(t, c.until)
	if n := len(refused.groups); n > 0 {
		arrive := t + 1 // the launch command has been issued: the SMX scheduler hands the group on
		if u.policy.Fallback == FallbackAPI {
			arrive = t + u.kernelLatency(n) - Time(u.cfg.Launch.ParamBase+u.cfg.Launch.ParamPerLane*n)
			until = max(until, arrive)
		}
		for _, g := range refused.groups {
			g.decision, g.reason = DeviceKernel, u.reason("no eligible kernel")
		}
		u.post(arrive, evChild, refused)
	} else {
		u.spareCalls = append(u.spareCalls, refused)
	}
	if c.holding {
		c.cta.SM.Resume(c.w, exec.StallLaunch, max(c.w.Ready(), until))
	}
	u.spareCalls = append(u.spareCalls, c)
	return u.enter(t)
}

// coalesce adds a group to a kernel that it may join, and reports whether there
// is one. Where groups may also join what is on its way, a group that finds none
// is what the next ones find.
func (u *children) coalesce(g *childLaunch, tid uint32, t Time) (bool, error) {
	if err := u.tr.Kernel(g.child, &u.kernel); err != nil {
		return false, err
	}
	s := shapeOf(&u.kernel)
	k := u.eligible(s)
	var native *coming
	if k == nil && u.policy.Match == MatchLaunched {
		if native = u.coming[s]; native == nil {
			u.coming[s] = &coming{launch: g}
		}
	}
	if k == nil && native == nil {
		return false, nil
	}
	g.eligible, g.arrive = true, t
	u.track(g, tid, t)
	u.sum.LaunchesCoalesced++
	if k != nil {
		u.ctas.join(k, g, t)
	} else {
		native.joined = append(native.joined, g)
	}
	return true, nil
}

// track gives a group an entry of the AGT. Where it is taken, the record that
// the SM has written to global memory is all there is.
func (u *children) track(g *childLaunch, tid uint32, t Time) {
	if u.agt != nil {
		g.agt = u.agt.allocate(tid)
	}
	if g.spilled = g.agt < 0; g.spilled {
		u.pending.spilled++
		u.mem.WriteSector(g.parent.SM.ID, groupRecords+uint64(g.child), t)
	}
}

// shape is what a kernel and a group must have in common.
type shape struct {
	function uint32
	block    trace.Dim3
	shared   uint32
}

func shapeOf(k *trace.Kernel) shape { return shape{k.Function, k.Block, k.SharedBytes} }

// eligible returns the first kernel of the distributor of a shape, or nil.
func (u *children) eligible(s shape) *kernelRun {
	for _, k := range u.ctas.entries {
		if shapeOf(&k.tk) == s && !k.ending {
			return k
		}
	}
	return nil
}

// entered lets the groups that wait for a kernel join it as it enters the
// distributor.
func (u *children) entered(k *kernelRun, t Time) {
	s := shapeOf(&k.tk)
	c := u.coming[s]
	if c == nil || c.launch != k.launch {
		return
	}
	delete(u.coming, s)
	for _, g := range c.joined {
		u.ctas.join(k, g, t)
	}
}

// enter gives groups that have no kernel to join the free entries of the
// distributor, before kernels of the KMU get them: they are nearer to it.
func (u *children) enter(t Time) error {
	for u.direct.Len() > 0 && len(u.ctas.entries)+u.kmu.reserved < u.cfg.KMU.Entries {
		k, err := u.makeRun(u.direct.Pop())
		if err != nil {
			return err
		}
		k.HWQ = noQueue
		u.ctas.admit(k, t)
	}
	return nil
}

// noQueue is the hardware work queue of a kernel that came to the distributor
// without one.
const noQueue = -1

// join appends a group to the list of a kernel. A kernel that had nothing left
// to give is marked again, at the back of the first come, first served order.
func (u *ctaScheduler) join(k *kernelRun, g *childLaunch, t Time) {
	n := uint64(g.ctas)
	if k.Left == 0 {
		u.remove(k)
		u.entries = append(u.entries, k)
	}
	k.groups.Push(pendingGroup{launch: g, loaded: ^(t + 1), first: k.total, since: t})
	k.Left += n
	k.total += n
	k.rec.CTAs += n
	u.wake(t + 1)
}

// readAhead reads the records of spilled groups of k from global memory, from the
// moment on that they are among the first n of those in the list of which nothing has
// been placed (MODEL.md, choice 15). It reports whether there are any groups like that.
func (u *ctaScheduler) readAhead(k *kernelRun, n int, t Time) (some bool) {
	for i := 0; i < k.groups.Len() && n > 0; i++ {
		g := k.groups.At(i)
		if g.run != nil {
			continue
		}
		some = true
		n--
		if g.loaded >= 0 || ^g.loaded > t {
			continue
		}
		if g.loaded = t; u.inMemory(g) {
			g.loaded = u.mem.ReadSector(0, groupRecords+uint64(g.launch.child), t)
		}
	}
	return some
}

// firstReady reports whether the CTA of k that comes first can be placed in cycle t.
func (u *ctaScheduler) firstReady(k *kernelRun, t Time) bool {
	return k.groups.Len() == 0 || k.next < k.native || u.groupReady(k.groups.First(), t)
}

// inMemory reports whether the record of a group must be read from global memory.
func (u *ctaScheduler) inMemory(g *pendingGroup) bool {
	return g.launch.spilled && u.policy.ReadAhead > 0
}

// groupReady reports whether a CTA of a group can be placed in cycle t.
func (u *ctaScheduler) groupReady(g *pendingGroup, t Time) bool {
	if g.run != nil {
		return true
	}
	if g.loaded < 0 { // nobody has looked: its turn has not come, or the scheduler looks again when it knows it
		return !u.inMemory(g) && ^g.loaded <= t
	}
	if g.loaded > t {
		if !g.awaited {
			g.awaited = true
			u.wakeAt(g.loaded)
		}
		return false
	}
	return true
}

// groupRecords is where the records of spilled groups lie, in sectors, apart
// from every address of a trace.
const groupRecords = 1 << 58

// someReady reports whether some CTA of k can be placed in cycle t.
func (u *ctaScheduler) someReady(k *kernelRun, t Time) bool {
	if k.next < k.native {
		return true
	}
	for i := range k.groups.Len() {
		if u.groupReady(k.groups.At(i), t) {
			return true
		}
	}
	return false
}
