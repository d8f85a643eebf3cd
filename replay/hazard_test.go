package replay

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/policies/crcs"
	_ "gpureplay/samples/pipelines"
	"gpureplay/samples/samplestest"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// audited runs a trace under policies with the auditor on.
func audited(t testing.TB, r *container.Reader, list string, sms int, fault crcs.Fault) ([]*Result, error) {
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
	return Run(context.Background(), &Job{Trace: r, Name: "test", Config: cfg, Choices: choices, Audit: true,
		breaks: func(p *model.Policy) {
			if b, ok := p.Dependency.(*crcs.Board); ok {
				b.Fault = fault
			}
		}})
}

const pipelines = "serial,nocopy,single-overlap,crcs,ppcs,oracle,crcs,cta=fifo,crcs,crcs-counter-bits=2,ppcs," +
	"prelude-order=random,oracle,ppcs-switch=off"

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
		rules string // the rules; one must be found
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

// The release that is lost is the program's last: nothing waits for it, and the auditor finds the page that was not
// given back.
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

// Real captures under every policy of pipelines: no violation. In simpletorch
// many tensors of 40 bytes share three pages, so that ownership of a page orders
// kernels that have no word in common.
func TestCapturesAreSafe(t *testing.T) {
	for _, capture := range []string{"accelsim-rodinia-bfs-a100", "accelsim-backprop-h100",
		"accelsim-simpletorch-v100/traces"} {
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
