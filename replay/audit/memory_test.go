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

// rowsTrace reads and writes all over the rows of a few banks.
const rowsTrace = `
array a base=0x10000000 bytes=16M
launch k grid=8 block=128
cta 0..7
 warp 0..3
  load R1 @0x10000000+4 cta=65536 warp=4096
  load R2 @0x10800000+4 cta=65536 warp=4096
  store <- R1 @0x10400000+4 cta=65536 warp=8192
  load R3 @0x10200000+4096 cta=4 warp=131072
  int R5 <- R1
  int R5 <- R3
  load R4 @0x10c00000+4 warp=128
  exit
`

// toldOf runs a trace and returns the rules that the auditor names that was told of another
// machine.
func toldOf(t *testing.T, tr *container.Reader, rowCycle int, runs func(*hardware.Config)) map[string]int {
	t.Helper()
	told, err := hardware.Preset("gk110-ppcs")
	if err != nil {
		t.Fatal(err)
	}
	told.SM.Count, told.L1.GlobalLoads = 2, true
	told.DRAM.Channels, told.L2.Slices = 1, 1
	told.L2.Bytes, told.L2.Ways = 64*1024, 16
	told.DRAM.Banks, told.DRAM.Mapping, told.DRAM.TRC, told.DRAM.TRAS = 4, "", rowCycle, rowCycle-12
	cs, err := policies.Parse("hyperq", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, cfg, err := cs[0].Build(told)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(&Run{Trace: tr, Machine: told, Policy: p, WarpScheduler: cs[0].WarpScheduler(told)})
	if err != nil {
		t.Fatal(err)
	}
	runs(cfg)
	m, err := model.New(tr, model.Options{Config: cfg, Policy: p, Observer: a.Beside(a.Observers())})
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
	return rules
}

// A machine whose DRAM leaves one timing out is found out.
func TestAuditorFindsWrongMemory(t *testing.T) {
	tr := tracetest.FromText(t, rowsTrace)
	for name, x := range map[string]struct {
		rule string
		runs func(d *hardware.DRAMConfig)
		long bool // the time between two openings of rows
	}{
		"nothing wrong":                    {runs: func(*hardware.DRAMConfig) {}},
		"a row opened too soon":            {"dram-timing", func(d *hardware.DRAMConfig) { d.TRC, d.TRAS = 1, 1 }, true},
		"a row opened before precharge":    {"dram-timing", func(d *hardware.DRAMConfig) { d.TRP = 1 }, false},
		"rows of a channel opened at once": {"dram-timing", func(d *hardware.DRAMConfig) { d.TRRD = 0 }, false},
		"a column before its row":          {"dram-timing", func(d *hardware.DRAMConfig) { d.TRCD = 1 }, false},
		"columns too close":                {"dram-timing", func(d *hardware.DRAMConfig) { d.TCCD = 1 }, false},
		"data read too soon":               {"dram-timing", func(d *hardware.DRAMConfig) { d.TCL = 1 }, false},
		"data written too soon":            {"dram-timing", func(d *hardware.DRAMConfig) { d.TWL = 0 }, false},
		"no write recovery":                {"dram-timing", func(d *hardware.DRAMConfig) { d.TWR = 0 }, false},
	} {
		rowCycle := 40
		if x.long {
			rowCycle = 120 // or else other timings alone keep rows as far apart
		}
		rules := toldOf(t, tr, rowCycle, func(c *hardware.Config) { x.runs(&c.DRAM) })
		if x.rule == "" && len(rules) > 0 || x.rule != "" && rules[x.rule] == 0 {
			t.Errorf("%s: found %v, want %s", name, rules, x.rule)
		}
	}
}

// wavesTrace has CTAs that read the same; an SM holds one.
const wavesTrace = `
array a base=0x10000000 bytes=64K
launch k grid=6 block=64 shared=12K
cta 0..5
 warp 0..1
  load R1 @0x10000000+4 warp=128
  int R2 <- R1
  exit
`

// kernelsOf tells the memory's book that each CTA is of a kernel of its own.
type kernelsOf struct {
	instWatcher
	audit *Auditor
}

func (o kernelsOf) Placed(r *model.CTARecord) {
	told := *r
	told.Kernel = r.CTA
	o.audit.memory.placed(&told)
	o.audit.hold(r, &o.audit.book(r.Kernel, r.Dispatch).res, r.Dispatch)
}

// A machine that keeps the lines of an L1 where the auditor sees another kernel begin is
// found out.
func TestAuditorFindsLinesKept(t *testing.T) {
	for _, flushes := range []bool{false, true} {
		cfg, err := hardware.Preset("gk110-ppcs")
		if err != nil {
			t.Fatal(err)
		}
		cfg.SM.Count, cfg.L1.GlobalLoads = 2, true
		cs, err := policies.Parse("hyperq", nil)
		if err != nil {
			t.Fatal(err)
		}
		p, cfg, err := cs[0].Build(cfg)
		if err != nil {
			t.Fatal(err)
		}
		tr := tracetest.FromText(t, wavesTrace)
		a, err := New(&Run{Trace: tr, Machine: cfg, Policy: p, WarpScheduler: cs[0].WarpScheduler(cfg)})
		if err != nil {
			t.Fatal(err)
		}
		observer := a.Beside(a.Observers())
		if flushes {
			observer = kernelsOf{observer.(instWatcher), a}
		}
		m, err := model.New(tr, model.Options{Config: cfg, Policy: p, Observer: observer})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, v := range a.found {
			if v.Rule == "l1-flush" {
				found++
			}
		}
		if (found > 0) != flushes {
			t.Errorf("flushed between CTAs: %v, and the auditor names %d hits", flushes, found)
		}
	}
}
