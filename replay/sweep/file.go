package sweep

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gpureplay/internal/nearest"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/replay/approx"
	"gpureplay/replay/table"

	"github.com/BurntSushi/toml"
)

// File is a sweep as a user writes it. Paths in it are relative to its folder.
type File struct {
	Traces   words `toml:"traces"`   // paths or patterns
	GPUs     words `toml:"gpus"`     // presets or TOML files; none: each trace's captured GPU
	Policies words `toml:"policies"` // each as --policy takes it; all: those that a trace can feed
	// parameter of policies: value, list of values or range; those that declare it are run with each
	Params      map[string]any `toml:"params"`
	Baseline    string         `toml:"baseline"`    // label of the policy that speedups refer to; "": the first
	Set         map[string]any `toml:"set"`         // key of the machine: value, list of values or range
	Sensitivity string         `toml:"sensitivity"` // a constant to vary as --sensitivity does; "": none
	Tables      words          `toml:"tables"`      // to keep of each cell
	Format      string         `toml:"format"`      // of the merged tables
	Sample      int64          `toml:"sample"`      // width of a timeline window in cycles; 0: chosen
	AsTasks     string         `toml:"as_tasks"`    // as --as-tasks
	Approximate approx.Share   `toml:"approximate"` // as --approximate; 0: all kernels are simulated
	Seed        int64          `toml:"approximate_seed"`
	Audit       bool           `toml:"audit"`
	Output      string         `toml:"output"`
	Slurm       slurmFile      `toml:"slurm"`

	path string
	data []byte
	axes []axis
	as   host.AsTasks
}

type slurmFile struct {
	Options words `toml:"options"` // lines for #SBATCH
}

// words is a list of texts, for which a single text may stand.
type words []string

// UnmarshalTOML takes a text or a list of texts.
func (w *words) UnmarshalTOML(v any) error {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	*w = words{}
	for _, x := range list {
		s, ok := x.(string)
		if !ok {
			return fmt.Errorf("want text or a list of texts, got %v", x)
		}
		*w = append(*w, s)
	}
	return nil
}

// keys are the keys of a sweep's file, for suggestions on a mistyped one.
var keys = []string{"traces", "gpus", "policies", "params", "baseline", "set", "sensitivity", "tables", "format",
	"sample", "as_tasks", "approximate", "approximate_seed", "audit", "output", "slurm", "slurm.options"}

// Load reads a sweep's file. Errors are one line with the file, the line and the
// key; for an unknown key or name they have the nearest known ones.
func Load(path string) (*File, error) {
	data, err := hardware.ReadTOML(path)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, data: data, AsTasks: "no", Format: table.Parquet}
	meta, err := toml.Decode(string(data), f)
	if err != nil {
		return nil, hardware.TOMLError(path, err)
	}
	for _, k := range meta.Undecoded() {
		if k[0] == "set" || k[0] == "params" {
			continue // these are looked at one by one
		}
		key := strings.Join(k, ".")
		return nil, f.wrong(key, "unknown key%s", nearest.Hint(key, keys))
	}
	if kind := meta.Type("set"); kind != "" && kind != "Hash" {
		return nil, f.wrong("set", "want keys of the machine with their values")
	}
	if f.axes, err = f.settings(meta.Keys()); err != nil {
		return nil, err
	}
	return f, f.check()
}

// check checks all that does not need a trace.
func (f *File) check() (err error) {
	switch {
	case len(f.Traces) == 0:
		return f.wrong("traces", "no trace is named: want paths or patterns")
	case len(f.Policies) == 0:
		return f.wrong("policies", "no policy is named: replay policies lists them")
	case f.Sample < 0:
		return f.wrong("sample", "%d: want a number of cycles, or 0", f.Sample)
	case f.Seed < 0:
		return f.wrong("approximate_seed", "%d: want a whole number from 0", f.Seed)
	case f.Audit && f.Approximate > 0:
		return f.wrong("audit", "the audit follows every CTA, and approximate leaves some out: drop one of the two")
	case !slices.Contains(table.Formats(), f.Format):
		return f.wrong("format", "unknown format %q: choose from %s", f.Format, strings.Join(table.Formats(), ", "))
	}
	if f.as, err = host.ParseAsTasks(f.AsTasks); err != nil {
		return f.wrong("as_tasks", "%w", err)
	}
	for _, o := range f.Slurm.Options {
		if !strings.HasPrefix(o, "-") || strings.ContainsFunc(o, func(r rune) bool { return r < ' ' }) {
			return f.wrong("slurm.options", "%q is no option of sbatch on one line: want, say, --partition=long", o)
		}
	}
	return f.checkTables()
}

func (f *File) checkTables() error {
	switch {
	case len(f.Tables) == 0:
		for _, d := range table.Describe() { // with all of them a large grid would fill a disk
			if d.Small {
				f.Tables = append(f.Tables, d.Name)
			}
		}
	case slices.Equal(f.Tables, words{"all"}):
		f.Tables = table.Names()
	}
	for _, t := range f.Tables {
		if !slices.Contains(table.Names(), t) {
			return f.wrong("tables", "no table is called %q: there are all, %s%s", t, strings.Join(table.Names(), ", "),
				nearest.Hint(t, table.Names()))
		}
	}
	// In the order in which tables are listed, each once, runs always.
	f.Tables = slices.DeleteFunc(table.Names(), func(t string) bool {
		return t != "runs" && !slices.Contains(f.Tables, t)
	})
	return nil
}

// wrong is an error about a key of the file.
func (f *File) wrong(key, format string, args ...any) error {
	return fmt.Errorf("%s: %s: %w", hardware.TOMLPosition(f.path, f.data, key), key, fmt.Errorf(format, args...))
}

// resolve makes a path of the file one of the process.
func (f *File) resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.path), path)
}

// OutputDir is where the file puts the tables; "" if it does not say.
func (f *File) OutputDir() string {
	if f.Output == "" {
		return ""
	}
	return f.resolve(f.Output)
}
