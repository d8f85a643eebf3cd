package table

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// table is the registration record of a table with rows R.
type table[R any] struct {
	Name    string
	Row     string // meaning of one row
	Order   string // of the rows
	Place   uint   // in lists, which go by place, then by name; 0: behind those that have one
	Small   bool   // its length does not grow with the work of a run: a sweep that names no tables keeps it
	Columns func() []column[R]

	// From listens to the table's records, and appends its rows by add. It is called once a replay, and only if the
	// table is wanted; the closure keeps the table's state. The listener of run is the last chance to append.
	From func(f *feed, add func(*R))
}

// declared is a [table] of whatever rows.
type declared interface {
	describe() Description
	place() uint
	open(s *Set) error
}

// tables holds the tables by name.
var tables = map[string]declared{}

// register adds a table; a second one of the same name is our bug.
func register[R any](t table[R]) {
	if tables[t.Name] != nil {
		panic("table: " + t.Name + " registered twice")
	}
	t.Columns = sync.OnceValue(t.Columns) // most commands write few tables, or none
	tables[t.Name] = &t
}

// Description describes one table.
type Description struct {
	Name    string
	Row     string // meaning of one row
	Order   string // of the rows
	Small   bool   // its length does not grow with the work of a run
	Columns []Column
}

func (t *table[R]) describe() Description {
	columns := t.Columns()
	d := Description{Name: t.Name, Row: t.Row, Order: t.Order, Small: t.Small, Columns: make([]Column, len(columns))}
	for i := range columns {
		d.Columns[i] = columns[i].Column
	}
	return d
}

// place returns where the table stands; 0 becomes the last.
func (t *table[R]) place() uint { return t.Place - 1 }

// Names returns the names of all tables in the order in which they are listed:
// by place, then by name. The table runs is the first.
func Names() []string {
	return slices.SortedFunc(maps.Keys(tables), func(a, b string) int {
		return cmp.Or(cmp.Compare(tables[a].place(), tables[b].place()), strings.Compare(a, b))
	})
}

// Describe returns all tables, in the order of [Names].
func Describe() []Description {
	var all []Description
	for _, name := range Names() {
		all = append(all, tables[name].describe())
	}
	return all
}

// Check refuses names of tables, nil for all, and of a format that there are not.
func Check(names []string, format string) error {
	for _, n := range names {
		if tables[n] == nil {
			return fmt.Errorf("tables: no table is called %q: choose from %s", n, strings.Join(Names(), ", "))
		}
	}
	if encoders[format] == nil {
		return fmt.Errorf("tables: unknown format %q: choose from %s", format, strings.Join(Formats(), ", "))
	}
	return nil
}

// wanted is the choice of --tables as a set.
func wanted(names []string) map[string]bool {
	if names == nil {
		names = Names()
	}
	want := map[string]bool{}
	for _, n := range names {
		want[n] = true
	}
	return want
}
