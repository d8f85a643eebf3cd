package measured

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// openCapture converts a capture, as the command does.
func openCapture(ctx context.Context, path string) (*container.Reader, error) {
	in, err := convert.Open(path, nil)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "measured-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "t.trace.zst")
	if err := convert.Run(ctx, in, "", out, convert.Options{Device: -1}); err != nil {
		return nil, err
	}
	return container.Open(out)
}

// The prediction of an empty kernel of one warp: the launch, the CTA's start, the
// load of a parameter, for which the CTA waits 4 cycles, and the end in the cycle
// after; EXIT issues meanwhile.
func TestPredictionOfOneWarp(t *testing.T) {
	gpu := filepath.Join(t.TempDir(), "my.toml")
	if err := os.WriteFile(gpu, []byte("base = \"h100\"\nhost.launch_latency = 900\nkmu.dispatch_latency = "+
		"100\nsm.cta_launch_latency = 50\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	list := []Case{{Kernel: "emptykernel", CTAs: 1, Threads: 32, Cycles: 1000},
		{Kernel: "emptykernel", CTAs: 1, Threads: 32, Cycles: 2110}}
	got, err := Run(context.Background(), list, &Options{GPU: gpu})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got {
		if r.Predicted != 1000+50+4+1 || r.Role != Tests {
			t.Errorf("%+v", r)
		}
	}
	g := Groups(got)
	if len(g) != 1 || g[0].Kernel != "emptykernel" || g[0].Kernels != 2 || math.Abs(g[0].MeanPct-(5.5+50)/2) > 1e-9 {
		t.Errorf("%+v", g)
	}
}

func TestRunErrors(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	one := []Case{{Where: "a.txt:1", Kernel: "emptykernel", Tool: "ncu", CTAs: 1, Threads: 32, Cycles: 1}}
	if _, err := Run(ctx, one, &Options{}); err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := Run(context.Background(), one, &Options{GPU: "h1000"}); err == nil ||
		!strings.Contains(err.Error(), "unknown GPU preset") {
		t.Errorf("a bad machine: %v", err)
	}
	one[0].Tool = "vtune"
	if _, err := Run(context.Background(), one, &Options{}); err == nil ||
		!strings.Contains(err.Error(), "a.txt:1: no preset was set under profile_type=vtune") {
		t.Errorf("a bad tool: %v", err)
	}
}

// h100 replays the published cases: the captures and, of the tables, the launches of
// up to so many CTAs and, where they loop, 10 iterations; the others take long.
func h100(t *testing.T, most int) []Result {
	t.Helper()
	var all []Case
	for _, name := range []string{"accelsim-ffmakernel-h100", "h100-measured-cycles"} {
		list, skipped, err := Folder(tracetest.Data(t, name), nil)
		if err != nil || len(skipped) > 0 {
			t.Fatal(skipped, err)
		}
		for _, c := range list {
			if c.CTAs <= most && c.Iterations <= 10 {
				all = append(all, c)
			}
		}
	}
	got, err := Run(context.Background(), all, &Options{Open: openCapture})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// The measured launches of an H100 PCIe: the presets are set from half of the empty kernels; the errors of all
// others stay within these bounds (mean absolute error and least correlation of each group), so that it cannot get
// worse unseen.
func TestH100Cases(t *testing.T) {
	most := 2048
	if testing.Short() {
		most = 1024
	}
	got := h100(t, most)
	for i := range got {
		r := &got[i]
		t.Logf("%s: %s (%s): predicted %.0f, measured %.0f (%+.1f %%)", r.GPU, r.Name(), r.Role, r.Predicted, r.Cycles,
			100*(r.Predicted/r.Cycles-1))
	}
	bounds := map[string]struct{ mean, correlation float64 }{
		"h100-pcie captures":                     {5, 0.999},
		"h100-pcie emptykernel":                  {2, 0.98},
		"h100-pcie ffmakernel-large-large":       {3.5, 0.99},
		"h100-pcie ":                             {3, 0.99},
		"h100-pcie-boost captures":               {5, math.NaN()},
		"h100-pcie-boost emptykernel":            {4, 0.98},
		"h100-pcie-boost ffmakernel-large-large": {5, 0.99},
		"h100-pcie-boost ":                       {4, 0.99},
	}
	for _, g := range Groups(got) {
		name := g.GPU + " " + g.Kernel
		t.Logf("%s (%s): %d cases, mean absolute error %.1f %%, correlation %.4f", name, g.Role, g.Kernels, g.MeanPct,
			g.Pearson)
		if b, ok := bounds[name]; !ok || g.MeanPct > b.mean || g.Pearson < b.correlation {
			t.Errorf("%s (%s): mean absolute error %.1f %%, correlation %.4f; bounds %v", name, g.Role, g.MeanPct, g.Pearson, b)
		}
	}
	checkDocumented(t, got, testing.Short())
}

// checkDocumented compares with docs/model's figures of the FFMA cases.
func checkDocumented(t *testing.T, got []Result, short bool) {
	t.Helper()
	doc, err := os.ReadFile("../../docs/accuracy.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(doc)), " ")
	says := func(format string, args ...any) {
		if want := fmt.Sprintf(format, args...); !strings.Contains(text, want) {
			t.Errorf("docs/model does not say: %s", want)
		}
	}
	ffma := map[string][2]float64{}
	for i := range got {
		r := &got[i]
		if e := 100 * (r.Predicted/r.Cycles - 1); r.Kernel != "emptykernel" {
			name := r.GPU
			if r.Capture != "" {
				name += " captures"
			}
			if b, ok := ffma[name]; ok {
				ffma[name] = [2]float64{min(b[0], e), max(b[1], e)}
			} else {
				ffma[name] = [2]float64{e, e}
			}
		}
	}
	single := ffma["h100-pcie captures"]
	says("four captures of single warps are %.1f to %.1f %% low", -single[1], -single[0])
	says("capture of 4,096 CTAs of half a warp is %.1f %% high", ffma["h100-pcie-boost captures"][1])
	if !short {
		a, b := ffma["h100-pcie"], ffma["h100-pcie-boost"]
		says("generated FFMA launches of 10 iterations are %.1f to %.1f %% low under Nsight Compute, %.1f to %.1f %% "+
			"low under Nsight Systems", -a[1], -a[0], -b[1], -b[0])
	}
}
