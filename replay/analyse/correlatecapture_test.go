package analyse

import (
	"flag"
	"math"
	"path/filepath"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// noted is the end to end that the notice of a capture states, in ms.
var noted = map[string]float64{"captures-more/amd-replay_trace.json": 30.255,
	"captures-more/rocprofv3-decode/decode_kernel_trace.csv": 180.3, "captures-more/triton_trace.json.gz": 12.576}

// withoutKernels have no kernel.
var withoutKernels = map[string]bool{"captures-more/hta-cpu_only.json.gz": true,
	"captures-more/hta-mtia.json.gz": true, "captures-more/weatherbench.sqlite": true}

// whole replays the dearest captures from begin to end, which takes half a minute of a processor more.
var whole = flag.Bool("whole", false, "replay the five dearest captures whole, not their two ends")

// dear captures have more CTAs than the others.
var dear = map[string]bool{
	"kineto-hta/df_index_resolver__df_index_resolver.json.gz":                     true,
	"kineto-hta/trace_diff__control__control.json.gz":                             true,
	"kineto-tracelens/h100__google_owlv2-large-patch14-ensemble__1016001.json.gz": true,
	"kineto-tracelens/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz":              true,
	"kineto-tracelens/mi300__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz":             true,
}

// Every capture of a profiler ends where it was recorded to: as captured within 0.1 %,
// and replayed with the host and the copies as recorded, where the host's times are
// known, within 5 %. Streams are in the order of their device starts, and every
// overlap of neighbours is kept. Of the dearest captures the first and the last
// eighth of the time are replayed (-whole: all).
func TestCapturesEndAsRecorded(t *testing.T) {
	root := tracetest.Data(t)
	seen := 0
	for _, pattern := range []string{"captures-more/*.json", "captures-more/*.json.gz", "captures-more/*.sqlite",
		"captures-more/*.rpd", "captures-more/rocprofv3-decode/decode_kernel_trace.csv",
		"nsys-*/*.sqlite", "kineto-*/*.json.gz", "nvprof-*/*.csv"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: nothing (%v)", pattern, err)
		}
		for _, path := range paths {
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			if name = filepath.ToSlash(name); withoutKernels[name] {
				continue
			}
			seen++
			t.Run(name, func(t *testing.T) {
				r := converttest.Trace(t, path)
				if *whole || !dear[name] {
					endsAsRecorded(t, name, r)
					return
				}
				endsAsRecorded(t, name+" begin", partOf(t, r, "", "12%"))
				endsAsRecorded(t, name+" end", partOf(t, r, "88%", ""))
			})
		}
	}
	t.Logf("%d captures", seen)
}

func endsAsRecorded(t *testing.T, name string, r *container.Reader) {
	c, err := CorrelateCapture(t.Context(), r, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("recorded %.3f ms, captured %+.3f %%, replayed %+.2f %%, host %v, %d of %d kernels without a call, %d "+
		"overlaps, %d kept (%s)", float64(c.RecordedNs)/1e6, c.CapturedPct(), c.ReplayedPct(), c.HostTimes, c.NoCall,
		c.Kernels, c.Overlaps, c.Kept, c.Machine)
	if math.Abs(c.CapturedPct()) > 0.1 || c.Inverted > 0 || c.Kept != c.Overlaps {
		t.Errorf("captured %+.3f %%; %d kernels inverted, %d of %d overlaps kept", c.CapturedPct(),
			c.Inverted, c.Kept, c.Overlaps)
	}
	if ms := float64(c.RecordedNs) / 1e6; noted[name] > 0 && math.Abs(ms/noted[name]-1) > 0.0005 || c.NoCall > c.Kernels {
		t.Errorf("recorded %.3f ms, noted %.3f; %d of %d kernels without a call", ms, noted[name], c.NoCall, c.Kernels)
	}
	if c.HostTimes && math.Abs(c.ReplayedPct()) > 5 {
		t.Errorf("replayed %+.2f %%", c.ReplayedPct())
	}
}
