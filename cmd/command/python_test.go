package command

import (
	"os"
	"os/exec"
	"path/filepath"
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
import sys, gpureplay
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
assert out.speedup.__doc__ == gpureplay.queries()["speedup"]
assert not hasattr(out, "kernel")
assert out.polars("ctas").height == out.arrow("ctas").num_rows
assert out.arrow("ctas").num_rows == sum(r["ctas"] for r in out.rows)
assert "speedup" in gpureplay.queries() and all(gpureplay.queries().values())
for name in gpureplay.queries():
    out.query(name).fetchall()
kept = gpureplay.run(trace, gpu="k20c", tables=["runs"])
assert kept.tables() == ["runs"] and kept.table("runs").fetchall()
for wrong in (lambda: gpureplay.run(trace, "serail"), lambda: out.table("cta"), lambda: out.query("sped"), lambda: ` +
	`gpureplay.open(work + "/none")):
    try:
        wrong()
    except gpureplay.Error as e:
        assert e.status == 2 and "\n" not in str(e), e
    else:
        raise SystemExit("no error")
print("ok")
`

func TestPythonPackage(t *testing.T) {
	python, env := pythonWith(t)
	cmd := exec.Command(python, "-c", packageScript, t.TempDir())
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "ok\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Jupyter runs a notebook in a folder, with a kernel of this Python; every cell but those
// that define something has an output.
const notebookScript = `
import sys, nbclient, nbformat
book = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(book)
assert not any(c.get("outputs") for c in book.cells), "outputs are not kept"
nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": ` +
	`sys.argv[2]}}).execute()
kinds = {kind for c in book.cells for o in c.get("outputs", []) for kind in o.get("data", {})}
print(*sorted(kinds))
print(sum(bool(c.get("outputs")) for c in book.cells), "of", sum(c.cell_type == "code" for c in book.cells))
`

// Every notebook runs to its end in Jupyter; notebooks of a paper draw a figure.
func TestNotebooks(t *testing.T) {
	python, env := pythonWith(t)
	if exec.Command(python, "-c", "import nbclient, ipykernel, matplotlib").Run() != nil {
		t.Skip("no nbclient and ipykernel (make test installs them)")
	}
	notebooks, err := filepath.Glob("../python/notebooks/*.ipynb")
	if err != nil || len(notebooks) < 5 {
		t.Fatalf("notebooks %v, %v", notebooks, err)
	}
	for _, n := range notebooks {
		t.Run(filepath.Base(n), func(t *testing.T) {
			path, err := filepath.Abs(n)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(python, "-c", notebookScript, path, t.TempDir())
			cmd.Env = append(env, "TMPDIR="+t.TempDir(), "IPYTHONDIR="+t.TempDir(), "MPLCONFIGDIR="+t.TempDir(),
				"JUPYTER_DATA_DIR="+t.TempDir(),
				"JUPYTER_RUNTIME_DIR="+t.TempDir())
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
