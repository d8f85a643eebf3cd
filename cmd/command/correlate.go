package command

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"gpureplay/replay/analyse"
	"gpureplay/replay/table"
	"gpureplay/trace"
)

// correlateFlags are the flags of correlate.
type correlateFlags struct {
	add      float64
	gpu      string
	where    []string
	accelsim string
	set      []string
	jobs     jobs
}

func init() { register((*app).correlateCommand) }

var correlatedKernels = rowsOf("correlated_kernels", "a kernel, predicted and measured", `
trace string: name of the trace
gpu string: machine
set string: settings that differ from the preset
policy string: policy
kernel integer: its number
function string: name of the device function
unit string: of predicted and measured
predicted number: by the replay
measured number: by the profiler
error_pct number: predicted over measured, less 100 %
dram_bytes number?: predicted bytes of DRAM
measured_dram_bytes number?: measured bytes of DRAM`)

const correlateHelp = `correlate compares predictions with measurements. There are six ways:

OUT [MEASURED]: the kernels in the tables of a replay. MEASURED is a CSV or Parquet file
with the columns kernel (its id in the trace, from 0) and cycles or ns. It has a column
trace if there are several, and dram_bytes if those were measured. It may also be the output
of ncu --csv for the same launches, in their order. Without MEASURED the durations of the
capture are taken; they say nothing about the model where a kernel's work was inferred from
its duration (fidelity kernel). A prediction is the time from a kernel's first CTA to its
end; --add adds the launch.

TABLE or CAPTURES: measurements alone; the command makes the predictions. TABLE is a text
file with one record a line, key=value separated by commas: benchmark, thread, block (CTAs),
iters and cycles. Records of emptykernel and ffmakernel are generated (samples empty and
ffma). Others need trace=PATH, a trace or a capture. CAPTURES is a folder with kernelslist.g
and the measured cycles in a file gt. A folder of either stands for all in it.
profile_type=ncu goes to the preset h100-pcie and nsys to h100-pcie-boost, unless --gpu
names another. The launch latency is part of a prediction. Each case is marked: it set its
preset (sets) or not (tests).

--accelsim: no files. It replays programs of the sample behaviour whose cycles and counters
under Accel-Sim are part of the command. It prints the open cases and the figures of each
part. Held-out cases judge the model; --accelsim=all prints them. --set shows the cost of a
simpler machine.

CAPTURE: captures of profilers, or their traces. Each is replayed on its own machine, once
with recorded starts (captured) and once in program order (hyperq, host and copies as
recorded). Both ends stand beside the recorded end, and records that the converter dropped
below.

boundaries: the gap between small dependent kernels, in a stream of launches and in a CUDA
graph, on GPUs with published values.

bandwidth: the bandwidth of kernels that stream through memory, by the threads of an SM, on
seven GPUs with published values.`

func (a *app) correlateCommand() *cobra.Command {
	var f correlateFlags
	c := &cobra.Command{
		Use: "correlate OUT [MEASURED] | correlate TABLE-OR-CAPTURES... | correlate CAPTURE... | correlate boundaries " +
			"| correlate bandwidth",
		Short: "predicted against measured cycles, case by case",
		Long:  correlateHelp,
		Example: "  replay correlate replay-out measured.csv\n  replay correlate --add=5000 replay-out measured.csv\n  " +
			"replay correlate replay-out\n" +
			"  replay correlate h100-measured-cycles accelsim-ffmakernel-h100\n" +
			"  replay correlate rank0.json.gz report1.sqlite\n" +
			"  replay correlate --where=profile_type=ncu --where=block=1024 " +
			"h100-measured-cycles/ground_truth_release-emptykernel.txt\n" +
			"  replay correlate --gpu=my.toml mine.txt\n  replay correlate --accelsim\n" +
			"  replay correlate --accelsim --set=sm.pipeline=direct",
		Args: func(cmd *cobra.Command, args []string) error {
			if f.accelsim != "" {
				return between(0, 0, "no files with --accelsim")(cmd, args)
			}
			return between(1, math.MaxInt, "a folder of tables, or measurements")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.correlate(cmd.Context(), &f, args) },
	}
	f.jobs.register(c.Flags())
	c.Flags().Float64Var(&f.add, "add", 0, "`TIME` added to each prediction of the tables in OUT, in the unit of the "+
		"measurements")
	c.Flags().StringVar(&f.gpu, "gpu", "", "`PRESET` or TOML file for all cases (default: the preset of the "+
		"measuring tool)")
	c.Flags().StringArrayVar(&f.where, "where", nil, "only records of a TABLE with this `KEY=VALUE` (repeatable)")
	c.Flags().StringVar(&f.accelsim, "accelsim", "", "compare with Accel-Sim's results that are part of the command; "+
		"of single cases show `WHICH`: open, or all")
	c.Flags().Lookup("accelsim").NoOptDefVal = "open"
	c.Flags().StringArrayVar(&f.set, "set", nil, "with --accelsim: override one `KEY=VALUE` of each machine, e.g. "+
		"memory.engine=reserve (repeatable)")
	complete(c, "set", settingKeys)
	return c
}

// correlate runs the comparison that the arguments name.
func (a *app) correlate(ctx context.Context, f *correlateFlags, args []string) error {
	if f.accelsim != "" {
		return a.correlateAccelSim(ctx, f)
	}
	if len(f.set) > 0 {
		return usagef("correlate: --set goes with --accelsim: write a TOML file with base = \"PRESET\" for --gpu")
	}
	if f.gpu != "" {
		if _, err := machineNamed(f.gpu); err != nil {
			return err
		}
	}
	if len(args) == 1 && (args[0] == boundaries || args[0] == bandwidth) {
		if f.gpu != "" || f.add != 0 || len(f.where) > 0 {
			return usagef("correlate: %s goes with no other flag of correlate: its GPUs are those that were measured", args[0])
		}
		if args[0] == boundaries {
			return a.correlateBoundaries(ctx)
		}
		return a.correlateBandwidth(ctx, f)
	}
	if f.gpu == "" && f.add == 0 && len(f.where) == 0 && captures(ctx, args) {
		return a.correlateCaptures(ctx, f, args)
	}
	cases, skipped, err := f.cases(args)
	if err != nil {
		return err
	}
	if cases != nil {
		return a.correlateCases(ctx, f, cases, skipped)
	}
	if len(args) > 2 || f.gpu != "" || len(f.where) > 0 {
		return usagef("%s has the tables of a replay: then come at most a table of measurements and --add", args[0])
	}
	all, err := correlateTables(args, f.add)
	if err != nil {
		return err
	}
	return a.printCorrelations(all)
}

// correlateTables compares the tables of a replay with measurements, if a table says
// so, or recorded.
func correlateTables(args []string, add float64) ([]analyse.Correlation, error) {
	if len(args) == 1 {
		return analyse.Correlate(args[0], "", add)
	}
	m, err := ncuMeasured(args[1])
	switch {
	case err != nil:
		return nil, err
	case m != nil:
		return analyse.CorrelateWith(args[0], m, add)
	}
	return analyse.Correlate(args[0], args[1], add)
}

func (a *app) printCorrelations(all []analyse.Correlation) error {
	if a.asJSON {
		rows := []map[string]any{}
		for _, c := range all {
			for _, x := range c.Rows {
				rows = append(rows, map[string]any{"trace": x.Trace, "gpu": x.GPU, "set": x.Set, "policy": x.Policy,
					"kernel":   x.Kernel,
					"function": x.Function, "unit": c.Unit, "predicted": x.Predicted, "measured": x.Measured, "error_pct": x.ErrorPct,
					"dram_bytes": known(x.Bytes), "measured_dram_bytes": known(x.MeasuredBytes)})
			}
		}
		return a.printRows(correlatedKernels, rows)
	}
	for _, c := range all {
		set := ""
		if words := table.Words(c.Set); words != "" {
			set = " with " + words
		}
		fmt.Fprintf(a.out, "%s under %s on %s%s, in %s\n", c.Trace, c.Policy, c.GPU, set, c.Unit)
		a.printComparisons(c.Rows)
		fmt.Fprintf(a.out, "%d kernels: absolute error mean %.1f %%, median %.1f %%, 90th percentile %.1f %%; total "+
			"%+.1f %%; correlation %.4f\n",
			c.Kernels, c.MeanPct, c.MedianPct, c.P90Pct, c.TotalPct, c.Pearson)
		if c.Unmeasured > 0 {
			fmt.Fprintf(a.out, "%d more kernels were replayed and not measured\n", c.Unmeasured)
		}
	}
	return nil
}

// printComparisons prints kernels, with their bytes of DRAM where those were measured.
func (a *app) printComparisons(rows []analyse.Comparison) {
	titles, right := []any{"kernel", "function", "predicted", "measured", "error"}, []int{1, 3, 4, 5}
	bytes := slices.ContainsFunc(rows, func(x analyse.Comparison) bool { return x.MeasuredBytes >= 0 })
	if bytes {
		titles, right = append(titles, "DRAM bytes", "measured", "error"), append(right, 6, 7, 8)
	}
	g := newGrid(a.out, titles...)
	g.right(right...)
	for _, x := range rows {
		cells := []any{x.Kernel, trace.Shorten(x.Function, 40), commas(int64(math.Round(x.Predicted))),
			commas(int64(math.Round(x.Measured))),
			fmt.Sprintf("%+.1f %%", x.ErrorPct)}
		switch {
		case bytes && x.MeasuredBytes > 0:
			cells = append(cells, commas(int64(x.Bytes)), commas(int64(x.MeasuredBytes)),
				fmt.Sprintf("%+.1f %%", 100*(x.Bytes/x.MeasuredBytes-1)))
		case bytes:
			cells = append(cells, "-", "-", "-")
		}
		g.row(cells...)
	}
	g.print()
}

// known is a number of bytes for JSON: null where it is not known.
func known(bytes float64) any {
	if bytes < 0 {
		return nil
	}
	return bytes
}
