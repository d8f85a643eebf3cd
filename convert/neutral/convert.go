package neutral

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpureplay/replay/table"
	tables "gpureplay/replay/table/neutral"
	"gpureplay/trace"
)

// Limits of data in memory.
const (
	maxRows  = 1 << 20 // of arrays, functions, attributes, diagnostics
	maxInsts = 1 << 24 // static instructions of all functions
	maxSteps = 1 << 26 // of a CTA
)

// converter converts one folder.
type converter struct {
	f      folder
	w      trace.Sink
	flags  func(name string) trace.KernelFlags // that the user gives to kernels of a name
	arrays []trace.Array
	code   [][]trace.Inst
	names  []string
	byName map[string]uint32
	made   map[madeKey]uint32
	insts  int
	scopes int

	kernels  *cursor[tables.KernelRow]
	ctas     *cursor[tables.CTARow]
	ranges   *cursor[tables.RangeRow]
	counts   *cursor[tables.CountRow]
	warps    *cursor[tables.WarpRow]
	steps    *cursor[tables.StepRow]
	accesses *cursor[tables.AccessRow]
	launches *cursor[tables.LaunchRow]

	calls    bool // there is a table of calls, which launches kernels
	tasks    set  // kernels that tasks name
	children set  // kernels that launches name

	steppedCTA int // steps of the CTA that is being read
}

// set is a set of kernels.
type set map[uint32]struct{}

func (s set) has(k uint32) bool { _, ok := s[k]; return ok }

// Is reports whether a folder holds tables of a trace: kernels at least.
func Is(path string) bool {
	found, err := table.FindSheet(path, tables.Kernels.Name)
	return err != nil || found != ""
}

// Convert writes the trace of the tables in a folder. flags gives flags to
// kernels by the names of their functions.
func Convert(ctx context.Context, path string, w trace.Sink, flags func(name string) trace.KernelFlags) error {
	c := &converter{
		f: folder{ctx: ctx, path: path}, w: w, flags: flags, byName: map[string]uint32{}, made: map[madeKey]uint32{},
		tasks: set{}, children: set{},
	}
	defer func() {
		for _, r := range c.f.close {
			r.Close()
		}
	}()
	for _, step := range []func() error{c.openAll, c.program, c.code0, c.hostBefore, c.execution, c.hostAfter,
		c.diagnostics} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// openAll opens the tables that are read side by side.
func (c *converter) openAll() (err error) {
	if c.kernels, err = open(&c.f, &tables.Kernels); err != nil {
		return err
	}
	if !c.kernels.there() {
		return fmt.Errorf("there is no table kernels (kernels.parquet or kernels.csv)")
	}
	if !c.kernels.has("function") {
		if err := c.kernels.Need("name"); err != nil {
			return err
		}
	}
	if c.kernels.has("grid_x") {
		if err := c.kernels.Need("block_x"); err != nil {
			return err
		}
	}
	if c.ctas, err = openPlaced(&c.f, &tables.CTAs, func(r *tables.CTARow) tables.Place {
		return tables.Place{Kernel: r.Kernel, CTA: r.CTA}
	}, "kernel", "cta"); err != nil {
		return err
	}
	if c.ranges, err = openPlaced(&c.f, &tables.Ranges, func(r *tables.RangeRow) tables.Place {
		return tables.Place{Kernel: r.Kernel, CTA: r.CTA}
	}, "kernel", "cta", "array", "mode", "first_byte", "end_byte"); err != nil {
		return err
	}
	if c.counts, err = openPlaced(&c.f, &tables.Counts, func(r *tables.CountRow) tables.Place {
		return tables.Place{Kernel: r.Kernel, CTA: r.CTA}
	}, "kernel", "cta", "executions"); err != nil {
		return err
	}
	if c.warps, err = openPlaced(&c.f, &tables.Warps, func(r *tables.WarpRow) tables.Place {
		return r.Place
	}, "kernel", "cta", "warp"); err != nil {
		return err
	}
	if c.steps, err = openPlaced(&c.f, &tables.Steps, func(r *tables.StepRow) tables.Place {
		return r.Place
	}, "kernel", "cta", "warp", "instruction"); err != nil {
		return err
	}
	if c.accesses, err = openPlaced(&c.f, &tables.Accesses, func(r *tables.AccessRow) tables.Place {
		return r.Place
	}, "kernel", "cta"); err != nil {
		return err
	}
	if c.accesses.there() && !c.accesses.has("addresses") {
		if err := c.accesses.Need("address"); err != nil {
			return err
		}
	}
	c.launches, err = openPlaced(&c.f, &tables.Launches, func(r *tables.LaunchRow) tables.Place {
		return r.Place
	}, "kernel", "cta", "child")
	return err
}

// program reads the small tables: metadata, arrays.
func (c *converter) program() error {
	meta := tables.Trace.Default()
	rows := 0
	limit := func() error {
		if rows++; rows > maxRows {
			return fmt.Errorf("more than %d rows of metadata or arrays", maxRows)
		}
		return nil
	}
	if err := each(&c.f, &tables.Trace, func(cur *cursor[trace.Meta], m *trace.Meta) error {
		if rows > 0 {
			return cur.Errorf("a trace has one row here")
		}
		meta = *m
		return limit()
	}); err != nil {
		return err
	}
	if err := each(&c.f, &tables.Attributes, func(_ *cursor[trace.Attr], a *trace.Attr) error {
		meta.Attrs = append(meta.Attrs, *a)
		return limit()
	}, "key", "value"); err != nil {
		return err
	}
	slices.SortStableFunc(meta.Attrs, func(a, b trace.Attr) int { return cmp.Compare(a.Key, b.Key) })
	c.w.SetMeta(meta)
	if err := each(&c.f, &tables.Scopes, func(cur *cursor[tables.ScopeRow], r *tables.ScopeRow) error {
		if err := cur.inOrder("scope", r.Index, c.scopes); err != nil {
			return err
		}
		in := tables.ScopeOf(r.Within)
		if int64(in) > int64(c.scopes) {
			return cur.Errorf("scope %d is within %d, which comes after it", c.scopes, r.Within)
		}
		c.scopes++
		c.w.AddScope(trace.Scope{Name: r.Name, In: in})
		return limit()
	}, "name"); err != nil {
		return err
	}
	return each(&c.f, &tables.Arrays, func(cur *cursor[tables.ArrayRow], a *tables.ArrayRow) error {
		if err := cur.inOrder("array", a.Index, len(c.arrays)); err != nil {
			return err
		}
		c.arrays = append(c.arrays, a.Array)
		c.w.AddArray(a.Array)
		return limit()
	}, "address", "bytes")
}

// scope is the scope that a row names.
func (c *converter) scope(index uint32) (uint32, error) {
	if index != tables.None && int64(index) >= int64(c.scopes) {
		return 0, fmt.Errorf("scope %d, but the table scopes has %d", index, c.scopes)
	}
	return tables.ScopeOf(index), nil
}

// inOrder checks an index against the number of the row.
func (c *cursor[R]) inOrder(what string, index uint32, want int) error {
	if index != tables.None && int(index) != want {
		return c.Errorf("%s %d where %d is due: rows are in order and without gaps", what, index, want)
	}
	return nil
}

// diagnostics passes on the counts of an earlier converter, and adds this one's.
func (c *converter) diagnostics() error {
	rows := 0
	if err := each(&c.f, &tables.Diagnostics, func(cur *cursor[trace.Diagnostic], d *trace.Diagnostic) error {
		if rows++; rows > maxRows {
			return cur.Errorf("more than %d diagnostics", maxRows)
		}
		c.w.Diagnose(*d)
		return nil
	}, "name"); err != nil {
		return err
	}
	others, err := c.otherFiles()
	if err != nil {
		return err
	}
	for _, d := range []trace.Diagnostic{
		{Name: "unknown_column", Severity: trace.DataLoss, Count: c.f.unknown,
			Help: "columns that no table of a trace has; they are not read"},
		{Name: "unknown_table", Severity: trace.DataLoss, Count: others,
			Help: "files of the folder that are no table of a trace; they are not read"},
	} {
		if d.Count > 0 {
			c.w.Diagnose(d)
		}
	}
	return nil
}

// otherFiles counts the Parquet and CSV files that are no table.
func (c *converter) otherFiles() (n uint64, err error) {
	entries, err := os.ReadDir(c.f.path)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		ext := strings.TrimPrefix(filepath.Ext(e.Name()), ".")
		base := strings.TrimSuffix(e.Name(), "."+ext)
		if slices.Contains(tables.Formats(), ext) && !slices.Contains(tables.Names(), base) && !strings.HasPrefix(base, ".") {
			n++
		}
	}
	return n, nil
}
