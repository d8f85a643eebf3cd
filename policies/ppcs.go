package policies

import (
	"fmt"

	"gpureplay/model"
	"gpureplay/policies/crcs"
)

func init() {
	CTASchedulers.Register(Option[model.CTAScheduler]{
		Name: "ppcs", Title: "an idle SM goes to the kernel whose share of the pages most exceeds its share of the SMs",
		Source: "CRCS/PPCS paper, section 4.4",
		Params: []Param{
			{"ppcs-guard", "on", "on: the oldest unfinished kernel with CTAs left keeps at least one SM; off: the paper's " +
				"text as it stands"},
			{"ppcs-pages", "ready", "available pages: ready (all whose ready bit is set, as the counter of " +
				"section 5.4 counts) or text (pages that the prelude has brought, the words of 4.4)"},
			{"ppcs-switch", "on", "on: first come, first served after the prelude; off: PPCS to the end"},
		},
		New: newPPCS,
	})
	Register(Policy{
		Name: "ppcs", Title: "crcs with pipeline parallelism-aware CTA scheduling", Source: "CRCS/PPCS paper, section 4.4",
		Doc: "As crcs, but while the prelude runs, an SM that has become completely idle is filled with CTAs of the " +
			"kernel with the largest " +
			"difference of page share (of the available pages) and SM share (SMs that it is on). First the first kernel " +
			"fills all SMs.",
		Baselines:  []string{"serial"},
		Dependency: "crcs", CTA: "ppcs", Needs: needsPages, Cost: ppcsCost, CostOn: "gk110-ppcs",
	})
	Register(Policy{
		Name: "oracle", Bound: true,
		Title: "ppcs with exact page sets: the upper bound", Source: "in no paper",
		Doc: "As ppcs, with reference counts from the pages that each CTA really touches instead of its conservative " +
			"ranges, and profilers " +
			"that cost nothing.",
		Baselines: []string{"serial"}, Dependency: "oracle", CTA: "ppcs",
		Needs: needsPages,
	})
}

// ppcs is the pipeline parallelism-aware CTA scheduler. An SM that has been
// given to a kernel is filled, a CTA a cycle, before another is looked for.
type ppcs struct {
	fifo   fill
	guard  bool
	revert bool
	text   bool
	sm     int    // being filled
	kernel uint64 // with the kernel of this program order
	quota  uint64 // CTAs that it still gets
}

func newPPCS(a Args) (model.CTAScheduler, error) {
	guard, err := a.Flag("ppcs-guard")
	if err != nil {
		return nil, err
	}
	revert, err := a.Flag("ppcs-switch")
	if err != nil {
		return nil, err
	}
	pages := a.Text("ppcs-pages")
	if pages != "ready" && pages != "text" {
		return nil, fmt.Errorf("ppcs-pages=%s: want ready or text", pages)
	}
	return &ppcs{guard: guard, revert: revert, text: pages == "text"}, nil
}

func (p *ppcs) Place(v *model.CTAView) (kernel, sm int, ok bool) {
	if p.quota > 0 {
		for k, x := range v.Kernels {
			if x.Order == p.kernel && v.Fits(k, p.sm) {
				p.quota--
				return k, p.sm, true
			}
		}
		p.quota = 0
	}
	pages := crcs.ViewOf(v)
	if p.revert && !pages.Prelude || pages.Launches == 1 {
		return p.fifo.Place(v)
	}
	for sm := range v.SMs() {
		if v.Resident(sm) > 0 {
			continue
		}
		k := p.choose(v, &pages, sm)
		if k < 0 || !v.Fits(k, sm) {
			continue
		}
		p.sm, p.kernel, p.quota = sm, v.Kernels[k].Order, filling(v, k, true)-1
		return k, sm, true
	}
	return 0, 0, false
}

// choose returns the kernel that an idle SM goes to.
func (p *ppcs) choose(v *model.CTAView, pages *crcs.View, sm int) int {
	if v.Kernels[0].Order == 1 && v.Holder(sm) == model.NoKernel {
		return 0 // the first kernel fills all SMs
	}
	if p.guard && v.Kernels[0].SMs == 0 {
		if p.best(v, pages) != 0 {
			v.Count("ppcs_guard_decisions")
		}
		return 0
	}
	return p.best(v, pages)
}

// best returns the kernel with the largest page share less SM share; ties go to
// the older one.
func (p *ppcs) best(v *model.CTAView, pages *crcs.View) int {
	a := pages.Ready
	if p.text {
		a = pages.Available
	}
	best, most := 0, 0
	for k, x := range v.Kernels {
		owned, ready := pages.Owned(k)
		if !p.text {
			owned = ready
		}
		if diff := excess(owned, a, x.SMs, v.SMs()); k == 0 || diff > most {
			best, most = k, diff
		}
	}
	return best
}

// excess is owned/available - held/sms, times both divisors, so that it is whole. Where no page is available no
// kernel has a share.
func excess(owned, available, held, sms int) int {
	if available == 0 {
		return -held
	}
	return owned*sms - held*available
}
