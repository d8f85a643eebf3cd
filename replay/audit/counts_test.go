package audit

import (
	"context"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/policies/crcs"
	"gpureplay/trace/tracetest"
)

// handedOn has a page that one kernel writes and another reads, stated by both CTAs of each. It has another page
// whose write only the first CTA of the first kernel states.
const handedOn = `
array P bytes=8K output
launch w grid=2 block=32
cta 0
 range P write 0..8192
 warp 0
  store <- R1 R2 @P+4
  exit
cta 1
 range P write 0..4096
 warp 0
  int R1 x200
  store <- R1 R2 @P+4
  exit
launch r grid=2 block=32
cta 0..1
 range P read 0..4096
 warp 0
  load R1 @P+4
  exit
d2h P
`

// miscounted tells of pages with another count than there is, or of one that stays.
type miscounted struct {
	accessWatcher
	wrong func(r *model.PageRecord) (tell bool)
}

func (m miscounted) Page(r *model.PageRecord) {
	told := *r
	if m.wrong(&told) {
		m.accessWatcher.Page(&told)
	}
}

// Reference counts that differ from the CTAs' are found, and pages that leave a kernel too soon or stay too long.
func TestAuditorFindsWrongCounts(t *testing.T) {
	for name, x := range map[string]struct {
		policy string
		fault  crcs.Fault
		wrong  func(r *model.PageRecord) bool
		finds  bool
	}{
		"sound":        {policy: "crcs"},
		"sound, exact": {policy: "oracle"},
		"a reader too many": {policy: "crcs",
			wrong: func(r *model.PageRecord) bool { r.Readers += min(r.Readers, 1); return true }, finds: true},
		"a reader too few": {policy: "crcs",
			wrong: func(r *model.PageRecord) bool { r.Readers -= min(r.Readers, 1); return true }, finds: true},
		"a writer too many": {policy: "crcs", wrong: func(r *model.PageRecord) bool {
			r.Writers++
			return true
		}, finds: true},
		"gone without a CTA": {policy: "crcs", fault: crcs.EarlyOwner, finds: true},
		"kept, so they say": {policy: "crcs",
			wrong: func(r *model.PageRecord) bool { return r.From == model.NoKernel || r.To != model.NoKernel }, finds: true},
	} {
		cfg, err := hardware.Preset("gk110-ppcs")
		if err != nil {
			t.Fatal(err)
		}
		cs, err := policies.Parse(x.policy, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, cfg, err := cs[0].Build(cfg)
		if err != nil {
			t.Fatal(err)
		}
		p.Dependency.(*crcs.Board).Fault = x.fault
		tr := tracetest.FromText(t, handedOn)
		a, err := New(&Run{Trace: tr, Machine: cfg, Policy: p, WarpScheduler: cs[0].WarpScheduler(cfg)})
		if err != nil {
			t.Fatal(err)
		}
		observer := a.Beside(a.Observers())
		if x.wrong != nil {
			observer = miscounted{observer.(accessWatcher), x.wrong}
		}
		m, err := model.New(tr, model.Options{Config: cfg, Policy: p, Observer: observer})
		if err != nil {
			t.Fatal(err)
		}
		sum, err := m.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		rules := map[string]int{}
		for _, v := range a.Finish(sum) {
			rules[v.Rule]++
		}
		if found := rules["page-counts"] > 0; found != x.finds || !x.finds && len(rules) > 0 {
			t.Errorf("%s: the auditor names %v", name, rules)
		}
	}
}
