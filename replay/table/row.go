package table

import (
	"github.com/apache/arrow/go/v15/arrow/array"
	arrowmem "github.com/apache/arrow/go/v15/arrow/memory"
)

// Cell is one value of a row as a program reads it: bool, uint64, int64,
// float64, string, []int64, or nil where the table has NULL.
type Cell struct {
	Column string
	Value  any
}

// RunRow returns the row of the table runs that a replay comes to, in the order of the columns. It returns an error
// if the clock is out of range.
func RunRow(r *Run, clockMHz float64) ([]Cell, error) {
	return row("runs", r, clockMHz)
}

// PerformanceRow returns the row of the table performance. It returns an error as RunRow does.
func PerformanceRow(r *Performance) ([]Cell, error) { return row("performance", r, 1) }

func row[R any](name string, r *R, clockMHz float64) ([]Cell, error) {
	t := tables[name].(*table[R])
	clock, err := NewClock(clockMHz)
	if err != nil {
		return nil, err
	}
	columns := t.Columns()
	cells := make([]Cell, len(columns))
	for i, c := range columns {
		b := array.NewBuilder(arrowmem.DefaultAllocator, arrowTypes[c.Type])
		c.bind(b, scope{clock})(r)
		a := b.NewArray()
		cells[i] = Cell{c.Name, a.GetOneForMarshal(0)}
		a.Release()
		b.Release()
	}
	return cells, nil
}
