package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpureplay/replay"
	"gpureplay/replay/table"
	"gpureplay/replay/table/neutral"
)

func init() { register((*app).exportCommand) }

var exportedTables = rowsOf("exported_tables", "a table of an exported trace", `
name string: of the table
rows integer: its rows`)

func (a *app) exportCommand() *cobra.Command {
	var dir, format string
	part := chooser{}
	var sm uint32
	formats := append(neutral.Formats(), traceg)
	c := &cobra.Command{
		Use:   "export TRACE -o DIR",
		Short: "write the trace itself as tables, for DuckDB, pandas and other tools, or as a capture for Accel-Sim",
		Long: `export writes every part of a trace as Parquet or CSV: kernels, CTAs, steps and accesses of
warps, launches, copies, calls of the host, arrays, code. docs/neutral.md lists tables and
columns. convert makes a trace of such a folder again. Your own tool may write such a folder
with some of the tables and columns: kernels alone are enough.

With --format=traceg it writes kernelslist.g and a .traceg of each launch, which Accel-Sim
runs and convert reads. The kernels are labelled with the trace's compute capability or with
--sm: Accel-Sim chooses its table of opcodes by it. Parts that a capture cannot hold are
counted. Child launches, narrow tasks and kernels without warps are refused.`,
		Example: "  replay export trace.zst -o tables\n  replay export --format=csv trace.zst -o tables\n  replay " +
			"convert tables -o again.trace.zst\n" +
			"  replay export --format=traceg --sm=70 trace.zst -o capture",
		Args: exactly(1, "one trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return usagef("export: -o DIR says where the tables go")
			}
			if dir == "-" {
				return usagef("export: -o -: the tables are files; name a folder")
			}
			if !slices.Contains(formats, format) {
				return usagef("export: no format %q: choose from %s", format, strings.Join(formats, ", "))
			}
			if format == traceg {
				return a.exportCapture(cmd.Context(), &part, args[0], dir, sm)
			}
			if sm != 0 {
				return usagef("export: --sm goes with --format=%s", traceg)
			}
			return a.export(cmd.Context(), &part, args[0], dir, format)
		},
	}
	c.Flags().StringVarP(&dir, "output", "o", "", "`DIR` of the tables")
	c.Flags().StringVar(&format, "format", table.Parquet, "`FORMAT` of the tables: "+
		strings.Join(neutral.Formats(), " or ")+"; or "+traceg)
	c.Flags().Uint32Var(&sm, "sm", 0, "compute capability, times ten, that a capture is labelled with (default: "+
		"the trace's)")
	part.register(c.Flags())
	return c
}

func (a *app) export(ctx context.Context, part *chooser, path, dir, format string) error {
	r, err := part.open(ctx, a, path)
	if err != nil {
		return err
	}
	defer r.Close()
	done, err := neutral.Export(ctx, r, dir, format, []table.KeyValue{
		{Key: "trace", Value: replay.TraceName(path)}, {Key: "trace_hash", Value: r.Hash()},
		{Key: "version", Value: version()},
	})
	if err != nil {
		return err
	}
	rows := []map[string]any{}
	g := newGrid(a.out, "table", "rows")
	g.right(2)
	for _, name := range neutral.Names() {
		g.row(name, commas(done.Rows[name]))
		rows = append(rows, map[string]any{"name": name, "rows": done.Rows[name]})
	}
	if done.Dropped > 0 {
		a.note("%s", fmt.Sprintf("%d host operations have a value that their kind has no use for; it is in no table",
			done.Dropped))
	}
	if a.asJSON {
		return a.printRows(exportedTables, rows)
	}
	if !a.quiet {
		g.print()
	}
	return nil
}
