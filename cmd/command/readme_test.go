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

	"gpureplay/trace/tracetest"
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
	checkSession(t, line, "tables under replay-out\n", must(t, append(args, "-o", t.TempDir())...))
}

// What the README shows of explain is what comes out.
func TestReadmeExplain(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "bfs.trace.zst")
	must(t, "convert", "--quiet", tracetest.Data(t, "accelsim-rodinia-bfs-a100", "kernelslist.g"), "-o", trace)
	out := "\n" + must(t, "explain", "--gpu=rtx3070", trace)
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, ok := strings.Cut(string(readme), "$ replay explain --gpu=rtx3070 bfs.trace.zst")
	_, shown, _ = strings.Cut(shown, "\n")
	shown, _, ok2 := strings.Cut(shown, " ...\n")
	if !ok || !ok2 || shown == "" {
		t.Fatal("the README shows no explain")
	}
	for row := range strings.Lines(shown) {
		if !strings.Contains(out, "\n"+strings.TrimRight(row, " \n")) {
			t.Errorf("%q is in the README, and not in\n%s", row, out)
		}
	}
}

// The README's sweep is the file that it says, and prints what it shows.
func TestReadmeSweep(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("../../samples/sweep.toml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```toml\n# samples/sweep.toml\n"+string(file)+"```\n") {
		t.Error("the README does not show samples/sweep.toml as it is")
	}
	dir := filepath.Join(t.TempDir(), "sweep-out")
	out := must(t, "sweep", "--quiet", "-o", dir, "../../samples/sweep.toml")
	checkSession(t, "sweep samples/sweep.toml", "merged tables in sweep-out", out)
	checkSession(t, "report sweep-out", "```\n", strings.TrimPrefix(must(t, "report", dir), filepath.Dir(dir)+"/"))
}

// checkSession checks that the README shows what a command prints, up to the note
// that ends it.
func checkSession(t *testing.T, line, end, printed string) {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for row := range strings.SplitSeq(strings.TrimRight(printed, "\n"), "\n") {
		rows.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	before, session, found := strings.Cut(string(readme), "$ replay "+line+"\n")
	shown, after, ended := strings.Cut(session, end)
	if !found || !ended {
		t.Fatalf("the README's session does not show replay %s", line)
	}
	if shown == rows.String() {
		return
	}
	if !*update {
		t.Fatalf("the README's session shows\n%s, the command prints\n%s; go test ./cmd/command -run Readme "+
			"-update writes it", shown, rows.String())
	}
	text := before + "$ replay " + line + "\n" + rows.String() + end + after
	if err := os.WriteFile("../../README.md", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// loader opens tables as the README says, in the real DuckDB and the real
// pandas.
const loader = `
import json, os, sys, duckdb, pandas as pd
out = sys.argv[1]
runs = f"read_parquet('{out}/runs/**/*.parquet', hive_partitioning = true)"
runs = duckdb.sql(f"SELECT r.policy, r.cycles, b.cycles / r.cycles, r.occupancy_pct FROM {runs} AS r JOIN {runs} AS b USING (trace, gpu, set) WHERE b.policy = 'hyperq' ORDER BY r.policy").fetchall()
ctas = pd.read_parquet(out + "/ctas")
kernels = pd.read_parquet(out + "/kernels")
print(json.dumps({
    "runs": runs,
    "ctas": {str(k): int(v) for k, v in ctas.groupby("policy", observed=True).size().items()},
    "insts": {str(k): int(v) for k, v in kernels.groupby("policy", observed=True).warp_instructions.sum().items()},
}))
# The threads of DuckDB and pyarrow do not always survive the end of the interpreter ("terminate called without an active exception").
sys.stdout.flush()
os._exit(0)
`

// A whole run opened in DuckDB and pandas gives what the command printed.
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
