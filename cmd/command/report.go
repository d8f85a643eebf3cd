package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"gpureplay/replay/report"
)

func init() { register((*app).reportCommand) }

var reportRows = rowsOf("reports", "a report that was written", `
report string: path of the page
replays integer: runs in it
plots integer: plots in it`)

// reportHelp is the long help of report.
const reportHelp = `report makes a page of the tables under OUT that needs no network and runs no script. A
section is there if its tables are, and every plot has its table beside it:

  summary, speed-ups over the baseline, effect of a sweep's settings
  stalls of CTAs (ctas), progress of kernels (kernels, timeline)
  use of the GPU and bandwidth over time (timeline)
  outcomes and waits of child launches (runs, launches)
  state of pages (pages), times of tasks (tasks), source of the figures

The same tables give the same bytes.

A capture, a trace or a folder of captures (the ranks of a job) is replayed first, into the
folder NAME-report. Its page begins with recorded and replayed times, idle time by cause,
the longest kernels, streams over time and ranks side by side. One capture also has what-if
bars.`

func (a *app) reportCommand() *cobra.Command {
	var out, figures string
	var side jobs
	var opt report.Options
	c := &cobra.Command{
		Use:   "report OUT|CAPTURE",
		Short: "one HTML page of plots and tables, from the tables of a replay or a sweep, or of a capture",
		Long:  reportHelp,
		Example: "  replay report replay-out\n  replay report rank0.json.gz\n  replay report replay-out " +
			"--figures=figures\n  replay report sweep-out -o sweep.html\n  replay report --title='HWQs on K20c' sweep-out",
		Args: exactly(1, "one folder of tables or a capture"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := os.Stat(args[0]); err != nil {
				return fmt.Errorf("no such folder or capture: %s: replay or sweep with -o %s first", args[0], args[0])
			}
			dir, changes, err := a.tablesFor(cmd.Context(), args[0], side)
			if err != nil {
				return err
			}
			opt.WhatIfs = changes
			if out == "" {
				out = filepath.Join(dir, "report.html")
			}
			var stats report.Stats
			err = writeFile(out, func(w io.Writer) (err error) {
				stats, err = report.Write(cmd.Context(), w, dir, opt)
				return err
			})
			if err != nil {
				return err
			}
			if figures != "" {
				if err := writeFigures(cmd.Context(), dir, figures, opt); err != nil {
					return err
				}
			}
			if a.asJSON {
				return a.printRows(reportRows, []map[string]any{{"report": out, "replays": stats.Runs, "plots": stats.Figures}})
			}
			a.done("%s: %d replays, %d plots; open it in a browser", out, stats.Runs, stats.Figures)
			return nil
		},
	}
	side.register(c.Flags())
	c.Flags().StringVarP(&out, "output", "o", "", "`FILE` to write (default report.html in OUT)")
	c.Flags().StringVar(&figures, "figures", "", "write each plot into `DIR` too, for a paper, as SVG and PDF, with "+
		"its data as CSV")
	c.Flags().StringVar(&opt.Title, "title", "", "`TITLE` of the page (default: the traces and GPUs)")
	c.Flags().StringVar(&opt.Baseline, "baseline", "",
		"`POLICY` that speed-ups refer to (default: the baseline of the policies' papers)")
	return c
}

// writeFigures writes the plots of a report into a folder.
func writeFigures(ctx context.Context, from, to string, opt report.Options) error {
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	_, err := report.Figures(ctx, from, opt, func(name string, data []byte) error {
		return writeFile(filepath.Join(to, name), func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	})
	return err
}
