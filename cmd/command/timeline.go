package command

import (
	"io"

	"github.com/spf13/cobra"

	"gpureplay/replay/timeline"
)

func init() { register((*app).timelineCommand) }

var timelineRows = rowsOf("timelines", "a timeline that was written", `
timeline string: path of the file
replays integer: runs in it
slices integer: slices in it
left_out integer: slices that it leaves out`)

func (a *app) timelineCommand() *cobra.Command {
	var out string
	var opt timeline.Options
	c := &cobra.Command{
		Use:   "timeline OUT -o TRACE.pftrace",
		Short: "show the tables of a replay over time, in ui.perfetto.dev",
		Long: `timeline makes a trace for ui.perfetto.dev of the tables that lie under OUT. For each replay
it has the host's stages and links, the KMU, the kernel distributor with the launch calls of
each kernel, streams, tasks and counters (from the table timeline). Each SM has a track with
its CTAs, or a counter if there are more than 2,000. Arrows lead from a launch to its
kernel, and from a parent to its child.

It has 100 MB at most, and lists the parts that it leaves out: --from and --to choose a
window.`,
		Example: "  replay timeline replay-out -o run.pftrace\n  replay timeline replay-out --policy=ppcs " +
			"--from=1000000 --to=2000000 -o window.pftrace",
		Args: exactly(1, "one folder of tables"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opt.From < 0 || opt.To < 0 || (opt.To > 0 && opt.To < opt.From) {
				return usagef("timeline: --from=%d and --to=%d are no window", opt.From, opt.To)
			}
			var stats timeline.Stats
			err := writeFile(out, func(w io.Writer) (err error) {
				stats, err = timeline.Write(cmd.Context(), w, args[0], opt)
				return err
			})
			if err != nil {
				return err
			}
			left := 0
			for _, l := range stats.Left {
				if l.Instead != "" {
					a.note("%s: %s %s are shown as %s; --from and --to choose a window of fewer", l.Replay, commas(int64(l.Count)),
						l.Of, l.Instead)
					continue
				}
				left += l.Count
				a.note("%s: %s of the table %s are left out, from cycle %s on; --from and --to choose a window", l.Replay,
					commas(int64(l.Count)), l.Of, commas(l.From))
			}
			if a.asJSON {
				return a.printRows(timelineRows, []map[string]any{{"timeline": out, "replays": stats.Replays,
					"slices": stats.Slices, "left_out": left}})
			}
			a.done("%s: %d replays, %s slices; open it in ui.perfetto.dev", out, stats.Replays, commas(int64(stats.Slices)))
			return nil
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "run.pftrace", "`TRACE` to write")
	c.Flags().StringVar(&opt.Trace, "trace", "", "only replays of this `TRACE`")
	c.Flags().StringVar(&opt.Policy, "policy", "", "only replays under this `POLICY`")
	c.Flags().Int64Var(&opt.From, "from", 0, "leave out intervals that end before this `CYCLE`")
	c.Flags().Int64Var(&opt.To, "to", 0, "leave out intervals that start after this `CYCLE`; 0: to the end")
	return c
}
