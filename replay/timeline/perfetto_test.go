package timeline

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/replay/table"
)

// perfetto is a Python with Perfetto's own definition of its traces.
func perfetto(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"../../.venv/bin/python", "python3"} {
		if exec.Command(python, "-c", "import perfetto.protos.perfetto.trace.perfetto_trace_pb2").Run() == nil {
			return python
		}
	}
	t.Skip("no Python with Perfetto's definitions (testdata/requirements.txt; make test installs them)")
	return ""
}

// By Perfetto's own definitions the file means the same as by the tests' parser, which has its numbers from this
// package.
func TestPerfettoReadsIt(t *testing.T) {
	python := perfetto(t)
	dir := t.TempDir()
	s := open(t, dir, "ppcs", table.Parquet)
	fill(s)
	o := s.Observer()
	o.Launch(&model.LaunchRecord{Parent: 3, Child: 8, Time: 27, Decision: model.DeviceKernel, Arrive: 28, FirstCTA: 31})
	o.Kernel(&model.KernelRecord{ID: 8, Function: "void a::größe<int>(int)", Parent: 3, Arrive: 28, Dispatch: 30,
		FirstCTA: 31, End: 33})
	commit(t, s)
	many := open(t, dir, "serial", table.Parquet, "ctas")
	for i := range int64(maxCTAs + 1) {
		many.Observer().CTA(&model.CTARecord{Kernel: 1, Child: model.NoKernel, SM: uint32(i % 3), Dispatch: i, End: i + 2})
	}
	commit(t, many)
	var b bytes.Buffer
	if _, err := Write(context.Background(), &b, dir, Options{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "t.pftrace")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(python, filepath.Join("testdata", "read.py"), path)
	c.Env = append(os.Environ(), "PYTHONIOENCODING=utf-8")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, want := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"), parse(t, b.Bytes())
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(got) < 30 || !strings.Contains(string(out), "größe flow=1/8") {
		t.Errorf("Perfetto's definitions give\n%s\nours\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
