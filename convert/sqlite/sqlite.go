// Package sqlite reads the SQLite files that profilers write: read-only, row by
// row, requesting columns that a file may or may not have.
package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	_ "modernc.org/sqlite" // the driver, in pure Go
)

// Magic is how every SQLite file begins.
const Magic = "SQLite format 3\x00"

// maxText is the longest text read from a column, in bytes.
const maxText = 1 << 16

// DB is an open file.
type DB struct {
	ctx     context.Context // ends queries early
	db      *sql.DB
	size    int64             // of the file, in bytes
	tables  map[string]string // lower case: as the file writes it
	columns map[string]map[string]bool
}

// Open opens the file read-only. The file is taken to be at rest: a journal
// beside it is not looked at. The end of ctx ends every query. Open returns an error
// if the file is no SQLite file, or is damaged.
func Open(ctx context.Context, path string) (_ *DB, err error) {
	defer recovered(&err)
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := checkLength(path); err != nil {
		return nil, err
	}
	source := (&url.URL{Scheme: "file", Path: path, RawQuery: pragmas}).String()
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return nil, err
	}
	d := &DB{ctx: ctx, db: db, size: info.Size(), tables: map[string]string{}, columns: map[string]map[string]bool{}}
	if err = limit(ctx, db); err == nil {
		err = d.schema()
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return d, nil
}

// schema finds the tables that have pages of their own: views and virtual tables have none.
func (d *DB) schema() error {
	rows, err := d.db.QueryContext(d.ctx,
		`SELECT substr(name, 1, 512) FROM sqlite_master WHERE type = 'table' AND rootpage > 0 LIMIT 10000`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name sql.NullString
		if err := rows.Scan(&name); err != nil {
			return err
		}
		d.tables[strings.ToLower(name.String)] = name.String
	}
	return rows.Err()
}

// Close closes the file.
func (d *DB) Close() error { return d.db.Close() }

// Tables returns the names of all tables, in lower case, unsorted.
func (d *DB) Tables() []string {
	out := make([]string, 0, len(d.tables))
	for name := range d.tables {
		out = append(out, name)
	}
	return out
}

// Has reports whether the file has the table, in any case of letters.
func (d *DB) Has(table string) bool {
	_, ok := d.tables[strings.ToLower(table)]
	return ok
}

// First returns the first of the tables that the file has, or "".
func (d *DB) First(tables ...string) string {
	for _, t := range tables {
		if d.Has(t) {
			return t
		}
	}
	return ""
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// HasColumn reports whether the table has the column.
func (d *DB) HasColumn(table, column string) (_ bool, err error) {
	defer recovered(&err)
	set, ok := d.columns[table]
	if !ok {
		rows, err := d.db.QueryContext(d.ctx, "SELECT substr(name, 1, 512) FROM pragma_table_info(?)",
			d.tables[strings.ToLower(table)])
		if err != nil {
			return false, err
		}
		defer rows.Close()
		set = map[string]bool{}
		for rows.Next() {
			var name sql.NullString
			if err := rows.Scan(&name); err != nil {
				return false, err
			}
			set[strings.ToLower(name.String)] = true
		}
		if err := rows.Err(); err != nil {
			return false, err
		}
		d.columns[table] = set
	}
	return set[strings.ToLower(column)], nil
}

// Value is one cell.
type Value struct {
	Int   int64
	Text  string
	IsInt bool // Int is valid
	Null  bool // also: the table has no such column
}

// Each calls row for each row of the table, in the order of the file, with the cells of the columns requested; a
// column may be written as alternatives, "shortName|name", and the first that exists counts. It does nothing where
// there is no such table. The cells are reused.
func (d *DB) Each(table string, columns []string, row func([]Value) error) error {
	if !d.Has(table) {
		return nil
	}
	query, err := d.query(table, columns)
	if err != nil {
		return err
	}
	return d.each(table, query, len(columns), row)
}

func (d *DB) quoted(table string) string { return quote(d.tables[strings.ToLower(table)]) }

func (d *DB) query(table string, columns []string) (string, error) {
	parts, err := d.cells(table, "", columns)
	return "SELECT " + strings.Join(parts, ", ") + " FROM " + d.quoted(table), err
}

// cells returns one expression for each column, NULL for those that the table
// does not have. Reals are rounded, texts and blobs cut at maxText.
func (d *DB) cells(table, alias string, columns []string) ([]string, error) {
	parts := make([]string, len(columns))
	for i, alternatives := range columns {
		parts[i] = "NULL"
		for c := range strings.SplitSeq(alternatives, "|") {
			ok, err := d.HasColumn(table, c)
			if err != nil {
				return nil, fmt.Errorf("table %s: %w", table, err)
			}
			if ok {
				parts[i] = fmt.Sprintf("CASE typeof(%[1]s) WHEN 'integer' THEN %[1]s WHEN 'null' THEN NULL"+
					" WHEN 'real' THEN CAST(round(%[1]s) AS INTEGER) ELSE substr(CAST(%[1]s AS TEXT), 1, %[2]d) END",
					alias+quote(c), maxText)
				break
			}
		}
	}
	return parts, nil
}

func (d *DB) each(table, query string, width int, row func([]Value) error, args ...any) error {
	rows, err := d.start(query, args...)
	if err != nil {
		return fmt.Errorf("table %s: %w", table, err)
	}
	defer rows.Close()
	cells, into := make([]any, width), make([]any, width)
	values := make([]Value, width)
	for i := range cells {
		into[i] = &cells[i]
	}
	for n := 1; ; n++ {
		if err := d.ctx.Err(); n%1024 == 0 && err != nil {
			return err
		}
		if err := d.tooMany(int64(n)); err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
		ok, err := step(rows, into)
		if err != nil {
			return fmt.Errorf("table %s, row %d: %w", table, n, err)
		}
		if !ok {
			return nil
		}
		for i, c := range cells {
			values[i] = value(c)
		}
		if err := row(values); err != nil {
			return fmt.Errorf("table %s, row %d: %w", table, n, err)
		}
	}
}

func (d *DB) start(query string, args ...any) (_ *sql.Rows, err error) {
	defer recovered(&err)
	return d.db.QueryContext(d.ctx, query, args...)
}

// step reads the next row, if there is one.
func step(rows *sql.Rows, into []any) (_ bool, err error) {
	defer recovered(&err)
	if !rows.Next() {
		return false, rows.Err()
	}
	return true, rows.Scan(into...)
}

func value(cell any) Value {
	switch c := cell.(type) {
	case int64:
		return Value{Int: c, IsInt: true}
	case string:
		return Value{Text: c}
	case []byte:
		return Value{Text: string(c)}
	}
	return Value{Null: true}
}

// Where is Each for the rows whose column key equals id, ordered by columns.
func (d *DB) Where(table string, columns []string, key string, id int64, order string, row func([]Value) error) error {
	if !d.Has(table) {
		return nil
	}
	if ok, err := d.HasColumn(table, key); err != nil || !ok {
		return err
	}
	query, err := d.query(table, columns)
	if err != nil {
		return err
	}
	query += " WHERE " + quote(key) + " = ?"
	if order != "" {
		query += " ORDER BY " + order
	}
	return d.each(table, query, len(columns), row, id)
}

// recovered turns a panic of the driver, which a damaged file may cause, into
// an error, and says which errors tell of a damaged file.
func recovered(err *error) {
	switch p := recover().(type) {
	case nil:
	case runtime.Error: // the driver's own words would say nothing to a user
		*err = fmt.Errorf("%w: its parts contradict each other; copy or export it again", ErrDamaged)
		return
	default:
		*err = fmt.Errorf("%w: %v; copy or export it again", ErrDamaged, p)
		return
	}
	*err = damage(*err)
}

// Suffixes returns the rest behind prefix of the names of tables, in order: some tools give each process its own
// set of tables.
func (d *DB) Suffixes(prefix string) []string {
	var out []string
	prefix = strings.ToLower(prefix)
	for name := range d.tables {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			out = append(out, rest)
		}
	}
	slices.Sort(out)
	return out
}

// Joined is Each with columns of a second table in the same row, behind the first table's: left's column key equals
// right's column id. Rows without a partner have nulls there.
func (d *DB) Joined(left string, columns []string, key, right, id string, more []string,
	row func([]Value) error) error {
	ok, err := d.HasColumn(left, key)
	if err != nil {
		return err
	}
	if !ok || !d.Has(right) {
		return d.Each(left, append(append([]string{}, columns...), make([]string, len(more))...), row)
	}
	a, err := d.cells(left, "a.", columns)
	if err != nil {
		return err
	}
	b, err := d.cells(right, "b.", more)
	if err != nil {
		return err
	}
	query := fmt.Sprintf("SELECT %s FROM %s AS a LEFT JOIN %s AS b ON a.%s = b.%s",
		strings.Join(append(a, b...), ", "), d.quoted(left), d.quoted(right), quote(key), quote(id))
	return d.each(left, query, len(columns)+len(more), row)
}
