package timeline

import (
	"context"
	"fmt"

	"gpureplay/replay/table"
)

// row is one row of a table: the values of the columns that were requested.
type row struct {
	values []*table.Values
	at     int
}

// int returns an integer, or -1 where it is NULL.
func (r row) int(column int) int64 {
	n, ok := r.values[column].Int(r.at)
	if !ok {
		return -1
	}
	return n
}

func (r row) text(column int) string {
	s, _ := r.values[column].Text(r.at)
	return s
}

// each calls f for every row of a part, in order.
func each(ctx context.Context, part *table.Part, columns []string, f func(row)) error {
	values := make([]*table.Values, len(columns))
	return table.Each(ctx, part.Path, func(b *table.Batch) error {
		for i, c := range columns {
			if values[i] = b.Column(c); values[i] == nil {
				return fmt.Errorf("timeline: %s has no column %s: was it written by an older version?", part.Path, c)
			}
		}
		for i := range b.Rows {
			f(row{values, i})
		}
		return nil
	})
}
