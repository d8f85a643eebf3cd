package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/policies/crcs"
	_ "gpureplay/samples/pipelines"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// audited runs a trace under policies with the auditor on.
func audited(t testing.TB, r *trace.Reader, list string, sms int, fault crcs.Fault) ([]*Result, error) {
	t.Helper()
	cfg, err := hardware.Preset("gk110-ppcs")
	if err != nil {
		t.Fatal(err)
	}
	cfg.SM.Count = sms
	choices, err := policies.Parse(list, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Run(context.Background(), &Job{Trace: r, Name: "test", Config: cfg, Choices: choices, Audit: true, breaks: func(p *model.Policy) {
		if b, ok := p.Dependency.(*crcs.Board); ok {
			b.Fault = fault
		}
	}})
}

const pipelines = "serial,nocopy,single-overlap,crcs,ppcs,oracle,crcs,cta=fifo,crcs,crcs-counter-bits=2,ppcs,prelude-order=random,oracle,ppcs-switch=off"

// The seven workloads of the paper, small, under every policy of pipelines: no
// violation.
func TestPipelinesAreSafe(t *testing.T) {
	for _, w := range []string{
		"3mm n=64", "stn nx=64 ny=16 nz=8 kernels=6", "hsp n=64 kernels=6", "bfs nodes=512", "lpc n=64 kernels=6",
		"conv width=128 height=64 iterations=2", "path cols=2000 rows=21", "vecadd n=8192",
	} {
		words := strings.Fields(w)
		for _, sms := range []int{3} {
			results, err := audited(t, samplestest.Trace(t, words[0], words[1:]...), pipelines, sms, crcs.NoFault)
			if err != nil {
				t.Fatalf("%s on %d SMs: %v", w, sms, err)
			}
			for _, r := range results {
				if len(r.Violations) > 0 {
					t.Errorf("%s on %d SMs, %s: %d violations, the first: %+v", w, sms, r.Policy, len(r.Violations), r.Violations[0])
				}
			}
		}
	}
}

// A scoreboard broken on purpose is found: by the auditor, or, where nothing can
// move any more, as a deadlock with names.
func TestAuditorFindsFaults(t *testing.T) {
	for _, x := range []struct {
		fault crcs.Fault
		rules string // those of which one must be found
	}{
		{crcs.SkipRelease, "deadlock"},
		{crcs.EarlyOwner, "raw"},
		{crcs.EarlyReady, "page-not-ready"},
		{crcs.IgnoreOwner, "raw war waw"},
		{crcs.SharedSM, "kernel-per-sm"},
	} {
		results, err := audited(t, samplestest.Trace(t, "lpc", "n=64", "kernels=6"), "crcs", 4, x.fault)
		var stuck *model.StuckError
		if errors.As(err, &stuck) && x.rules == "deadlock" && strings.Contains(err.Error(), "waits for page") {
			continue
		}
		if err != nil {
			t.Errorf("fault %d: %v", x.fault, err)
			continue
		}
		found := map[string]int{}
		for _, v := range results[0].Violations {
			found[v.Rule]++
		}
		hit := 0
		for _, rule := range strings.Fields(x.rules) {
			hit += found[rule]
		}
		if hit == 0 {
			t.Errorf("fault %d: found %v, want one of: %s", x.fault, found, x.rules)
		}
	}
}

// The release that is lost is the program's last: nothing waits for it, and the
// auditor finds the page that nobody gave back.
func TestAuditorFindsLastRelease(t *testing.T) {
	r := tracetest.FromText(t, `
array P bytes=4K output
launch k grid=1 block=32
cta 0
 warp 0
  store <- R1 R2 @P+4
  exit
d2h P
`)
	results, err := audited(t, r, "crcs", 1, crcs.SkipRelease)
	if err != nil {
		t.Fatal(err)
	}
	if v := results[0].Violations; len(v) != 1 || v[0].Rule != "page-released" {
		t.Errorf("found %+v, want page-released", v)
	}
}

// accesses feeds the hazard books by hand: kernel, mode, issue, done; all touch
// page 0 of an array, the kernels are 0, 1, 2 in program order.
func accesses(t *testing.T, list ...[4]int) string {
	r := tracetest.FromText(t, `
array P bytes=4K
launch a grid=1 block=32 irregular
launch a grid=1 block=32 irregular
launch a grid=1 block=32 irregular
`)
	cfg, err := hardware.Preset("gk110-ppcs")
	if err != nil {
		t.Fatal(err)
	}
	a, err := newAuditor(r, cfg, true, nil, host.NotTasks)
	if err != nil {
		t.Fatal(err)
	}
	one := trace.Access{Base: 1 << 32, Stride: 4, Count: 32}
	for _, x := range list {
		a.hazards.access(&exec.AccessRecord{
			Kernel: uint32(x[0]), Mode: trace.Mode(x[1]), Width: 4, Access: &one, Issue: model.Time(x[2]), Done: model.Time(x[3]),
		})
	}
	var found []string
	for _, v := range a.found {
		found = append(found, fmt.Sprintf("%s@%d", v.Rule, v.Time))
	}
	return strings.Join(found, " ")
}

func TestHazardRules(t *testing.T) {
	const r, w, rw = int(trace.Read), int(trace.Write), int(trace.ReadWrite)
	for _, x := range []struct {
		name string
		want string
		list [][4]int
	}{
		{"in order", "", [][4]int{{0, w, 0, 10}, {1, r, 10, 30}, {1, r, 12, 20}, {2, w, 30, 40}}},
		{"readers together", "", [][4]int{{0, r, 0, 10}, {1, r, 1, 10}, {0, r, 2, 10}}},
		{"a reader before the store is acknowledged", "raw@9", [][4]int{{0, w, 0, 10}, {1, r, 9, 20}}},
		{"a store while an earlier kernel loads", "war@19", [][4]int{{0, r, 0, 20}, {1, r, 5, 10}, {2, w, 19, 30}}},
		{"two stores at once", "waw@5", [][4]int{{0, w, 0, 10}, {2, w, 5, 30}}},
		{"a later kernel has read", "raw@20", [][4]int{{1, r, 0, 10}, {0, w, 20, 30}}},
		{"a later kernel has stored", "war@20", [][4]int{{2, w, 0, 10}, {1, r, 20, 30}}},
		{"stores in the wrong order", "waw@20", [][4]int{{2, w, 0, 10}, {0, w, 20, 30}}},
		{"an atomic is both", "war@5 waw@5", [][4]int{{0, rw, 0, 10}, {1, rw, 5, 20}}},
		{"the slower of two earlier kernels counts", "waw@20 raw@50", [][4]int{{0, w, 0, 60}, {1, w, 20, 30}, {2, r, 50, 70}}},
	} {
		if got := accesses(t, x.list...); got != x.want {
			t.Errorf("%s: found %q, want %q", x.name, got, x.want)
		}
	}
}

// Real captures under every policy of pipelines: no violation. In simpletorch
// many tensors of 40 bytes share three pages, so that ownership of a page orders
// kernels that have no word in common.
func TestCapturesAreSafe(t *testing.T) {
	for _, capture := range []string{"accelsim-rodinia-bfs-a100", "accelsim-backprop-h100", "accelsim-simpletorch-v100/traces"} {
		t.Run(capture, func(t *testing.T) {
			r := converttest.Trace(t, tracetest.Data(t, strings.Split(capture, "/")...))
			results, err := audited(t, r, pipelines, 16, crcs.NoFault)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range results {
				if len(x.Violations) > 0 {
					t.Errorf("%s: %d violations, the first: %+v", x.Policy, len(x.Violations), x.Violations[0])
				}
			}
		})
	}
}

// Pages fed by hand: page 0 of an input array of two pages, kernels 0 and 1, regular.
func TestPageRules(t *testing.T) {
	const page = 1 << 32 >> 12
	give := func(to uint32, at model.Time, number uint64, ready bool) *model.PageRecord {
		return &model.PageRecord{Time: at, Page: number, From: model.NoKernel, To: to, Ready: ready}
	}
	const late = 1 << 30 // cycles: storage has read everything long ago
	for _, x := range []struct {
		name, want string
		do         func(h *hazards, touch func(kernel uint32))
	}{
		{"its own ready page", "", func(h *hazards, touch func(uint32)) { h.changed(give(0, late, page, true)); touch(0) }},
		{"a page on its way", "page-not-ready", func(h *hazards, touch func(uint32)) { h.changed(give(0, late, page, false)); touch(0) }},
		{"another kernel's page", "page-owner", func(h *hazards, touch func(uint32)) { h.changed(give(1, late, page, true)); touch(0) }},
		{"a page that has been given back", "range-covers", func(h *hazards, touch func(uint32)) {
			h.changed(give(0, late, page, true))
			h.changed(give(model.NoKernel, late, page, true))
			touch(0)
		}},
		{"two pages before the link can have carried them", "prelude-rate", func(h *hazards, _ func(uint32)) {
			h.changed(give(0, 5734, page, true)) // 4 KiB of a file at 500 MB/s and 700 MHz: 5734.4 cycles
		}},
		{"in time", "", func(h *hazards, _ func(uint32)) { h.changed(give(0, 5735, page, true)) }},
		{"the second too early", "prelude-rate", func(h *hazards, _ func(uint32)) {
			h.changed(give(0, 5735, page, true))
			h.changed(give(0, 11468, page+1, true))
		}},
	} {
		r := tracetest.FromText(t, "array P bytes=8K\nread P\nh2d P\nlaunch a grid=1 block=32\nlaunch a grid=1 block=32\n")
		cfg, err := hardware.Preset("gk110-ppcs")
		if err != nil {
			t.Fatal(err)
		}
		a, err := newAuditor(r, cfg, true, nil, host.NotTasks)
		if err != nil {
			t.Fatal(err)
		}
		one := trace.Access{Base: 1 << 32, Stride: 4, Count: 32}
		x.do(a.hazards, func(kernel uint32) {
			a.hazards.access(&exec.AccessRecord{Kernel: kernel, Mode: trace.Read, Width: 4, Access: &one, Issue: late, Done: late + 1})
		})
		var got []string
		for _, v := range a.found {
			got = append(got, v.Rule)
		}
		if strings.Join(got, " ") != x.want {
			t.Errorf("%s: found %q, want %q", x.name, got, x.want)
		}
	}
}
