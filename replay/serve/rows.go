package serve

import (
	"context"
	"math"
	"net/url"
	"slices"
	"strconv"

	"gpureplay/replay/table"
)

// most is the number of rows of a reply.
const most = 20000

// exact is the largest integer that every number of a browser's scripts holds; larger ones are texts.
const exact = 1 << 53

// rows are the rows of a table, as the page reads them.
type rows struct {
	Columns []string `json:"columns"`
	Numbers []bool   `json:"numbers"` // the column holds numbers
	Rows    [][]any  `json:"rows"`
	Total   int      `json:"total"` // rows that the filters let through
}

// read reads the rows of a table whose trace, gpu and policy are those of the query, each if it is there.
func read(ctx context.Context, dir, name string, query url.Values) (*rows, error) {
	files, err := filesOf(dir, name)
	if err != nil {
		return nil, err
	}
	all := &rows{Rows: [][]any{}}
	for _, f := range files {
		if err := all.file(ctx, f, query); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// file adds the rows of one file.
func (all *rows) file(ctx context.Context, f file, query url.Values) error {
	for i := range f.keys {
		if query.Has(keyNames[i]) && query.Get(keyNames[i]) != f.keys[i] {
			return nil
		}
	}
	return table.Each(ctx, f.path, func(b *table.Batch) error {
		all.batch(b, f.keys, query)
		return nil
	})
}

// batch adds the rows of a batch.
func (all *rows) batch(b *table.Batch, keys []string, query url.Values) {
	at := make([]int, len(b.Columns))
	for i := range keys {
		all.column(keyNames[i], false)
	}
	for i, c := range b.Columns {
		at[i] = all.column(c.Name, c.Type == table.Int64 || c.Type == table.Uint64 || c.Type == table.Float64)
	}
	for i := range b.Rows {
		if keys == nil && !chosen(b, i, query) {
			continue
		}
		if all.Total++; all.Total > most {
			continue
		}
		row := make([]any, len(all.Columns))
		for c := range b.Columns {
			row[at[c]] = value(b.Values[c].Any(i))
		}
		for k, v := range keys {
			row[slices.Index(all.Columns, keyNames[k])] = v
		}
		all.Rows = append(all.Rows, row)
	}
}

// column returns the place of a column, which is new or there.
func (all *rows) column(name string, number bool) int {
	if at := slices.Index(all.Columns, name); at >= 0 {
		return at
	}
	all.Columns, all.Numbers = append(all.Columns, name), append(all.Numbers, number)
	return len(all.Columns) - 1
}

// chosen reports whether the query's filters let a row of a merged table through.
func chosen(b *table.Batch, row int, query url.Values) bool {
	for _, key := range keyNames {
		if v := b.Column(key); v != nil && query.Has(key) {
			if text, _ := v.Text(row); text != query.Get(key) {
				return false
			}
		}
	}
	return true
}

// value returns a cell as JSON has it: no infinities, and no integer that a browser would round.
func value(v any) any {
	switch x := v.(type) {
	case int64:
		if x > exact || x < -exact {
			return strconv.FormatInt(x, 10)
		}
	case uint64:
		if x > exact {
			return strconv.FormatUint(x, 10)
		}
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	case []int64:
		return slices.Clone(x) // the batch keeps its own
	}
	return v
}
