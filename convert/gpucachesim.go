package convert

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sort"

	"gpureplay/convert/gpucachesim"
	"gpureplay/convert/sass"
	"gpureplay/convert/warps"
	"gpureplay/trace"
)

func init() {
	Register(Format{
		Name:  "gpucachesim",
		Title: "gpucachesim: folder with commands.json and kernel-N.msgpack",
		Reads: []Capture{
			{Give: "the folder, or its `commands.json`", Fidelity: "warp", Order: "order of the commands",
				Dependences: "streams", Placement: "SM of each CTA"},
		},
		Sniff:   sniffGpucachesim,
		Convert: convertGpucachesim,
	})
}

const gpucachesimCommands = "commands.json"

func sniffGpucachesim(in *Input) bool {
	head := in.Head()
	if in.IsDir() {
		f, err := in.Sibling(context.Background(), gpucachesimCommands)
		if err != nil {
			return false
		}
		defer f.Close()
		head = make([]byte, headBytes)
		n, _ := io.ReadFull(f, head)
		head = head[:n]
	}
	return bytes.HasPrefix(bytes.TrimSpace(head), []byte("[")) &&
		(bytes.Contains(head, []byte(`"MemAlloc"`)) || bytes.Contains(head, []byte(`"KernelLaunch"`)) &&
			bytes.Contains(head, []byte(`"trace_file"`)))
}

// gpucachesimReader converts one folder.
type gpucachesimReader struct {
	ctx    context.Context
	in     *Input
	w      Writer
	opt    Options
	arrays []trace.Array // ascending, apart from each other
	meta   trace.Meta
	counts struct {
		unknown, merged, outside, opcodes uint64
	}
	functions map[string]*gpucachesimCode
}

type gpucachesimCode struct {
	id   uint32
	code *warps.Code
}

const maxArrays = 1 << 20

func convertGpucachesim(ctx context.Context, in *Input, w Writer, opt Options) error {
	r := &gpucachesimReader{
		ctx: ctx, in: in, w: w, opt: opt, functions: map[string]*gpucachesimCode{},
		meta: trace.Meta{Source: "gpucachesim"},
	}
	if err := r.commands(r.allocation); err != nil {
		return err
	}
	r.settle()
	if err := r.commands(r.input); err != nil {
		return err
	}
	for _, a := range r.arrays {
		w.AddArray(a)
	}
	if len(r.arrays) > 0 {
		r.meta.ArraysFrom = "allocations"
	}
	if err := r.commands(r.operation); err != nil {
		return err
	}
	w.SetMeta(r.meta)
	diagnose(w, "unknown_command", trace.DataLoss, r.counts.unknown,
		"commands of a kind that is not known; they are left out")
	diagnose(w, "overlapping_allocation", trace.Info, r.counts.merged,
		"allocations that overlap an earlier one (memory was freed and used again); they are one array")
	diagnose(w, "record_outside_grid", trace.Error, r.counts.outside,
		"instructions of a block or warp that the launch does not have; they are left out")
	diagnose(w, "unknown_opcode", trace.Error, r.counts.opcodes,
		"instructions whose opcode is not known; they are timed as integer work")
	return nil
}

// commands reads commands.json from its start.
func (r *gpucachesimReader) commands(use func(*gpucachesim.Command) error) error {
	var f io.ReadCloser
	var err error
	if r.in.IsDir() {
		f, err = r.in.Sibling(r.ctx, gpucachesimCommands)
	} else {
		f, err = r.in.Read(r.ctx)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if err := gpucachesim.ReadCommands(f, use); err != nil {
		return fmt.Errorf("%s: %w", gpucachesimCommands, err)
	}
	return nil
}

// allocation gathers the arrays.
func (r *gpucachesimReader) allocation(c *gpucachesim.Command) error {
	switch c.Kind {
	case gpucachesim.Alloc:
		if len(r.arrays) == maxArrays {
			return fmt.Errorf("more than %d allocations", maxArrays)
		}
		name := c.Name
		if name == "" {
			name = fmt.Sprintf("alloc%d", len(r.arrays))
		}
		r.arrays = append(r.arrays, trace.Array{Name: name, Base: c.Addr, Bytes: c.Bytes})
	case gpucachesim.Launch:
		r.meta.SMVersion = max(r.meta.SMVersion, c.BinaryVersion)
		if c.NVBit != "" {
			r.meta.SourceVersion = "NVBit " + c.NVBit
		}
	}
	return nil
}

// settle sorts the arrays and makes one of those that overlap.
func (r *gpucachesimReader) settle() {
	slices.SortStableFunc(r.arrays, func(a, b trace.Array) int { return cmp.Compare(a.Base, b.Base) })
	var out []trace.Array
	for _, a := range r.arrays {
		if n := len(out); n > 0 && a.Base < out[n-1].Base+out[n-1].Bytes {
			last := &out[n-1]
			last.Bytes = max(last.Bytes, a.Base+a.Bytes-last.Base)
			last.Flags |= a.Flags
			r.counts.merged++
			continue
		}
		out = append(out, a)
	}
	r.arrays = out
}

// input marks the arrays that the host fills.
func (r *gpucachesimReader) input(c *gpucachesim.Command) error {
	if i := r.arrayOf(c.Addr); c.Kind == gpucachesim.CopyToDevice && i != trace.NoArray {
		r.arrays[i].Flags |= trace.ArrayInput
	}
	return nil
}

// arrayOf returns the array that holds an address, or NoArray.
func (r *gpucachesimReader) arrayOf(addr uint64) uint32 {
	i := sort.Search(len(r.arrays), func(i int) bool { return r.arrays[i].Base > addr }) - 1
	if i >= 0 && addr-r.arrays[i].Base < r.arrays[i].Bytes {
		return uint32(i)
	}
	return trace.NoArray
}

// operation writes one operation of the host.
func (r *gpucachesimReader) operation(c *gpucachesim.Command) error {
	switch c.Kind {
	case gpucachesim.Unknown:
		r.counts.unknown++
	case gpucachesim.CopyToDevice:
		return r.w.Host(&trace.HostOp{Kind: trace.OpCopyH2D, Array: r.arrayOf(c.Addr), Addr: c.Addr, Bytes: c.Bytes})
	case gpucachesim.Launch:
		id, err := r.kernel(c)
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(c.TraceFile), err)
		}
		return r.w.Host(&trace.HostOp{Kind: trace.OpLaunch, Kernel: id, Stream: c.Stream, Array: trace.NoArray})
	}
	return nil
}

func (r *gpucachesimReader) kernel(c *gpucachesim.Command) (uint32, error) {
	if !c.Grid.Valid() || !c.Block.Valid() || c.Block.Count() > 1024 {
		return 0, fmt.Errorf("a grid of %v blocks of %v threads", c.Grid, c.Block)
	}
	f, ok := r.functions[c.Name]
	if !ok {
		f = &gpucachesimCode{id: r.w.AddFunction(c.Name)}
		f.code = warps.NewCode(func(in trace.Inst) uint32 { return r.w.AddInst(f.id, in) })
		r.functions[c.Name] = f
	}
	g := warps.New(r.opt.TempDir, r.opt.Memory)
	defer g.Close()
	in, err := r.in.Sibling(r.ctx, filepath.Base(c.TraceFile))
	if err != nil {
		return 0, err
	}
	defer in.Close()
	if err := gpucachesim.ReadRecords(in, func(rec *gpucachesim.Record) error {
		return r.record(g, f.code, c, rec)
	}); err != nil {
		return 0, err
	}
	r.meta.Fidelity = trace.FidelityWarp
	id, err := r.w.BeginKernel(&trace.Kernel{
		Function: f.id, Fidelity: trace.FidelityWarp, Grid: c.Grid, Block: c.Block, Registers: c.Registers,
		SharedBytes: c.SharedBytes, Stream: c.Stream, SharedBase: c.SharedBase, LocalBase: c.LocalBase,
	})
	if err != nil {
		return 0, err
	}
	if err := g.Each(r.w.WriteCTA); err != nil {
		return 0, err
	}
	return id, r.w.EndKernel(r.opt.flags(c.Name))
}

// record puts one instruction into its place.
func (r *gpucachesimReader) record(g *warps.Grouper, code *warps.Code, c *gpucachesim.Command,
	rec *gpucachesim.Record) error {
	if rec.WarpSize != 32 {
		return fmt.Errorf("warps of %d threads, where NVIDIA's have 32", rec.WarpSize)
	}
	at := rec.Block
	if at[0] >= c.Grid[0] || at[1] >= c.Grid[1] || at[2] >= c.Grid[2] || uint64(rec.Warp)*32 >= c.Block.Count() {
		r.counts.outside++
		return nil
	}
	op := sass.Classify(rec.Opcode)
	if !op.Known {
		r.counts.opcodes++
	}
	if rec.Memory || rec.Load || rec.Store {
		op = memoryOf(op, rec)
	}
	index, err := code.Index(&trace.Inst{
		PC: rec.PC, Opcode: rec.Opcode, Class: op.Class, Space: op.Space, Flags: op.Flags, Width: op.Width,
		Dst: slices.Clone(rec.Dst), Src: slices.Clone(rec.Src),
	})
	if err != nil {
		return err
	}
	in := warps.Inst{
		CTA:  (at[2]*c.Grid[1]+at[1])*c.Grid[0] + at[0],
		Warp: rec.Warp, SM: int32(rec.SM), Inst: index, Mask: rec.Mask, Memory: op.Width > 0,
	}
	if in.Memory && op.Space != trace.SpaceConstant {
		var addrs [32]uint64
		n := 0
		for lane := range 32 {
			if rec.Mask>>lane&1 != 0 {
				addrs[n] = rec.Addrs[lane]
				n++
			}
		}
		in.Addrs = addrs[:n]
	}
	return g.Add(&in)
}

// memoryOf is the opcode as a record that accesses memory describes it.
func memoryOf(op sass.Opcode, rec *gpucachesim.Record) sass.Opcode {
	if op.Class != trace.ClassMemory {
		op.Class, op.Width = trace.ClassMemory, 4
		if rec.Load {
			op.Flags |= trace.InstLoad
		}
		if rec.Store {
			op.Flags |= trace.InstStore
		}
	}
	switch rec.Space {
	case "Global", "Generic", "GlobalToShared":
		op.Space = trace.SpaceGlobal
	case "Shared":
		op.Space = trace.SpaceShared
	case "Local":
		op.Space = trace.SpaceLocal
	case "Constant":
		op.Space = trace.SpaceConstant
	case "Surface", "Texture":
		op.Space = trace.SpaceTexture
	}
	return op
}
