package analyse

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/trace/choose"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// A part of a capture ends when it ended in the capture, wherever it is cut. One capture has a sampled API: 117 of
// 144 kernels have no call, so that a part begins with some of them and the host's work reaches into it. The other
// lacks kernels of its graphs.
func TestPartsOfCapturesEndAsRecorded(t *testing.T) {
	root := tracetest.Data(t)
	for _, w := range []struct {
		capture string
		parts   [][2]string
	}{
		{"captures-more/rocprofv3-decode/decode_kernel_trace.csv", [][2]string{{"", "25%"}, {"50%", "75%"}, {"75%", ""},
			{"", "50%"}, {"50%", ""}, {"33%", "66%"}, {"10%", "90%"}, {"60%", "70%"}}},
		{"kineto-hta/negative_queue_length_values_check__rank0.json.gz", [][2]string{{"", "25%"}, {"75%", ""}, {"50%", ""},
			{"45%", "55%"}}},
	} {
		r := converttest.Trace(t, filepath.Join(root, w.capture))
		for _, part := range w.parts {
			c, err := CorrelateCapture(t.Context(), partOf(t, r, part[0], part[1]), w.capture)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s from %s to %s: recorded %.3f ms, replayed %+.2f %%", w.capture, part[0], part[1],
				float64(c.RecordedNs)/1e6, c.ReplayedPct())
			if math.Abs(c.CapturedPct()) > 0.1 || math.Abs(c.ReplayedPct()) > 5 {
				t.Errorf("%s from %s to %s: captured %+.2f %%, replayed %+.2f %%", w.capture, part[0], part[1], c.CapturedPct(),
					c.ReplayedPct())
			}
		}
	}
}

// partOf writes the part of a trace between two times.
func partOf(t *testing.T, r *container.Reader, from, to string) *container.Reader {
	t.Helper()
	var s *choose.Selection
	c, err := choose.Parse("", from, to, "", "")
	if err == nil {
		s, err = choose.Select(t.Context(), r, c)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "part.trace.zst"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := container.NewWriter(f, container.Options{})
	if err == nil {
		err = s.Write(t.Context(), w)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	part, err := container.Open(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { part.Close() })
	return part
}
