package neutral

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"gpureplay/internal/durable"
	"gpureplay/replay/table"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Exported is the result of an export.
type Exported struct {
	Rows    map[string]uint64 // of each table
	Dropped uint64            // host operations with a value that their kind has no use for, which no column holds
}

// sheetWriter is a [table.SheetWriter] of any rows.
type sheetWriter interface {
	Close() error
	Abort()
}

// exporter writes all tables of a trace.
type exporter struct {
	ctx    context.Context
	r      *container.Reader
	dir    string
	folder *durable.Folder
	format string
	meta   []table.KeyValue
	names  []string // of the files
	open   []sheetWriter
	err    error
	done   Exported

	kernels  func(*KernelRow)
	ctas     func(*CTARow)
	ranges   func(*RangeRow)
	counts   func(*CountRow)
	warps    func(*WarpRow)
	steps    func(*StepRow)
	accesses func(*AccessRow)
	launches func(*LaunchRow)
}

// Export writes the tables of a trace to a folder, in a format of [Formats] (""
// is the default), in place of those of an earlier export. The files appear under
// their names only when all are complete. Export returns an error if another process
// writes there, or if the folder has tables that no export wrote. Memory is bounded by a CTA and a row
// group of each table.
func Export(ctx context.Context, r *container.Reader, dir, format string, meta []table.KeyValue) (*Exported, error) {
	if format == "" {
		format = table.Parquet
	}
	if !slices.Contains(Formats(), format) {
		return nil, fmt.Errorf("export: no format %q: choose from %s", format, strings.Join(Formats(), ", "))
	}
	folder, err := durable.OpenFolder(dir, belongs)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	defer folder.Abort()
	x := &exporter{ctx: ctx, r: r, dir: dir, folder: folder, format: format, meta: meta,
		done: Exported{Rows: map[string]uint64{}}}
	defer func() {
		for _, w := range x.open {
			w.Abort()
		}
	}()
	x.program()
	x.hostOps()
	x.execution()
	for _, w := range x.open {
		if x.err == nil {
			x.err = w.Close()
		}
	}
	if x.err != nil {
		return nil, x.err
	}
	x.open = nil
	if err := folder.Commit(x.names); err != nil { // kernels is the last, by which a folder is known
		return nil, fmt.Errorf("export: %w", err)
	}
	return &x.done, nil
}

// belongs reports whether a folder with that file is read as tables with it.
func belongs(name string) bool {
	base, ext, _ := strings.Cut(name, ".")
	return slices.Contains(Names(), base) && slices.Contains(table.Formats(), ext)
}

// sheet opens a table and returns the function that appends to it.
func sheet[R any](x *exporter, s *table.Sheet[R]) func(*R) {
	if x.err == nil {
		x.err = x.ctx.Err()
	}
	if x.err != nil {
		return func(*R) {}
	}
	w, err := s.Create(x.dir, x.folder.Stage(), x.format, x.meta)
	if err != nil {
		x.err = err
		return func(*R) {}
	}
	x.open, x.names = append(x.open, w), append(x.names, s.File(x.format))
	x.done.Rows[s.Name] = 0
	return func(r *R) {
		if x.err == nil {
			x.err = w.Append(r)
			x.done.Rows[s.Name]++
		}
	}
}

func (x *exporter) program() {
	p := x.r.Program()
	sheet(x, &Trace)(&p.Meta)
	attributes := sheet(x, &Attributes)
	for i := range p.Meta.Attrs {
		attributes(&p.Meta.Attrs[i])
	}
	diagnostics := sheet(x, &Diagnostics)
	for i := range p.Diagnostics {
		diagnostics(&p.Diagnostics[i])
	}
	scopes := sheet(x, &Scopes)
	for i, sc := range p.Scopes {
		scopes(&ScopeRow{uint32(i), sc.Name, inner(sc.In)})
	}
	arrays := sheet(x, &Arrays)
	for i, a := range p.Arrays {
		arrays(&ArrayRow{uint32(i), a})
	}
	functions, instructions := sheet(x, &Functions), sheet(x, &Instructions)
	for i := range p.Functions {
		f := &p.Functions[i]
		functions(&FunctionRow{uint32(i), f.Name})
		for j := range f.Insts {
			instructions(&InstructionRow{uint32(i), uint32(j), f.Insts[j]})
		}
	}
}

func (x *exporter) hostOps() {
	tables := []struct {
		kinds  []trace.OpKind
		append func(*HostRow)
		drop   func(*trace.HostOp)
	}{
		{CopyKinds, sheet(x, &Copies), func(op *trace.HostOp) {
			op.Sync, op.Kernel, op.Event, op.ArrivalNs, op.InBytes, op.InCopies, op.OutBytes, op.Deps = false, 0, 0, 0, 0, 0,
				0, nil
		}},
		{TaskKinds, sheet(x, &Tasks), func(op *trace.HostOp) {
			op.Async, op.Addr, op.Bytes, op.Event, op.Ns = false, 0, 0, 0, 0
		}},
		{CallKinds, sheet(x, &Calls), func(op *trace.HostOp) {
			op.Async, op.Sync, op.Addr, op.Bytes, op.ArrivalNs, op.InBytes, op.InCopies, op.OutBytes, op.Deps = false, false,
				0, 0, 0, 0, 0, 0, nil
		}},
	}
	ops := x.r.HostOps()
	for n := int64(0); x.err == nil; n++ {
		var op trace.HostOp
		if err := ops.Next(&op); err != nil {
			if !errors.Is(err, io.EOF) {
				x.err = err
			}
			return
		}
		for _, t := range tables {
			row, ok := hostRow(n, &op, t.kinds)
			if !ok {
				continue
			}
			kept := op
			if t.drop(&kept); !reflect.DeepEqual(&kept, &op) && !(len(op.Deps) == 0 && op.Deps != nil) {
				x.done.Dropped++
			}
			t.append(&row)
		}
	}
}

// execution writes the kernels with all that they did.
func (x *exporter) execution() {
	x.ctas, x.ranges, x.counts, x.warps = sheet(x, &CTAs), sheet(x, &Ranges), sheet(x, &Counts), sheet(x, &Warps)
	x.steps, x.accesses, x.launches = sheet(x, &Steps), sheet(x, &Accesses), sheet(x, &Launches)
	x.kernels = sheet(x, &Kernels)
	var k trace.Kernel
	for id := 0; id < x.r.Kernels() && x.err == nil; id++ {
		if x.err = x.r.Kernel(uint32(id), &k); x.err != nil {
			return
		}
		f := &x.r.Program().Functions[k.Function]
		x.kernels(&KernelRow{Name: f.Name, Function: k.Function, Index: uint32(id), Within: inner(k.Scope),
			Times: timesOf(k.Recorded), Kernel: k})
		x.grid(&k, f.Insts)
	}
}

func (x *exporter) grid(k *trace.Kernel, code []trace.Inst) {
	for c, err := range trace.EachCTA(x.r, k.ID) {
		if x.err = cmp.Or(x.err, err, x.ctx.Err()); x.err != nil {
			return
		}
		x.cta(k.ID, c, code)
	}
}

func (x *exporter) cta(kernel uint32, c *trace.CTA, code []trace.Inst) {
	row := CTARow{Kernel: kernel, CTA: c.ID, SM: max(c.SM, -1), Ranges: -1}
	if c.Ranges != nil {
		row.Ranges = int64(len(c.Ranges))
	}
	x.ctas(&row)
	for kind, list := range [2][]trace.Range{c.Ranges, c.Touches} {
		for _, r := range list {
			x.ranges(&RangeRow{kernel, c.ID, uint8(kind), r})
		}
	}
	for _, n := range c.Counts {
		in := &code[n.Inst]
		x.counts(&CountRow{Kernel: kernel, CTA: c.ID, Instruction: n.Inst, Class: uint8(in.Class), Operation: OperationOf(in),
			Space: uint8(in.Space),
			Width: in.Width, Executions: n.Times})
	}
	for i := range c.Warps {
		x.warp(Place{kernel, c.ID, c.Warps[i].ID}, &c.Warps[i], code)
	}
}

func (x *exporter) warp(p Place, w *trace.Warp, code []trace.Inst) {
	x.warps(&WarpRow{p, uint64(len(w.Path))})
	masks, mem, mask := w.Masks, w.Mem, int64(1<<32-1)
	var list []int64
	for at, i := range w.Path {
		if len(masks) > 0 && masks[0].At == uint32(at) {
			mask, masks = int64(masks[0].Mask), masks[1:]
		}
		x.steps(&StepRow{p, uint32(at), i, mask})
		in := &code[i]
		if !in.Mem() {
			continue
		}
		a := mem[0]
		if mem = mem[1:]; a.Count == 0 {
			continue
		}
		row := AccessRow{Place: p, Step: uint32(at), Instruction: i, Operation: OperationOf(in), Space: uint8(in.Space),
			Width: in.Width,
			Mask:  mask, Lanes: a.Count, Address: a.Base, Stride: a.Stride}
		if a.List != 0 || a.Stride == WidthStride {
			list = appendAddresses(list[:0], &a, w.Lists)
			row.Address, row.Stride, row.Addresses = uint64(list[0]), WidthStride, list
		}
		x.accesses(&row)
	}
	for _, l := range w.Launches {
		x.launches(&LaunchRow{p, l})
	}
}

// appendAddresses appends the addresses of an access.
func appendAddresses(list []int64, a *trace.Access, lists []uint64) []int64 {
	for addr := range a.Addresses(lists) {
		list = append(list, int64(addr))
	}
	return list
}
