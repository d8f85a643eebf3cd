package command

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/replay/table"
)

// tablesOf returns every file of tables under a folder, by its path, but those that
// say how fast it went.
func tablesOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if d.IsDir() && d.Name() == ".runs" {
			return filepath.SkipDir
		}
		if err == nil && !d.IsDir() && !strings.Contains(name, "performance") {
			all[name], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// call is one replay into the folder.
type call struct {
	trace            int
	gpu, set, policy string
	tables, format   string
	cut              bool
}

func (c *call) args(traces []string, dir string) []string {
	args := []string{"--quiet", "--no-baseline", "--gpu=" + c.gpu, "--policy=" + c.policy, "--tables=" + c.tables,
		"--format=" + c.format, "-o", dir}
	if c.set != "" {
		args = append(args, "--set="+c.set)
	}
	return append(args, traces[c.trace])
}

// randomCall draws one. Policies, machines, settings, tables and formats are few, so
// that the same run comes again.
func randomCall(r *rand.Rand) call {
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	return call{r.IntN(2), pick("gk110-ppcs", "k20c"), pick("", "", "sm.count=4", "kmu.hwqs=1"),
		pick("serial", "hyperq", "serial,warp=lrr", "serial,hyperq"),
		pick("runs", "runs,kernels", "kernels,ctas", "runs,settings,machines,memory"),
		pick("parquet", "parquet", "csv", "arrow"), r.IntN(6) == 0}
}

// killed leaves the files of a killed process: unfinished ones.
func killed(t *testing.T, r *rand.Rand, dir string) {
	t.Helper()
	runs, err := filepath.Glob(filepath.Join(dir, ".runs", "*"))
	if err != nil || len(runs) == 0 {
		return
	}
	at := filepath.Join(runs[r.IntN(len(runs))], "new.partial")
	if err := os.MkdirAll(at, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at, "runs.parquet"), []byte("PAR1 half a file"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Fifty random sequences of replays into one folder, some of them interrupted: every
// table has the bytes that its run alone would have written, and nothing of another
// run goes.
func TestRandomSequencesIntoOneFolder(t *testing.T) {
	sequences := 50
	if testing.Short() {
		sequences = 4
	}
	traces := []string{filepath.Join(t.TempDir(), "7.trace.zst"), filepath.Join(t.TempDir(), "007.trace.zst")}
	for i, path := range traces {
		must(t, "sample", "vecadd", fmt.Sprintf("--param=n=%d", 1024<<i), "-o", path)
	}
	written := map[string]map[string][]byte{} // by call: the files that it writes into an empty folder
	for seed := range uint64(sequences) {
		r := rand.New(rand.NewPCG(seed, 19))
		dir := t.TempDir()
		want := map[string][]byte{}
		for range 2 + r.IntN(4) {
			c := randomCall(r)
			key := fmt.Sprint(c.trace, c.gpu, c.set, c.policy, c.tables, c.format)
			if written[key] == nil {
				alone := t.TempDir()
				must(t, c.args(traces, alone)...)
				written[key] = tablesOf(t, alone)
			}
			if c.cut {
				killed(t, r, dir)
			}
			must(t, c.args(traces, dir)...)
			for name, data := range written[key] {
				want[name] = data
			}
		}
		got := tablesOf(t, dir)
		if len(got) != len(want) {
			t.Errorf("seed %d: %d files, want %d", seed, len(got), len(want))
		}
		for name, data := range want {
			if !bytes.Equal(got[name], data) {
				t.Errorf("seed %d: %s is not what its run alone writes (%d bytes, %d alone)", seed, name, len(got[name]), len(data))
			}
		}
		if _, wrong, err := table.Verify(dir); wrong != nil || err != nil {
			t.Errorf("seed %d: %v, %v", seed, wrong, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".runs", "*", "new*")); len(left) > 0 {
			t.Errorf("seed %d: left behind %v", seed, left)
		}
	}
}
