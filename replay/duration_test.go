package replay

import (
	"math"
	"path/filepath"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/model/hardware"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// TestDurationsOfCaptures replays profiler captures, kernels one after another, on
// the preset that they are taken to come from: every kernel must take its recorded
// duration, to a cycle a wave. Only those that are shorter than placing their CTAs takes
// may not; they are counted.
func TestDurationsOfCaptures(t *testing.T) {
	for _, c := range []struct{ capture, preset string }{
		{"kineto-hta/critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz", "a100"},
		{"kineto-hta/trace_filter__sampled_rank-0.json.gz", "h200"},
		{"kineto-tracelens/h100__gaunernst_bert-small-uncased__1016001.json.gz", "h100-pcie"},
		{"kineto-tracelens/b200__eager_trace.json.gz", "h200"},
	} {
		r := converttest.Trace(t, tracetest.Data(t, filepath.FromSlash(c.capture)))
		cfg, err := hardware.Preset(c.preset)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := replayedOn(t, r, presetWith(t, c.preset))
		var k trace.Kernel
		met, short := 0, 0
		for id := range uint32(r.Kernels()) {
			if err := r.Kernel(id, &k); err != nil {
				t.Fatal(err)
			}
			if trace.InferredOf(&k) != trace.InferredTime {
				continue
			}
			want := float64(k.Recorded.DurationNs) * cfg.Clock.CoreMHz / 1000
			resident, _ := cfg.Residency(&k)
			waves := float64(k.Grid.Count())/float64(max(1, resident)*cfg.SM.Count) + 1
			placing := float64(k.Grid.Count())/cfg.KMU.CTAsPerCycle + float64(cfg.SM.CTALaunchLatency) + 2
			switch off := float64(got[id]) - want; {
			case math.Abs(off) <= waves+1:
				met++
			case off > 0 && want < placing:
				short++
			default:
				t.Errorf("%s, kernel %d: %d cycles, recorded %.0f", c.capture, id, got[id], want)
			}
		}
		t.Logf("%s on %s: %d kernels take their recorded duration, %d are shorter than placing their CTAs takes",
			c.capture, c.preset, met, short)
		if met == 0 || short > met/5 {
			t.Errorf("%s: most kernels must take their duration", c.capture)
		}
	}
}
