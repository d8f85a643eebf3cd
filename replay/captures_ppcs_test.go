package replay

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// ppcsCaptures are the Accel-Sim captures with more than one kernel, each on the preset of its GPU. The last takes
// a minute, and runs with -v alone.
var ppcsCaptures = []struct {
	name, path, preset string
	long               bool
}{
	{"Rodinia bfs", "accelsim-rodinia-bfs-a100/kernelslist.g", "a100", false},
	{"backprop", "accelsim-backprop-h100", "h100", false},
	{"simpletorch, 3 epochs", "accelsim-simpletorch-v100/traces/kernelslist.g", "qv100", false},
	{"simpletorch, all epochs", "accelsim-simpletorch-v100/all-1101-kernels.tar.gz", "qv100", true},
}

// ppcsRow is one row of docs/policies's table of captures: speedups over serial.
func ppcsRow(t *testing.T, path, preset string, storage bool) (speedups []float64, row string) {
	t.Helper()
	r := converttest.Trace(t, tracetest.Data(t, filepath.FromSlash(path)))
	io := "no"
	if storage {
		if _, err := AssumeStorage(r); err != nil {
			t.Fatal(err)
		}
		io = "yes"
	}
	irregular := 0
	var k trace.Kernel
	for i := range r.Program().Totals.Kernels {
		if err := r.Kernel(uint32(i), &k); err != nil {
			t.Fatal(err)
		}
		if k.Flags&trace.KernelIrregular != 0 {
			irregular++
		}
	}
	row = fmt.Sprintf(" %d | %d | %s |", r.Program().Totals.Kernels, irregular, io)
	for _, set := range []string{"host.page_bytes=4096", "host.page_bytes=512"} {
		cfg, err := hardware.Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		key, value, _ := strings.Cut(set, "=")
		if err := cfg.Set(key, value); err != nil {
			t.Fatal(err)
		}
		list := "serial,crcs,ppcs,oracle,oracle,grain=sector"
		if value == "512" {
			list = "serial,ppcs"
		}
		choices, err := policies.Parse(list, nil)
		if err != nil {
			t.Fatal(err)
		}
		results, err := Run(context.Background(), &Job{Trace: r, Name: "capture", Config: cfg, Choices: choices, Audit: true})
		if err != nil {
			t.Fatal(err)
		}
		if value == "4096" {
			row += shares(results[0])
		}
		for _, x := range results {
			if len(x.Violations) > 0 {
				t.Errorf("%s, %s: %v", path, x.Policy, x.Violations[0])
			}
		}
		for _, x := range results[1:] {
			speedups = append(speedups, float64(results[0].Run.Cycles)/float64(x.Run.Cycles))
			row += fmt.Sprintf(" %.3f |", speedups[len(speedups)-1])
		}
	}
	return speedups, row
}

// shares are the shares of a serial run's stages: files, copies and kernels.
func shares(x *Result) string {
	var all model.Time
	for k, d := range x.Stages {
		if model.StageKind(k) != model.StageProfiler {
			all += d
		}
	}
	share := func(kinds ...model.StageKind) float64 {
		var some model.Time
		for _, k := range kinds {
			some += x.Stages[k]
		}
		return 100 * float64(some) / float64(all)
	}
	return fmt.Sprintf(" %.0f %% | %.0f %% | %.0f %% |", share(model.StagePrelude, model.StagePostlude),
		share(model.StageH2D, model.StageD2H), share(model.StageKernel))
}

// Captures under the policies that overlap dependent kernels: each run is audited, none
// is slower than serial by more than a pre-profiler, and -v prints docs/policies's table.
func TestCapturesUnderPPCS(t *testing.T) {
	var b strings.Builder
	b.WriteString("| capture | kernels | irregular | storage assumed | files | copies | kernels' time | crcs | ppcs " +
		"| oracle | oracle, 32 B | ppcs, 512 B |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, c := range ppcsCaptures {
		if c.long && !testing.Verbose() {
			continue
		}
		for _, storage := range []bool{false, true} {
			speedups, row := ppcsRow(t, c.path, c.preset, storage)
			fmt.Fprintf(&b, "| %s on `%s` |%s\n", c.name, c.preset, row)
			for i, s := range speedups {
				if s < 0.99 {
					t.Errorf("%s on %s, storage %v: policy %d comes to %.3f of serial", c.name, c.preset, storage, i, s)
				}
			}
		}
	}
	t.Log("\n" + b.String())
}

// The assumed file accesses of a program: its reads side by side before the copies, and the written arrays of the
// last kernel back and out. An array that is copied twice is read once.
func TestAssumeStorage(t *testing.T) {
	const text = `
array A bytes=8K
array B bytes=4K
array C bytes=4K
h2d A
h2d B
launch k grid=1 block=32
cta 0
 warp 0
  store <- R1 @C+4
  exit
h2d A
launch l grid=1 block=32
cta 0
 warp 0
  load R1 <- R2 @C+4
  exit
`
	r := tracetest.FromText(t, text)
	s, err := AssumeStorage(r)
	if err != nil {
		t.Fatal(err)
	}
	ops, err := hostOps(r)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, op := range ops {
		name := fmt.Sprint(op.Kind)
		if op.Array != trace.NoArray {
			name += " " + string(rune('A'+op.Array))
		}
		got = append(got, name)
	}
	want := fmt.Sprint([]string{
		fmt.Sprint(trace.OpFileRead, " A"), fmt.Sprint(trace.OpFileRead, " B"), fmt.Sprint(trace.OpCopyH2D, " A"),
		fmt.Sprint(trace.OpCopyH2D, " B"), fmt.Sprint(trace.OpLaunch), fmt.Sprint(trace.OpCopyH2D, " A"),
		fmt.Sprint(trace.OpLaunch),
		fmt.Sprint(trace.OpCopyD2H, " C"), fmt.Sprint(trace.OpSyncDevice), fmt.Sprint(trace.OpFileWrite, " C"),
	})
	if fmt.Sprint(got) != want {
		t.Errorf("the program is\n%v, want\n%v", got, want)
	}
	if s.Reads != 2 || s.BytesRead != 12<<10 || s.Writes != 1 || !strings.Contains(s.Assumption(), "kernel 0 writes") {
		t.Errorf("%d arrays of %d bytes read, %d written: %s", s.Reads, s.BytesRead, s.Writes, s.Assumption())
	}
	if _, err := AssumeStorage(r); err == nil || !strings.Contains(err.Error(), "file accesses of its own") {
		t.Errorf("a program with file accesses: %v", err)
	}
}
