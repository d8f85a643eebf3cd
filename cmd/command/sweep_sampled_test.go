package command

import (
	"path/filepath"
	"strings"
	"testing"
)

// A sampled cell of a sweep has the cycles of a sampled replay, and another key than an exact one. A second start finds
// it finished; another error or another place of the checks is another cell.
func TestSweepIsSampled(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "scale.trace.zst")
	must(t, "sample", "scale", "--param=kernels=60", "-o", trace)
	const head = "traces = 'scale.trace.zst'\npolicies = 'serial'\ngpus = 'a100'\ntables = ['runs', 'classes']\n"
	file := writeSweep(t, dir, head+"approximate = '2%'\napproximate_seed = 3\n")
	out := filepath.Join(dir, "out")
	sampled := printedRows(t, "sweep", "-o", out, file)[0]
	alone := printedRows(t, "--gpu=a100", "--policy=serial", "--approximate=2%", "--approximate-seed=3", "--tables=runs",
		"-o", t.TempDir(), trace)[0]
	if sampled["cycles"] != alone["cycles"] || sampled["kernels_inferred"] != alone["kernels_inferred"] {
		t.Errorf("the cell has %v cycles, %v kernels inferred; a replay has %v, %v", sampled["cycles"],
			sampled["kernels_inferred"], alone["cycles"], alone["kernels_inferred"])
	}
	writeSweep(t, dir, head)
	exact := printedRows(t, "sweep", "-o", out, file)[0]
	if exact["cell"] == sampled["cell"] || exact["cycles"] == sampled["cycles"] {
		t.Errorf("exact: cell %v with %v cycles; sampled: cell %v with %v", exact["cell"], exact["cycles"],
			sampled["cell"], sampled["cycles"])
	}
	for _, c := range []struct {
		text        string
		ran, before int
	}{{"approximate = '2%'\napproximate_seed = 3\n", 0, 1}, {"approximate = '2%'\napproximate_seed = 4\n", 1, 0},
		{"approximate = '3%'\napproximate_seed = 3\n", 1, 0}, {"approximate = '2%'\napproximate_seed = 3\n", 0, 1}} {
		writeSweep(t, dir, head+c.text)
		if ran, before := ranCells(t, 0, "-o", out, file); ran != c.ran || before != c.before {
			t.Errorf("%q: %d cells replayed, %d finished before", c.text, ran, before)
		}
	}
}

// Flags that have no effect beside each other are refused. The note on inferred kernels names no sampled ones.
func TestApproximateByItself(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "scale.trace.zst")
	must(t, "sample", "scale", "--param=kernels=60", "-o", trace)
	fails(t, 2, []string{"--audit", "--approximate"}, "--audit", "--approximate=2%", "--gpu=a100", trace)
	fails(t, 2, []string{"--approximate-seed=3"}, "--approximate-seed=3", "--gpu=a100", trace)
	out := must(t, "--approximate=2%", "--gpu=a100", "--policy=serial", "-o", t.TempDir(), trace)
	if !strings.Contains(out, "kernels were not simulated") || strings.Contains(out, "inferred") {
		t.Error(out)
	}
}
