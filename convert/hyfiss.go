package convert

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"path/filepath"
	"strconv"

	"gpureplay/convert/hyfiss"
	"gpureplay/convert/sass"
	"gpureplay/convert/spill"
	"gpureplay/convert/warps"
	"gpureplay/trace"
)

func init() {
	Register(Format{
		Name:  "hyfiss",
		Title: "HyFiSS: folder with configs/app.config, sass_traces and memory_traces",
		Reads: []Capture{
			{Give: "the folder that holds `configs`", Fidelity: "warp", Order: "order of `-app_kernels_id`",
				Dependences: "streams", Placement: "SM of each CTA"},
		},
		Sniff:   func(in *Input) bool { return in.Has(filepath.Join("configs", "app.config")) },
		Convert: convertHyfiss,
	})
}

// hyfissReader converts one folder.
type hyfissReader struct {
	ctx    context.Context
	in     *Input
	w      Writer
	opt    Options
	code   map[hyfiss.PC]string
	counts struct {
		noAddress, noExec, unknown, outside, opcodes, untraced, clocks uint64
	}
}

func convertHyfiss(ctx context.Context, in *Input, w Writer, opt Options) error {
	if !in.IsDir() {
		return errors.New("give the folder that holds configs, sass_traces and memory_traces")
	}
	r := &hyfissReader{ctx: ctx, in: in, w: w, opt: opt}
	var kernels []*hyfiss.Kernel
	err := r.config("app.config", func(f io.Reader) (err error) { kernels, err = hyfiss.ReadApp(f); return err })
	if err != nil {
		return err
	}
	if err := r.config("instn.config", func(f io.Reader) (err error) {
		r.code, err = hyfiss.ReadCode(f)
		return err
	}); err != nil {
		return err
	}
	err = r.config("issue.config", func(f io.Reader) error { return hyfiss.ReadIssue(f, kernels) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	least, traced := trace.FidelityWarp, false
	for _, k := range kernels {
		fidelity, err := r.kernel(k)
		if err != nil {
			return fmt.Errorf("kernel_%d: %w", k.ID, err)
		}
		least, traced = min(least, fidelity), true
	}
	m := trace.Meta{Source: "hyfiss"}
	if traced {
		m.Fidelity = least
	}
	w.SetMeta(m)
	r.diagnose()
	return nil
}

func (r *hyfissReader) diagnose() {
	diagnose(r.w, "access_without_addresses", trace.DataLoss, r.counts.noAddress,
		"executed memory instructions for which memory_traces has no record, or one of other lanes; their addresses "+
			"are unknown")
	diagnose(r.w, "addresses_without_access", trace.DataLoss, r.counts.noExec,
		"records of memory_traces that belong to no executed instruction; they are left out")
	diagnose(r.w, "unknown_instruction", trace.Error, r.counts.unknown,
		"executed PCs that instn.config does not have; they are timed as integer work")
	diagnose(r.w, "unknown_opcode", trace.Error, r.counts.opcodes,
		"instructions whose opcode is not known; they are timed as integer work")
	diagnose(r.w, "record_outside_grid", trace.Error, r.counts.outside,
		"instructions of warps that the launch does not have; they are left out")
	diagnose(r.w, "kernel_not_traced", trace.DataLoss, r.counts.untraced,
		"kernels of app.config without a file in sass_traces; they are kept with their grid only")
	diagnose(r.w, "cta_issue_clock", trace.DataLoss, r.counts.clocks,
		"CTAs whose issue clock the hardware recorded; the trace keeps their SM, not the clock")
}

func (r *hyfissReader) config(name string, read func(io.Reader) error) error {
	f, err := r.in.Sibling(r.ctx, filepath.Join("configs", name))
	if err != nil {
		return fmt.Errorf("configs/%s: %w", name, notThere(err))
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("configs/%s: %w", name, err)
	}
	return nil
}

func (r *hyfissReader) kernel(k *hyfiss.Kernel) (trace.Fidelity, error) {
	if !k.Grid.Valid() || !k.Block.Valid() || k.Block.Count() > 1024 {
		return 0, fmt.Errorf("a grid of %v blocks of %v threads", k.Grid, k.Block)
	}
	name := k.Name
	if name == "" {
		name = "kernel" + strconv.FormatUint(uint64(k.ID), 10)
	}
	t := trace.Kernel{
		Function: r.w.AddFunction(name), Fidelity: trace.FidelityWarp, Grid: k.Grid, Block: k.Block,
		Registers: k.Registers, SharedBytes: k.SharedBytes, Stream: k.Stream, SharedBase: k.SharedBase,
		LocalBase: k.LocalBase,
	}
	g := hyfissGroups{r: r, k: k, group: warps.New(r.opt.TempDir, r.opt.Memory), insts: map[uint32]hyfissInst{}}
	g.code = warps.NewCode(func(in trace.Inst) uint32 { return r.w.AddInst(t.Function, in) })
	g.execs = spill.New(r.opt.TempDir, execBytes, r.opt.Memory)
	g.refs = spill.New(r.opt.TempDir, refBytes, r.opt.Memory)
	defer g.close()
	err := g.read()
	if errors.Is(err, fs.ErrNotExist) {
		r.counts.untraced++
		t.Fidelity = trace.FidelityKernel
	} else if err != nil {
		return 0, err
	}
	id, err := r.w.BeginKernel(&t)
	if err != nil {
		return 0, err
	}
	if err := g.group.Each(r.w.WriteCTA); err != nil {
		return 0, err
	}
	if err := r.w.EndKernel(r.opt.flags(name)); err != nil {
		return 0, err
	}
	for _, sm := range k.SMs {
		if sm >= 0 {
			r.counts.clocks++
		}
	}
	return t.Fidelity, r.w.Host(&trace.HostOp{Kind: trace.OpLaunch, Kernel: id, Stream: k.Stream, Array: trace.NoArray})
}

// hyfissGroups gathers the warps of one kernel. Executed memory instructions and
// recorded addresses meet by sorting both by CTA, PC and order of arrival.
type hyfissGroups struct {
	r     *hyfissReader
	k     *hyfiss.Kernel
	group *warps.Grouper
	code  *warps.Code
	execs *spill.Sorter
	refs  *spill.Sorter
	insts map[uint32]hyfissInst // by PC
	place uint64
}

type hyfissInst struct {
	index     uint32
	addressed bool // memory_traces has its addresses
	memory    bool
}

const (
	execBytes = 32            // CTA, PC, place, warp, mask, instruction, zero
	refBytes  = 16 + 8 + 32*8 // CTA, PC, order, number of addresses, addresses
	laneBytes = 8
)

func (g *hyfissGroups) close() {
	g.group.Close()
	g.execs.Close()
	g.refs.Close()
}

func (g *hyfissGroups) read() error {
	f, err := g.r.in.Sibling(g.r.ctx, filepath.Join("sass_traces", fmt.Sprintf("kernel_%d.sass", g.k.ID)))
	if err != nil {
		return notThere(err)
	}
	err = hyfiss.ReadExecs(f, g.exec)
	f.Close()
	if err != nil {
		return fmt.Errorf("sass: %w", err)
	}
	f, err = g.r.in.Sibling(g.r.ctx, filepath.Join("memory_traces", fmt.Sprintf("kernel_%d.mem", g.k.ID)))
	if err == nil {
		err = hyfiss.ReadRefs(f, g.ref)
		f.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("mem: %w", notThere(err))
	}
	return g.meet()
}

// inst returns the static instruction at a PC.
func (g *hyfissGroups) inst(pc uint32) (hyfissInst, error) {
	if in, ok := g.insts[pc]; ok {
		return in, nil
	}
	text, ok := g.r.code[hyfiss.PC{Kernel: g.k.ID, Offset: pc}]
	if !ok {
		g.r.counts.unknown++
		text = "?"
	}
	mnemonic, dst, src := hyfiss.Operands(text, false)
	op := sass.Classify(mnemonic)
	if op.Flags&trace.InstStore != 0 && op.Flags&trace.InstLoad == 0 || op.Class == trace.ClassControl ||
		op.Class == trace.ClassBarrier {
		mnemonic, dst, src = hyfiss.Operands(text, true)
	}
	if !op.Known && ok {
		g.r.counts.opcodes++
	}
	index, err := g.code.Index(&trace.Inst{
		PC: pc, Opcode: mnemonic, Class: op.Class, Space: op.Space, Flags: op.Flags, Width: op.Width, Dst: dst, Src: src,
	})
	in := hyfissInst{index: index, memory: op.Width > 0, addressed: op.Width > 0 && op.Space != trace.SpaceConstant}
	g.insts[pc] = in
	return in, err
}

func (g *hyfissGroups) exec(e hyfiss.Exec) error {
	in, err := g.inst(e.PC)
	if err != nil {
		return err
	}
	perCTA := (g.k.Block.Count() + 31) / 32
	cta, warp := e.Warp/perCTA, e.Warp%perCTA
	if cta >= g.k.Grid.Count() {
		g.r.counts.outside++
		return nil
	}
	place := g.place
	g.place++
	if in.addressed && e.Mask != 0 {
		var rec [execBytes]byte
		be := binary.BigEndian
		be.PutUint32(rec[:], uint32(cta))
		be.PutUint32(rec[4:], e.PC)
		be.PutUint64(rec[8:], place)
		be.PutUint32(rec[16:], uint32(warp))
		be.PutUint32(rec[20:], e.Mask)
		be.PutUint32(rec[24:], in.index)
		return g.execs.Add(rec[:])
	}
	return g.add(place, &warps.Inst{CTA: uint32(cta), Warp: uint32(warp), Inst: in.index, Mask: e.Mask, Memory: in.memory})
}

func (g *hyfissGroups) add(place uint64, in *warps.Inst) error {
	in.SM = -1
	if g.k.SMs != nil {
		in.SM = g.k.SMs[in.CTA]
	}
	return g.group.AddAt(place, in)
}

func (g *hyfissGroups) ref(r *hyfiss.Ref) error {
	var rec [refBytes]byte
	be := binary.BigEndian
	be.PutUint32(rec[:], r.CTA)
	be.PutUint32(rec[4:], r.PC)
	be.PutUint64(rec[8:], g.refs.Len())
	be.PutUint64(rec[16:], uint64(len(r.Addrs)))
	for i, a := range r.Addrs {
		be.PutUint64(rec[24+i*laneBytes:], a)
	}
	return g.refs.Add(rec[:])
}

// meet gives each executed memory instruction its addresses.
func (g *hyfissGroups) meet() error {
	execs, err := g.execs.Sorted()
	if err != nil {
		return err
	}
	refs, err := g.refs.Sorted()
	if err != nil {
		return err
	}
	ref, err := refs.Next()
	if err != nil && err != io.EOF {
		return err
	}
	for {
		rec, eof := execs.Next()
		if eof == io.EOF {
			break
		}
		if eof != nil {
			return eof
		}
		at := binary.BigEndian.Uint64(rec) // CTA and PC
		for ref != nil && binary.BigEndian.Uint64(ref) < at {
			g.r.counts.noExec++
			if ref, err = next(refs); err != nil {
				return err
			}
		}
		var match []byte
		if ref != nil && binary.BigEndian.Uint64(ref) == at {
			match = ref
		}
		if err := g.joined(rec, match); err != nil {
			return err
		}
		if match != nil {
			if ref, err = next(refs); err != nil {
				return err
			}
		}
	}
	for ref != nil {
		g.r.counts.noExec++
		if ref, err = next(refs); err != nil {
			return err
		}
	}
	return nil
}

// next is the next record, nil at the end.
func next(it *spill.Iterator) ([]byte, error) {
	rec, err := it.Next()
	if err == io.EOF {
		return nil, nil
	}
	return rec, err
}

func (g *hyfissGroups) joined(rec, ref []byte) error {
	be := binary.BigEndian
	in := warps.Inst{CTA: be.Uint32(rec), Warp: be.Uint32(rec[16:]), Mask: be.Uint32(rec[20:]),
		Inst: be.Uint32(rec[24:]), Memory: true}
	var addrs [32]uint64
	if ref == nil {
		g.r.counts.noAddress++
	} else {
		n := min(be.Uint64(ref[16:]), 32)
		for i := range n {
			addrs[i] = be.Uint64(ref[24+i*laneBytes:])
		}
		if in.Addrs = addrs[:n]; int(n) != bits.OnesCount32(in.Mask) {
			g.r.counts.noAddress++
			in.Addrs = nil
		}
	}
	return g.add(be.Uint64(rec[8:]), &in)
}
