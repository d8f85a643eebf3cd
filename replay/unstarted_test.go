package replay

import (
	"context"
	"io"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay/table"
	"gpureplay/samples/samplestest"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// Kernels that nothing starts are counted in the run's diagnostics and by inspect; children and launched ones are
// not.
func TestKernelsThatNothingStarts(t *testing.T) {
	for _, c := range []struct {
		text string
		want uint64
	}{
		{"trace 1\nkernel f grid=4 block=32\nkernel g grid=4 block=32\n", 2},
		{"trace 1\nkernel f grid=4 block=32\nkernel g grid=4 block=32\nlaunch 1\n", 1},
		{"trace 1\nlaunch f grid=4 block=32\nkernel g grid=4 block=32\nlaunch 1\n", 0},
		{"trace 1\nspawn f grid=1 block=32\n", 0},
	} {
		if got := started(t, tracetest.FromText(t, c.text)); got != c.want {
			t.Errorf("%q: %d kernels are not launched, want %d", c.text, got, c.want)
		}
	}
	nested := samplestest.Trace(t, "dp-bht", "bodies=256")
	f, err := policies.ProfileTrace(nested, host.NotTasks)
	if err != nil || f.NotStarted != 0 || f.ChildLaunches == 0 {
		t.Errorf("of children: %d are not started, %v", f.NotStarted, err)
	}
}

// started replays a trace and returns the count that its diagnostics have.
func started(t *testing.T, r *container.Reader) uint64 {
	t.Helper()
	dir := t.TempDir()
	cs, err := policies.Parse("serial", nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(context.Background(), &Job{Trace: r, Name: "t", Config: cfg, Choices: cs,
		Output: &Output{Dir: dir, Tables: []string{"diagnostics"}}})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := table.Find(dir, "diagnostics")
	if err != nil || len(parts) != 1 {
		t.Fatalf("%v, %v", parts, err)
	}
	in, err := table.OpenReader(parts[0].Path, table.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	b, err := in.Next()
	if err == io.EOF {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	name, _ := b.Column("name").Text(0)
	if severity, _ := b.Column("severity").Text(0); b.Rows != 1 || name != "kernel_not_launched" ||
		severity != "data_loss" {
		t.Errorf("%d rows, the first %s %s", b.Rows, name, severity)
	}
	n, _ := b.Column("count").Uint(0)
	return n
}
