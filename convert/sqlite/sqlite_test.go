package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func create(t testing.TB, statements string) *DB {
	t.Helper()
	plain := filepath.Join(t.TempDir(), "plain.db")
	db, err := sql.Open("sqlite", plain)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
	db.Close()
	path := filepath.Join(t.TempDir(), "a b?c#d%.db") // a name that a URL would misread
	if err := os.Rename(plain, path); err != nil {
		t.Fatal(err)
	}
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

const people = `CREATE TABLE "Odd ""name" (id INTEGER, a, B TEXT, ref INTEGER);
INSERT INTO "Odd ""name" VALUES (1, 5, 'x', 10), (2, 2.6, NULL, 11), (3, 'text', x'6162', 12), (4, NULL, 'y', NULL);
CREATE TABLE other (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO other VALUES (10, 'ten'), (12, 'twelve');
CREATE VIEW seen AS SELECT value AS v FROM other;
CREATE TABLE set_u1 (x); CREATE TABLE set_u2 (x);`

func rows(t *testing.T, each func(func([]Value) error) error) string {
	t.Helper()
	var out []string
	err := each(func(v []Value) error {
		line := ""
		for _, c := range v {
			switch {
			case c.Null:
				line += "-,"
			case c.IsInt:
				line += fmt.Sprintf("%d,", c.Int)
			default:
				line += fmt.Sprintf("%q,", c.Text)
			}
		}
		out = append(out, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

// Cells come as integers or text, whatever their type; columns are found in any
// case, the first of several names counts, and those that are not there are null.
func TestCells(t *testing.T) {
	d := create(t, people)
	for want, each := range map[string]func(func([]Value) error) error{
		`1,5,"x",-, 2,3,-,-, 3,"text","ab",-, 4,-,"y",-,`: func(row func([]Value) error) error {
			return d.Each(`odd "NAME`, []string{"ID", "none|a", "b", "missing|gone"}, row)
		},
		`"ten", "twelve",`: func(row func([]Value) error) error { return d.Each("seen", []string{"v"}, row) },
		"":                 func(row func([]Value) error) error { return d.Each("no such table", []string{"v"}, row) },
		`"twelve",`: func(row func([]Value) error) error {
			return d.Where("other", []string{"value"}, "id", 12, `"value"`, row)
		},
		`1,"ten", 2,-, 3,"twelve", 4,-,`: func(row func([]Value) error) error {
			return d.Joined(`odd "name`, []string{"id"}, "ref", "other", "id", []string{"value"}, row)
		},
		`1,-, 2,-, 3,-, 4,-,`: func(row func([]Value) error) error {
			return d.Joined(`odd "name`, []string{"id"}, "ref", "nowhere", "id", []string{"value"}, row)
		},
	} {
		if got := rows(t, each); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := fmt.Sprintf("%v %s %v", d.Suffixes("SET_"), d.First("nothing", "OTHER"), d.Has("Seen")); got != "[u1 u2] OTHER true" {
		t.Error(got)
	}
}

func TestLongTextIsCut(t *testing.T) {
	d := create(t, `CREATE TABLE t (x); INSERT INTO t VALUES (printf('%.*c', 200000, 'x'))`)
	err := d.Each("t", []string{"x"}, func(v []Value) error {
		if len(v[0].Text) != maxText {
			t.Errorf("%d bytes", len(v[0].Text))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	path := filepath.Join(t.TempDir(), "no.db")
	if err := os.WriteFile(path, []byte("this is no database, but long enough for a header of one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil {
		t.Error("text was taken for a database")
	}
	d := create(t, people)
	stop := errors.New("stop")
	err := d.Each("other", []string{"id"}, func([]Value) error { return stop })
	if !errors.Is(err, stop) || !strings.Contains(err.Error(), "table other, row 1") {
		t.Errorf("%v", err)
	}
}

// A long walk ends with the context.
func TestContext(t *testing.T) {
	d := create(t, `CREATE TABLE t (x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO t SELECT i FROM n`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d.Context = ctx
	seen := 0
	err := d.Each("t", []string{"x"}, func([]Value) error { seen++; return nil })
	if !errors.Is(err, context.Canceled) || seen >= 5000 {
		t.Errorf("%d rows, %v", seen, err)
	}
}

// Nothing can be written through it.
func TestReadOnly(t *testing.T) {
	d := create(t, people)
	if _, err := d.db.Exec("DELETE FROM other"); err == nil {
		t.Error("a row was deleted")
	}
}
