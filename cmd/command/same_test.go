package command

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/samples"
	"gpureplay/trace/tracetest"
)

// other is a command whose files are compared with this one's.
type other struct {
	name string   // its name in failures
	run  []string // the command with the words before it
}

// command is a call of it.
func (o *other) command(args ...string) *exec.Cmd {
	return exec.Command(o.run[0], append(slices.Clone(o.run[1:]), args...)...)
}

// same has both commands do the same in the working folder, where % stands for a folder of
// each one's own, and compares their outputs. Both may fail, in the same words. It
// reports whether they did it.
func (o *other) same(t *testing.T, args ...string) bool {
	t.Helper()
	const here, there = "here", "there"
	in := func(folder string) (all []string) {
		os.RemoveAll(folder)
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, a := range args {
			all = append(all, strings.ReplaceAll(a, "%", folder))
		}
		return all
	}
	what := "replay " + strings.Join(args, " ")
	status, _, errs := command(t, in(here)...)
	var said strings.Builder
	c := o.command(in(there)...)
	c.Stderr = &said
	err := c.Run()
	if a, b := strings.ReplaceAll(errs, here, "%"), strings.ReplaceAll(said.String(), there, "%"); a != b ||
		(err == nil) != (status == 0) {
		t.Errorf("%s says here %q, %s %q (%v)", what, a, o.name, b, err)
	}
	if status != 0 || err != nil {
		return false
	}
	ours, theirs := contents(t, here), contents(t, there)
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if was, ok := theirs[name]; !ok {
			t.Errorf("%s: %s is not there %s", what, name, o.name)
		} else if was != ours[name] {
			t.Errorf("%s: %s differs %s", what, name, o.name)
		}
		delete(theirs, name)
	}
	for name := range theirs {
		t.Errorf("%s: %s is there %s alone", what, name, o.name)
	}
	return true
}

// sameSample compares a sample's trace, and its tables under all policies and the settled
// ones; of enginePins, also on the machines of each engine.
func (o *other) sameSample(t *testing.T, name string) {
	if !o.same(t, sampleArgs(name, filepath.Join("%", name+".trace.zst"))...) {
		return
	}
	path, gpu := writeSample(t, name)
	o.same(t, "--quiet", "--policy=all", "--gpu="+gpu, "--sample=5000", "--audit", "-o", "%", path)
	for _, word := range strings.Fields(settled) {
		o.same(t, "--quiet", "--no-baseline", "--policy="+word, "--gpu="+gpu, "--sample=5000", "-o", "%", path)
	}
	if slices.Contains(enginePins.samples, name) {
		for _, gpu := range enginePins.machines {
			o.same(t, "--quiet", "--no-baseline", "--policy="+pinned(t, path), "--gpu="+gpu, "--sample=5000", "--audit", "-o",
				"%", path)
		}
	}
}

// sameCapture compares the traces of the captures in a file or folder, and their tables; of
// a folder that cannot be converted as a whole, each file in it.
func (o *other) sameCapture(t *testing.T, path string) {
	if !o.same(t, "convert", "--quiet", path, "-o", "%/") {
		entries, _ := os.ReadDir(path)
		for _, e := range entries {
			o.sameCapture(t, filepath.Join(path, e.Name()))
		}
		return
	}
	traces, err := filepath.Glob(filepath.Join("here", "*.trace.zst"))
	if err != nil || len(traces) == 0 {
		t.Fatalf("%s: %d traces: %v", path, len(traces), err)
	}
	for i, from := range traces { // before they are replayed, which empties the folder
		traces[i] = filepath.Base(from)
		if err := os.Rename(from, traces[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, trace := range traces {
		o.same(t, "--quiet", "--policy=all", "-o", "%", trace)
	}
}

// A change without effect on outputs is shown to have none: the command of another revision writes the same traces
// and the same tables of every sample, and of every capture that is here. `make same BASE=REVISION` builds that
// command.
func TestSameAsBase(t *testing.T) {
	base := os.Getenv("REPLAY_BASE")
	if base == "" {
		t.Skip("make same BASE=REVISION runs this")
	}
	o := other{"in the base", []string{base}}
	t.Chdir(t.TempDir())
	for _, g := range samples.List() {
		t.Run(g.Name, func(t *testing.T) { o.sameSample(t, g.Name) })
	}
	t.Run("captures", func(t *testing.T) {
		entries, err := os.ReadDir(tracetest.Data(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.IsDir() {
				o.sameCapture(t, tracetest.Data(t, e.Name()))
			}
		}
	})
}
