package audit

import (
	"context"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// crowdTrace has CTAs whose warps issue much at the same time, with waits for operands in between, a barrier, and
// kernels that follow each other on an SM.
const crowdTrace = `
array a bytes=64K
launch k grid=12 block=128 stream=0
cta 0..11
 warp 0..3
  int R1 x3
  load R2 @a+4 cta=512 warp=128
  int R3 x5
  int R4 <- R2
  barrier
  fp32 R5 <- R4 x4
  int R6 x4
  exit
launch k grid=6 block=96 stream=1
cta 0..5
 warp 0..2
  int R1 x30
  exit
`

// The auditor holds a machine that runs one warp scheduler against the sentence of another.
func TestAuditorKnowsWarpSchedulers(t *testing.T) {
	for _, runs := range []string{"gto", "gty", "lrr"} {
		for _, told := range []string{"gto", "gty", "lrr"} {
			got := pickedWrongly(t, tracetest.FromText(t, crowdTrace), runs, told)
			if (runs == told) != (got == 0) {
				t.Errorf("the machine runs %s, the auditor is told %s: it names %d picks", runs, told, got)
			}
		}
	}
}

// pickedWrongly is how many picks of a machine with one scheduler break the order of another.
func pickedWrongly(t *testing.T, tr *container.Reader, runs, told string) (picks int) {
	t.Helper()
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	cfg.SM.Count = 2
	choices, err := policies.Parse("hyperq,warp="+runs+",serial,warp="+told, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, cfg, err := choices[0].Build(cfg)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(&Run{Trace: tr, Machine: cfg, Policy: p, WarpScheduler: choices[1].WarpScheduler(cfg)})
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(tr, model.Options{Config: cfg, Policy: p, Observer: a.Beside(a.Observers())})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := m.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range a.Finish(sum) {
		if v.Rule != "warp-order" {
			t.Errorf("%s: %+v", runs, v)
		}
		picks++
	}
	return picks
}
