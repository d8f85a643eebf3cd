package converttest

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/convert"
)

// LineAt returns line i, or "" behind the last.
func LineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

func inFile(name, text string) func(testing.TB) string {
	return func(t testing.TB) string { return Put(t, t.TempDir(), name, text) }
}

// Text converts text given on standard input.
func Text(t testing.TB, from, text string) *Recording {
	t.Helper()
	r, err := TryText(t, from, text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TryText converts text given on standard input. It returns the errors of the conversion.
func TryText(t testing.TB, from, text string) (*Recording, error) {
	t.Helper()
	in, err := convert.Open("-", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	r := &Recording{}
	return r, convert.Convert(t.Context(), in, from, r, AnyDevice)
}

// Put writes a file into a folder and returns its path.
func Put(t testing.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Database writes an SQLite file out of statements.
func Database(t testing.TB, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "capture #1.sqlite") // a name that a URL would misread
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(strings.Join(statements, ";\n")); err != nil {
		t.Fatal(err)
	}
	return path
}
