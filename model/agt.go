package model

// agt is DTBL's aggregated group table: size entries, found by a hash of the
// launching hardware thread. A group whose entry is taken keeps its record in
// global memory (DTBL paper, section 4.2).
type agt struct {
	used []bool
	n    int
}

func newAGT(size int) *agt { return &agt{used: make([]bool, size)} }

// allocate returns the entry of a hardware thread, or -1 if it is taken.
func (a *agt) allocate(tid uint32) int32 {
	i := int32(tid & uint32(len(a.used)-1))
	if a.used[i] {
		return -1
	}
	a.used[i] = true
	a.n++
	return i
}

func (a *agt) free(i int32) {
	a.used[i] = false
	a.n--
}

// groupRun is an aggregated group whose CTAs are being placed or run.
type groupRun struct {
	launch *childLaunch
	run    *kernelRun // its CTAs; it is no kernel of the distributor
	left   uint64     // CTAs that have not ended
	loaded Time       // when its record is on chip; Unset: it has not been asked for
}

// groupsFound handles the launch command of a warp when it reaches the SMX
// scheduler: each group joins an eligible kernel of the distributor, or becomes
// a device kernel.
func (u *children) groupsFound(number uint64, t Time) error {
	c := u.open[number]
	delete(u.open, number)
	var refused []*childLaunch
	for i, g := range c.groups {
		k, err := u.eligible(g)
		if err != nil {
			return err
		}
		if k == nil {
			refused = append(refused, g)
			continue
		}
		g.rec.Eligible = true
		g.rec.AGT = u.agt.allocate(c.tids[i])
		g.rec.Spilled = g.rec.AGT < 0
		u.m.sum.LaunchesCoalesced++
		u.m.ctas.join(k, g, t)
	}
	until := max(t, c.until)
	if n := len(refused); n > 0 {
		arrive := t + u.kernelLatency(n) - Time(u.m.cfg.Launch.ParamBase+u.m.cfg.Launch.ParamPerLane*n)
		for _, g := range refused {
			g.rec.Decision, g.rec.Reason = DeviceKernel, "no eligible kernel"
			u.m.queue.post(arrive, evChild, u.hold(g), 0)
		}
		until = max(until, arrive)
	}
	if c.holding {
		c.w.reason = StallLaunch
		c.cta.sm.schedule(c.w, max(c.w.ready, until))
	}
	return nil
}

// eligible returns the first kernel of the distributor with the function and the
// CTA configuration of a group, or nil.
func (u *children) eligible(g *childLaunch) (*kernelRun, error) {
	if err := u.m.tr.Kernel(g.rec.Child, &u.kernel); err != nil {
		return nil, err
	}
	for _, k := range u.m.ctas.entries {
		if k.tk.Function == u.kernel.Function && k.tk.Block == u.kernel.Block && k.tk.SharedBytes == u.kernel.SharedBytes && !k.ending {
			return k, nil
		}
	}
	return nil, nil
}

// join appends a group to the list of a kernel. A kernel that had nothing left
// to give is marked again, at the back of the first come, first served order.
func (u *ctaScheduler) join(k *kernelRun, g *childLaunch, t Time) {
	n := uint64(g.rec.CTAs)
	g.rec.Arrive = t
	if k.Left == 0 {
		u.remove(k)
		u.entries = append(u.entries, k)
	}
	k.groups.push(groupRun{launch: g, left: n, loaded: Unset})
	k.Left += n
	k.total += n
	k.rec.CTAs += n
	u.wake(t + 1)
}

// groupReady reports whether the next CTA of k can be placed in cycle t: the
// record of a spilled group is first loaded from global memory.
func (u *ctaScheduler) groupReady(k *kernelRun, t Time) bool {
	if k.next < k.native || k.group != nil || k.groups.len() == 0 {
		return true
	}
	g := k.groups.first()
	if !g.launch.rec.Spilled {
		return true
	}
	if g.loaded == Unset {
		g.loaded = u.m.mem.read(0, groupRecords+uint64(g.launch.rec.Child), t)
		u.wakeAt(g.loaded)
	}
	return g.loaded <= t
}

// groupRecords is where the records of spilled groups lie, in sectors, apart
// from every address of a trace.
const groupRecords = 1 << 58
