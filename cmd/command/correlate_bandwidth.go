package command

import (
	"context"
	"fmt"

	"gpureplay/replay/measured"
)

var correlatedBandwidths = rowsOf("correlated_bandwidths", "a measured bandwidth of the L2 or DRAM", `
gpu string: GPU of the measurement
kernel string: program that measured
threads_per_sm integer: threads of an SM
measured_gb_s number: measured GB/s
predicted_gb_s number: predicted GB/s
error_pct number: predicted over measured, less 100 %
machine string: machine that predicted`)

// bandwidth is the word that requests the table of streaming kernels.
const bandwidth = "bandwidth"

// correlateBandwidth prints the bandwidth of kernels that stream, by threads of an SM.
func (a *app) correlateBandwidth(ctx context.Context, f *correlateFlags) error {
	all := measured.Bandwidths()
	bar := a.progress(len(all))
	err := measured.PredictBandwidths(ctx, all, int(f.jobs), bar.done)
	bar.close()
	if err != nil {
		return err
	}
	if a.asJSON {
		rows := []map[string]any{}
		for _, b := range all {
			rows = append(rows, map[string]any{"gpu": b.GPU, "kernel": b.Kernel, "threads_per_sm": 2 * b.Block,
				"measured_gb_s":  b.Measured,
				"predicted_gb_s": b.Predicted, "error_pct": b.ErrorPct, "machine": b.Machine})
		}
		return a.printRows(correlatedBandwidths, rows)
	}
	g := newGrid(a.out, "GPU", "kernel", "threads an SM", "measured", "predicted", "error")
	g.right(3, 4, 5, 6)
	for _, b := range all {
		g.row(b.GPU, b.Kernel, commas(int64(2*b.Block)), fmt.Sprintf("%.0f GB/s", b.Measured),
			fmt.Sprintf("%.0f GB/s", b.Predicted),
			fmt.Sprintf("%+.1f %%", b.ErrorPct))
	}
	g.print()
	fmt.Fprintln(a.out)
	sums := newGrid(a.out, "GPU", "rows", "mean error", "median", "90th pct.", "machine")
	sums.right(2, 3, 4, 5)
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].GPU == all[0].GPU {
			n++
		}
		s := measured.BandwidthFigures(all[:n])
		sums.row(all[0].GPU, commas(int64(n)), fmt.Sprintf("%.1f %%", s.MeanPct), fmt.Sprintf("%.1f %%", s.MedianPct),
			fmt.Sprintf("%.1f %%", s.P90Pct), all[0].Machine)
		all = all[n:]
	}
	sums.print()
	fmt.Fprintln(a.out, "streams of doubles, two CTAs an SM, as RRZE's gpu-stream measured them: no number of a "+
		"preset was set from these rows; rows of 64 threads decided sm.stores_hold_cta")
	return nil
}
