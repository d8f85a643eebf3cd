package sweep

import (
	"context"
	"fmt"
	"os"
	"strings"

	"gpureplay/replay/table"
)

// Row is one finished cell as the merged table runs has it.
type Row struct {
	Cell   *Cell
	Values map[string]any // by column; nil is NULL
}

// collector merges the tables of the finished cells.
type collector struct {
	grid      *Grid
	dir, temp string
	done      []*Cell
	rows      []Row
	violated  []Failure
	merged    []*table.Merged
}

// Collect merges the tables of the finished cells into one file for each table, dir/TABLE.FORMAT. It returns the
// rows of runs, and a failure for each cell in which the auditor found something. The files appear when all of them
// are complete, the table runs last. It returns an error if a table cannot be read or written.
func (g *Grid) Collect(ctx context.Context, dir string) ([]Row, []Failure, error) {
	if err := prepare(dir); err != nil {
		return nil, nil, err
	}
	temp, err := scratch(dir, "merge")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(temp)
	c := &collector{grid: g, dir: dir, temp: temp}
	for _, cell := range g.Cells {
		if cell.Err == nil && g.Finished(dir, cell) {
			c.done = append(c.done, cell)
		}
	}
	if err := c.compare(ctx); err != nil {
		return nil, nil, err
	}
	defer func() {
		for _, m := range c.merged {
			m.Abort() // of a committed file it does nothing
		}
	}()
	for _, name := range g.File.Tables {
		if err := c.merge(ctx, name); err != nil {
			return nil, nil, err
		}
	}
	return c.rows, c.violated, table.CommitMerged(dir, c.merged)
}

// compare reads the cells' rows of runs and sets their speedups.
func (c *collector) compare(ctx context.Context) error {
	base := map[string]int64{} // cycles of the baseline's cell, by all but the policy
	for _, cell := range c.done {
		row, err := c.grid.readRun(ctx, c.dir, cell)
		if err != nil {
			return err
		}
		c.rows = append(c.rows, Row{cell, row})
		if cell.Policy == c.grid.baseline {
			base[cell.group()] = row["cycles"].(int64)
		}
	}
	for _, r := range c.rows {
		r.Values["baseline"], r.Values["speedup"] = nil, nil
		cycles := r.Values["cycles"].(int64)
		if b, ok := base[r.Cell.group()]; ok && cycles > 0 {
			r.Values["baseline"], r.Values["speedup"] = c.grid.baseline, float64(b)/float64(cycles)
		}
	}
	return nil
}

// group names the keys that a cell shares with its baseline.
func (c *Cell) group() string { return fmt.Sprintf("%q %q%s", c.Trace, c.GPU, c.Settings("\x00")) }

// readRun returns the one row of runs of a finished cell, by column.
func (g *Grid) readRun(ctx context.Context, dir string, cell *Cell) (map[string]any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	path, err := cell.part(dir, "runs")
	if err != nil {
		return nil, err
	}
	r, err := table.OpenReader(path, table.Limits{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := r.Next()
	if err != nil || b.Rows != 1 {
		return nil, fmt.Errorf("sweep: %s is not the one row of a run: remove its cell, and sweep again (%v)", path, err)
	}
	row := map[string]any{}
	for i, col := range b.Columns {
		row[col.Name] = b.Values[i].Any(0)
	}
	if _, ok := row["cycles"].(int64); !ok {
		return nil, fmt.Errorf("sweep: %s has no cycles: remove its cell, and sweep again", path)
	}
	for i, col := range g.columns() {
		row[col.Name] = cell.row()[i]
	}
	return row, nil
}

// merge writes one table under its partial name.
func (c *collector) merge(ctx context.Context, name string) error {
	columns := c.grid.columns()
	if name == "runs" { // columns that a cell cannot compute
		columns = append(columns, table.Column{Name: "baseline", Type: table.String, Nullable: true,
			Doc: "The policy that speedup refers to."},
			table.Column{Name: "speedup", Type: table.Float64, Nullable: true,
				Doc: "The cycles of the baseline's cell with the same trace, gpu and settings over this one's."})
	}
	m, err := table.Merge(c.temp, name, c.grid.File.Format, columns, []table.KeyValue{
		{Key: "baseline", Value: c.grid.baseline}, {Key: "settings", Value: strings.Join(c.grid.SettingColumns(), " ")},
		{Key: "sweep", Value: string(c.grid.File.data)}, {Key: "table", Value: name},
		{Key: "tool_version", Value: c.grid.version},
	})
	if err != nil {
		return err
	}
	c.merged = append(c.merged, m)
	for i, cell := range c.done {
		path, err := cell.part(c.dir, name)
		if err != nil {
			return err
		}
		keys := cell.row()
		if name == "runs" {
			keys = append(keys, c.rows[i].Values["baseline"], c.rows[i].Values["speedup"])
		}
		rows, err := m.Add(ctx, path, keys)
		if err != nil {
			return err
		}
		if name == "audit" && rows > 0 {
			c.violated = append(c.violated, Failure{cell, fmt.Errorf("the auditor found %d violations (table audit)", rows)})
		}
	}
	return m.Close()
}
