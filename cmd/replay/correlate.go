package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"gpureplay/replay"
)

func (a *app) correlateCommand() *cobra.Command {
	var add float64
	c := &cobra.Command{
		Use:   "correlate OUT [MEASURED]",
		Short: "predicted against measured, kernel by kernel",
		Long: "correlate compares the kernels tables in OUT with what was measured: a CSV or Parquet file with the columns kernel (its id in the\n" +
			"trace, from 0), cycles or ns, and trace where it has several. Without one it takes the durations that the capture recorded; where\n" +
			"a kernel's work was inferred from its duration (fidelity kernel) those say nothing about the model. A prediction is the time from\n" +
			"a kernel's first CTA to its end; --add puts the launch on top where the measurement contains it.",
		Example: "  replay correlate replay-out measured.csv\n  replay correlate --add=5000 replay-out measured.csv\n  replay correlate replay-out",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			measured := ""
			if len(args) > 1 {
				measured = args[1]
			}
			all, err := replay.Correlate(args[0], measured, add)
			if err != nil {
				return err
			}
			return a.printCorrelations(all)
		},
	}
	c.Flags().Float64Var(&add, "add", 0, "`TIME` added to each prediction, in the unit of the measurements")
	return c
}

func (a *app) printCorrelations(all []replay.Correlation) error {
	if a.asJSON {
		rows := []map[string]any{}
		for _, c := range all {
			for _, x := range c.Rows {
				rows = append(rows, map[string]any{"trace": x.Trace, "policy": x.Policy, "kernel": x.Kernel, "function": x.Function,
					"unit": c.Unit, "predicted": x.Predicted, "measured": x.Measured, "error_pct": x.ErrorPct})
			}
		}
		return a.printJSON(rows)
	}
	for _, c := range all {
		fmt.Fprintf(a.out, "%s under %s, in %s\n", c.Trace, c.Policy, c.Unit)
		g := newGrid(a.out, "kernel", "function", "predicted", "measured", "error")
		g.right(1, 3, 4, 5)
		for _, x := range c.Rows {
			g.row(x.Kernel, shorten(x.Function, 40), commas(int64(math.Round(x.Predicted))), commas(int64(math.Round(x.Measured))), fmt.Sprintf("%+.1f %%", x.ErrorPct))
		}
		g.print()
		fmt.Fprintf(a.out, "%d kernels: absolute error mean %.1f %%, median %.1f %%, 90th percentile %.1f %%; total %+.1f %%; correlation %.4f\n",
			c.Kernels, c.MeanPct, c.MedianPct, c.P90Pct, c.TotalPct, c.Pearson)
		if c.Unmeasured > 0 {
			fmt.Fprintf(a.out, "%d more kernels were replayed and not measured\n", c.Unmeasured)
		}
	}
	return nil
}

// shorten cuts a text to n runes.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
