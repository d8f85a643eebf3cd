package convert

import (
	"bytes"
	"database/sql"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// database writes an SQLite file out of statements.
func database(t testing.TB, statements ...string) string {
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

// A damaged file is one error, never a panic. (Native fuzzing manages one
// execution every few seconds here: the driver is a whole database in Go, and
// all of it is instrumented.)
func TestDamagedSQLite(t *testing.T) {
	for _, c := range []struct {
		from       string
		statements []string
	}{{"nsys", nsysStory}, {"nvprof", nvprofFamily()}, {"rocprof", rocpdStory}} {
		whole, err := os.ReadFile(database(t, c.statements...))
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		path := filepath.Join(t.TempDir(), "damaged.sqlite")
		failed := 0
		for range 150 {
			content := bytes.Clone(whole)
			for range 1 + rng.IntN(20) {
				content[rng.IntN(len(content))] = byte(rng.Uint32())
			}
			if rng.IntN(4) == 0 {
				content = content[:rng.IntN(len(content))]
			}
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := tryConvert(t, path, c.from, anyDevice)
			if err != nil {
				if failed++; strings.Contains(err.Error(), "runtime error") {
					t.Errorf("%s: Go's own text: %v", c.from, err)
				}
				continue
			}
			r.check(t)
		}
		if failed == 0 || failed == 150 {
			t.Errorf("%s: %d of 150 damaged files are errors", c.from, failed)
		}
	}
}
