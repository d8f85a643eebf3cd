package command

import (
	"gpureplay/replay/sweep"
)

var sweepRuns = openRowsOf("sweep_runs",
	"a finished cell of a sweep, as in the table runs, with a column set_KEY a setting", `
trace string: name of the trace
gpu string: machine
policy string: policy
cycles integer: cycles`)

var sweepCells = openRowsOf("sweep_cells", "a cell of a sweep, with a column set_KEY a setting", `
index integer: its number
cell string: its key
trace string: name of the trace
gpu string: machine
policy string: policy
state string: to run, finished or cannot run`)

// printCells shows one line for each finished cell.
func (a *app) printCells(g *sweep.Grid, rows []sweep.Row) error {
	if a.asJSON {
		all := []map[string]any{}
		for _, r := range rows {
			all = append(all, r.Values)
		}
		return a.printRows(sweepRuns, all)
	}
	header, settings := []any{"trace", "gpu"}, g.SettingColumns()
	for _, s := range settings {
		header = append(header, s)
	}
	w := newGrid(a.out, append(header, "policy", "cycles", "time", "speedup", "occupancy", "L1 hit", "L2 hit")...)
	n := len(header)
	var right []int
	for i := range settings {
		right = append(right, 3+i)
	}
	w.right(append(right, n+2, n+3, n+4, n+5, n+6, n+7)...)
	for _, r := range rows {
		m := r.Values
		cells := []any{m["trace"], m["gpu"]}
		for _, s := range settings {
			cells = append(cells, m[s])
		}
		w.row(append(cells, m["policy"], commas(m["cycles"]), duration(m["time_ns"]), ratio(m["speedup"]),
			percent(m["occupancy_pct"]), percent(m["l1_hit_pct"]), percent(m["l2_hit_pct"]))...)
	}
	w.print()
	return nil
}

// listCells shows cells of the grid, and which of them are finished.
func (a *app) listCells(g *sweep.Grid, list []*sweep.Cell, dir string) error {
	settings := g.SettingColumns()
	header := []any{"cell", "trace", "gpu"}
	for _, s := range settings {
		header = append(header, s)
	}
	w := newGrid(a.out, append(header, "policy", "state")...)
	w.right(1)
	rows := []map[string]any{}
	for _, c := range list {
		state := "to run"
		switch {
		case c.Err != nil:
			state = "cannot run: " + oneLine(c.Err)
		case g.Finished(dir, c):
			state = "finished"
		}
		m := map[string]any{"index": c.Index, "cell": c.Key, "trace": c.Trace, "gpu": c.GPU, "policy": c.Policy,
			"state": state}
		cells := []any{c.Index, c.Trace, c.GPU}
		for i, v := range c.Values() {
			m[settings[i]] = v
			cells = append(cells, v)
		}
		w.row(append(cells, c.Policy, state)...)
		rows = append(rows, m)
	}
	if a.asJSON {
		return a.printRows(sweepCells, rows)
	}
	w.print()
	return nil
}
