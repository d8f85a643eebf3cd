package model

import (
	"fmt"

	"gpureplay/model/exec"
	"gpureplay/trace"
)

// GroupUnit is a [LaunchControl] that launches aggregated groups ([Group]): it says which
// kernel of the distributor each joins, and from when on its CTAs can be placed.
type GroupUnit interface {
	LaunchControl
	// Start binds it to its machine, before the first call.
	Start(m *GroupMachine)
	// Search returns how many cycles pass from a warp's call, in which so many lanes launch
	// groups, to Arrived. Arrived is called for each group in turn and returns its fate, and
	// the reason unless it joins.
	Search(lanes int) Time
	Arrived(g GroupRequest, t Time) (fate GroupFate, reason string)
	// Refused returns when the groups of a call that become kernels reach the KMU, and
	// whether launches hold the warp until then. Arrived was called for them at t.
	Refused(groups int, t Time) (arrive Time, holds bool)
	// Entered is called when a device kernel has entered the distributor.
	Entered(k GroupKernel, t Time)
	// Look is called when the CTA scheduler looks at a kernel that groups have joined. It reports
	// whether the kernel has a group without a placed CTA; first: no kernel before it in
	// this pass had one.
	Look(l *GroupList, first bool, t Time) (some bool)
	// Left is called when a group with an entry of the unit's table has ended.
	Left(entry int32)
	// Entries is the size of the table and Used how many entries hold a group, for auditors
	// and for the timeline. Finish is called at the end of a run with child launches.
	Entries() int
	Used() int
	Finish()
}

// GroupFate says how an aggregated group goes on.
type GroupFate uint8

const (
	GroupJoins   GroupFate = iota // it has joined a kernel, or the unit has it join one later
	GroupEnters                   // it takes an entry of the distributor of its own, when one is free
	GroupRefused                  // it becomes a device kernel, by way of the KMU
)

// GroupMachine is the handle of a [GroupUnit].
type GroupMachine struct{ View }

// Latency is how many cycles it takes to launch device kernels from so many lanes of a warp.
func (x *GroupMachine) Latency(lanes int) Time { return x.m.children.kernelLatency(lanes) }

// Kernels is how many kernels the distributor holds.
func (x *GroupMachine) Kernels() int { return len(x.m.ctas.entries) }

// Kernel is the i-th kernel of the distributor in order of arrival.
func (x *GroupMachine) Kernel(i int) GroupKernel { return GroupKernel{x.m.ctas.entries[i]} }

// Load reads the record of a group from global memory in cycle t and returns when it is on chip.
func (x *GroupMachine) Load(child uint32, t Time) Time {
	return x.m.mem.ReadSector(0, groupRecords+uint64(child), t)
}

// groupRecords is where the records of groups lie in global memory, in sectors, apart
// from every address of a trace.
const groupRecords = 1 << 58

// GroupKernel is a kernel of the distributor, as groups see it.
type GroupKernel struct{ k *kernelRun }

// Header is the kernel's header in the trace.
func (k GroupKernel) Header() *trace.Kernel { return &k.k.tk }

// Ending reports whether groups can no longer join the kernel.
func (k GroupKernel) Ending() bool { return k.k.ending }

// GroupRequest is a request that has been launched as a group.
type GroupRequest struct {
	Child  uint32
	Kernel *trace.Kernel // of Arrived, during the call
	Thread uint32        // of the SM's hardware threads, that launches it
	c      *childLaunch
	u      *launchUnit
}

// Is reports whether the kernel k is the one that a group has become.
func (g GroupRequest) Is(k GroupKernel) bool { return k.k.launch == g.c }

// Track notes the entry of the unit's table that a group has; < 0: none. Then the record that
// the SM writes to global memory in cycle t is all there is.
func (g GroupRequest) Track(entry int32, t Time) {
	c := g.c
	c.agt, c.spilled = entry, entry < 0
	if c.spilled {
		g.u.mem.WriteSector(c.parent.SM.ID, groupRecords+uint64(c.child), t)
	}
}

// Spilled reports whether its record is in global memory alone.
func (g GroupRequest) Spilled() bool { return g.c.spilled }

// Join has a group join a kernel in cycle t. Its CTAs can be placed from ready on, which is
// later; Unset: not before the unit has said when (Look).
func (g GroupRequest) Join(k GroupKernel, ready, t Time) { g.u.ctas.join(k.k, g.c, ready, t) }

// JoinedGroup is a group in the list of its kernel.
type JoinedGroup struct {
	Since Time // it is in the list
	Ready Time // its CTAs can be placed from then on; Unset: it is not known yet

	launch *childLaunch
	first  uint64    // CTAs of its kernel that were before it when it joined
	run    *groupRun // nil: none of its CTAs has been placed
	awaits bool      // the CTA scheduler looks again when it is ready
}

// Child is the group's kernel in the trace.
func (g *JoinedGroup) Child() uint32 { return g.launch.child }

// Placed reports whether one of the group's CTAs has been placed.
func (g *JoinedGroup) Placed() bool { return g.run != nil }

// GroupList are the groups that have joined a kernel and have CTAs left.
type GroupList struct{ k *kernelRun }

// Len is how many groups the list holds.
func (l *GroupList) Len() int { return l.k.groups.Len() }

// At is the i-th group in order of arrival.
func (l *GroupList) At(i int) *JoinedGroup { return l.k.groups.At(i) }

// groupRun is an aggregated group whose CTAs are being placed or run.
type groupRun struct {
	launch *childLaunch
	first  uint64     // as JoinedGroup has it
	run    *kernelRun // its CTAs; it is no kernel of the distributor
	left   uint64     // CTAs that have not ended
}

// groupLatency is from a call of n lanes that launch groups to the unit.
func (u *launchUnit) groupLatency(n int) Time {
	if u.groups == nil {
		panic(fmt.Sprintf("%T launches a group and is no GroupUnit", u.policy.Launch))
	}
	return u.groups.Search(n)
}

// groupsFound handles the launch command of a warp when it reaches the SMX
// scheduler: each group joins a kernel, or becomes one.
func (u *launchUnit) groupsFound(number uint64, t Time) error {
	c := u.takeOpen(number)
	refused := u.takeCall(c.w)
	for i, g := range c.groups {
		if err := u.tr.Kernel(g.child, &u.kernel); err != nil {
			return err
		}
		g.arrive = t
		switch fate, reason := u.groups.Arrived(GroupRequest{g.child, &u.kernel, c.tids[i], g, u}, t); fate {
		case GroupJoins:
			g.eligible = true
			u.sum.LaunchesCoalesced++
			u.reached(g, t)
		case GroupEnters:
			g.reason = u.reason(reason)
			u.direct.Push(g)
			u.reached(g, t)
		default:
			g.decision, g.reason = DeviceKernel, u.reason(reason)
			refused.groups = append(refused.groups, g)
		}
	}
	until := max(t, c.until)
	if n := len(refused.groups); n > 0 {
		arrive, holds := u.groups.Refused(n, t)
		if holds {
			until = max(until, arrive)
		}
		u.post(arrive, evChild, refused)
	} else {
		u.spareCalls = append(u.spareCalls, refused)
	}
	if c.holding {
		c.cta.SM.Resume(c.w, exec.StallLaunch, until)
	}
	u.spareCalls = append(u.spareCalls, c)
	return u.enter(t)
}

// enter gives groups that are to have one the free entries of the distributor, before
// kernels of the KMU get them: they are nearer to it.
func (u *launchUnit) enter(t Time) error {
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
func (u *ctaScheduler) join(k *kernelRun, g *childLaunch, ready, t Time) {
	n := uint64(g.ctas)
	if k.Left == 0 {
		u.remove(k)
		u.entries = append(u.entries, k)
	}
	k.groups.Push(JoinedGroup{launch: g, Ready: ready, first: k.CTAs, Since: t, awaits: ready == t+1})
	k.Left += n
	k.CTAs += n
	k.rec.CTAs += n
	u.wake(t + 1)
}

// look notifies the unit of a kernel's groups, and reports whether nothing of some has been placed.
func (u *ctaScheduler) look(k *kernelRun, first bool, t Time) bool {
	if k.groups.Len() == 0 || u.children.groups == nil {
		return false
	}
	u.list.k = k
	return u.children.groups.Look(&u.list, first, t)
}

// firstReady reports whether the CTA of k that comes first can be placed in cycle t.
func (u *ctaScheduler) firstReady(k *kernelRun, t Time) bool {
	return k.groups.Len() == 0 || k.next < k.native || u.groupReady(k.groups.First(), t)
}

// groupReady reports whether a CTA of a group can be placed in cycle t.
func (u *ctaScheduler) groupReady(g *JoinedGroup, t Time) bool {
	if g.run != nil {
		return true
	}
	if g.Ready == Unset {
		return false
	}
	if g.Ready > t && !g.awaits {
		g.awaits = true
		u.wakeAt(g.Ready)
	}
	return g.Ready <= t
}

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
