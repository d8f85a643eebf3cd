package command

import (
	"cmp"
	"fmt"
	"strings"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/replay"

	"gpureplay/replay/analyse"

	"github.com/spf13/cobra"
)

func init() { register((*app).whatIfCommand) }

var whatIfTable = rowsOf("what_if", "a replay of a capture with one change", `
what_if string: the change
time_ns integer: how long the program takes
bound string: at most, at least or none
notes string: assumptions
kernels integer: kernels of the capture
kernels_pinned integer: kernels without a call, which begin no earlier than recorded
limited_by_gpu_pct number: share of the time with a kernel
limited_by_boundaries_pct number: share between two kernels
limited_by_copies_pct number: share that waits for a copy
limited_by_host_pct number: share that waits for the host
limited_by_recorded_starts_pct number: share that waits for a recorded start`)

const whatIfHelp = "what-if replays a profiler's capture with one change at a time and prints how long its " +
	"program takes.\n\n" +
	"  recorded                    as the profiler has it\n" +
	"  captured                    kernels and copies start as recorded\n" +
	"  replayed                    host calls and copies as recorded, starts computed\n" +
	"  calls that cost nothing     launch calls take no time\n" +
	"  a host twice as fast        its calls and its work between them\n" +
	"  a host that takes no time   it only waits\n" +
	"  each step a CUDA graph      one launch for each step\n" +
	"  streams freed               kernels wait for events and copies alone\n" +
	"  N SMs                       with the recorded host, and with a host that is no limit\n" +
	"  on GPU                      likewise, as a bound\n\n" +
	"The column \"limited by\" says for which share of the time a kernel runs (GPU), the GPU is between\n" +
	"two kernels (boundaries), a copy or the host is waited for, or a kernel keeps its recorded start (pinned\n" +
	"starts). It shows the two largest shares, --json all.\n" +
	"Durations of CTAs are inferred from the recorded durations of kernels."

func (a *app) whatIfCommand() *cobra.Command {
	var sms int
	var side jobs
	var gpu string
	part := chooser{}
	c := &cobra.Command{
		Use:     "what-if CAPTURE",
		Short:   "how long a captured program would take with another host, launches, SMs or GPU",
		Long:    whatIfHelp,
		Example: "  replay what-if rank0.json.gz\n  replay what-if --sms=200 --gpu=b200 report1.sqlite",
		Args:    exactly(1, "a capture or its trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if sms < 0 || sms > 4096 {
				return usagef("--sms=%d: want a number of SMs up to 4096", sms)
			}
			var other *hardware.Config
			if gpu != "" {
				var err error
				if other, err = machineNamed(gpu); err != nil {
					return err
				}
			}
			r, err := part.open(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			defer r.Close()
			machine, err := replay.MachineOf(r)
			if err != nil {
				return err
			}
			a.note("machine %s", machine.Says)
			bar := a.progress(0)
			all, err := analyse.RunWhatIfs(cmd.Context(), r, sms, other, int(side), bar.done)
			bar.close()
			if err != nil {
				return err
			}
			return a.printWhatIfs(all)
		},
	}
	c.Flags().IntVar(&sms, "sms", 0, "another `NUMBER` of SMs (default twice as many)")
	side.register(c.Flags())
	c.Flags().StringVar(&gpu, "gpu", "", "another `PRESET` or TOML file")
	part.register(c.Flags())
	return c
}

func (a *app) printWhatIfs(all *analyse.WhatIfs) error {
	if a.asJSON {
		return a.printRows(whatIfTable, whatIfRows(all))
	}
	recorded := all.Rows[0].Ns
	g := newGrid(a.out, "what if", "time", "of recorded", "limited by")
	g.right(2, 3)
	for _, w := range all.Rows {
		share := fmt.Sprintf("%.1f %%", 100*float64(w.Ns)/float64(max(1, recorded)))
		g.row(w.What, bounded(w.Bound, duration(w.Ns)), share, limitedBy(&w.Limits))
	}
	g.print()
	a.printAssumptions(all.Rows)
	a.printBoundaries(all)
	if all.Pinned > 0 {
		fmt.Fprintf(a.out, "%s of %s kernels have no call of the host in the capture: each begins no earlier than recorded\n",
			commas(int64(all.Pinned)), commas(int64(all.Kernels)))
	}
	return nil
}

// printBoundaries says how long the GPU takes between two kernels, as replayed.
func (a *app) printBoundaries(all *analyse.WhatIfs) {
	for _, w := range all.Rows {
		l := w.Limits
		sum := l.GPU + l.Boundaries + l.Copies + l.Host + l.Pinned
		if w.What != "replayed" || sum == 0 || all.Kernels < 2 {
			continue
		}
		share := float64(l.Boundaries) / float64(sum)
		fmt.Fprintf(a.out, "boundaries between kernels take %.1f %% of the time replayed, %s a kernel\n", 100*share,
			duration(share*float64(w.Ns)/float64(all.Kernels)))
	}
}

// printAssumptions prints the assumptions of the rows, equal ones once.
func (a *app) printAssumptions(rows []analyse.WhatIf) {
	for i, w := range rows {
		if w.Notes == "" || i > 0 && rows[i-1].Notes == w.Notes {
			continue
		}
		fmt.Fprintf(a.out, "  %s: %s\n", w.What, w.Notes)
	}
}

// bounded writes a time that is a bound.
func bounded(bound, time string) string {
	switch bound {
	case "at most":
		return "≤ " + time
	case "at least":
		return "≥ " + time
	}
	return time
}

// limitedBy lists the two largest limits of a run with their shares of its time, as far as
// a share is a per cent or more.
func limitedBy(l *analyse.Limits) string {
	var words []string
	list := l.List()
	sum := model.Time(0)
	for _, x := range list {
		sum += x.Cycles
	}
	for _, x := range list[:min(2, len(list))] {
		if share := 100 * float64(x.Cycles) / float64(sum); share >= 0.95 {
			words = append(words, fmt.Sprintf("%s %.0f %%", x.Name, share))
		}
	}
	return strings.Join(words, ", ")
}

// whatIfRows are the rows for machines: limits in per cent of the time.
func whatIfRows(all *analyse.WhatIfs) []map[string]any {
	rows := []map[string]any{}
	for _, w := range all.Rows {
		row := map[string]any{"what_if": w.What, "time_ns": w.Ns, "bound": cmp.Or(w.Bound, "none"),
			"notes":   w.Notes,
			"kernels": all.Kernels, "kernels_pinned": all.Pinned}
		l := w.Limits
		sum := float64(max(1, l.GPU+l.Boundaries+l.Copies+l.Host+l.Pinned))
		for name, cycles := range map[string]model.Time{"gpu": l.GPU, "boundaries": l.Boundaries, "copies": l.Copies,
			"host": l.Host, "recorded_starts": l.Pinned} {
			row["limited_by_"+name+"_pct"] = 100 * float64(cycles) / sum
		}
		rows = append(rows, row)
	}
	return rows
}
