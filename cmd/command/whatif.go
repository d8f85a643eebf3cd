package command

import (
	"fmt"

	"gpureplay/model/hardware"
	"gpureplay/replay"

	"github.com/spf13/cobra"
)

func init() { register((*app).whatIfCommand) }

func (a *app) whatIfCommand() *cobra.Command {
	var sms int
	var side jobs
	var gpu string
	part := chooser{}
	c := &cobra.Command{
		Use:   "what-if CAPTURE",
		Short: "what a capture's program would have taken, had one thing been another",
		Long: "what-if replays a capture of a profiler, or its trace, with one thing changed at a time, and prints how long its program takes: as\n" +
			"recorded, as captured, replayed with the host as recorded, with calls that cost nothing, with a host twice as fast or one that takes\n" +
			"no time, with each step a CUDA graph, with kernels that do not wait for those before them in their stream, with another number of SMs,\n" +
			"and on another GPU. The work of kernels is inferred from their durations.",
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
			all, err := replay.WhatIfs(cmd.Context(), r, sms, other, int(side), bar.done)
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

func (a *app) printWhatIfs(all []replay.WhatIf) error {
	if a.asJSON {
		rows := []map[string]any{}
		for _, w := range all {
			rows = append(rows, map[string]any{"what_if": w.What, "time_ns": w.Ns, "notes": w.Notes})
		}
		return a.printJSON(rows)
	}
	g := newGrid(a.out, "what if", "time", "of recorded", "assumed")
	g.right(2, 3)
	for _, w := range all {
		g.row(w.What, duration(w.Ns), fmt.Sprintf("%.1f %%", 100*float64(w.Ns)/float64(max(1, all[0].Ns))), w.Notes)
	}
	g.print()
	return nil
}
