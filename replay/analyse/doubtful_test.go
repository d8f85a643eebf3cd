package analyse

import (
	"math"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// doubtful are captures with impossible, missing or odd records, with the values of their notice: kernels, their
// recorded times in us, the time from the first call to the last end in ms, and the diagnostics that
// must or, with a minus, must not be there.
var doubtful = []struct {
	file      string
	kernels   uint64
	sumUs     float64
	from, to  float64 // recorded, ms
	says      string
	unchecked bool // without calls hyperq launches as fast as the host can
}{
	{"k07-device-clock-3h.json", 20, 1000, 1.950, 1.970, "clock_offset", false},
	{"n03-clock-offset.sqlite", 20, 1000, 1.950, 1.970, "clock_offset", false},
	{"x14-two-threads.json", 205, 45000, 25.415, 25.415, "host_threads", false},
	{"k31-long-graph-calls.json", 50, 1000, 10.180, 10.180, "-slow_launch", false},
	{"k32-graph-call-300us.json", 50, 1000, 9.580, 9.580, "", false},
	{"n12-copy-returns-early.sqlite", 10, 500, 22.960, 22.960, "", false},
	{"k24-overlap-pdl.json", 50, 2250, 2.015, 2.015, "stream_overlap", false},
	{"k33-overlap-full-gpu.json", 50, 2250, 2.015, 2.015, "stream_overlap", false},
	{"k36-two-streams-full-gpu.json", 80, 8000, 4.796, 4.796, "", false},
	{"k02-duration-236-years.json", 6, 350, 0.560, 0.560, "overrun", false},
	{"k03-overrun-in-stream.json", 40, 2050, 3.960, 3.960, "overrun", false},
	{"k01-zero-timestamp.json", 6, 250, 0.560, 0.560, "lost_time -issued_before_call", false},
	{"k10-two-ranks-merged.json", 6, 300, 0.560, 0.560, "-call_without_activity", false},
	{"k28-no-grid.json", 30, 0, 2.960, 2.960, "kernel_without_grid", false},
	{"k35-host-bound.json", 20, 80, 0.994, 0.994, "", false},
	{"k12a-utf8-bom.json", 6, 300, 0.560, 0.560, "", false},
	{"k12b-utf16.json", 6, 300, 0.560, 0.560, "", false},
	{"q02-crlf-bom.csv", 10, 500, 0.950, 0.950, "-bad_row", true},
	{"q07-quoted-header.csv", 10, 500, 0.950, 0.950, "-bad_row", true},
	{"q04-thousands.csv", 10, 500, 0.950, 0.950, "-bad_row", true},
	{"p04-decimal-comma.csv", 10, 500, 0.950, 0.950, "-bad_value", true},
	{"k20-inf-nan.json", 6, 300, 0.560, 0.560, "", false},
	{"k21a-trailing-nul.json", 6, 300, 0.560, 0.560, "json_repaired", false},
	{"k21b-trailing-comma.json", 6, 300, 0.560, 0.560, "json_repaired", false},
	{"c9-zeros-after.json.gz", 6, 300, 0.560, 0.560, "", false},
	{"k09-begin-end-events.json", 6, 300, 0.560, 0.560, "-event_without_end", false},
	{"r02-replayed_kernel_trace.csv", 10, 500, 0, 0, "replayed_dispatch", true},
	{"n07-no-correlation.sqlite", 20, 1000, 1.960, 1.960, "paired_by_order", false},
	{"n02-graph-level-and-kernels.sqlite", 20, 0, 19.710, 19.710, "whole_graph -kernel_without_grid", false},
	{"n17-sync-type-0.sqlite", 20, 1000, 1.960, 1.960, "-bad_row", false},
	{"v1-onnxruntime.json", 10, 500, 0.960, 0.960, "paired_by_order -bad_value -kernel_without_grid", false},
}

// Doubtful captures give the values of their notice: captured within 0.1 %, the default within 5 %.
func TestDoubtfulCaptures(t *testing.T) {
	for _, c := range doubtful {
		t.Run(c.file, func(t *testing.T) {
			r := converttest.Trace(t, tracetest.Data(t, "captures-turn3", c.file))
			x, err := CorrelateCapture(t.Context(), r, c.file)
			if err != nil {
				t.Fatal(err)
			}
			ms := float64(x.RecordedNs) / 1e6
			if x.Kernels != c.kernels || c.to > 0 && (ms < c.from-0.0005 || ms > c.to+0.0005) {
				t.Errorf("%d kernels, recorded %.3f ms; want %d, %.3f to %.3f", x.Kernels, ms, c.kernels, c.from, c.to)
			}
			if sum := recordedUs(t, r); c.sumUs > 0 && math.Abs(sum-c.sumUs) > 0.5 {
				t.Errorf("the kernels were recorded to last %.1f us, want %.1f", sum, c.sumUs)
			}
			if math.Abs(x.CapturedPct()) > 0.1 || !c.unchecked && math.Abs(x.ReplayedPct()) > 5 {
				t.Errorf("captured %+.3f %%, replayed %+.2f %%", x.CapturedPct(), x.ReplayedPct())
			}
			for _, name := range strings.Fields(c.says) {
				plain := strings.TrimPrefix(name, "-")
				if said(r, plain) == (plain != name) {
					t.Errorf("diagnostics %v; want %s", r.Program().Diagnostics, name)
				}
			}
		})
	}
}

func said(r *container.Reader, name string) bool {
	for _, d := range r.Program().Diagnostics {
		if d.Name == name {
			return true
		}
	}
	return false
}

// recordedUs sums up the recorded durations of kernels.
func recordedUs(t *testing.T, r *container.Reader) (sum float64) {
	t.Helper()
	var k trace.Kernel
	for id := range r.Kernels() {
		if err := r.Kernel(uint32(id), &k); err != nil {
			t.Fatal(err)
		}
		sum += float64(max(0, k.Recorded.DurationNs)) / 1000
	}
	return sum
}
