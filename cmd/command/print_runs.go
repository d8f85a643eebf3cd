package command

import (
	"fmt"
	"slices"
	"strings"

	"gpureplay/replay"
	"gpureplay/replay/table"
)

// runRows are the rows of the tables runs and performance, with the run's key.
var runRows = rowsOf("runs", "one replay", `
trace string: name of the trace
gpu string: machine
set string: settings that differ from the preset
policy string: policy
baseline string?: policy that the speed-up refers to
speedup number?: cycles of the baseline over those of this run
cut_off_at_cycles integer?: cycle at which the run was cut off; it has no cycles and no time_ns then`)

func init() {
	runRows.open = true // a policy adds metrics of its own
	runRows.columns = func() []rowColumn {
		all := append(runRows.parse(), columnsOf("runs", "performance")...)
		for i := range all {
			all[i].nullable = all[i].nullable || all[i].name == "cycles" || all[i].name == "time_ns"
		}
		return all
	}
}

// printRuns shows one line per run.
func (a *app) printRuns(results []*replay.Result) error {
	rows := []map[string]any{}
	for _, r := range results {
		m, err := r.Row()
		if err != nil {
			return err
		}
		rows = append(rows, m)
	}
	if a.asJSON {
		for _, m := range rows {
			withoutCut(m)
		}
		return a.printRows(runRows, rows)
	}
	a.printRunTable(rows, launches(results))
	a.printNotes(rows, results)
	return nil
}

// withoutCut moves the cycles of a run that was cut off to a column of their own, since
// they and the time would read as if the run had ended.
func withoutCut(m map[string]any) {
	m["cut_off_at_cycles"] = nil
	if m["complete"] == false {
		m["cut_off_at_cycles"], m["cycles"], m["time_ns"] = m["cycles"], nil, nil
	}
}

// runColumn is a column of the table of runs. Where all runs have the same value, a
// column with a phrase goes into the line above the table.
type runColumn struct {
	title  string
	cell   func(m map[string]any) string
	phrase string // with %s for the value; "": the column stays
	text   bool   // aligned to the left
}

// runColumns are the columns in their order.
func runColumns(launched bool) []runColumn {
	of := func(key string, write func(any) string) func(map[string]any) string {
		return func(m map[string]any) string { return write(m[key]) }
	}
	whole := func(key string, write func(any) string) func(map[string]any) string {
		return func(m map[string]any) string {
			if m["complete"] == false {
				return "-"
			}
			return write(m[key])
		}
	}
	cycles := func(m map[string]any) string {
		if m["complete"] == false {
			return "cut off at " + commas(m["cycles"])
		}
		return commas(m["cycles"])
	}
	word := func(v any) string { return fmt.Sprint(v) }
	all := []runColumn{
		{"trace", of("trace", word), "%s", true},
		{"policy", of("policy", word), "", true},
		{"gpu", of("gpu", word), "on %s", true},
		{"set", func(m map[string]any) string { return table.Words(fmt.Sprint(m["set"])) }, "with %s", true},
		{"fidelity", of("fidelity", word), "fidelity %s", true},
		{"cycles", cycles, "", false},
		{"time", whole("time_ns", duration), "", false},
		{"speedup", whole("speedup", ratio), "", false},
		{"kernels", of("kernels", commas), "%s kernels", false},
		{"CTAs", of("ctas", commas), "%s CTAs", false},
		{"warp insts", of("warp_instructions", commas), "%s warp instructions", false},
		{"occupancy", of("occupancy_pct", percent), "", false},
		{"L1 hit", of("l1_hit_pct", percent), "", false},
		{"L2 hit", of("l2_hit_pct", percent), "", false},
	}
	if launched {
		all = append(all, runColumn{"launched", of("launches_made", commas), "", false},
			runColumn{"joined", of("launches_coalesced", commas), "", false})
	}
	return all
}

// printRunTable prints the runs, and above them the values that all of them share.
func (a *app) printRunTable(rows []map[string]any, launched bool) {
	var columns []runColumn
	var place, work []string
	for _, c := range runColumns(launched) {
		first := c.cell(rows[0])
		same := !slices.ContainsFunc(rows, func(m map[string]any) bool { return c.cell(m) != first })
		switch {
		case same && first == "-" && c.title != "time" && c.title != "speedup":
		case same && c.phrase != "" && (first == "0" || first == ""):
		case !same || c.phrase == "":
			columns = append(columns, c)
		case strings.HasPrefix(c.phrase, "%s ") || c.title == "fidelity":
			phrase := c.phrase
			if first == "1" {
				phrase = strings.TrimSuffix(phrase, "s")
			}
			work = append(work, fmt.Sprintf(phrase, first))
		default:
			place = append(place, fmt.Sprintf(c.phrase, first))
		}
	}
	line := strings.Join(place, " ")
	if len(work) > 0 {
		line = strings.TrimPrefix(line+": ", ": ") + strings.Join(work, ", ")
	}
	if line != "" {
		fmt.Fprintln(a.out, line)
	}
	var head []any
	var right []int
	for i, c := range columns {
		head = append(head, c.title)
		if !c.text {
			right = append(right, i+1)
		}
	}
	g := newGrid(a.out, head...)
	g.right(right...)
	for _, m := range rows {
		var cells []any
		for _, c := range columns {
			text := c.cell(m)
			if c.title == "speedup" {
				text = a.tinted(text, m["speedup"])
			}
			cells = append(cells, text)
		}
		g.row(cells...)
	}
	g.print()
}
