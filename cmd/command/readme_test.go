package command

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the README shows")

// The README's first command, run as it stands there.
func TestReadmeFirstCommand(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "```\ngo run ./cmd/replay ")
	line, _, _ := strings.Cut(rest, "\n")
	if !ok || !strings.Contains(line, "samples/vecadd.trace.zst") {
		t.Fatalf("the README's first command is %q", line)
	}
	args := strings.Fields(strings.Replace(line, "samples/", "../../samples/", 1))
	if out := must(t, append(args, "-o", t.TempDir())...); !strings.Contains(out, "ppcs") {
		t.Errorf("it prints\n%s", out)
	}
}

// loader opens tables as the README says, in the real DuckDB and the real
// pandas.
const loader = `
import json, os, sys, duckdb, pandas as pd
out = sys.argv[1]
runs = f"read_parquet('{out}/runs/**/*.parquet', hive_partitioning = true)"
runs = duckdb.sql(f"SELECT r.policy, r.cycles, b.cycles / r.cycles, r.occupancy_pct FROM {runs} AS r JOIN {runs} ` +
	`AS b USING (trace, gpu, set) WHERE b.policy = 'hyperq' ORDER BY r.policy").fetchall()
ctas = pd.read_parquet(out + "/ctas")
kernels = pd.read_parquet(out + "/kernels")
print(json.dumps({
    "runs": runs,
    "ctas": {str(k): int(v) for k, v in ctas.groupby("policy", observed=True).size().items()},
    "insts": {str(k): int(v) for k, v in kernels.groupby("policy", observed=True).warp_instructions.sum().items()},
}))
# The threads of DuckDB and pyarrow do not always survive the end of the interpreter ("terminate called without an ` +
	`active exception").
sys.stdout.flush()
os._exit(0)
`

// A whole run opened in DuckDB and pandas gives the command's figures.
func TestLoadedByDuckDBAndPandas(t *testing.T) {
	python, err := filepath.Abs("../../.venv/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if exec.Command(python, "-c", "import duckdb, pandas, pyarrow").Run() != nil {
		t.Skip("no Python environment with duckdb and pandas (make test makes it)")
	}
	dir := t.TempDir()
	var rows []map[string]any
	printed := must(t, "--json", "--quiet", "--policy=hyperq,ppcs,serial", "--gpu=gk110-ppcs", "-o", dir, sample(t))
	if err := json.Unmarshal([]byte(printed), &rows); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-c", loader, dir).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	var loaded struct {
		Runs  [][]any
		CTAs  map[string]float64
		Insts map[string]float64
	}
	if err := json.Unmarshal(out, &loaded); err != nil {
		t.Fatal(err)
	}
	if len(loaded.Runs) != 3 {
		t.Fatalf("DuckDB sees %d runs, want 3", len(loaded.Runs))
	}
	for i, r := range rows { // both are in the order of the policies' names
		got, policy := loaded.Runs[i], r["policy"].(string)
		if got[0] != policy || got[1] != r["cycles"] || math.Abs(got[2].(float64)-r["speedup"].(float64)) > 1e-12 ||
			got[3] != r["occupancy_pct"] {
			t.Errorf("DuckDB has %v, the command printed %v, %v, %v, %v", got, policy, r["cycles"], r["speedup"],
				r["occupancy_pct"])
		}
		if loaded.CTAs[policy] != r["ctas"] || loaded.Insts[policy] != r["warp_instructions"] {
			t.Errorf("%s: pandas has %v CTAs and %v instructions, the command printed %v and %v", policy, loaded.CTAs[policy],
				loaded.Insts[policy], r["ctas"], r["warp_instructions"])
		}
	}
}
