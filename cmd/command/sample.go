package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"gpureplay/model/hardware"
	"gpureplay/samples"
	_ "gpureplay/samples/all"
)

func init() { register((*app).sampleCommand) }

var sampleRows = rowsOf("samples", "a workload", `
sample string: its name
title string: its computation
source string: paper or suite
gpu string: machine of its papers`)

var sampleParams = rowsOf("sample_parameters", "a parameter of a workload", `
parameter string: its name
default string: its default
allowed string: its values
help string: its meaning`)

func (a *app) sampleCommand() *cobra.Command {
	var out string
	var params []string
	c := &cobra.Command{
		Use:   "sample [NAME|FILE] -o TRACE",
		Short: "make a trace by running a workload generator, or list them",
		Long: `sample runs the real algorithm of a workload, on a generated or a given input, and writes
the work that a GPU would receive. Without a name it lists the generators; with a name and
no -o it explains one.

A TOML file names a workload and its parameters (sample = "hsp", kernels = 20), which
--param overrides; without -o it is only checked.`,
		Example: "  replay sample\n  replay sample hsp\n  replay sample hsp --param=kernels=20 -o hsp.trace.zst\n  " +
			"replay sample mine.toml -o mine.trace.zst",
		Args: between(0, 1, "at most one workload"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listSamples()
			}
			g, params, err := chosenSample(args[0], params)
			if err != nil {
				return err
			}
			if out == "" {
				return a.showSample(g)
			}
			if err := writeFile(out, func(w io.Writer) error {
				return g.Write(samples.Interruptible(cmd.Context(), w), params...)
			}); err != nil {
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

// chosenSample is the workload that a name or a file names, and its parameters, those
// that are given beside it last.
func chosenSample(name string, params []string) (*samples.Generator, []string, error) {
	from := ""
	if strings.HasSuffix(name, ".toml") {
		given, err := readSample(name)
		if err != nil {
			return nil, nil, err
		}
		from, name = name, given.name
		own := given.params
		for _, p := range params {
			key, _, _ := strings.Cut(p, "=")
			own = slices.DeleteFunc(own, func(o string) bool { return strings.HasPrefix(o, key+"=") })
		}
		params = append(own, params...)
	}
	g, err := samples.Get(name)
	if err == nil {
		_, err = g.Parse(params...)
	}
	switch {
	case err == nil:
		return g, params, nil
	case from != "":
		return nil, nil, fmt.Errorf("%s: %w", from, err)
	}
	return nil, nil, usageError{err}
}

// sampleFile is a workload with parameters, as a TOML file has it.
type sampleFile struct {
	name   string
	params []string
}

// readSample reads such a file: the key sample, and parameters as other keys.
func readSample(path string) (*sampleFile, error) {
	data, err := hardware.ReadTOML(path)
	if err != nil {
		return nil, err
	}
	keys := map[string]any{}
	meta, err := toml.Decode(string(data), &keys)
	if err != nil {
		return nil, hardware.TOMLError(path, err)
	}
	f := &sampleFile{}
	for _, key := range meta.Keys() {
		at := hardware.TOMLPosition(path, data, key.String())
		switch v := keys[key.String()].(type) {
		case string, int64, bool, float64:
			if key.String() == "sample" {
				f.name = fmt.Sprint(v)
				continue
			}
			f.params = append(f.params, fmt.Sprintf("%s=%v", key, v))
		default:
			return nil, fmt.Errorf("%s: %s is no value: parameters are keys of the file itself, such as n = 1024, each a "+
				"number or a text", at, key)
		}
	}
	if f.name == "" {
		return nil, fmt.Errorf(`%s: it names no workload: give sample = "vecadd", or another that replay sample lists`, path)
	}
	return f, nil
}

func (a *app) listSamples() error {
	rows := []map[string]any{}
	g := newGrid(a.out, "sample", "what it computes", "source")
	for _, s := range samples.List() {
		g.row(s.Name, s.Title, s.Source)
		rows = append(rows, map[string]any{"sample": s.Name, "title": s.Title, "source": s.Source, "gpu": s.Machine})
	}
	if a.asJSON {
		return a.printRows(sampleRows, rows)
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
		return a.printRows(sampleParams, rows)
	}
	fmt.Fprintf(a.out, "%s: %s\nSource: %s\n", s.Name, s.Title, s.Source)
	if s.Machine != "" {
		fmt.Fprintf(a.out, "Machine: %s, on which a replay runs it unless --gpu names another\n", s.Machine)
	}
	g.print()
	return nil
}
