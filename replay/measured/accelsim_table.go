package measured

import (
	"fmt"
	"strings"
)

// AgreementTable prints the parts' sums as a Markdown table, which people can read as it is too.
func AgreementTable(list []Agreement) string {
	rows := [][]string{{"gpu", "cases", "number", "median", "90th pct.", "worst", "total", "to the L2", "DRAM reads",
		"row hits (Accel-Sim)"}}
	for i := range list {
		a := &list[i]
		rows = append(rows, []string{a.Preset, a.Part, fmt.Sprint(a.Kernels), fmt.Sprintf("%.1f %%", a.MedianPct),
			fmt.Sprintf("%.1f %%", a.P90Pct), fmt.Sprintf("%+.1f %%", a.WorstPct), fmt.Sprintf("%+.1f %%", a.TotalPct),
			fmt.Sprintf("%+.1f %%", a.L2Pct), fmt.Sprintf("%+.1f %%", a.ReadsPct),
			fmt.Sprintf("%.2f (%.2f)", a.RowHits, a.RowHitsOf)})
	}
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|%s\n", strings.Repeat(" --- |", len(row)))
		}
	}
	return b.String()
}
