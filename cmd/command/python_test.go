package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// pythonWith returns the Python of the loading tests, and the environment in which the
// package of cmd/python/ runs this test's executable as the command.
func pythonWith(t *testing.T) (python string, env []string) {
	t.Helper()
	python, err := filepath.Abs("../../.venv/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if exec.Command(python, "-c", "import duckdb, pandas, pyarrow").Run() != nil {
		t.Skip("no Python environment with duckdb and pandas (make test makes it)")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs("../python")
	if err != nil {
		t.Fatal(err)
	}
	return python, append(os.Environ(), asCommand+"=1", "GPUREPLAY_BINARY="+self, "PYTHONPATH="+source,
		"PYTHONDONTWRITEBYTECODE=1")
}

// The package gives the command's output, in each form, and the command's errors.
const packageScript = `
import inspect, sys, gpureplay
work = sys.argv[1]
trace = work + "/v.trace.zst"
assert gpureplay.sample("vecadd", trace, n=16384)["kernels"] == 2
out = gpureplay.run(trace, "ppcs", gpu="gk110-ppcs", set={"kmu.hwqs": 4}, out=work + "/out")
printed = {r["policy"]: r for r in out.rows}
assert list(printed) == ["serial", "ppcs"], printed
cycles = dict(out.table("runs").project("policy, cycles").fetchall())
assert cycles == {p: r["cycles"] for p, r in printed.items()}, cycles
speedup = {r[3]: r[-1] for r in out.speedup(baseline="serial").fetchall() if r[0] != "geometric mean"}
assert all(abs(speedup[p] - r["speedup"]) < 1e-12 for p, r in printed.items()), speedup
assert set(out.pandas("settings").query("key == 'kmu.hwqs'").number) == {4.0}
assert out.kernels.fetchall() == out.table("kernels").fetchall() and "kernels" in dir(out)
assert out.views().sql("SELECT count(*) FROM ctas").fetchall()[0][0] == out.arrow("ctas").num_rows
for name, question in gpureplay.queries().items():
    assert " ".join(getattr(out, name).__doc__.split()) == question, name
assert str(inspect.signature(out.speedup)) == "(baseline: 'str' = 'serial') -> 'duckdb.DuckDBPyRelation'"
assert not inspect.signature(out.stalls).parameters
assert not hasattr(out, "kernel")
assert out.polars("ctas").height == out.arrow("ctas").num_rows
assert out.arrow("ctas").num_rows == sum(r["ctas"] for r in out.rows)
assert "speedup" in gpureplay.queries() and all(gpureplay.queries().values())
for name in gpureplay.queries():
    out.query(name).fetchall()
kept = gpureplay.run(trace, gpu="k20c", tables=["runs"])
assert kept.tables() == ["runs"] and kept.table("runs").fetchall()
for wrong in (lambda: gpureplay.run(trace, "serail"), lambda: out.table("cta"), lambda: out.query("sped"),
              lambda: out.query("stalls", "flat"), lambda: gpureplay.open(work + "/none")):
    try:
        wrong()
    except gpureplay.Error as e:
        assert e.status == 2 and "\n" not in str(e), e
    else:
        raise SystemExit("no error")
print("ok")
`

// The other screens are relations, with the command's figures.
const screensScript = `
import sys, gpureplay
work, capture, grid = sys.argv[1:]
trace = work + "/v.trace.zst"
gpureplay.sample("vecadd", trace, n=16384)
out = gpureplay.run(trace, "ppcs", gpu="gk110-ppcs", out=work + "/out")
cycles = {r["policy"]: r["cycles"] for r in out.rows}
top = gpureplay.top(out, policy="ppcs")
assert top.columns[0] == "run" and top.aggregate("sum(kernels)").fetchone()[0] == 2, top
assert gpureplay.top(capture, of="overlap").project("kernels_ns").fetchone()[0] > 0
assert gpureplay.top(trace, of="copies", options=["--kernels=0"]).columns[1] == "kind"
ends = dict(gpureplay.what_if(capture, sms=7).project("what_if, time_ns").fetchall())
assert ends["recorded"] > 0 and any("7 SMs" in name for name in ends), ends
a, b = gpureplay.compare(out, "serial", "ppcs").project("cycles_a, cycles_b").fetchone()
assert (a, b) == (cycles["serial"], cycles["ppcs"])
steps = gpureplay.explain(trace, "ppcs", against="serial", gpu="gk110-ppcs")
assert steps.aggregate("sum(change_cycles)").fetchone()[0] == b - a, steps
assert gpureplay.explain(trace, gpu="gk110-ppcs", set={"kmu.hwqs": 4}).columns[0] == "switch"
assert gpureplay.correlate(capture).project("recorded_ns").fetchone()[0] == ends["recorded"]
page = gpureplay.report(out, work + "/page.html")
assert page.read_text().startswith("<!"), page
assert gpureplay.report(out) == out.path / "report.html"
grid = gpureplay.sweep(grid, work + "/sweep")
assert grid.tables() and len(grid.rows) == len(grid.table("runs")) == 8
speedups = grid.speedup().filter("policy = 'ppcs' AND trace = 'vecadd'")
assert set(speedups.project("set").fetchall()) == {(f"kmu_hwqs={h} host_launch_latency={n}",) for h in (1, 32) ` +
	`for n in (0, 20000)}, speedups
print("ok")
`

func TestPythonScreens(t *testing.T) {
	python, env := pythonWith(t)
	cmd := exec.Command(python, "-c", screensScript, t.TempDir(), "../../samples/captures/training.json.gz",
		"../../samples/sweep.toml")
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "ok\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Every function of the package has types, and uses are checked against them: py.typed goes with the wheel.
func TestPythonTypes(t *testing.T) {
	python, env := pythonWith(t)
	if exec.Command(python, "-c", "import mypy").Run() != nil {
		t.Skip("no mypy (make test installs it)")
	}
	use := filepath.Join(t.TempDir(), "use.py")
	script := "import gpureplay\nout = gpureplay.run('t.zst', 'ppcs', set={'kmu.hwqs': 4})\n" +
		"reveal_type(out.speedup(baseline='flat'))\nreveal_type(out.kernels)\nout.stalls(baseline='flat')\n" +
		"gpureplay.top(3)\n"
	if err := os.WriteFile(use, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir() // the second check finds the package's types in it
	check := func(path string) (string, error) {
		cmd := exec.Command(python, "-m", "mypy", "--config-file=pyproject.toml", "--cache-dir="+cache, path)
		cmd.Env, cmd.Dir = append(env, "MYPYPATH=."), "../python"
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := check("gpureplay"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	out, err := check(use)
	if err == nil || strings.Count(out, `Revealed type is "`) != 2 || strings.Count(out, "DuckDBPyRelation") != 2 ||
		!strings.Contains(out, `Unexpected keyword argument "baseline" for "stalls"`) ||
		!strings.Contains(out, `Argument 1 to "top" has incompatible type "int"`) ||
		!strings.Contains(out, "Found 2 errors") {
		t.Errorf("a user's program: %v\n%s", err, out)
	}
	if text, err := os.ReadFile("../python/pyproject.toml"); err != nil || !strings.Contains(string(text), `"py.typed"`) {
		t.Errorf("the wheel leaves py.typed out (%v)", err)
	}
}

func TestPythonPackage(t *testing.T) {
	python, env := pythonWith(t)
	cmd := exec.Command(python, "-c", packageScript, t.TempDir())
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "ok\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Jupyter runs a notebook in a folder, with a kernel of this Python. The texts of its outputs are those that the
// repository has, with the pinned DuckDB; the bytes of its figures depend on the libraries that draw them.
const notebookScript = `
import sys, duckdb, nbclient, nbformat
path, folder, update, pins = sys.argv[1:]
book = nbformat.read(path, as_version=4)
nbformat.validate(book)
def outputs(cell):
    return [(o.get("name"), o.get("text"),
             {kind: text if kind.startswith("text/") else "" for kind, text in o.get("data", {}).items()})
            for o in cell.get("outputs", [])]
kept, about = [outputs(c) for c in book.cells], dict(book.metadata)
nbclient.NotebookClient(book, timeout=300, kernel_name="python3", record_timing=False, coalesce_streams=True,
                        resources={"metadata": {"path": folder}}).execute()
book.metadata = about
if update == "true":
    nbformat.write(book, path)
elif "duckdb==" + duckdb.__version__ in open(pins).read().split():
    for cell, was in zip(book.cells, kept):
        assert outputs(cell) == was, f"{cell.source}\n  gives {outputs(cell)}\n  kept {was}"
kinds = {kind for c in book.cells for o in c.get("outputs", []) for kind in o.get("data", {})}
print(*sorted(kinds))
print(sum(bool(c.get("outputs")) for c in book.cells), "of", sum(c.cell_type == "code" for c in book.cells))
`

// Every notebook runs to its end in Jupyter and has the outputs that it gives; notebooks of a paper draw a figure.
//
//	go test ./cmd/command -run Notebooks -update   writes the outputs anew
func TestNotebooks(t *testing.T) {
	python, env := pythonWith(t)
	if exec.Command(python, "-c", "import nbclient, ipykernel, matplotlib").Run() != nil {
		t.Skip("no nbclient and ipykernel (make test installs them)")
	}
	notebooks, err := filepath.Glob("../python/notebooks/*.ipynb")
	if err != nil || len(notebooks) < 5 {
		t.Fatalf("notebooks %v, %v", notebooks, err)
	}
	env = append(env, "MPLCONFIGDIR="+t.TempDir()) // the first one lists the fonts for all
	for _, n := range notebooks {
		t.Run(filepath.Base(n), func(t *testing.T) {
			path, err := filepath.Abs(n)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(python, "-c", notebookScript, path, t.TempDir(), strconv.FormatBool(*update),
				"../../samples/queries/requirements.txt")
			cmd.Env = append(env, "TMPDIR="+t.TempDir(), "IPYTHONDIR="+t.TempDir(),
				"JUPYTER_DATA_DIR="+t.TempDir(), "JUPYTER_RUNTIME_DIR="+t.TempDir())
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if figure := strings.Contains(string(out), "image/png"); !figure && filepath.Base(n) != "capture.ipynb" {
				t.Errorf("it draws nothing: %s", out)
			}
			t.Log(strings.TrimSpace(string(out)))
		})
	}
}
