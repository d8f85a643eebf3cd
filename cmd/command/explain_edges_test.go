package command

import (
	"encoding/json"
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
