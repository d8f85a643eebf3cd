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
	"time"
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
	d, err := Open(t.Context(), path)
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
		"": func(row func([]Value) error) error { return d.Each("no such table", []string{"v"}, row) },
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
	if got := fmt.Sprintf("%v %s %v", d.Suffixes("SET_"), d.First("nothing", "OTHER"),
		d.Has("Seen")); got != "[u1 u2] OTHER false" {
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
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "none.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	path := filepath.Join(t.TempDir(), "no.db")
	if err := os.WriteFile(path, []byte("this is no database, but long enough for a header of one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path); err == nil {
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
	d := create(t, `CREATE TABLE t (x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < `+
		`5000) INSERT INTO t SELECT i FROM n`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d.ctx = ctx
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

// A file is data: its views, virtual tables and generated columns are left out, and a value or a walk beyond the
// file is an error.
func TestFileIsData(t *testing.T) {
	d := create(t, people+`
		CREATE VIEW endless(id) AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;
		CREATE VIEW large(name) AS SELECT hex(zeroblob(450000000));
		CREATE VIRTUAL TABLE words USING fts5(word);
		CREATE TABLE made (id INTEGER, name AS (hex(zeroblob(450000000))), checked CHECK (length(hex(zeroblob(1000))) > 0));
		INSERT INTO made (id) VALUES (7);`)
	for _, table := range []string{"endless", "large", "words", "seen"} {
		if d.Has(table) {
			t.Errorf("the file has a table %s", table)
		}
	}
	got := rows(t, func(f func([]Value) error) error { return d.Each("made", []string{"id", "name"}, f) })
	if got != "7,-," {
		t.Errorf("a generated column is read: %s", got)
	}
	if err := d.Check(); err != nil {
		t.Error(err)
	}
}

// A cell beyond the bound is refused before it is in memory, and so is a join that has more rows than the file.
func TestBounds(t *testing.T) {
	d := create(t, fmt.Sprintf("CREATE TABLE t (id INTEGER, name); INSERT INTO t VALUES (1, zeroblob(%d))", maxCell+1000))
	if err := d.Each("t", []string{"name"}, func([]Value) error {
		return nil
	}); err == nil || !strings.Contains(err.Error(), "longer than 16 MiB") {
		t.Errorf("a long cell: %v", err)
	}
	d = create(t, `CREATE TABLE a (k INTEGER); CREATE TABLE b (k INTEGER, v);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO a SELECT 1 FROM n;
		INSERT INTO b SELECT 1, 2 FROM a;`)
	n := 0
	err := d.Joined("a", []string{"k"}, "k", "b", "k", []string{"v"}, func([]Value) error { n++; return nil })
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "more rows than") || int64(n) > d.size {
		t.Errorf("a join of %d rows out of %d bytes: %v", n, d.size, err)
	}
}

// The end of the context ends a query within it: this one looks for a row that is not there, of each pair.
func TestContextWithinAQuery(t *testing.T) {
	d := create(t, `CREATE TABLE a (k INTEGER);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) INSERT INTO a SELECT i FROM n;`)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	d.ctx = ctx
	began := time.Now()
	err := d.each("a", "SELECT 1 FROM a AS x, a AS y WHERE x.k + y.k < 0", 1, func([]Value) error { return nil })
	if err == nil || time.Since(began) > 20*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

// A copy that lacks its last page, or a part of its header, is refused although it may open; a whole one is not.
func TestCutFile(t *testing.T) {
	var whole string
	if err := create(t, people).db.QueryRow("SELECT file FROM pragma_database_list").Scan(&whole); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for keep, want := range map[int]string{len(data): "", len(data) - 1: "it is cut short",
		4096: "it is cut short", 100: "it is cut short", 99: "it ends within its header", 20: "it ends within its header"} {
		path := filepath.Join(t.TempDir(), "cut.db")
		if err := os.WriteFile(path, data[:keep], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := checkLength(path); (err == nil) != (want == "") ||
			err != nil && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d of %d bytes: %v, want %s", keep, len(data), err, want)
		}
	}
}
