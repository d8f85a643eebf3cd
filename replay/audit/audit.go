package audit

import (
	"fmt"
	"slices"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/replay/table"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// maxViolations bounds the violations in a run's report; the rest is counted.
const maxViolations = 1000

// Auditor checks a run by its records and the trace, with books of its own: it shares none with the model
// (docs/model, "Auditor").
type Auditor struct {
	model.Discard
	own      model.Observers // the policy brings them
	tr       *container.Reader
	cfg      *hardware.Config
	kernels  map[uint32]*kernelBook
	sms      []usage
	inKDE    int
	order    *order           // nil: kernels overlap
	links    [2]model.Time    // end of the last copy each way
	warmed   uint64           // bytes that copies have left in the L2
	present  []presence       // per SM
	warps    uint64           // of the kernels and groups that have ended
	agt      []agtBook        // per entry of the aggregated group table
	holds    map[uint32]int32 // entry of each group under way
	entries  int              // of the table; 0: not known
	last     model.Time       // latest record
	ctas     uint64
	asked    [3]uint64 // child launches by decision
	found    []table.Audit
	dropped  uint64
	tasks    *taskBook
	hazards  *hazards // nil: kernels wait for those before them in their stream
	issues   *issues
	memory   *memoryBook
	chain    chainBook
	timed    bool // copies take their recorded times of another machine, whatever this one's links carry
	captured bool // kernels begin as they were recorded to
	overlaps bool // kernels of a stream overlap as they were recorded to
	crowded  model.Crowded
	origin   *hardware.Config // GPU of the capture
	freed    bool             // kernels of a stream do not wait for each other
}

// kernelBook has the auditor's counts of a running kernel.
type kernelBook struct {
	k        trace.Kernel
	res      hardware.Resources
	placed   []uint64 // bit per CTA
	ended    []uint64
	ctas     uint64
	endings  uint64
	insts    uint64
	started  bool // a CTA has been placed
	released bool
}

// newAuditor returns an auditor. A policy with a dependency may start a kernel before those that it depends on have
// ended.
func newAuditor(tr *container.Reader, cfg *hardware.Config, p *model.Policy, as host.AsTasks) (*Auditor, error) {
	a := &Auditor{
		tr: tr, cfg: cfg, kernels: make(map[uint32]*kernelBook), sms: make([]usage, cfg.SM.Count),
		present: make([]presence, cfg.SM.Count), holds: make(map[uint32]int32),
	}
	var err error
	if a.tasks, err = newTaskBook(a, p, as); err != nil {
		return nil, err
	}
	a.issues, a.memory = newIssues(a), newMemoryBook(a)
	switch {
	case p.Dependency != nil:
		a.hazards, err = newHazards(a)
	case a.tasks.spawned == 0:
		a.order = newOrder(a)
	}
	return a, err
}

func (a *Auditor) fail(rule string, t model.Time, format string, args ...any) {
	if len(a.found) >= maxViolations {
		a.dropped++
		return
	}
	a.found = append(a.found, table.Audit{Rule: rule, Time: t, What: fmt.Sprintf(format, args...)})
}

// book returns the book of a kernel, opening it on its first CTA.
func (a *Auditor) book(id uint32, t model.Time) *kernelBook {
	b := a.kernels[id]
	if b == nil {
		b = &kernelBook{}
		if err := a.tr.Kernel(id, &b.k); err != nil {
			a.fail("kernel-known", t, "kernel %d: %v", id, err)
		}
		b.res, b.ctas = a.cfg.CTAResources(&b.k), b.k.Grid.Count()
		if a.crowded.Has(id) {
			b.res, b.ctas = hardware.Resources{}, model.CrowdedCTAs(b.ctas, a.origin)
		}
		if b.ctas == 0 && trace.InferredOf(&b.k).Held() {
			b.ctas = 1 // without a grid it is a single CTA (docs/model, choice 18)
		}
		words := (b.ctas + 63) / 64
		b.placed, b.ended = make([]uint64, words), make([]uint64, words)
		a.kernels[id] = b
	}
	return b
}

// mark sets the bit of a CTA and reports whether it was free.
func mark(set []uint64, i uint32) bool {
	if int(i>>6) >= len(set) || set[i>>6]>>(i&63)&1 != 0 {
		return false
	}
	set[i>>6] |= 1 << (i & 63)
	return true
}

// owner is the kernel of the trace whose CTA a record is about.
func owner(r *model.CTARecord) uint32 {
	if r.Child != model.NoKernel {
		return r.Child
	}
	return r.Kernel
}

// Placed checks a CTA that goes on an SM.
func (a *Auditor) Placed(r *model.CTARecord) {
	a.tick(r.Dispatch)
	b := a.book(owner(r), r.Dispatch)
	if !mark(b.placed, r.CTA) {
		a.fail("cta-once", r.Dispatch, "CTA %d of kernel %d is placed twice or is not in its grid", r.CTA, owner(r))
	}
	if a.hazards != nil {
		a.hazards.placed(r)
	}
	if a.issues != nil {
		a.issues.placed(r, b)
	}
	if r.Resident {
		a.tasks.placed(r, b)
		a.present[r.SM].change(&b.res, 1, r.Dispatch)
		return
	}
	a.memory.placed(r)
	if a.order != nil && !b.started {
		a.order.placed(r, &b.k)
	}
	b.started = true
	a.hold(r, &b.res, r.Dispatch)
}

// hold books the resources that a CTA takes of its SM from cycle t on.
func (a *Auditor) hold(r *model.CTARecord, res *hardware.Resources, t model.Time) {
	u, c := &a.sms[r.SM], &a.cfg.SM
	u.take(res, 1)
	a.present[r.SM].change(res, 1, t)
	if u.ctas > c.MaxCTAs || u.warps > c.MaxWarps || u.threads > c.MaxThreads || u.registers > c.Registers ||
		u.shared > c.SharedBytes {
		a.fail("sm-limits", t, "SM %d holds %d CTAs, %d warps, %d threads, %d registers, %d bytes of shared memory", r.SM,
			u.ctas, u.warps, u.threads, u.registers, u.shared)
	}
}

// CTA checks a CTA that has ended.
func (a *Auditor) CTA(r *model.CTARecord) {
	a.tick(r.End)
	b := a.book(owner(r), r.End)
	if !mark(b.ended, r.CTA) {
		a.fail("cta-once", r.End, "CTA %d of kernel %d ends twice or is not in its grid", r.CTA, owner(r))
	}
	if r.Resident {
		a.tasks.released(r, b)
		a.present[r.SM].change(&b.res, -1, r.End)
	} else {
		a.giveBack(r, &b.res, r.End)
	}
	a.issue(r)
	if a.tasks.spawned > 0 {
		a.tasks.cta(r)
	}
	if a.hazards != nil {
		a.hazards.ended(r)
	}
	if a.issues != nil {
		a.issues.ended(r)
	}
	b.endings++
	b.insts += r.WarpInsts
	a.ctas++
	if r.Child != model.NoKernel && b.endings == b.ctas { // an aggregated group has ended
		a.instructions(r.Child, b, r.End)
		a.groupEnded(r.Child, r.End)
		delete(a.kernels, r.Child)
	}
	sum := r.Active
	for _, s := range r.StallTimes {
		sum += s
	}
	if sum != r.End-r.Dispatch {
		a.fail("cycles-add-up", r.End, "CTA %d of kernel %d: active and stalled cycles are %d of %d", r.CTA, owner(r), sum,
			r.End-r.Dispatch)
	}
	if r.Start != model.Unset && r.Start < r.Dispatch || r.End < r.Dispatch {
		a.fail("order", r.End, "CTA %d of kernel %d: dispatched at %d, started at %d, ended at %d", r.CTA, owner(r),
			r.Dispatch, r.Start, r.End)
	}
}

// giveBack books that a CTA has left its SM.
func (a *Auditor) giveBack(r *model.CTARecord, res *hardware.Resources, t model.Time) {
	a.sms[r.SM].take(res, -1)
	a.present[r.SM].change(res, -1, t)
}

// Dispatched checks a kernel that enters the distributor.
func (a *Auditor) Dispatched(r *model.KernelRecord) {
	a.tick(r.Dispatch)
	if a.inKDE++; a.inKDE > a.cfg.KMU.Entries {
		a.fail("kde-limit", r.Dispatch, "%d kernels in the distributor, which has %d entries", a.inKDE, a.cfg.KMU.Entries)
	}
	a.chain.dispatched(r)
	if a.order != nil {
		a.order.dispatched(r)
	}
}

// Released notes a kernel that gives back its entry to wait for children.
func (a *Auditor) Released(r *model.KernelRecord) {
	a.inKDE--
	a.book(r.ID, r.Dispatch).released = true
}

// Kernel checks a kernel that has ended.
func (a *Auditor) Kernel(r *model.KernelRecord) {
	a.tick(r.End)
	b := a.book(r.ID, r.End)
	narrow := r.Dispatch == model.Unset // it never was in the distributor
	if !b.released && !narrow {
		a.inKDE--
	}
	if b.endings != b.ctas {
		a.fail("kernel-complete", r.End, "kernel %d ends after %d of %d CTAs", r.ID, b.endings, b.ctas)
	}
	a.instructions(r.ID, b, r.End)
	a.lanes(r, b)
	a.chain.ended(r)
	if narrow {
		delete(a.kernels, r.ID)
		return
	}
	if r.Arrive > r.Dispatch || r.FirstCTA != model.Unset && (r.Dispatch > r.FirstCTA || r.LastCTA > r.End) {
		a.fail("order", r.End, "kernel %d: arrived %d, dispatched %d, first CTA %d, last CTA %d, ended %d", r.ID, r.Arrive,
			r.Dispatch, r.FirstCTA, r.LastCTA, r.End)
	}
	if a.order != nil {
		a.order.kernel(r)
	}
	delete(a.kernels, r.ID)
}

// instructions checks that a kernel issued the instructions of the trace, and no more unless it may have done the
// work of children that were not launched.
func (a *Auditor) instructions(id uint32, b *kernelBook, t model.Time) {
	switch trace.InferredOf(&b.k) {
	case trace.InferredNothing, trace.InferredOrder:
		a.warps += b.k.Warps
	default: // all warps of the block; their instructions are not in the trace
		a.warps += b.endings * uint64(b.res.Warps)
		return
	}
	inlines := a.tr.Program().Totals.ChildLaunches > 0
	less := inlines && a.loops(b.k.Function)
	if b.k.CTAs > 0 && (b.insts < b.k.WarpInsts && !less || b.insts > b.k.WarpInsts && !inlines) {
		a.fail("instructions", t, "kernel %d issued %d warp instructions, the trace has %d", id, b.insts, b.k.WarpInsts)
	}
}

// loops reports whether a function has launches with loops, which lanes that launch leave out.
func (a *Auditor) loops(fn uint32) bool {
	return slices.ContainsFunc(a.tr.Program().Functions[fn].Insts, func(in trace.Inst) bool {
		return in.Class == trace.ClassLaunch && in.FlatLast > 0
	})
}

// lanes checks the lanes of a kernel's instructions against the trace.
func (a *Auditor) lanes(r *model.KernelRecord, b *kernelBook) {
	known := b.k.CTAs > 0 && trace.InferredOf(&b.k) == trace.InferredNothing
	if known && a.tr.Program().Totals.ChildLaunches == 0 && r.ThreadInsts != b.k.ThreadInsts {
		a.fail("instructions", r.End, "kernel %d issued %d thread instructions, the trace has %d", r.ID, r.ThreadInsts,
			b.k.ThreadInsts)
	}
}

// Stage checks that a transfer fits its link.
func (a *Auditor) Stage(r *model.StageRecord) {
	h := &a.cfg.Host
	if r.Stage == model.StageH2D && a.cfg.L2.CopiesWarm {
		bytes := r.Bytes
		if a.hazards == nil { // a copy as a whole leaves its end there; of pages each leaves its own
			bytes = min(bytes, uint64(a.cfg.L2.Bytes))
		}
		a.warmed += bytes
	}
	var perSecond float64
	switch r.Stage {
	case model.StageH2D, model.StageD2H:
		if !a.timed {
			perSecond = h.PCIeGBs * 1e9
			a.copied(r)
		}
	case model.StagePrelude, model.StagePostlude:
		perSecond = h.StorageMBs * 1e6
	}
	if perSecond == 0 || r.Bytes == 0 {
		return
	}
	seconds := float64(r.End-r.Start) / (a.cfg.Clock.CoreMHz * 1e6)
	if float64(r.Bytes) > seconds*perSecond*1.000001 {
		a.fail("link-bandwidth", r.Start, "%d bytes in %d cycles are more than the link carries", r.Bytes, r.End-r.Start)
	}
}

// copied checks that copies of one direction follow one another. Where kernels
// overlap a stage is the span of an array's pages, between which others go.
func (a *Auditor) copied(r *model.StageRecord) {
	way := 0
	if r.Stage == model.StageD2H {
		way = 1
	}
	if a.hazards == nil && r.Start < a.links[way] {
		a.fail("copy-order", r.Start, "a copy begins at %d, the one before it on the same link ends at %d", r.Start,
			a.links[way])
	}
	a.links[way] = r.End
}

// tick checks that time does not go back.
func (a *Auditor) tick(t model.Time) {
	if t < a.last {
		a.fail("time", t, "a record of cycle %d follows one of cycle %d", t, a.last)
	}
	a.last = max(a.last, t)
}

// Finish makes the checks of the end and returns all violations.
func (a *Auditor) Finish(sum *model.Summary) []table.Audit {
	for id := range a.kernels { // none is left in a sound run, so the order does not matter
		a.fail("kernel-complete", a.last, "kernel %d never ended", id)
	}
	if a.ctas != sum.CTAs {
		a.fail("totals", sum.Cycles, "%d CTAs ended, the summary says %d", a.ctas, sum.CTAs)
	}
	for i, u := range a.sms {
		if u != (usage{}) {
			a.fail("sm-limits", sum.Cycles, "SM %d still holds %d CTAs", i, u.ctas)
		}
	}
	a.launches(sum)
	a.cycles(sum)
	a.traffic(sum)
	a.tasks.finish(sum)
	if a.hazards != nil {
		a.hazards.finish(sum.Cycles)
	}
	if a.dropped > 0 {
		a.found = append(a.found,
			table.Audit{Rule: "more", Time: model.Unset, What: fmt.Sprintf("%d further violations", a.dropped)})
	}
	return a.found
}

// Page checks a change of a page's state.
func (a *Auditor) Page(r *model.PageRecord) {
	if a.hazards != nil {
		a.hazards.changed(r)
	}
}

// Task checks a task that has ended.
func (a *Auditor) Task(r *model.TaskRecord) {
	a.tick(r.Back)
	a.tasks.task(r)
}
