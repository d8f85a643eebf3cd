package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sessions are the documents whose console blocks are run as they stand, in a folder with the repository's samples.
var sessions = []string{"README.md", "docs/tutorials/accelsim.md", "docs/tutorials/capture.md",
	"docs/tutorials/policy.md",
	"docs/tutorials/paper.md", "docs/sweeps.md", "docs/policies/boundaries.md"}

// TestDocumentsRun runs every command of the documents' console blocks and compares its output with theirs. -update
// writes the output anew. A line "..." stands for any lines.
func TestDocumentsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every command of the documents")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("REPLAY_DATA", "") // lists say whether real inputs are at hand
	for _, name := range sessions {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(root, name)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			besideSamples(t)
			lines := strings.Split(string(text), "\n")
			done := runSession(t, root, lines)
			runQueries(t, root, string(text))
			if *update && !slices.Equal(lines, done) {
				if err := os.WriteFile(path, []byte(strings.Join(done, "\n")), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// besideSamples makes a copy of the repository's samples and goes to its folder.
func besideSamples(t *testing.T) {
	t.Helper()
	samples, err := filepath.Abs("../../samples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS("samples", os.DirFS(samples)); err != nil {
		t.Fatal(err)
	}
}

// runSession runs the commands of a document's lines and returns the lines with the output that they print now.
func runSession(t *testing.T, root string, lines []string) (done []string) {
	t.Helper()
	ran, inside := 0, false
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		done = append(done, line)
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
			continue
		case !inside || !strings.HasPrefix(line, "$ "):
			continue
		}
		shown := i + 1
		for i+1 < len(lines) && !strings.HasPrefix(lines[i+1], "```") && !strings.HasPrefix(lines[i+1], "$ ") {
			i++
		}
		ran++
		printed := runLine(t, root, strings.TrimPrefix(line, "$ "))
		now := cutAsShown(printed, lines[shown:i+1])
		if !*update && !slices.Equal(now, lines[shown:i+1]) {
			t.Errorf("%s shows\n%s\nand prints\n%s\ngo test ./cmd/command -run DocumentsRun -update writes it",
				line, strings.Join(lines[shown:i+1], "\n"), strings.Join(now, "\n"))
		}
		done = append(done, now...)
	}
	if ran == 0 {
		t.Error("the document has no command")
	}
	return done
}

// runQueries runs the SQL blocks of a document in DuckDB, over the tables that its session left.
func runQueries(t *testing.T, root, text string) {
	t.Helper()
	python := filepath.Join(root, ".venv/bin/python")
	for _, block := range strings.Split(text, "```sql\n")[1:] {
		query, _, _ := strings.Cut(block, "```")
		if exec.Command(python, "-c", "import duckdb").Run() != nil {
			t.Log("no Python environment with duckdb: a query was not run")
			return
		}
		c := exec.Command(python, "-c", "import duckdb, sys; print(len(duckdb.sql(sys.argv[1]).fetchall()))", query)
		if out, err := c.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) == "0" {
			t.Errorf("%s\n%v: %s", query, err, out)
		}
	}
}

// cutAsShown cuts an output as the document does: nothing where it shows nothing, and the first lines before "...".
func cutAsShown(printed string, shown []string) []string {
	if len(shown) == 0 {
		return nil
	}
	var now []string
	for line := range strings.SplitSeq(strings.TrimRight(printed, "\n"), "\n") {
		now = append(now, strings.TrimRight(line, " "))
	}
	n := slices.Index(shown, "...")
	if n == 0 && *update { // the first time
		n = 12
	}
	if n >= 0 && n < len(now) {
		now = append(now[:n:n], "...")
	}
	return now
}

// runLine runs one command: replay itself in this process, everything else by a shell.
func runLine(t *testing.T, root, line string) string {
	t.Helper()
	line, _, _ = strings.Cut(line, "  #")
	if args, ok := strings.CutPrefix(line, "replay "); ok && !strings.ContainsAny(args, "|>'\"") {
		return must(t, strings.Fields(args)...)
	}
	c := exec.Command("sh", "-c", line)
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "REPLAY_SOURCE="+root)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}
