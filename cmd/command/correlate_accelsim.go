package command

import (
	"context"
	"fmt"
	"math"

	"gpureplay/model/hardware"
	"gpureplay/replay/measured"
)

var accelSimCases = rowsOf("accelsim_cases", "a program on Accel-Sim and here", `
gpu string: preset
kind string: kind of program
seed integer: seed of the program
part string: open, held out or worst
accelsim object: counters of Accel-Sim
replay object: counters of replay
error_pct number: cycles over Accel-Sim's, less 100 %`)

var accelSimAgreement = rowsOf("accelsim_agreement", "a part of the cases", `
gpu string: preset
part string: open, held out or worst
cases integer: cases of the part
median_pct number?: median of the absolute errors of cycles
p90_pct number?: their 90th percentile
worst_pct number?: the worst
total_pct number?: error of the sum
l2_accesses_pct number?: error of the accesses to the L2
dram_reads_pct number?: error of the reads of DRAM`)

// accelSimReferences are the cases of --accelsim. A test keeps fewer.
var accelSimReferences = measured.References

// correlateAccelSim replays the programs that Accel-Sim's results are kept of.
func (a *app) correlateAccelSim(ctx context.Context, f *correlateFlags) error {
	if f.accelsim != "open" && f.accelsim != "all" {
		return usagef("correlate: --accelsim=%s: want open or all", f.accelsim)
	}
	if f.add != 0 || f.gpu != "" || len(f.where) > 0 {
		return usagef("correlate: --accelsim goes with no other flag of correlate: each case has its preset")
	}
	refs, err := accelSimReferences()
	if err != nil {
		return err
	}
	bar := a.progress(len(refs))
	changed := func(cfg *hardware.Config) error { return override(cfg, f.set) }
	cases, err := measured.Compare(ctx, refs, changed, int(f.jobs), bar.done)
	bar.close()
	if err != nil {
		return err
	}
	shown := cases[:0:0]
	for i := range cases {
		if f.accelsim == "all" || !cases[i].HeldOut() {
			shown = append(shown, cases[i])
		}
	}
	if a.asJSON {
		return a.printJSON(append(accelSimCases.of(accelSimRows(shown)...),
			accelSimAgreement.of(agreementRows(measured.Agreements(cases))...)...))
	}
	g := newGrid(a.out, "gpu", "program", "part", "Accel-Sim", "replay", "error", "to the L2", "replay", "DRAM reads",
		"replay", "row hits", "replay")
	g.right(4, 5, 6, 7, 8, 9, 10, 11, 12)
	for i := range shown {
		c, o := &shown[i], &shown[i].Ours
		g.row(c.Preset, c.Name(), c.Part(), commas(int64(c.Cycles)), commas(int64(o.Cycles)),
			fmt.Sprintf("%+.1f %%", c.ErrorPct()),
			commas(c.L2Accesses), commas(o.L2Accesses), commas(c.DRAMReads), commas(o.DRAMReads), share(c.RowHits()),
			share(o.RowHits()))
	}
	g.print()
	fmt.Fprintln(a.out)
	fmt.Fprint(a.out, measured.AgreementTable(measured.Agreements(cases)))
	return nil
}

func share(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.3f", x)
}

func accelSimRows(cases []measured.Compared) []map[string]any {
	rows := []map[string]any{}
	for i := range cases {
		c := &cases[i]
		rows = append(rows, map[string]any{"gpu": c.Preset, "kind": c.Kind, "seed": c.Seed, "part": c.Part(),
			"accelsim": c.Counters,
			"replay":   c.Ours, "error_pct": c.ErrorPct()})
	}
	return rows
}

func agreementRows(list []measured.Agreement) []map[string]any {
	rows := []map[string]any{}
	for i := range list {
		x := &list[i]
		rows = append(rows, map[string]any{"gpu": x.Preset, "part": x.Part, "cases": x.Kernels, "median_pct": x.MedianPct,
			"p90_pct": x.P90Pct, "worst_pct": x.WorstPct,
			"total_pct": x.TotalPct, "l2_accesses_pct": x.L2Pct, "dram_reads_pct": x.ReadsPct})
	}
	return rows
}
