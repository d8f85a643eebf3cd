package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gpureplay/replay/reproduce"
)

// A figure of a paper from its small set, end to end: it runs its experiment alone, has the figures that a replay of
// the same sample prints, beside the paper's, and is written in both forms.
func TestReproduceFigure(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	var rows []map[string]any
	if err := json.Unmarshal([]byte(must(t, "reproduce", "--quick", "--json", "-o", dir, "ppcs", "fig9")),
		&rows); err != nil {
		t.Fatal(err)
	}
	var lpc map[string]any
	published := map[string]map[string]any{}
	for _, r := range rows {
		switch r["table"] {
		case "ppcs/speedup":
			if r["workload"] == "LPC" {
				lpc = r
			}
		case "ppcs/published":
			published[r["figure"].(string)] = r
		default:
			t.Errorf("figure 9 has a row of %v", r["table"])
		}
	}
	// Table 2 of the paper, and section 5.4.
	if lpc["kernels"] != 10.0 || lpc["kernels: table 2"] != 10.0 || lpc["kernels: difference"] != 0.0 {
		t.Errorf("LPC's kernels: %v", lpc)
	}
	if r := published["storage of the kernels' records"]; r["paper"] != 3.25 || r["here"] != 3.25 ||
		r["in the paper"] != "section 5.4" {
		t.Errorf("the kernels' records: %v", r)
	}
	most := published["ppcs over serial, most"]
	if most["here"] != lpc["ppcs"] { // LPC gains more than BFS
		t.Errorf("most: %v, LPC: %v", most, lpc)
	}
	if d := most["difference"].(float64); d > -1 || d < -50 {
		t.Errorf("the difference to 1.67 is %v %%", d)
	}
	checkFigure9(t, dir)
	path := filepath.Join(t.TempDir(), "lpc.trace.zst")
	must(t, "sample", "lpc", "-o", path)
	var runs []map[string]any
	printed := must(t, "--json", "--quiet", "--gpu=gk110-ppcs", "--policy=serial,ppcs", "-o", t.TempDir(), path)
	if err := json.Unmarshal([]byte(printed), &runs); err != nil {
		t.Fatal(err)
	}
	if runs[1]["speedup"] != lpc["ppcs"] {
		t.Errorf("a replay says %v, reproduce %v", runs[1]["speedup"], lpc["ppcs"])
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 && runtime.GOOS != "windows" {
		t.Errorf("left behind: %v", left)
	}
}

// checkFigure9 looks at the files of figure 9 of the paper of PPCS: published beside measured.
func checkFigure9(t *testing.T, dir string) {
	t.Helper()
	lines, err := os.ReadFile(filepath.Join(dir, "ppcs-fig9.csv"))
	if err != nil || !strings.Contains(string(lines), "\nppcs/speedup,LPC,ppcs,,") ||
		!strings.Contains(string(lines), ",1.39,section 5.2\n") ||
		strings.Contains(string(lines), "oracle") || strings.Contains(string(lines), "CONV") {
		t.Errorf("its CSV is %s, %v", lines, err)
	}
	drawn, err := os.ReadFile(filepath.Join(dir, "ppcs-fig9.svg"))
	if err != nil || !strings.Contains(string(drawn), ">LPC, ppcs</text>") ||
		!strings.Contains(string(drawn), ">1.39</text>") || !strings.HasSuffix(string(drawn), "</svg>\n") {
		t.Errorf("its chart is %s, %v", drawn, err)
	}
}

// Other experiments of that paper print their tables, and the published figures that they have.
func TestReproduceOnly(t *testing.T) {
	out := must(t, "reproduce", "--quick", "--quiet", "--only=profilers,stages", "ppcs")
	for _, want := range []string{"ppcs/profilers: ", "ppcs/stages: ", "(3 of 10 rows)",
		" prelude and postlude, largest"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// Tables are the same bytes however many runs go on at a time, and name the rows that they leave out.
func TestReproduceTables(t *testing.T) {
	status, out, errs := command(t, "reproduce", "--quick", "--markdown", "--jobs=3", "--data="+t.TempDir(), "klap")
	if status != 0 {
		t.Fatal(errs)
	}
	for _, want := range []string{"\n| benchmark | by warp | by block | by kernel | ", "\n| BFS-graph500 | ",
		"(1 of 5 rows)", ", over the rows that ran", "\n| by warp over CDP, geometric mean | section IV.B | 3.98 | "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if again := must(t, "reproduce", "--quick", "--markdown", "--jobs=1", "klap"); again != out {
		t.Errorf("on all processors\n%s\none run at a time\n%s", out, again)
	}
}

func TestReproduceLists(t *testing.T) {
	out := must(t, "reproduce")
	for _, p := range reproduce.Papers() {
		if !strings.Contains(out, fmt.Sprintf("\n %s ", p.Name)) {
			t.Errorf("%s is not listed:\n%s", p.Name, out)
		}
	}
	listed := must(t, "reproduce", "--list", "dtbl")
	for _, want := range []string{"minutes of a core, about", " dtbl   fig11 ", " speedup "} {
		if !strings.Contains(listed, want) {
			t.Errorf("no %q in the list\n%s", want, listed)
		}
	}
	fails(t, 2, []string{`no figure or experiment "fig99"`, "fig11", "agt-hash"}, "reproduce", "dtbl", "fig99")
	fails(t, 2, []string{"--only", "fig11"}, "reproduce", "--only=agt", "dtbl", "fig11")
	fails(t, 2, []string{`no experiment "agts" of dtbl`, "agt, agt-sizes, agt-hash, agt-chain, flat"}, "reproduce",
		"--only=agts", "dtbl")
	fails(t, 2, []string{`no paper "dtlb"`, "blockmaestro, boundaries, dtbl, klap, laperm, pagoda, ppcs, spawn"},
		"reproduce", "dtlb")
	fails(t, 2, []string{"--markdown", "--json"}, "reproduce", "--json", "--markdown", "dtbl")
}

// Tables go to their places in a file and leave the rest of it; a file without a
// place for one is not touched.
func TestReproduceInto(t *testing.T) {
	cell := func(s string) reproduce.Cell { return reproduce.Cell{Value: s, Text: s} }
	one := reproduce.Table{Name: "p/one", Title: "One", Header: []string{"row", "x"},
		Rows: [][]reproduce.Cell{{cell("a"), cell("1 %")}}}
	two := reproduce.Table{Name: "p/two", Title: "Two", Header: []string{"row"}}
	path := filepath.Join(t.TempDir(), "F.md")
	const src = "head\n<!-- p/one -->\nold\n<!-- /p/one -->\nbetween\n<!-- p/two -->\ntail\n"
	if err := os.WriteFile(path, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := into(path, []reproduce.Table{one, two}); err == nil || !strings.Contains(err.Error(), "<!-- /p/two -->") {
		t.Errorf("half a place: %v", err)
	}
	for range 2 { // a second time changes nothing
		if err := into(path, []reproduce.Table{one}); err != nil {
			t.Fatal(err)
		}
		want := "head\n<!-- p/one -->\nOne:\n\n| row | x |\n| --- | ---:|\n| a | 1 % |\n<!-- /p/one -->\nbetween\n<!-- " +
			"p/two -->\ntail\n"
		if got, _ := os.ReadFile(path); string(got) != want {
			t.Errorf("the file is\n%s\nwant\n%s", got, want)
		}
	}
	only := &reproduceFlags{Options: reproduce.Options{Only: []string{"one"}}}
	out := &reproduce.Outcome{Tables: []reproduce.Table{one}, Published: two}
	for claims, want := range map[int]int{0: 2, 1: 1} { // two has no row: all of no claims, and less than one
		if got := only.tables(&reproduce.Paper{Claims: make([]reproduce.Claim, claims)}, out); len(got) != want {
			t.Errorf("of %d published figures: %d tables, want %d", claims, len(got), want)
		}
	}
	fails(t, 2, []string{"--into", "--quick", "lose rows"}, "reproduce", "--quick", "--into="+path, "ppcs")
	fails(t, 2, []string{"--into", "--json"}, "reproduce", "--json", "--into="+path, "ppcs")
}
