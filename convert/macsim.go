package convert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"gpureplay/convert/macsim"
	"gpureplay/convert/sass"
	"gpureplay/convert/warps"
	"gpureplay/trace"
)

func init() {
	Register(Format{
		Name:  "macsim",
		Title: "MacSim NVBit: folder with kernel_config.txt, or one kernel's trace.txt",
		Reads: []Capture{
			{Give: "the folder with `kernel_config.txt`, or one kernel's `trace.txt`", Fidelity: "warp",
				Order:       "order of the list",
				Dependences: "none", Placement: "no"},
		},
		Sniff:   sniffMacsim,
		Convert: convertMacsim,
	})
}

const macsimList = "kernel_config.txt"

func sniffMacsim(in *Input) bool {
	if in.IsDir() {
		return in.Has(macsimList)
	}
	return macsim.IsKernelList(in.Head()) || macsim.IsWarpList(in.Head())
}

// macsimReader converts one list of kernels.
//
// The tracer records one address for a coalesced access, one for each 128-byte
// line otherwise, and one for each lane if there are 32; the lanes of a line are
// taken to lie side by side. PCs count from the first instruction of the first
// warp.
type macsimReader struct {
	ctx     context.Context
	in      *Input
	w       Writer
	opt     Options
	names   map[string]macsim.Shape
	kernels uint64
	counts  struct {
		inferred, shapes, opcodes, missing uint64
	}
}

func convertMacsim(ctx context.Context, in *Input, w Writer, opt Options) error {
	r := &macsimReader{ctx: ctx, in: in, w: w, opt: opt}
	paths, err := r.list(in)
	if err != nil {
		return err
	}
	if f, err := in.Sibling(ctx, "kernel_names.txt"); err == nil {
		r.names, err = macsim.ReadNames(f)
		f.Close()
		if err != nil {
			return fmt.Errorf("kernel_names.txt: %w", err)
		}
	}
	for _, p := range paths {
		// A list names files below its own folder.
		local := filepath.FromSlash(path.Clean("/" + filepath.ToSlash(p)))
		if err := r.kernel(filepath.Join(in.Folder(), local)); err != nil {
			return fmt.Errorf("%s: %w", path.Clean("./"+p), err)
		}
	}
	m := trace.Meta{Source: "macsim"}
	if r.kernels > 0 {
		m.Fidelity = trace.FidelityWarp
	}
	w.SetMeta(m)
	diagnose(w, "addresses_inferred", trace.DataLoss, r.counts.inferred,
		"accesses for which the tracer recorded lines, not lanes; lanes of a line are taken to lie side by side")
	diagnose(w, "shape_inferred", trace.DataLoss, r.counts.shapes,
		"kernels without an entry in kernel_names.txt; grid and block are one-dimensional and come from the warps "+
			"listed, registers and shared memory are unknown")
	diagnose(w, "unknown_opcode", trace.Error, r.counts.opcodes,
		"instructions whose opcode is not known; they are timed as integer work")
	diagnose(w, "warp_without_file", trace.DataLoss, r.counts.missing,
		"warps that are listed but have no file of records; they have no instructions")
	return nil
}

// list returns the warp lists of the input, relative to its folder.
func (r *macsimReader) list(in *Input) ([]string, error) {
	if !in.IsDir() && !macsim.IsKernelList(in.Head()) {
		if in.Path() == "" {
			return nil, errors.New("a warp list names files beside it: give its path")
		}
		return []string{filepath.Base(in.Path())}, nil
	}
	var f io.ReadCloser
	var err error
	if in.IsDir() {
		f, err = in.Sibling(r.ctx, macsimList)
	} else {
		f, err = in.Read(r.ctx)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	paths, err := macsim.ReadKernelList(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", macsimList, err)
	}
	return paths, nil
}

func (r *macsimReader) kernel(list string) error {
	f, err := r.in.OpenFile(r.ctx, list)
	if err != nil {
		return notThere(err)
	}
	all, err := macsim.ReadWarpList(f)
	f.Close()
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b macsim.Warp) int { return cmp.Compare(a.ID, b.ID) })
	all = slices.Compact(all)
	folder := filepath.Dir(list)
	k, name := r.shape(filepath.Base(folder), all)
	if k.Grid.Count() == 0 {
		return errors.New("no warp is listed")
	}
	r.kernels++
	id, err := r.w.BeginKernel(&k)
	if err != nil {
		return err
	}
	c := macsimCTA{r: r, folder: folder}
	c.code = warps.NewCode(func(in trace.Inst) uint32 { return r.w.AddInst(k.Function, in) })
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].CTA() == all[0].CTA() {
			n++
		}
		if err := c.write(all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	if err := r.w.EndKernel(r.opt.flags(name)); err != nil {
		return err
	}
	return r.w.Host(&trace.HostOp{Kind: trace.OpLaunch, Kernel: id, Array: trace.NoArray})
}

// notThere leaves the machine's paths out of an error.
func notThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fs.ErrNotExist
	}
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// shape returns the kernel of a folder and its name, as kernel_names.txt says or as its warps
// suggest.
func (r *macsimReader) shape(folder string, all []macsim.Warp) (trace.Kernel, string) {
	k := trace.Kernel{Fidelity: trace.FidelityWarp}
	var ctas uint64
	var perCTA uint32
	for _, w := range all {
		ctas, perCTA = max(ctas, w.CTA()+1), max(perCTA, w.Index()+1)
	}
	s, ok := r.names[folder]
	if !ok || s.Grid.Count() < ctas || s.Block.Count() <= uint64(perCTA-1)*32 || s.Block.Count() > 1024 {
		r.counts.shapes++
		s = macsim.Shape{Name: s.Name, Grid: trace.Dim3{uint32(min(ctas, 1<<32-1)), 1, 1},
			Block: trace.Dim3{perCTA * 32, 1, 1}}
	}
	if s.Name == "" {
		s.Name = "kernel" + strconv.FormatUint(r.kernels, 10)
	}
	k.Function, k.Grid, k.Block, k.Registers, k.SharedBytes = r.w.AddFunction(s.Name), s.Grid, s.Block, s.Registers,
		s.SharedBytes
	return k, s.Name
}

// macsimCTA writes one CTA after the other.
type macsimCTA struct {
	r      *macsimReader
	folder string
	code   *warps.Code
	base   uint64
	based  bool
	insts  int
	lanes  []uint64
}

func (c *macsimCTA) write(list []macsim.Warp) error {
	cta := trace.CTA{ID: uint32(list[0].CTA()), SM: -1}
	c.insts = 0
	for _, w := range list {
		f, err := c.open(w)
		if errors.Is(err, fs.ErrNotExist) {
			c.r.counts.missing++
			continue
		}
		if err != nil {
			return notThere(err)
		}
		warp := trace.Warp{ID: w.Index()}
		err = macsim.ReadWarp(f, func(s *macsim.Step) error { return c.step(&warp, s) })
		f.Close()
		if err != nil {
			return fmt.Errorf("trace_%d.raw: %w", w.ID, err)
		}
		if len(warp.Path) > 0 {
			cta.Warps = append(cta.Warps, warp)
		}
	}
	return c.r.w.WriteCTA(&cta)
}

// open finds the file of a warp under the names that it has had.
func (c *macsimCTA) open(w macsim.Warp) (io.ReadCloser, error) {
	for _, pattern := range []string{"trace_%d.raw", "bin_trace_%d.raw", "trace_%d.raw.gz", "bin_trace_%d.raw.gz"} {
		f, err := c.r.in.OpenFile(c.r.ctx, filepath.Join(c.folder, fmt.Sprintf(pattern, w.ID)))
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, fs.ErrNotExist
}

func (c *macsimCTA) step(w *trace.Warp, s *macsim.Step) error {
	if c.insts++; c.insts > warps.MaxCTA {
		return fmt.Errorf("a CTA with more than %d warp instructions", warps.MaxCTA)
	}
	if !c.based {
		c.base, c.based = s.PC, true
	}
	name := macsim.Opcode(s.Opcode)
	op := sass.Classify(name)
	if !op.Known {
		c.r.counts.opcodes++
		name = "?" + strconv.Itoa(int(s.Opcode))
	}
	inst := trace.Inst{PC: uint32(s.PC - c.base), Opcode: name, Class: op.Class, Space: op.Space, Flags: op.Flags}
	switch op.Class {
	case trace.ClassMemory:
		inst.Width = s.Width()
	case trace.ClassBarrier:
		inst.Imm = uint64(s.Size)
	}
	inst.Dst, inst.Src = slices.Clone(s.Dst), slices.Clone(s.Src)
	index, err := c.code.Index(&inst)
	if err != nil {
		return err
	}
	w.Step(index, s.Mask)
	if inst.Width > 0 {
		c.access(w, s, op.Space)
	}
	return nil
}

func (c *macsimCTA) access(w *trace.Warp, s *macsim.Step, space trace.Space) {
	if space == trace.SpaceConstant || s.Mask == 0 || len(s.Addrs) == 1 && s.Addr == 0 {
		w.Mem = append(w.Mem, trace.Access{})
		return
	}
	c.lanes = s.Lanes(c.lanes[:0])
	if len(s.Addrs) != len(c.lanes) {
		c.r.counts.inferred++
	}
	a := trace.Access{Base: c.lanes[0], Count: uint32(len(c.lanes))}
	if stride, ok := warps.Stride(c.lanes); ok {
		a.Stride = stride
	} else {
		a.Base, a.List = 0, uint32(len(w.Lists))+1
		w.Lists = append(w.Lists, c.lanes...)
	}
	w.Mem = append(w.Mem, a)
}
