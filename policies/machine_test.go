package policies_test

import (
	"context"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// log keeps the records that a run gives its observer.
type log struct {
	kernels []model.KernelRecord
	ctas    []model.CTARecord
	stages  []model.StageRecord
	pages   []model.PageRecord
	samples []model.SampleRecord
	tasks   []model.TaskRecord
}

func (l *log) Kernel(r *model.KernelRecord) { l.kernels = append(l.kernels, *r) }
func (l *log) CTA(r *model.CTARecord)       { l.ctas = append(l.ctas, *r) }
func (l *log) Stage(r *model.StageRecord)   { l.stages = append(l.stages, *r) }
func (l *log) Page(r *model.PageRecord)     { l.pages = append(l.pages, *r) }
func (l *log) Launch(*model.LaunchRecord)   {}
func (l *log) Task(r *model.TaskRecord)     { l.tasks = append(l.tasks, *r) }
func (l *log) Sample(r *model.SampleRecord) {
	s := *r
	s.Kernels = append([]uint32(nil), r.Kernels...)
	s.PagesOwned = append([]uint32(nil), r.PagesOwned...)
	s.SMsHeld = append([]uint32(nil), r.SMsHeld...)
	s.CTAsFinished = append([]uint32(nil), r.CTAsFinished...)
	l.samples = append(l.samples, s)
}

// cta returns the record of a CTA.
func (l *log) cta(t testing.TB, kernel, cta uint32) *model.CTARecord {
	t.Helper()
	for i := range l.ctas {
		if r := &l.ctas[i]; r.Kernel == kernel && r.CTA == cta {
			return r
		}
	}
	t.Fatalf("CTA %d of kernel %d never ended", cta, kernel)
	return nil
}

// metric returns a metric of the summary, 0 if it has none of that name.
func metric(s *model.Summary, name string) float64 {
	for _, m := range s.Extra {
		if m.Name == name {
			return m.Value
		}
	}
	return 0
}

// unit is how long the storage reads a page of the test machine, in cycles.
const unit = 10_000

// tiny is a machine on which time is counted in pages: a page comes from
// storage in one unit, and nothing else between storage and SM takes time.
func tiny(t testing.TB, sms, ctas int) *hardware.Config {
	t.Helper()
	c, err := hardware.Preset("gk110-ppcs")
	if err != nil {
		t.Fatal(err)
	}
	c.SM.Count, c.SM.MaxCTAs = sms, ctas
	c.Clock.CoreMHz = 1000
	c.Host.StorageMBs = 4096e9 / unit / 1e6 // 4096 bytes in a unit of 1 ns cycles
	c.Host.PCIeGBs = 0
	c.Exec.Int.Latency, c.SM.PipelineDepth = 100, 0
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return c
}

// replay runs a trace under one policy as --policy would give it.
func replay(t testing.TB, r *container.Reader, cfg *hardware.Config, policy string, sample model.Time) (*log,
	*model.Summary, error) {
	t.Helper()
	cs, err := policies.Parse(policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, machine, err := cs[0].Build(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l := &log{}
	m, err := model.New(r, model.Options{Config: machine, Policy: p, Observer: l, Sample: sample})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := m.Run(context.Background())
	if err == nil {
		audited(t, r, cfg, cs)
	}
	return l, sum, err
}

// run is replay of a text that must end.
func run(t testing.TB, text string, cfg *hardware.Config, policy string) (*log, *model.Summary) {
	t.Helper()
	l, sum, err := replay(t, tracetest.FromText(t, text), cfg, policy, 0)
	if err != nil {
		t.Fatalf("%s: %v", policy, err)
	}
	return l, sum
}
