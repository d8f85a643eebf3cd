package command

import (
	"path/filepath"
	"testing"
)

// A sampled cell of a sweep has the cycles of a sampled replay, and another key than an exact one.
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
}
