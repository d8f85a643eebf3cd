package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/replay/table"
)

// explain --edges -o writes the table edges with the gains that it prints. A replay leaves them out.
func TestExplainedEdgesAsTable(t *testing.T) {
	t.Chdir(t.TempDir())
	const path = "d.zst"
	must(t, append(sampleArgs("llm-decode", path), "--param=trigger=none")...)
	var rows []map[string]any
	text := must(t, "explain", "--edges", "--quiet", "--json", "--gpu=h100", "-o", "explained", path)
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		t.Fatal(err)
	}
	must(t, "--quiet", "--policy=hyperq", "--gpu=h100", "--tables=edges", "-o", "replayed", path)
	for dir, explained := range map[string]bool{"explained": true, "replayed": false} {
		found, err := filepath.Glob(filepath.Join(dir, "edges", "*", "*", "*", "policy=hyperq", "*.parquet"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%d tables in %s: %v", len(found), dir, err)
		}
		r, err := table.OpenReader(found[0], table.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.Next()
		if err != nil || b.Rows != len(rows) || len(rows) == 0 {
			t.Fatalf("%s: %d rows of %d: %v", dir, b.Rows, len(rows), err)
		}
		gained := 0.0
		for i, row := range rows {
			for _, name := range []string{"gap_cycles", "overlap_cycles", "step_cycles", "graph_gain_cycles", "pdl_gain_cycles",
				"megakernel_gain_cycles", "bound_gain_cycles"} {
				n, ok := b.Column(name).Int(i)
				if gain := strings.Contains(name, "gain"); ok != (explained || !gain) || ok && float64(n) != row[name].(float64) {
					t.Errorf("%s, edge %d: %s is %d (%v), and explain prints %v", dir, i, name, n, ok, row[name])
				}
			}
			place, _ := b.Column("trigger").Text(i)
			if want, _ := row["trigger"].(string); explained && place != want || !explained && place != "" {
				t.Errorf("%s, edge %d: the trigger's place is %q, and explain prints %q", dir, i, place, want)
			}
			gained += row["pdl_gain_cycles"].(float64)
		}
		if gained == 0 {
			t.Error("no edge gains by a programmatic launch")
		}
		r.Close()
	}
	if _, text, notes := command(t, "explain", "-o", "x", path); !strings.Contains(text+notes, "give --edges too") {
		t.Errorf("-o without --edges: %s%s", text, notes)
	}
}

// The screen has the cycles that each way to launch takes off, and the reason where these are none.
func TestWordsOfEdges(t *testing.T) {
	t.Chdir(t.TempDir())
	kernel := func(head string) string {
		return "launch " + head + " grid=4 block=64\ncta 0..3\nwarp 0..1\nint x200\nexit\n"
	}
	for name, c := range map[string]struct {
		text, gpu string
		want      []string
	}{
		"one": {kernel("a"), "h100", []string{"0 edges of 1 kernel on h100",
			"One kernel has no boundary to another. Its own"}},
		"streams": {kernel("a") + kernel("b stream=1"), "h100",
			[]string{"No kernel follows another in its stream.", "Launches and boundaries cost", "A graph takes off"}},
		"free": {kernel("a") + kernel("b"), "gk110-ppcs", []string{"1 edge of 2 kernels",
			"a launch takes no time on gk110-ppcs",
			"kmu.dispatch_latency", "--gpu=h100", "A graph takes off nothing.", "has no programmatic launch"}},
		"waits": {kernel("a") + "sync\n" + kernel("b") + "sync\n" + kernel("c"), "h100", []string{
			"A graph takes off nothing: the host waits for the GPU before each kernel, so that no graph has two.",
			"Programmatic edges take off nothing more: the host waits for the GPU before each kernel."}},
		"nodes": {kernel("a graph=1") + kernel("b graph=1"), "h100",
			[]string{"A graph takes off nothing: 1 of 2 kernels are nodes of graphs already."}},
		"late": {kernel("a") + kernel("b") + kernel("c"), "h100", []string{"the host is late", "A graph takes off 4,",
			"Without the graph they take off 0.", "put griddepcontrol.launch_dependents of b behind its last load."}},
		"ahead": {strings.ReplaceAll(kernel("a")+kernel("b"), "x200", "x9000"), "h100", []string{
			"the next kernel has arrived, and is dispatched",
			"no kernel waits for the host, whose calls are ahead of the GPU"}},
		"times": {"launch a grid=1 block=32 fidelity=kernel duration=9000\n" +
			"launch b grid=1 block=32 fidelity=kernel duration=9\n", "h100", []string{
			"not with programmatic edges: its warps have no instructions", "not megakernel: no work is known",
			"take a trace with instructions"}},
	} {
		if err := os.WriteFile(name+".txt", []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		screen := must(t, "explain", "--edges", "--quiet", "--gpu="+c.gpu, name+".txt")
		for _, want := range c.want {
			if !strings.Contains(screen, want) {
				t.Errorf("%s: no %q in\n%s", name, want, screen)
			}
		}
		if name == "times" && (strings.Contains(screen, "megakernel gains") || strings.Count(screen, "  not ") != 2) {
			t.Errorf("columns or reasons of policies that do not run:\n%s", screen)
		}
	}
}

// A policy that does not run a trace has no gains there: JSON has null, and not 0.
func TestAbsentGainsAreNull(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "launch a grid=1 block=32 fidelity=kernel duration=9000\nlaunch b grid=1 block=32 fidelity=kernel duration=9\n"
	if err := os.WriteFile("t.txt", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	screen := must(t, "explain", "--edges", "--quiet", "--json", "--gpu=h100", "t.txt")
	if err := json.Unmarshal([]byte(screen), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || rows[0]["pdl_gain_cycles"] != nil || rows[0]["megakernel_gain_cycles"] != nil ||
		rows[0]["bound_gain_cycles"] == nil {
		t.Errorf("%v", rows)
	}
}
