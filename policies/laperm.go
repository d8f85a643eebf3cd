package policies

import (
	"cmp"
	"fmt"
	"slices"

	"gpureplay/model"
	"gpureplay/model/hardware"
)

// lapermSchemes are LaPerm's schedulers by name.
var lapermSchemes = []string{"tb-pri", "smx-bind", "adaptive"}

func init() {
	CTASchedulers.Register(Option[model.CTAScheduler]{
		Name: "laperm", Title: "children before their parents' kernel, on the SM of the CTA that launched them",
		Source: "LaPerm paper, section IV",
		Params: []Param{
			{"laperm-scheme", "adaptive", "tb-pri: the highest level first, SMs in turn; smx-bind: a child on its parent's " +
				"SM alone; adaptive: and an SM with nothing of its own takes from others"},
			{"laperm-levels", "4", "levels of priority above the host's kernels; deeper children have the highest"},
			{"laperm-entries", "128", "kernels or groups that an SM's queues hold on chip; others wait in memory"},
		},
		New: newLaPerm,
	})
	Register(Policy{
		Name: "laperm", Title: "dtbl with CTAs scheduled by locality: children first, and where their parent ran",
		Source: "LaPerm paper, section IV (over DTBL)",
		Doc: "Children are launched as aggregated groups, as under dtbl. A child has its parent's priority plus one and " +
			"waits in a queue of the SM on which the CTA that launched it ran: " +
			"that SM takes the highest level of its own queues first, then CTAs of the host's kernels. Where both are " +
			"empty it takes from another SM's queues. --policy=laperm,launch=device-kernel is LaPerm over cdp.",
		Baselines: []string{"dtbl"}, Launch: "aggregated-group", CTA: "laperm",
		Needs:  needsChildren,
		Params: aggParams, Adjust: withEntries, Compose: withAGT, Cost: costOfLaPerm,
	})
}

// laperm is LaPerm's CTA scheduler. Choices (docs/policies, "LaPerm").
type laperm struct {
	scheme  string
	levels  int
	entries int
	next    int   // SM that is looked at first
	backup  []int // per SM, the one whose queues it takes from; -1: none

	queues [][]lapermEntry      // per SM, in the order of coming; the last is of the host's kernels
	onChip map[uint32]lapermAge // of the queues' entries
	room   []int                // entries on chip that are free, per SM
}

// lapermEntry is a kernel or a group in a queue.
type lapermEntry struct {
	kernel, work, level int
	id                  uint32 // of its kernel in the trace
	left                uint64
	since               model.Time
	there               bool // on chip
}

// lapermAge is when an entry is on chip; -1: it waits in memory.
type lapermAge model.Time

func newLaPerm(a Args) (model.CTAScheduler, error) {
	p := &laperm{scheme: a.Text("laperm-scheme"), onChip: map[uint32]lapermAge{}}
	if !slices.Contains(lapermSchemes, p.scheme) {
		return nil, fmt.Errorf("laperm-scheme=%s: want tb-pri, smx-bind or adaptive", p.scheme)
	}
	levels, err := a.Integer("laperm-levels", 1, 64)
	if err != nil {
		return nil, err
	}
	entries, err := a.Integer("laperm-entries", 1, 1<<20)
	p.levels, p.entries = int(levels), int(entries)
	return p, err
}

// The storage that LaPerm adds on chip (paper, section IV.E).
const (
	lapermEntryBytes = 24
	lapermHostBytes  = 768
)

// costOfLaPerm is the on-chip memory that LaPerm adds to DTBL's.
func costOfLaPerm(cfg *hardware.Config, a Args) []CostLine {
	const source = "LaPerm paper, section IV.E"
	entries, err := a.Integer("laperm-entries", 1, 1<<20)
	if err != nil {
		return nil
	}
	queues := float64(int64(cfg.SM.Count) * entries * lapermEntryBytes)
	return []CostLine{
		{fmt.Sprintf("queues of %d SMs, %d entries of %d bytes each", cfg.SM.Count, entries, lapermEntryBytes), queues,
			"bytes", source},
		{"queue of the host's kernels", lapermHostBytes, "bytes", source},
		{"sum, beside DTBL's own", queues + lapermHostBytes, "bytes", ""},
	}
}

// Place is of [model.CTAScheduler]; the machine asks PlaceWork.
func (p *laperm) Place(v *model.CTAView) (kernel, sm int, ok bool) {
	kernel, _, sm, ok = p.PlaceWork(v)
	return kernel, sm, ok
}

// PlaceWork is of [model.WorkScheduler].
func (p *laperm) PlaceWork(v *model.CTAView) (kernel, work, sm int, ok bool) {
	p.sort(v)
	n := v.SMs()
	for i := range n {
		sm = (p.next + i) % n
		if e := p.take(v, sm); e != nil && v.Fits(e.kernel, sm) {
			p.next = (sm + 1) % n
			if e.left == 1 {
				delete(p.onChip, e.id)
			}
			return e.kernel, e.work, sm, true
		}
	}
	return 0, 0, 0, false
}

// sort puts placeable CTAs into their queues: under tb-pri there is one set, the first SM's.
func (p *laperm) sort(v *model.CTAView) {
	n := v.SMs()
	for len(p.queues) < n+1 {
		p.queues, p.backup, p.room = append(p.queues, nil), append(p.backup, -1), append(p.room, 0)
	}
	for i := range p.queues {
		p.queues[i] = p.queues[i][:0]
	}
	for k, x := range v.Kernels {
		for _, w := range v.Work(k) {
			e := lapermEntry{kernel: k, work: w.Index, level: min(w.Level, p.levels), id: w.Child, left: w.Left, since: w.Since}
			if w.Child == model.NoKernel {
				e.id = x.ID
			}
			q := w.ParentSM
			switch {
			case q < 0:
				q, e.there = n, true
			case p.scheme == "tb-pri":
				q = 0
			}
			p.queues[q] = append(p.queues[q], e)
		}
	}
	for sm := range n {
		slices.SortStableFunc(p.queues[sm], func(a, b lapermEntry) int { return cmp.Compare(a.since, b.since) })
		p.fill(v, sm)
	}
}

// fill brings entries on chip in the order of their coming, as far as there is room;
// those that had none when they came are read from memory.
func (p *laperm) fill(v *model.CTAView, sm int) {
	q, room := p.queues[sm], p.entries
	if p.scheme == "tb-pri" {
		room *= v.SMs()
	}
	for i := range q {
		if at, known := p.onChip[q[i].id]; known && at >= 0 {
			room--
			q[i].there = at <= lapermAge(v.Now())
		}
	}
	for i := range q {
		at, known := p.onChip[q[i].id]
		switch {
		case known && at >= 0:
		case room == 0 && !known:
			p.onChip[q[i].id] = -1
			v.Count("laperm_overflowed")
		case room == 0:
		case known:
			at := v.Load(uint64(q[i].id))
			p.onChip[q[i].id] = lapermAge(at)
			v.WakeAt(at)
			room--
		default:
			p.onChip[q[i].id] = lapermAge(v.Now())
			q[i].there = true
			room--
		}
	}
}

// highest returns the first entry of the highest level of an SM's queues.
func (p *laperm) highest(sm int) (best *lapermEntry) {
	for i := range p.queues[sm] {
		if e := &p.queues[sm][i]; e.there && (best == nil || e.level > best.level) {
			best = e
		}
	}
	return best
}

// take returns the choice of an SM: from its own queues, from the host's kernels, from the SM that it helps out.
func (p *laperm) take(v *model.CTAView, sm int) *lapermEntry {
	own := sm
	if p.scheme == "tb-pri" {
		own = 0
	}
	if e := p.highest(own); e != nil {
		return e
	}
	n := v.SMs()
	if e := p.highest(n); e != nil || p.scheme != "adaptive" {
		return e
	}
	if b := p.backup[sm]; b >= 0 {
		if e := p.highest(b); e != nil {
			return e
		}
	}
	from := p.backup[sm] // it has nothing, nor has the SM itself: the scan begins behind it
	if from < 0 {
		from = sm
	}
	for i := range n {
		if b := (from + 1 + i) % n; p.highest(b) != nil {
			p.backup[sm] = b
			return p.highest(b)
		}
	}
	return nil
}
