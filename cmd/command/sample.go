package command

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gpureplay/samples"
	_ "gpureplay/samples/all"
)

func init() { register((*app).sampleCommand) }

func (a *app) sampleCommand() *cobra.Command {
	var out string
	var params []string
	c := &cobra.Command{
		Use:   "sample [NAME] -o TRACE",
		Short: "make a trace by running a workload generator, or list them",
		Long: "sample runs the real algorithm of a workload, on a generated or a given input, and writes what a GPU would have been asked\n" +
			"to do. Without a name it lists the generators; with a name and no -o it explains one.",
		Example: "  replay sample\n  replay sample hsp\n  replay sample hsp --param=kernels=20 -o hsp.trace.zst",
		Args:    between(0, 1, "at most one workload"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listSamples()
			}
			g, err := samples.Get(args[0])
			if err != nil {
				return usageError{err}
			}
			if _, err := g.Parse(params...); err != nil {
				return usageError{err}
			}
			if out == "" {
				return a.showSample(g)
			}
			if err := writeFile(out, func(w io.Writer) error { return g.Write(samples.Interruptible(cmd.Context(), w), params...) }); err != nil {
				return err
			}
			return a.report(out)
		},
	}
	c.ValidArgsFunction = firstOnly(listed(sampleNames, false))
	c.Flags().StringVarP(&out, "output", "o", "", "`TRACE` to write")
	c.Flags().StringArrayVar(&params, "param", nil, "one `NAME=VALUE` of the workload (repeatable)")
	return c
}

func (a *app) listSamples() error {
	rows := []map[string]any{}
	g := newGrid(a.out, "sample", "what it computes", "source")
	for _, s := range samples.List() {
		g.row(s.Name, s.Title, s.Source)
		rows = append(rows, map[string]any{"sample": s.Name, "title": s.Title, "source": s.Source})
	}
	if a.asJSON {
		return a.printJSON(rows)
	}
	g.print()
	return nil
}

func (a *app) showSample(s *samples.Generator) error {
	rows := []map[string]any{}
	g := newGrid(a.out, "parameter", "default", "allowed", "what it is")
	for i := range s.Params {
		p := &s.Params[i]
		g.row(p.Name, p.Default, p.Allowed(), p.Help)
		rows = append(rows, map[string]any{"parameter": p.Name, "default": p.Default, "allowed": p.Allowed(), "help": p.Help})
	}
	if a.asJSON {
		return a.printJSON(rows)
	}
	fmt.Fprintf(a.out, "%s: %s\nSource: %s\n", s.Name, s.Title, s.Source)
	g.print()
	return nil
}
