package table

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// Description describes one table.
type Description struct {
	Name    string
	Row     string // what one row is
	Order   string // of the rows
	Columns []Column
}

// table is a [Description] with the means to fill it from rows R.
type table[R any] struct {
	Name, Row, Order string
	Columns          []column[R]
}

func (t *table[R]) describe() Description {
	d := Description{Name: t.Name, Row: t.Row, Order: t.Order, Columns: make([]Column, len(t.Columns))}
	for i := range t.Columns {
		d.Columns[i] = t.Columns[i].Column
	}
	return d
}

// Describe returns all tables, in the order in which they are listed.
func Describe() []Description {
	return []Description{
		runs.describe(), metrics.describe(), performance.describe(), stages.describe(), kernels.describe(), ctas.describe(),
		launches.describe(), timeline.describe(), pages.describe(), tasks.describe(), memory.describe(),
		diagnostics.describe(), audit.describe(),
	}
}

// Names returns the names of all tables, in the order of [Describe].
func Names() []string {
	var names []string
	for _, d := range Describe() {
		names = append(names, d.Name)
	}
	return names
}

// wanted resolves the choice of --tables.
func wanted(names []string) (map[string]bool, error) {
	known := map[string]bool{}
	for _, n := range Names() {
		known[n] = true
	}
	if names == nil {
		return known, nil
	}
	want := map[string]bool{}
	for _, n := range names {
		if !known[n] {
			return nil, fmt.Errorf("tables: no table is called %q: choose from %s", n, strings.Join(Names(), ", "))
		}
		want[n] = true
	}
	return want, nil
}

// arrowSchema returns the Arrow schema of the columns with the key-values.
func arrowSchema(columns []Column, meta []KeyValue) *arrow.Schema {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrowTypes[c.Type], Nullable: c.Nullable}
	}
	keys, values := make([]string, len(meta)), make([]string, len(meta))
	for i, kv := range meta {
		keys[i], values[i] = kv.Key, kv.Value
	}
	md := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fields, &md)
}
