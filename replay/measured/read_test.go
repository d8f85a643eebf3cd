package measured

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const two = `# cycles of an H100 PCIe
suite=simtune, benchmark=emptykernel, frequency=1081, profile_type=ncu, thread=256, block=1024, cycles=5055.00, ` +
	`beforeTurning=1

suite=simtune, benchmark=ffmakernel-large, frequency=1755, profile_type=nsys, thread=96, block=7, iters=20, ` +
	`cycles=7918.56
suite=rodinia, benchmark=bfs, profile_type=ncu, cycles=3
benchmark=mine, profile_type=ncu, trace=sub/mine.trace.zst, cycles=12.5
`

func TestRead(t *testing.T) {
	list, skipped, err := read(strings.NewReader(two), "dir/a.txt", nil)
	if err != nil || len(list) != 3 || len(skipped) != 1 || skipped["bfs"] != 1 {
		t.Fatal(list, skipped, err)
	}
	want := []Case{
		{Where: "dir/a.txt:2", Suite: "simtune", Kernel: "emptykernel", Tool: "ncu", CTAs: 1024, Threads: 256, Cycles: 5055},
		{Where: "dir/a.txt:4", Suite: "simtune", Kernel: "ffmakernel-large", Tool: "nsys", CTAs: 7, Threads: 96,
			Iterations: 20, Cycles: 7918.56},
		{Where: "dir/a.txt:6", Kernel: "mine", Tool: "ncu", Cycles: 12.5,
			Capture: filepath.Join("dir", "sub", "mine.trace.zst")},
	}
	for i := range want {
		if list[i] != want[i] {
			t.Errorf("%+v, want %+v", list[i], want[i])
		}
	}
	if a, b := list[0].key(), list[1].key(); a != "ctas=1024 threads=256 empty" ||
		b != "ctas=7 threads=96 iterations=20 ffma" {
		t.Errorf("traces %q and %q", a, b)
	}
	if list, _, err := read(strings.NewReader(two), "a.txt", map[string]string{"frequency": "1755"}); err != nil ||
		len(list) != 1 ||
		list[0].Tool != "nsys" {
		t.Errorf("chosen: %v, %v", list, err)
	}
}

func TestReadErrors(t *testing.T) {
	for text, want := range map[string]string{
		"hello":                                              `a.txt:1: "hello" is not key=value`,
		"\nbenchmark=x, benchmark=y":                         "a.txt:2: benchmark stands there twice",
		"benchmark=emptykernel":                              "a.txt:1: cycles=: want a number above 0",
		"benchmark=x, cycles=NaN":                            "cycles=NaN: want a number above 0",
		"benchmark=x, cycles=Inf":                            "cycles=Inf: want a number above 0",
		"benchmark=ffmakernel,cycles=1":                      "ffmakernel lacks block",
		"benchmark=ffmakernel,cycles=1,block=1,thread=32":    "ffmakernel lacks iters",
		"benchmark=emptykernel,cycles=1,block=1,thread=2048": "thread=2048: want a whole number from 1 to 1024",
		"benchmark=emptykernel,cycles=1,block=0,thread=1":    "block=0: want a whole number from 1 to",
		strings.Repeat("x", maxLine+1):                       "a.txt:1: a line of more than 65536 bytes",
	} {
		if _, _, err := read(strings.NewReader(text), "a.txt", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("NOTICE.txt", "Repository : somewhere\n")
	put("table.txt", two)
	put("simtune-ffmakernel-4096-16/gt", "6608\n")
	put("else/gt", "7")
	put("none/kernelslist.g", "")
	list, skipped, err := Folder(dir, nil)
	if err != nil || len(list) != 5 || skipped["bfs"] != 1 {
		t.Fatal(list, skipped, err)
	}
	got := fmt.Sprint(list[0].Kernel, list[0].Cycles, list[1].Kernel, list[1].Tool, list[1].Cycles,
		filepath.Base(list[1].Capture))
	if got != "else7simtune-ffmakernel-4096-16nsys6608kernelslist.g" &&
		got != "else 7 simtune-ffmakernel-4096-16 nsys 6608 kernelslist.g" {
		t.Error(got)
	}
	if _, err := list[0].Preset(); err == nil ||
		!strings.Contains(err.Error(), "not said which tool measured: choose a machine with --gpu") {
		t.Errorf("a capture of an unknown tool: %v", err)
	}
	for _, text := range []string{"seven", "NaN", "0"} {
		put("else/gt", text)
		if _, _, err := Folder(dir, nil); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprintf("%q is no number above 0", text)) {
			t.Errorf("a gt of %s: %v", text, err)
		}
	}
}

// A case sets only the preset that its own tool's cases set, and only with the
// sizes that docs/model names.
func TestRoles(t *testing.T) {
	empty := func(tool string, threads, ctas int) Case {
		return Case{Suite: "simtune", Kernel: "emptykernel", Tool: tool, Threads: threads, CTAs: ctas}
	}
	for _, w := range []struct {
		c      Case
		preset string
		want   Role
	}{
		{empty("ncu", 256, 1024), "h100-pcie", Sets},
		{empty("ncu", 288, 1024), "h100-pcie", Tests},
		{empty("ncu", 64, 1024), "h100-pcie", Tests},
		{empty("ncu", 256, 512), "h100-pcie", Tests},
		{empty("ncu", 256, 1024), "h100-pcie-boost", Tests},
		{empty("nsys", 256, 1024), "h100-pcie-boost", Sets},
		{Case{Kernel: "emptykernel", Tool: "ncu", Threads: 256, CTAs: 1024}, "h100-pcie", Tests},
		{Case{Suite: "simtune", Kernel: "emptykernel", Tool: "ncu", Threads: 256, CTAs: 1024, Capture: "x"}, "h100-pcie",
			Tests},
		{Case{Suite: "simtune", Kernel: "ffmakernel-large-large", Tool: "ncu", Threads: 256, CTAs: 1024}, "h100-pcie", Tests},
		{Case{Kernel: "other", Tool: "ncu", Threads: 128, Capture: "x"}, "h100", Tests},
	} {
		if got := w.c.RoleOn(w.preset); got != w.want {
			t.Errorf("%+v on %s: %s, want %s", w.c, w.preset, got, w.want)
		}
	}
	if Setting([]string{"h100"}) != "" {
		t.Error("the preset h100 has no cases of its own")
	}
	want := "h100-pcie, h100-pcie-boost: launch costs set from the cases of emptykernel with CTAs of a multiple of " +
		"64 threads"
	if got := Setting([]string{"h100-pcie-boost", "h100", "h100-pcie"}); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(two)
	f.Add("a=b,,=")
	f.Fuzz(func(t *testing.T, text string) {
		list, _, err := read(strings.NewReader(text), "f", nil)
		for i := range list {
			c := &list[i]
			if err == nil && (c.Cycles <= 0 || c.Capture == "" && (c.CTAs < 1 || c.Threads < 1 || c.Threads > maxThreads)) {
				t.Errorf("%+v", *c)
			}
		}
	})
}

// A file with very many unknown kernels has the names of some, and counts those that it has.
func TestSkippedNamesAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range maxSkipped + 2 {
		fmt.Fprintf(&b, "benchmark=unknown%d, cycles=1\n", i)
	}
	b.WriteString("benchmark=unknown7, cycles=1\n")
	list, skipped, err := read(strings.NewReader(b.String()), "a.txt", nil)
	if err != nil || len(list) != 0 || len(skipped) != maxSkipped || skipped["unknown7"] != 2 {
		t.Errorf("%d cases, %d names, %d times unknown7 (%v)", len(list), len(skipped), skipped["unknown7"], err)
	}
}
