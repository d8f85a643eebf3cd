package model

import (
	"fmt"

	"gpureplay/model/clock"
	"gpureplay/model/exec"
	"gpureplay/trace"
)

// launchUnit is the device-side launch path: the calls of a warp's lanes, their
// latency, the way of each request into the parent's program (inline), to the
// KMU (device kernel) or to a kernel of the distributor (aggregated group), and
// the waiting of parents.
//
// Sources: DTBL paper, sections 2.4, 4.2, 4.3 and Table 3; SPAWN paper, sections
// II.C and IV; docs/model, "Device-side launches".
type launchUnit struct {
	*core
	kernels    *kernels
	kmu        *kmu
	ctas       *ctaScheduler
	groups     GroupUnit    // nil: no aggregated groups
	watcher    ChildWatcher // nil: the policy does not watch child CTAs
	pending    pendingLaunches
	spare      []*childLaunch
	direct     clock.FIFO[*childLaunch] // groups that wait for an entry of the distributor
	request    LaunchRequest
	kernel     trace.Kernel
	merging    trace.Kernel     // that the keeper asks for
	record     LaunchRecord     // the one told last
	reasons    []string         // by childLaunch.reason
	refused    []trace.Launch   // of the call being made
	open       map[uint64]*call // calls and requests on their way, by number
	spareCalls []*call
	calls      uint64

	keeper   LaunchKeeper // nil: no request is kept
	lastCall LaunchCall   // its last call
	kept     int          // requests
	merged   map[*childLaunch]*MergedLaunch
}

// childLaunch is one request on its way. There may be hundreds of thousands that
// have not started, so it keeps the fields of its record in the least room.
type childLaunch struct {
	parent                              *ctaRun
	pk                                  *kernelRun // kernel of parent, which may outlive it
	noted                               *Notes     // nil: the policy noted nothing
	time, arrive                        Time
	kernel, cta, warp                   uint32 // that asked
	child, workload, ctas               uint32
	params                              uint32 // bytes
	hwq, agt                            int32
	lane, reason                        uint8
	decision                            Decision
	marked, eligible, spilled, launched bool // launched: its first CTA has been placed
}

// call is one launch call of a warp, while its groups look for a kernel or its
// device kernels are on their way to the KMU.
type call struct {
	w       *exec.Warp
	cta     *ctaRun
	groups  []*childLaunch
	tids    []uint32 // hardware thread of each
	holding bool     // the warp waits for the outcome
	until   Time     // and no less than this
}

func newLaunchUnit(m *core, k *kernels) *launchUnit {
	u := &launchUnit{core: m, kernels: k, open: make(map[uint64]*call), merged: make(map[*childLaunch]*MergedLaunch)}
	u.keeper, _ = m.policy.Launch.(LaunchKeeper)
	u.groups, _ = m.policy.Launch.(GroupUnit)
	u.watcher, _ = m.policy.Launch.(ChildWatcher)
	if _, ok := m.policy.Launch.(NeverLaunches); ok {
		m.lib.NeverLaunch()
	}
	return u
}

// start binds the launch control to its machine.
func (u *launchUnit) start(v View) {
	if u.keeper != nil {
		u.keeper.Start(&LaunchMachine{v})
	}
	if u.groups != nil {
		u.groups.Start(&GroupMachine{v})
	}
}

// ask handles the launch call at step `at` of w in cycle t. It returns the cycle
// from which the warp goes on; 0: it has been parked.
func (u *launchUnit) ask(s *exec.SM, w *exec.Warp, at int, t Time) (Time, error) {
	f := &w.Frame
	from := f.NextLaunch
	for f.NextLaunch < len(f.Launches) && int(f.Launches[f.NextLaunch].At) <= at {
		f.NextLaunch++
	}
	reqs := f.Launches[from:f.NextLaunch]
	if len(reqs) == 0 {
		return t + 1, nil
	}
	if u.keeper != nil && u.before(s, w, reqs, t) {
		return t + 1, nil
	}
	refused := u.refused[:0]
	kernels, groups := u.takeCall(w), u.takeCall(w)
	launched := uint32(0) // lanes
	for i := range reqs {
		r := &reqs[i]
		d, c, err := u.decide(w, r, len(reqs), t)
		if err != nil {
			return 0, err
		}
		if d != Inline {
			launched |= 1 << r.Lane
		}
		switch d {
		case Inline:
			refused = append(refused, *r)
			u.obs.Launch(&u.record)
			continue
		case Group:
			groups.groups = append(groups.groups, c)
			groups.tids = append(groups.tids, uint32(s.Slot(w))*32+uint32(r.Lane))
		case Keep:
			u.keep(c)
		default:
			kernels.groups = append(kernels.groups, c)
		}
		u.reserve(c, t)
	}
	u.refused = refused
	if len(u.lastCall.Kept) > 0 {
		u.keeper.Called(&u.lastCall)
		kernels.groups = append(kernels.groups, u.lastCall.launched...)
	}
	until, parked := u.send(kernels, groups, t)
	if w.Stack.Loop(u.lib, at, launched) {
		refused = nil
	}
	if len(refused) > 0 {
		if err := w.Stack.Call(u.lib, refused); err != nil {
			return 0, err
		}
	}
	if parked {
		return 0, nil
	}
	return until, nil
}

// send puts the device kernels and the groups of a call made in cycle t on their way. It returns the cycle from
// which its warp may go on, if it is not parked.
func (u *launchUnit) send(kernels, groups *call, t Time) (until Time, parked bool) {
	until = t + 1
	if n := len(kernels.groups); n > 0 {
		arrive := t + max(1, u.kernelLatency(n)) // an SM reaches other units in the next cycle at the earliest
		u.post(arrive, evChild, kernels)
		until = u.held(until, arrive)
	} else {
		u.spareCalls = append(u.spareCalls, kernels)
	}
	if n := len(groups.groups); n > 0 {
		parked = u.cfg.Launch.BlocksWarp
		groups.holding, groups.until = parked, until
		u.post(t+u.groupLatency(n), evGroups, groups)
	} else {
		u.spareCalls = append(u.spareCalls, groups)
	}
	return until, parked
}

// held is how long the call holds the warp.
func (u *launchUnit) held(until, arrive Time) Time {
	if u.cfg.Launch.BlocksWarp {
		return max(until, arrive)
	}
	return until
}

// kernelLatency is how many cycles it takes to launch device kernels from n lanes of a warp.
func (u *launchUnit) kernelLatency(n int) Time {
	c := &u.cfg.Launch
	d := c.ParamBase + c.ParamPerLane*n + c.DeviceBase + c.DevicePerLane*n
	if c.StreamPerChild {
		d += c.StreamCreate
	}
	return Time(d)
}

// decide asks the launch control about one request. An admitted request is on its way. For a
// refused one u.record is the record.
func (u *launchUnit) decide(w *exec.Warp, r *trace.Launch, lanes int, t Time) (Decision, *childLaunch, error) {
	if err := u.tr.Kernel(r.Child, &u.kernel); err != nil {
		return 0, nil, err
	}
	n := u.kernel.Grid.Count()
	on := of(w.CTA)
	k, rec := on.kernel, &u.record
	*rec = LaunchRecord{
		Parent: k.ID, CTA: on.Rec.CTA, Warp: w.ID, Lane: r.Lane, Child: r.Child, Time: t, Workload: r.Workload,
		CTAs: uint32(n), Marked: r.Marked, AGT: -1, Arrive: Unset, FirstCTA: Unset,
	}
	u.sum.LaunchesRequested++
	on.asked = true
	rec.Decision, rec.Reason = DeviceKernel, "marked"
	if u.policy.Launch == nil {
		if !r.Marked {
			rec.Decision, rec.Reason = Inline, "unmarked"
		}
	} else {
		u.request = LaunchRequest{
			Time: t, Parent: k.ID, Child: &u.kernel, Workload: r.Workload, CTAs: n, Marked: r.Marked, Lanes: lanes,
			Overhead: u.kernelLatency(1), Pending: int(u.sum.LaunchesMade - u.pending.starts),
		}
		rec.Decision, rec.Reason = u.policy.Launch.Decide(&u.request)
		rec.Noted = u.request.Noted
	}
	if rec.Decision == Inline {
		u.sum.LaunchesInlined++
		return Inline, nil, nil
	}
	u.sum.LaunchesMade++
	on.Children++
	k.children++
	c := u.take()
	c.note(rec)
	c.parent, c.pk, c.params, c.reason = on, k, r.ParamBytes, u.reason(rec.Reason)
	if r.SharedSWQ {
		if on.swq == 0 {
			on.swq = u.kmu.newStream()
		}
		c.hwq = int32(u.policy.Admission.Queue(on.swq, u.queues()))
	} else {
		c.hwq = int32(u.policy.Admission.Queue(u.kmu.newStream(), u.queues()))
	}
	return rec.Decision, c, nil
}

// keep gives a request of the call into the hands of the policy.
func (u *launchUnit) keep(c *childLaunch) {
	if u.keeper == nil {
		panic(fmt.Sprintf("%T keeps a request and is no LaunchKeeper", u.policy.Launch))
	}
	c.decision = DeviceKernel
	u.kept++
	u.lastCall.Kept = append(u.lastCall.Kept, KeptLaunch{Child: c.child, Workload: c.workload, CTAs: c.ctas,
		Lane: c.lane, c: c})
}

// take returns the memory of a request.
func (u *launchUnit) take() *childLaunch {
	if len(u.spare) == 0 {
		more := make([]childLaunch, 64) // together they take no more than their size
		for i := range more {
			u.spare = append(u.spare, &more[i])
		}
	}
	n := len(u.spare) - 1
	c := u.spare[n]
	u.spare = u.spare[:n]
	return c
}

// takeCall returns an empty call of a warp.
func (u *launchUnit) takeCall(w *exec.Warp) *call {
	c := new(call)
	if n := len(u.spareCalls); n > 0 {
		c, u.spareCalls = u.spareCalls[n-1], u.spareCalls[:n-1]
	}
	*c = call{w: w, cta: of(w.CTA), groups: c.groups[:0], tids: c.tids[:0]}
	return c
}

// post keeps a call until its event; the event carries its number.
func (u *launchUnit) post(t Time, of clock.Kind, c *call) {
	u.calls++
	u.open[u.calls] = c
	u.queue.Post(t, of, u.calls, 0)
}

// takeOpen returns the call of an event; the caller gives it back to spareCalls.
func (u *launchUnit) takeOpen(number uint64) *call {
	c := u.open[number]
	delete(u.open, number)
	return c
}

// arrived takes the requests of an evChild event to the KMU.
func (u *launchUnit) arrived(number uint64, t Time) error {
	c := u.takeOpen(number)
	for _, g := range c.groups {
		u.reached(g, t)
		if err := u.kmu.arriveChild(g, t); err != nil {
			return err
		}
	}
	u.spareCalls = append(u.spareCalls, c)
	return nil
}

// reached notifies the watcher that a child has left the launch path.
func (u *launchUnit) reached(c *childLaunch, t Time) {
	if u.watcher != nil {
		u.watcher.Queued(int64(c.ctas), t)
	}
}

// makeRun makes the kernel of a request whose turn has come.
func (u *launchUnit) makeRun(c *childLaunch) (*kernelRun, error) {
	k, err := u.kernels.launch(c.child, nil)
	if err != nil {
		return nil, err
	}
	k.launch, k.HWQ = c, int(c.hwq)
	k.rec.Device, k.rec.Parent, k.rec.Arrive = true, c.kernel, c.arrive
	if x := u.merged[c]; x != nil {
		u.unfold(k, x)
	}
	return k, nil
}

// reserve books the memory of a pending launch.
func (u *launchUnit) reserve(c *childLaunch, t Time) {
	u.pending.change(int64(u.footprint(c)), t)
	u.sum.PendingLaunchPeakBytes = max(u.sum.PendingLaunchPeakBytes, u.pending.bytes)
}

func (u *launchUnit) footprint(c *childLaunch) uint64 {
	return uint64(c.params) + uint64(u.cfg.Launch.RecordBytes)
}

// started notes that the first CTA of a child has been placed.
func (u *launchUnit) started(c *childLaunch, t Time) {
	if c.launched {
		return
	}
	c.launched = true
	rec := &u.record
	c.tell(rec)
	rec.Reason, rec.FootprintBytes, rec.FirstCTA = u.reasons[c.reason], u.footprint(c), t
	u.pending.started(rec, t)
	u.obs.Launch(rec)
}

// ended completes a child in cycle t: its parent CTA and its parent kernel stop
// waiting. next is the first cycle in which CTAs can still be placed.
func (u *launchUnit) ended(c *childLaunch, t, next Time) {
	if c.agt >= 0 {
		u.groups.Left(c.agt)
	}
	p, pk := c.parent, c.pk
	u.spare = append(u.spare, c)
	p.Children--
	pk.children--
	if p.Children == 0 {
		if p.finished {
			u.kernels.spareCTAs = append(u.kernels.spareCTAs, p)
		} else if p.Syncing > 0 {
			u.ctas.resume(p, t, next)
		}
	}
	if pk.children == 0 && pk.done == pk.CTAs {
		u.ctas.end(pk, t+1)
	}
}
