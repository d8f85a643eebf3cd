package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/replay/measured"
	"gpureplay/trace/tracetest"
)

// A table as it was published, and a record that says where its trace is.
func TestCorrelateTable(t *testing.T) {
	dir := t.TempDir()
	trace := filepath.Join(dir, "one.trace.zst")
	must(t, "sample", "--quiet", "empty", "--param=ctas=3", "-o", trace)
	table := filepath.Join(dir, "m.txt")
	text := "suite=simtune, benchmark=emptykernel, profile_type=ncu, thread=256, block=1024, cycles=5000\n" +
		"suite=simtune, benchmark=emptykernel, profile_type=ncu, thread=288, block=1024, cycles=5000\n" +
		"benchmark=mine, profile_type=ncu, trace=one.trace.zst, cycles=4000\nbenchmark=bfs, cycles=7\n"
	if err := os.WriteFile(table, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out := must(t, "correlate", "--quiet", table)
	for _, want := range []string{"emptykernel  1,024      256           -  sets",
		"emptykernel  1,024      288           -  tests", "mine             3       32           -  tests",
		"all that test  tests", "h100-pcie: launch costs set from the cases of emptykernel"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	var rows []map[string]any
	if err := json.Unmarshal([]byte(must(t, "correlate", "--json", "--quiet", "--where=thread=288", dir)),
		&rows); err != nil ||
		len(rows) != 1 || rows[0]["role"] != "tests" {
		t.Errorf("%v, %v", rows, err)
	}
}

// Nsight Compute's measurements stand beside a replay's kernels, in their order: its cycles, and its bytes of DRAM,
// as counted or from their rate (0.5 Gbyte a second for 8 us are 4,000).
func TestCorrelateNcu(t *testing.T) {
	dir := t.TempDir()
	one, out, csv := filepath.Join(dir, "one.trace.zst"), filepath.Join(dir, "out"), filepath.Join(dir, "ncu.csv")
	must(t, "sample", "--quiet", "vecadd", "-o", one)
	must(t, "--quiet", one, "--policy=hyperq", "--tables=kernels", "-o", out)
	const head = `"ID","Process ID","Process Name","Kernel Name","Stream","Block Size","Grid Size","Device","CC",`
	for text, want := range map[string]float64{
		head + `"gpc__cycles_elapsed.max","dram__bytes_read.sum","dram__bytes_write.sum"` + "\n" +
			`"","","","","","","","","","cycle","Kbyte","byte"` + "\n" +
			`"0","9","a","f","7","(256, 1, 1)","(9, 1, 1)","0","8.6","2,000","3.00","1,000"` + "\n": 4000,
		head + `"gpc__cycles_elapsed.max","gpu__time_duration.sum","dram__bytes.sum.per_second"` + "\n" +
			`"","","","","","","","","","cycle","us","Gbyte/second"` + "\n" +
			`"0","9","a","f","7","(256, 1, 1)","(9, 1, 1)","0","8.6","2,000","8.00","0.50"` + "\n": 4000,
	} {
		if err := os.WriteFile(csv, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var rows []map[string]any
		err := json.Unmarshal([]byte(must(t, "correlate", "--json", "--quiet", out, csv)), &rows)
		if err != nil || len(rows) != 1 || rows[0]["measured"] != 2000.0 || rows[0]["unit"] != "cycles" ||
			rows[0]["measured_dram_bytes"] != want || rows[0]["dram_bytes"].(float64) <= 0 {
			t.Errorf("%v, %v", rows, err)
		}
		if got := must(t, "correlate", "--quiet", out, csv); !strings.Contains(got, "DRAM bytes") ||
			!strings.Contains(got, "4,000") {
			t.Errorf("%s", got)
		}
	}
}

// Mistakes of users are named in one line.
func TestCorrelateRefuses(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "m.txt")
	if err := os.WriteFile(table, []byte("benchmark=bfs, cycles=7\nbenchmark=bfs, cycles=8\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for want, args := range map[string][]string{
		`2 of "bfs": no generator makes them`: {table},
		"no capture with its measured cycles": {empty},
		"want KEY=VALUE":                      {"--where=x", table},
		"no such file":                        {filepath.Join(dir, "none")},
	} {
		if status, _, stderr := command(t, append([]string{"correlate"}, args...)...); status == 0 ||
			!strings.Contains(stderr, want) ||
			strings.Count(stderr, "\n") > 1 {
			t.Errorf("%v: status %d, %s", args, status, stderr)
		}
	}
}

// The folder of the published captures is taken as it is.
func TestCorrelateCaptures(t *testing.T) {
	out := must(t, "correlate", tracetest.Data(t, "accelsim-ffmakernel-h100"))
	for _, want := range []string{"simtune-ffmakernel-1-32-10      1       32",
		"simtune-ffmakernel-4096-16  4,096       16", "h100-pcie        captures  tests      4"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// keepReferences keeps Accel-Sim's cases of three kinds, which are of every part, and returns how many. The tests of
// the package measured replay them all.
func keepReferences(t *testing.T) int {
	t.Helper()
	refs, err := measured.References()
	if err != nil {
		t.Fatal(err)
	}
	refs = slices.DeleteFunc(refs, func(r measured.Reference) bool {
		return !slices.Contains([]string{"alu", "gather", "tile"}, r.Kind)
	})
	all := accelSimReferences
	accelSimReferences = func() ([]measured.Reference, error) { return slices.Clone(refs), nil }
	t.Cleanup(func() { accelSimReferences = all })
	return len(refs)
}

// Accel-Sim's cases need no file; those that are held out are shown when requested.
func TestCorrelateAccelSim(t *testing.T) {
	kept := keepReferences(t)
	out := must(t, "correlate", "--quiet", "--accelsim")
	rows, table, ok := strings.Cut(out, "\n\n")
	if !ok || !strings.Contains(rows, "gather 1") || !strings.Contains(rows, "tile 7001") ||
		strings.Contains(rows, "gather 2") ||
		strings.Count(table, "held out") != 3 {
		t.Errorf("it prints\n%s", out)
	}
	shown := must(t, "correlate", "--quiet", "--json", "--accelsim=all")
	tables := map[string]bool{}
	cases, parts := strings.Count(shown, `"table": "accelsim_cases"`), strings.Count(shown,
		`"table": "accelsim_agreement"`)
	if why := misdeclared(shown, tables); why != "" || parts != 12 || cases != kept {
		t.Errorf("%d cases, %d parts, %s", cases, parts, why)
	}
	fails(t, 2, []string{"--accelsim=some", "open or all"}, "correlate", "--accelsim=some")
	fails(t, 2, []string{"no files with --accelsim"}, "correlate", "--accelsim", "x.txt")
	fails(t, 2, []string{"no other flag"}, "correlate", "--accelsim", "--gpu=qv100")
	fails(t, 2, []string{"sm.fetch_width"}, "correlate", "--accelsim", "--set=sm.fetch_widht=0")
	fails(t, 2, []string{"bandwidth goes with no other flag"}, "correlate", "bandwidth", "--gpu=h100")
	fails(t, 2, []string{"boundaries goes with no other flag"}, "correlate", "boundaries", "--add=3")
	fails(t, 2, []string{"goes with --accelsim"}, "correlate", "--set=sm.fetch_width=0", "boundaries")
	changed := must(t, "correlate", "--quiet", "--accelsim", "--set=sm.pipeline=direct")
	if _, without, _ := strings.Cut(changed, "\n\n"); without == table || strings.Count(without, "held out") != 3 {
		t.Errorf("without collectors and fetch it prints\n%s", changed)
	}
}
