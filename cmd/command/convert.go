package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"gpureplay/convert"
	"gpureplay/internal/durable"
	"gpureplay/trace/container"
	"gpureplay/trace/text"
)

func init() { register((*app).convertCommand) }

func (a *app) convertCommand() *cobra.Command {
	var out string
	var from []string
	w := wanted{Options: convert.Options{Device: -1}}
	c := &cobra.Command{
		Use:   "convert INPUT -o TRACE",
		Short: "make a trace of another tool's capture",
		Long: `convert recognises the format of a capture by its content and writes a trace. INPUT is a
file, a folder or an archive; - is standard input. Lost and unreadable parts of the source
are counted and shown. INPUT may also be a trace in its text form (docs/text.md).

Where -o is a folder, each device of a capture becomes a trace. So does each capture of a
folder or an archive (.tar, .tar.gz, .tar.zst, .zip): the ranks of a job.`,
		Example: "  replay convert traces/kernelslist.g -o bfs.trace.zst\n  replay convert --from=kineto rank0.json.gz " +
			"-o rank0.trace.zst\n  replay convert ranks.tar.gz -o traces/",
		Args: exactly(1, "one input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usagef("convert: -o TRACE says where the trace goes")
			}
			if err := w.begins(from); err != nil {
				return err
			}
			if isFolder(out) {
				return a.convertAll(cmd.Context(), args[0], out, w)
			}
			if err := fileName(out); err != nil {
				return err
			}
			return a.convertOne(cmd.Context(), args[0], out, w)
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "`TRACE` to write; a folder (DIR/): a trace for each device, and "+
		"each file of a folder")
	c.Flags().StringArrayVar(&from, "from", nil, "`FORMAT` of the input, instead of recognising it; or a time "+
		"(250us, 25%): only work that begins from then on")
	w.registerOthers(c.Flags())
	c.Flags().IntVar(&w.Device, "device", -1, "`DEVICE` of a capture of several; -1: the one with the most kernels")
	c.Flags().BoolVar(&w.AllowEmpty, "allow-empty", false, "make a trace even of a profiler's capture without a kernel")
	c.Flags().BoolVar(&w.Partial, "partial", false, "of Kineto's JSON that ends in the middle, keep the complete records")
	c.Flags().Var(&pattern{&w.Irregular}, "irregular", "kernels whose name matches `REGEXP` access memory irregularly")
	c.Flags().Var(&pattern{&w.Regular}, "regular", "and those matching `REGEXP` do not, whatever the capture shows")
	return c
}

// pattern is a flag that takes a regular expression.
type pattern struct{ to **regexp.Regexp }

func (p *pattern) String() string {
	if p.to == nil || *p.to == nil {
		return ""
	}
	return (*p.to).String()
}

func (p *pattern) Set(s string) (err error) {
	*p.to, err = regexp.Compile(s)
	return err
}

func (p *pattern) Type() string { return "regexp" }

// wanted is the wishes of a conversion.
type wanted struct {
	convert.Options
	chooser
	format string // of the input; "": recognise it
}

// begins takes the values of --from: the name of a format, and a time, which begins
// with a digit.
func (w *wanted) begins(from []string) error {
	for _, s := range from {
		to := &w.format
		if s != "" && (s[0] >= '0' && s[0] <= '9' || s[0] == '.') {
			to = &w.from
		} else if _, err := convert.Lookup(s); err != nil {
			return usageError{err}
		}
		if *to != "" {
			return usagef("convert: --from=%s and --from=%s at once", *to, s)
		}
		*to = s
	}
	return nil
}

func (a *app) convert(ctx context.Context, c capture, out string, w wanted) error {
	if done, err := a.part(ctx, c.path, out, &w); done || err != nil {
		return err
	}
	in, err := convert.Open(c.path, a.in)
	if err != nil {
		return err
	}
	if c.name != c.path {
		in.Call(c.name)
	}
	err = w.converted(ctx, a, out, func(path string) error {
		bar := a.progress(1)
		w.Progress = bar.bytes("reading " + c.name)
		err := convert.Run(ctx, in, w.format, path, w.Options)
		bar.close()
		if errors.Is(err, convert.ErrUnknown) {
			err = encode(ctx, in, path, err)
		}
		return err
	})
	if err != nil {
		return err
	}
	return a.report(out)
}

// part makes a trace of the chosen part of a trace, if the input is one and a part is chosen.
func (a *app) part(ctx context.Context, input, out string, w *wanted) (done bool, err error) {
	if w.chooser == (chooser{}) || w.format != "" {
		return false, nil
	}
	r, err := container.Open(input)
	if err != nil {
		return false, nil // a capture, or the converters report the fault
	}
	defer r.Close()
	s, err := w.selection(ctx, r)
	if err != nil {
		return true, err
	}
	if s == nil {
		return true, fmt.Errorf("%s: is a replay trace already, and the choice leaves nothing of it out", input)
	}
	if err := w.write(ctx, a, r, s, out); err != nil {
		return true, err
	}
	return true, a.report(out)
}

// encode makes a container of a trace in its text form. An input that is no trace at all gives the error unknown.
func encode(ctx context.Context, in *convert.Input, out string, unknown error) error {
	if !text.Is(in.Head()) {
		if r, err := container.Open(in.Path()); err == nil {
			r.Close()
			return fmt.Errorf("%s: is a replay trace already; replay, inspect or export it", in.Name())
		}
		return unknown
	}
	lines, err := in.Read(ctx)
	if err != nil {
		return err
	}
	defer lines.Close()
	return writeFile(out, func(w io.Writer) error {
		t, err := container.NewWriter(w, container.Options{})
		if err != nil {
			return err
		}
		if err := text.Parse(in.Name(), lines, t); err != nil {
			return err
		}
		return t.Close()
	})
}

// fileName refuses to write to standard output, where results go, and to a
// folder.
func fileName(path string) error {
	if path == "-" {
		return usagef("-o -: the output is a file, name it")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("cannot write %s: it is a folder; name a file", path)
	}
	return nil
}

// writeFile writes a file under a temporary name beside its final one, which it
// gets when it is complete.
func writeFile(path string, fill func(io.Writer) error) error {
	if err := fileName(path); err != nil {
		return err
	}
	return durable.Write(path, fill)
}

// report shows the contents of a new trace.
func (a *app) report(path string) error {
	if a.quiet && !a.asJSON {
		return nil
	}
	r, err := container.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	if a.asJSON {
		return a.printRows(traceRows, []map[string]any{summary(path, r)})
	}
	t := &r.Program().Totals
	shape, err := shapeOf(r)
	if err != nil {
		return err
	}
	if t.CTAs == 0 {
		fmt.Fprintf(a.out, "%s: %s kernels%s, %s host operations\n", path, commas(t.Kernels), shape, commas(t.HostOps))
	} else {
		fmt.Fprintf(a.out, "%s: %s kernels, %s CTAs, %s warp instructions (%s of them memory), %s host operations\n", path,
			commas(t.Kernels), commas(t.CTAs), commas(t.WarpInsts), commas(t.MemInsts), commas(t.HostOps))
	}
	a.printDiagnostics(r)
	line, err := doubt(r)
	if line != "" {
		fmt.Fprintln(a.out, line)
	}
	return err
}

// printDiagnostics shows the converter's counts.
func (a *app) printDiagnostics(r *container.Reader) {
	ds := r.Program().Diagnostics
	if len(ds) == 0 {
		return
	}
	g := newGrid(a.out, "diagnostic", "severity", "count", "what it means")
	g.right(3)
	for _, d := range ds {
		g.row(d.Name, d.Severity.String(), commas(d.Count), d.Help)
	}
	g.print()
}
