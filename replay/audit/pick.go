package audit

import (
	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/trace"
)

// picks checks which of its warps a scheduler issues from (warp-order): gto goes on with the warp that issued last,
// or takes the oldest; gty the youngest; lrr the next one round.
//
// Records do not list the warps that a scheduler could have taken. A warp surely was one of them if its operands
// were there, if nothing that it issued before holds it, and if it goes to the unit that takes the instruction of
// the warp that was picked. Only such a warp is held against a pick, and only on an SM whose warps all issue
// instructions of the trace.
type picks struct {
	a     *Auditor
	first func(x, y *seat, last int) bool // whether x goes before y; last: the place that issued last
	greed bool
	paged bool // accesses may wait for pages
	sms   []smSeats
}

// smSeats are the warps of an SM, by hardware slot, as their instructions tell it.
type smSeats struct {
	seats   []seat
	turns   []turnBook // by scheduler
	checked int        // CTAs with a record of every instruction
}

type seat struct {
	warp *warpBook
	cta  *ctaBook
	bit  int // its place in its scheduler
}

// turnBook is a scheduler's last pick.
type turnBook struct {
	at   model.Time
	slot int // -1: not known
}

// newPicks returns nil where a policy has warps execute instructions without records, or wait at points of their paths.
func newPicks(a *Auditor, scheduler string, policy *model.Policy) *picks {
	_, adds := policy.Launch.(model.LaunchKeeper)
	if _, waits := policy.Dependency.(model.WarpDependency); adds || waits {
		return nil
	}
	p := &picks{a: a, greed: true, sms: make([]smSeats, a.cfg.SM.Count)}
	_, p.paged = policy.Dependency.(model.AccessDependency)
	switch scheduler {
	case "gto":
		p.first = func(x, y *seat, _ int) bool { return x.warp.age < y.warp.age }
	case "gty":
		p.first = func(x, y *seat, _ int) bool { return x.warp.age > y.warp.age }
	case "lrr":
		p.greed = false
		p.first = func(x, y *seat, last int) bool { return (x.bit-last-1)&63 < (y.bit-last-1)&63 }
	default:
		return nil // somebody's own
	}
	for i := range p.sms {
		p.sms[i] = smSeats{make([]seat, a.cfg.SM.MaxWarps), make([]turnBook, a.cfg.SM.Schedulers), 0}
	}
	for i := range p.sms {
		p.strange(uint32(i))
	}
	return p
}

// strange drops the last picks of an SM's schedulers.
func (p *picks) strange(sm uint32) {
	if p == nil {
		return
	}
	for i := range p.sms[sm].turns {
		p.sms[sm].turns[i] = turnBook{at: model.Unset, slot: -1}
	}
}

func (p *picks) placed(b *ctaBook) {
	if p != nil && b.told() {
		p.sms[b.sm].checked++
	}
}

func (p *picks) ended(b *ctaBook) {
	if p == nil || !b.told() {
		return
	}
	sm := &p.sms[b.sm]
	sm.checked--
	for i := range sm.seats {
		if sm.seats[i].cta == b {
			sm.seats[i] = seat{}
		}
	}
}

// told reports whether every warp says when it issues: one without instructions does not.
func (b *ctaBook) told() bool {
	for _, w := range b.warps {
		if len(w.path) == 0 {
			return false
		}
	}
	return true
}

// issued checks that w, which issues its next instruction, was the one to pick.
func (p *picks) issued(r *exec.InstRecord, b *ctaBook, w *warpBook) {
	if p == nil {
		return
	}
	sm, n := &p.sms[r.SM], len(p.sms[r.SM].turns)
	if int(r.Slot) >= len(sm.seats) || sm.seats[r.Slot].warp != nil && sm.seats[r.Slot].warp != w {
		p.a.fail("sm-limits", r.Issue, "warp %d of CTA %d of kernel %d issues on warp %d of SM %d, which is taken "+
			"or not there", r.Warp, r.CTA, r.Kernel, r.Slot, r.SM)
		return
	}
	me := &sm.seats[r.Slot]
	*me = seat{w, b, int(r.Slot) / n}
	turn := &sm.turns[int(r.Slot)%n]
	before := *turn
	*turn = turnBook{r.Issue, int(r.Slot)}
	if before.slot < 0 || before.at == r.Issue || p.greed && before.slot == int(r.Slot) ||
		sm.checked != p.a.sms[r.SM].ctas {
		return
	}
	in := &b.code.insts[r.Inst]
	if p.paged && in.Mem() {
		return
	}
	for slot := int(r.Slot) % n; slot < len(sm.seats); slot += n {
		x := &sm.seats[slot]
		if x.warp == nil || x.warp == w || x.warp.able > r.Issue || !sameUnit(in, &x.cta.code.insts[x.warp.path[x.warp.at]]) {
			continue
		}
		if p.greed && slot == before.slot || p.first(x, me, before.slot/n) {
			p.a.fail("warp-order", r.Issue, "SM %d issues from its warp %d and not from its warp %d, whose turn it is", r.SM,
				r.Slot, slot)
		}
	}
}

// goesOn notes from when w may issue the instruction behind the one that it has issued.
func (p *picks) goesOn(r *exec.InstRecord, b *ctaBook, w *warpBook) {
	if p == nil {
		return
	}
	if seats := p.sms[r.SM].seats; w.at == len(w.path) {
		if int(r.Slot) < len(seats) {
			seats[r.Slot] = seat{}
		}
		return
	}
	in := &b.code.insts[r.Inst]
	for _, reg := range b.code.writes[r.Inst] {
		w.later[reg] = p.a.cfg.CycleMemory() && in.Class == trace.ClassMemory || p.a.collected()
	}
	w.able = r.Issue + 1
	if in.Flags&trace.InstAtomic != 0 {
		w.able = never // when its accesses are served
		return
	}
	switch in.Class {
	case trace.ClassBarrier, trace.ClassFence, trace.ClassLaunch, trace.ClassDeviceSync:
		w.able = never // something else says when
		return
	}
	for _, reg := range b.code.reads[w.path[w.at]] {
		if w.later[reg] {
			w.able = never
			return
		}
		w.able = max(w.able, w.there[reg])
	}
	if p.a.collected() && p.a.cfg.SM.FetchWidth > 0 && w.at%2 == 0 {
		w.able = never // when its next two instructions are fetched
	}
}

// sameUnit reports whether two instructions surely go to one unit.
func sameUnit(x, y *trace.Inst) bool {
	return x.Class == y.Class && x.Space == y.Space && x.Mem() == y.Mem() &&
		(x.Class != trace.ClassMemory || x.Opcode == y.Opcode)
}
