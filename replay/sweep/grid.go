package sweep

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"gpureplay/internal/nearest"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/replay/table"
	"gpureplay/trace"
)

// maxCells is the most cells of a grid.
const maxCells = 100_000

// Grid is a sweep multiplied out.
type Grid struct {
	File     *File
	Cells    []*Cell  // in the order of the grid
	Notes    []string // omissions, and defaults where the file leaves a choice open
	axes     []axis
	tool     string
	version  string
	baseline string // label of the policy
}

// Cell is one replay of the grid.
type Cell struct {
	Index  int
	Key    string // of its content; "": it cannot run, see Err
	Trace  string // its name in the tables
	GPU    string
	Policy string // as it was requested
	Err    error  // why it cannot run
	values []value
	trace  *source
	config *hardware.Config
	choice *policies.Choice
}

// String names a cell for people.
func (c *Cell) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s under %s", c.Trace, c.GPU, c.Policy)
	return b.String() + c.Settings(", ")
}

// Settings lists the cell's values of the grid's keys, each behind before.
func (c *Cell) Settings(before string) string {
	var b strings.Builder
	for i, v := range c.values {
		b.WriteString(before + strings.TrimPrefix(c.trace.grid.axes[i].key, "set.") + "=" + v.text)
	}
	return b.String()
}

// machine is a GPU with one choice of settings.
type machine struct {
	gpu    string
	values []value
	config *hardware.Config
	hash   [sha256.Size]byte // of all of it
	err    error             // it cannot be
}

// Plan multiplies a sweep out. version is the tool's, as it stands in the tables; tool tells builds apart, see
// [Tool]. It returns an error of the file. A fault of a trace or of one combination of settings is an error of its
// cells.
func (f *File) Plan(ctx context.Context, version, tool string) (*Grid, error) {
	g := &Grid{File: f, axes: f.axes, tool: tool, version: version}
	traces, err := g.sources(ctx)
	if err != nil {
		return nil, err
	}
	choices, err := f.choices()
	if err != nil {
		return nil, err
	}
	gpus := gpuSet{file: f, machines: map[string][]*machine{}, base: map[string]string{}}
	for _, gpu := range f.GPUs {
		if err := gpus.add(gpu, f.resolve); err != nil {
			return nil, f.wrong("gpus", "%w", err)
		}
	}
	for _, t := range traces {
		names := gpus.names
		if len(f.GPUs) == 0 {
			if names, err = g.preset(&gpus, t); err != nil {
				return nil, err
			}
		}
		apply := choices
		if apply == nil {
			apply = t.choices
		}
		for _, name := range names {
			if err := g.cells(t, gpus.machines[name], apply); err != nil {
				return nil, err
			}
		}
	}
	return g, g.findBaseline()
}

// preset chooses the machine of a trace where the file names none.
func (g *Grid) preset(gpus *gpuSet, t *source) ([]string, error) {
	c := cmp.Or(t.machine, replay.MachineFor(&trace.Meta{}))
	if t.err == nil {
		g.Notes = append(g.Notes, fmt.Sprintf("%s: machine %s; gpus in %s chooses another", t.name, c.Says, g.File.path))
	}
	name, err := gpus.captured(c.Config)
	return []string{name}, err
}

// cells adds the cells of one trace on one GPU.
func (g *Grid) cells(t *source, machines []*machine, choices []*policies.Choice) error {
	if len(g.Cells)+len(machines)*len(choices) > maxCells {
		return fmt.Errorf("%s: a grid of more than %d cells", g.File.path, maxCells)
	}
	for _, m := range machines {
		for _, c := range choices {
			cell := &Cell{Index: len(g.Cells), Trace: t.name, GPU: m.gpu, Policy: c.Label, values: m.values, trace: t,
				config: m.config, choice: c}
			switch {
			case t.err != nil:
				cell.Err = t.err
			case m.err != nil:
				cell.Err = m.err
			default:
				cell.Key = g.key(cell, m.hash[:])
			}
			g.Cells = append(g.Cells, cell)
		}
	}
	return nil
}

// key hashes all that a cell's tables depend on.
func (g *Grid) key(c *Cell, machine []byte) string {
	h := sha256.New()
	for _, part := range []string{
		g.tool, c.trace.hash, hex.EncodeToString(machine), c.Policy, strings.Join(c.choice.Settings(), " "),
		strings.Join(g.File.Tables, ","), fmt.Sprint(g.File.Sample), g.File.as.String(), fmt.Sprint(g.File.Audit),
		g.File.Approximate.String(), fmt.Sprint(g.File.Seed),
	} {
		fmt.Fprintf(h, "%d %s\n", len(part), part) // no part can pass for the next
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Hash is a hash of the grid: equal grids have the same cells at the same
// indices.
func (g *Grid) Hash() string {
	h := sha256.New()
	for _, c := range g.Cells {
		io.WriteString(h, c.Key+"\n")
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// findBaseline checks that the policy that speedups refer to is of the grid.
func (g *Grid) findBaseline() error {
	var labels []string
	seen := map[string]bool{}
	for _, c := range g.Cells {
		if !seen[c.Policy] {
			seen[c.Policy] = true
			labels = append(labels, c.Policy)
		}
	}
	if len(labels) == 0 {
		return g.File.wrong("policies", "none of them applies to any of the traces")
	}
	g.baseline = g.File.Baseline
	if g.baseline == "" {
		g.baseline = labels[0]
	}
	if !seen[g.baseline] {
		return g.File.wrong("baseline", "%q is not one of the policies of this sweep%s (%s)", g.baseline,
			nearest.Hint(g.baseline, labels),
			strings.Join(labels, ", "))
	}
	return nil
}

// columns are the grid's, in front of each merged table's own.
func (g *Grid) columns() []table.Column {
	cols := []table.Column{
		{Name: "cell", Type: table.String, Doc: "The cell: its folder under cells."},
		{Name: "trace", Type: table.String, Doc: "The trace."},
		{Name: "gpu", Type: table.String, Doc: "The machine before settings: a preset or a file."},
	}
	for _, a := range g.axes {
		cols = append(cols, a.column)
	}
	return append(cols, table.Column{Name: "policy", Type: table.String, Doc: "The policy."})
}

// row is a cell's values in the columns of the grid.
func (c *Cell) row() []any {
	return append(append([]any{c.Key, c.Trace, c.GPU}, c.Values()...), c.Policy)
}

// Values are the cell's in the columns of the grid's settings.
func (c *Cell) Values() []any {
	var all []any
	for _, v := range c.values {
		all = append(all, v.cell)
	}
	return all
}

// SettingColumns are the names of the columns of the grid's settings.
func (g *Grid) SettingColumns() []string {
	var names []string
	for _, a := range g.axes {
		names = append(names, a.column.Name)
	}
	return names
}
