package command

import (
	"context"
	"fmt"

	"gpureplay/replay/measured"
)

var correlatedBoundaries = rowsOf("correlated_boundaries", "a measured boundary between two kernels", `
gpu string: GPU of the measurement
how string: way of the launches
measured_us number: measured µs
predicted_us number: predicted µs
error_pct number: predicted over measured, less 100 %
machine string: machine that predicted`)

// boundaries is the word that requests the table of kernel boundaries.
const boundaries = "boundaries"

// correlateBoundaries prints the times of small kernels that depend on each other.
func (a *app) correlateBoundaries(ctx context.Context) error {
	all, err := measured.Boundaries(ctx)
	if err != nil {
		return err
	}
	if a.asJSON {
		rows := []map[string]any{}
		for _, b := range all {
			rows = append(rows, map[string]any{"gpu": b.GPU, "how": b.How, "measured_us": b.Measured,
				"predicted_us": b.Predicted,
				"error_pct":    b.ErrorPct, "machine": b.Machine})
		}
		return a.printRows(correlatedBoundaries, rows)
	}
	g := newGrid(a.out, "GPU", "how", "measured", "predicted", "error", "machine")
	g.right(3, 4, 5)
	for _, b := range all {
		g.row(b.GPU, b.How, fmt.Sprintf("%.2f µs", b.Measured), fmt.Sprintf("%.2f µs", b.Predicted),
			fmt.Sprintf("%+.1f %%", b.ErrorPct), b.Machine)
	}
	g.print()
	fmt.Fprintln(a.out, "kernels of 4,096 doubles, each after the one before: presets were set from these rows")
	return nil
}
