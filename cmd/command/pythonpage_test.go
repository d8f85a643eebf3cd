package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const pythonPage = "../../docs/python.md"

// TestPythonPageListsQueries keeps the list of queries in docs/python.md.
func TestPythonPageListsQueries(t *testing.T) {
	files, err := filepath.Glob("../../samples/queries/*.sql")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d queries (%v)", len(files), err)
	}
	var b strings.Builder
	b.WriteString("| query | answers |\n| --- | --- |\n")
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var head []string
		for line := range strings.Lines(string(text)) {
			words, ok := strings.CutPrefix(strings.TrimSpace(line), "--")
			if !ok {
				break
			}
			head = append(head, strings.TrimSpace(words))
		}
		name := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(path), ".sql"), "-", "_")
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, strings.ReplaceAll(strings.Join(head, " "), "|", `\|`))
	}
	page, err := os.ReadFile(pythonPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), "<!-- queries -->\n")
	_, after, closed := strings.Cut(rest, "<!-- /queries -->")
	want := before + "<!-- queries -->\n" + b.String() + "<!-- /queries -->" + after
	if *update && found && closed {
		if err := os.WriteFile(pythonPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Errorf("%s has another list of queries: go test ./cmd/command -run PythonPage -update", pythonPage)
	}
}

// TestPythonPageRuns runs the program of docs/python.md, and looks for every function and method of its tables.
func TestPythonPageRuns(t *testing.T) {
	python, env := pythonWith(t)
	page, err := os.ReadFile(pythonPage)
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(page), "```python\n")
	program, _, _ = strings.Cut(program, "```")
	names := regexp.MustCompile("(?m)^\\| `([a-z_]+)[(`]").FindAllStringSubmatch(string(page), -1)
	for _, m := range names {
		program += fmt.Sprintf("assert hasattr(gpureplay, %q) or hasattr(out, %q), %q\n", m[1], m[1], m[1])
	}
	cmd := exec.Command(python, "-c", program)
	cmd.Env, cmd.Dir = env, t.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil || len(names) < 25 {
		t.Errorf("%d names: %v\n%s", len(names), err, out)
	}
}
