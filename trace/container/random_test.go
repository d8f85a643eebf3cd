package container

import (
	"bytes"
	"fmt"
	"gpureplay/trace"
	"math/bits"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// held is a whole trace in memory, for comparison after a round trip.
type held struct {
	Program trace.Program
	Ops     []trace.HostOp
	Kernels []trace.Kernel
	CTAs    [][]trace.CTA
}

// holdAll reads a whole trace, each CTA into values of its own.
func holdAll(t tester, r *Reader) *held {
	t.Helper()
	h := &held{Program: *r.Program()}
	ops := r.HostOps()
	for {
		var op trace.HostOp
		if err := ops.Next(&op); err != nil {
			mustEOF(t, err)
			break
		}
		h.Ops = append(h.Ops, op)
	}
	for id := range r.Kernels() {
		var k trace.Kernel
		if err := r.Kernel(uint32(id), &k); err != nil {
			t.Fatal(err)
		}
		h.Kernels = append(h.Kernels, k)
		h.CTAs = append(h.CTAs, holdCTAs(t, r, k.ID, 0))
	}
	return h
}

func holdCTAs(t tester, r *Reader, kernel, first uint32) (list []trace.CTA) {
	t.Helper()
	cur, err := r.CTAs(kernel, first)
	if err != nil {
		t.Fatal(err)
	}
	for {
		var c trace.CTA
		if err := cur.Next(&c); err != nil {
			mustEOF(t, err)
			return list
		}
		list = append(list, c)
	}
}

func mustEOF(t tester, err error) {
	t.Helper()
	if err.Error() != "EOF" {
		t.Fatal(err)
	}
}

// write writes a held trace into a container with blocks of the given size.
func (h *held) write(t tester, blockBytes int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, Options{BlockBytes: blockBytes})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	for _, f := range h.Program.Functions {
		fn := w.AddFunction(f.Name)
		for _, in := range f.Insts {
			w.AddInst(fn, in)
		}
	}
	for _, s := range h.Program.Scopes {
		w.AddScope(s)
	}
	for i := range h.Kernels {
		_, err := w.BeginKernel(&h.Kernels[i])
		check(err)
		for j := range h.CTAs[i] {
			check(w.WriteCTA(&h.CTAs[i][j]))
		}
		check(w.EndKernel(0))
	}
	for i := range h.Ops {
		check(w.Host(&h.Ops[i]))
	}
	for _, a := range h.Program.Arrays {
		w.AddArray(a)
	}
	for _, d := range h.Program.Diagnostics {
		w.Diagnose(d)
	}
	w.SetMeta(h.Program.Meta)
	check(w.Close())
	return out.Bytes()
}

// canonical is h as the container gives it back.
func (h *held) canonical() *held {
	c := &held{Program: h.Program, Kernels: slices.Clone(h.Kernels), CTAs: make([][]trace.CTA, len(h.CTAs))}
	for i := range h.Ops {
		c.Ops = append(c.Ops, canonicalOp(&h.Ops[i]))
	}
	for i := range h.CTAs {
		insts := h.Program.Functions[h.Kernels[i].Function].Insts
		for _, a := range h.CTAs[i] {
			b := trace.CTA{ID: a.ID, SM: a.SM, Ranges: a.Ranges, Touches: a.Touches, Counts: a.Counts}
			for j := range a.Warps {
				b.Warps = append(b.Warps, canonicalWarp(insts, &a.Warps[j]))
			}
			c.CTAs[i] = append(c.CTAs[i], b)
		}
	}
	return c
}

func canonicalWarp(insts []trace.Inst, w *trace.Warp) trace.Warp {
	c := trace.Warp{ID: w.ID, Path: w.Path, Launches: w.Launches}
	c.Masks, _ = canonicalMasks(nil, w.Masks, len(w.Path))
	mem, masks, mask := w.Mem, c.Masks, uint32(0)
	for at, i := range w.Path {
		if len(masks) > 0 && masks[0].At == uint32(at) {
			mask, masks = masks[0].Mask, masks[1:]
		}
		if !insts[i].Mem() {
			continue
		}
		a, list, err := canonicalAccess(&insts[i], mask, mem[0], w.Lists)
		if err != nil {
			panic(err)
		}
		if a.List > 0 {
			a.List = uint32(len(c.Lists) + 1)
			c.Lists = append(c.Lists, list...)
		}
		c.Mem, mem = append(c.Mem, a), mem[1:]
	}
	return c
}

// diff compares without telling empty from nil, but for ranges, where nil has a
// meaning.
func diff(a, b *held) string {
	return cmp.Diff(a, b, cmp.FilterPath(func(p cmp.Path) bool {
		return !strings.HasSuffix(p.String(), "Ranges")
	}, equateEmpty()))
}

func equateEmpty() cmp.Option {
	return cmp.Options{
		emptySlices[uint32](), emptySlices[trace.MaskRun](), emptySlices[trace.Access](), emptySlices[uint64](),
		emptySlices[trace.Launch](),
		emptySlices[trace.Range](), emptySlices[trace.Count](), emptySlices[trace.Warp](), emptySlices[trace.CTA](),
		emptySlices[trace.Reg](),
		emptySlices[trace.HostOp](),
		emptySlices[trace.Attr](), emptySlices[trace.Array](), emptySlices[trace.Diagnostic](), emptySlices[trace.Inst](),
		emptySlices[trace.Kernel](),
		emptySlices[trace.Function](), emptySlices[[]trace.CTA](),
	}
}

func emptySlices[T any]() cmp.Option {
	return cmp.FilterValues(func(a, b []T) bool {
		return len(a) == 0 && len(b) == 0
	}, cmp.Comparer(func(a, b []T) bool { return true }))
}

// randomTrace draws a trace that obeys the rules, with every field in use.
func randomTrace(t *rapid.T) *held {
	h := &held{}
	d := draws{t}
	for i := range d.n("functions", 1, 3) {
		f := trace.Function{Name: fmt.Sprintf("f%d %q", i, d.pick("name", "", "x", "α"))}
		for range d.n("insts", 1, 12) {
			f.Insts = append(f.Insts, d.inst())
		}
		d.flat(f.Insts)
		h.Program.Functions = append(h.Program.Functions, f)
	}
	for i := range d.n("arrays", 0, 3) {
		base := d.u64("base")
		h.Program.Arrays = append(h.Program.Arrays,
			trace.Array{Name: fmt.Sprintf("a%d", i/2), Base: base, Bytes: min(d.u64("bytes"), ^base),
				Flags: trace.ArrayFlags(d.n("aflags", 0, 3))})
	}
	for i := range d.n("scopes", 0, 3) {
		h.Program.Scopes = append(h.Program.Scopes, trace.Scope{Name: d.pick("scope", "", "step#1", "α β"),
			In: uint32(d.n("in", 0, i))})
	}
	n := d.n("kernels", 0, 6)
	requested := map[uint32]bool{}
	for id := range n {
		d.kernel(h, uint32(id), uint32(n), requested)
	}
	for id := range requested {
		h.Kernels[id].Flags |= trace.KernelChild
	}
	d.ops(h, requested)
	h.Program.Meta = trace.Meta{
		Source: "random", GPU: "g \"1\"", SMVersion: 80, SMs: 3, Fidelity: trace.FidelityWarp, ArraysFrom: "x",
		Attrs: []trace.Attr{{Key: "a", Value: ""}, {Key: "b", Value: "c d"}},
	}
	h.Program.Diagnostics = []trace.Diagnostic{{Name: "odd", Severity: trace.DataLoss, Count: 3, Help: "do \"this\""},
		{Name: "none", Severity: trace.Info, Count: 0, Help: ""}}
	return h
}

type draws struct{ t *rapid.T }

func (d draws) n(what string, lo, hi int) int        { return rapid.IntRange(lo, hi).Draw(d.t, what) }
func (d draws) pick(what string, s ...string) string { return rapid.SampledFrom(s).Draw(d.t, what) }
func (d draws) u64(what string) uint64 {
	return rapid.OneOf(rapid.Uint64Range(0, 300), rapid.Uint64()).Draw(d.t, what)
}
func (d draws) u32(what string) uint32 {
	return rapid.OneOf(rapid.Uint32Range(0, 300), rapid.Uint32()).Draw(d.t, what)
}

func (d draws) inst() trace.Inst {
	in := trace.Inst{
		PC: uint32(d.n("pc", 0, 5) * 16), Opcode: d.pick("op", "LDG.E", "EXIT", "exit", "Exit", "load", "a b", "", "x..y",
			"w4"),
		Class: trace.Class(d.n("class", 0, trace.NumClasses-1)), Space: trace.Space(d.n("space", 0, trace.NumSpaces-1)),
		Flags: trace.InstFlags(d.n("flags", 0, 31)),
		Width: uint32(rapid.SampledFrom([]int{0, 1, 4, 8, 12, 16}).Draw(d.t, "width")),
		Imm:   d.u64("imm"),
	}
	for range d.n("dst", 0, 2) {
		in.Dst = append(in.Dst, trace.Reg(rapid.Uint16().Draw(d.t, "reg")))
	}
	for range d.n("src", 0, 2) {
		in.Src = append(in.Src, trace.Reg(rapid.Uint16Range(0, 1023).Draw(d.t, "reg")))
	}
	return in
}

func (d draws) scope(h *held) uint32 { return uint32(d.n("within", 0, len(h.Program.Scopes))) }

// flat draws the flat form of a function, each name behind its instruction.
func (d draws) flat(insts []trace.Inst) {
	plain := func(in *trace.Inst) bool {
		return in.Class != trace.ClassLaunch && in.Class != trace.ClassDeviceSync && in.Class != trace.ClassBarrier &&
			in.Class != trace.ClassExit
	}
	for i := range insts[:len(insts)-1] {
		in, j := &insts[i], d.n("flat", i+1, len(insts)-1)
		if in.Class == trace.ClassLaunch {
			continue
		}
		if d.n("none", 0, 5) == 0 {
			in.FlatEach = trace.FlatNone
		}
		if !plain(&insts[j]) {
			continue
		}
		switch d.n("form", 0, 5) {
		case 0:
			in.FlatEach = uint32(j) + 1
		case 1:
			in.FlatLast = uint32(j) + 1
		}
	}
}

func (d draws) recorded() *trace.Recorded {
	if d.n("recorded", 0, 2) > 0 {
		return nil
	}
	return &trace.Recorded{HostNs: int64(d.n("host", -1, 9)), StartNs: int64(d.u64("start") >> 24),
		DurationNs: int64(d.n("duration", -1, 5))}
}

func (d draws) kernel(h *held, id, kernels uint32, requested map[uint32]bool) {
	k := trace.Kernel{
		ID: id, Function: uint32(d.n("fn", 0, len(h.Program.Functions)-1)), Fidelity: trace.Fidelity(d.n("fidelity", 0, 3)),
		Flags: trace.KernelFlags(d.n("kflags", 0, 1))*trace.KernelIrregular |
			trace.KernelFlags(d.n("programmatic", 0, 1))*trace.KernelProgrammatic, Device: d.u32("device"),
		Grid:  trace.Dim3{uint32(d.n("gx", 1, 4)), 2, 1},
		Block: trace.Dim3{uint32(d.n("bx", 1, 70)), 1, uint32(d.n("bz", 1, 2))}, Registers: d.u32("regs"),
		SharedBytes: d.u32("shared"),
		LocalBytes:  d.u32("local"), Stream: d.u64("stream"), SharedBase: d.u64("sb"),
		LocalBase: d.u64("lb"), Recorded: d.recorded(), Scope: d.scope(h),
	}
	if d.n("cluster", 0, 3) == 0 {
		k.Cluster = trace.Dim3{2, 1, 1}
	}
	var ctas []trace.CTA
	warps := int(k.Block.Count()+31) / 32
	for c := range uint32(k.Grid.Count()) {
		if d.n("skip", 0, 4) == 0 {
			continue
		}
		cta := trace.CTA{ID: c, SM: int32(d.n("sm", -1, 3)), Ranges: d.ranges(h), Touches: d.ranges(h)}
		if k.Fidelity == trace.FidelityCTA && d.n("counted", 0, 3) > 0 {
			cta.Counts = d.counts(h.Program.Functions[k.Function].Insts)
			ctas = append(ctas, cta)
			continue
		}
		for w := range uint32(warps) {
			if d.n("skipwarp", 0, 4) > 0 {
				cta.Warps = append(cta.Warps, d.warp(h, &k, w, kernels, requested))
			}
		}
		ctas = append(ctas, cta)
	}
	h.Kernels, h.CTAs = append(h.Kernels, k), append(h.CTAs, ctas)
}

func (d draws) counts(insts []trace.Inst) (list []trace.Count) {
	for i := range insts {
		if insts[i].Class != trace.ClassLaunch && d.n("count", 0, 1) == 0 {
			list = append(list, trace.Count{Inst: uint32(i), Times: rapid.Uint64Range(1, trace.MaxTimes).Draw(d.t, "times")})
		}
	}
	return list
}

func (d draws) ranges(h *held) (list []trace.Range) {
	if len(h.Program.Arrays) == 0 || d.n("ranges", 0, 2) == 0 {
		return nil
	}
	list = []trace.Range{}
	for range d.n("count", 0, 2) {
		lo := d.u64("lo")
		list = append(list, trace.Range{Array: uint32(d.n("array", 0, len(h.Program.Arrays)-1)),
			Mode: trace.Mode(d.n("mode", 1, 3)), Lo: lo,
			Hi: lo + d.u64("len")%(1<<62-lo>>2)})
		if r := &list[len(list)-1]; r.Hi < r.Lo {
			r.Hi = r.Lo
		}
	}
	return list
}

func (d draws) warp(h *held, k *trace.Kernel, id, kernels uint32, requested map[uint32]bool) trace.Warp {
	w := trace.Warp{ID: id}
	insts := h.Program.Functions[k.Function].Insts
	for at, n := 0, d.n("steps", 0, 20); at < n; at++ {
		i := uint32(d.n("inst", 0, len(insts)-1))
		if n := len(w.Path); n > 0 && d.n("follow", 0, 2) > 0 {
			i = (w.Path[n-1] + 1) % uint32(len(insts))
		}
		w.Path = append(w.Path, i)
	}
	mask := ^uint32(0)
	for at, i := range w.Path {
		if at == 0 || d.n("change", 0, 4) == 0 {
			mask = rapid.SampledFrom([]uint32{0, 1, 0x80000000, 0xff, 0x5555, 0xdead, mask & 0xf0f0f0f0, ^mask,
				^uint32(0)}).Draw(d.t, "mask")
			w.Masks = append(w.Masks, trace.MaskRun{At: uint32(at), Mask: mask})
		}
		if in := &insts[i]; in.Mem() {
			w.Mem = append(w.Mem, d.access(&w, in, mask))
		}
		if insts[i].Class == trace.ClassLaunch {
			for child := k.ID + 1; child < kernels && d.n("launch", 0, 1) == 0; child++ {
				if !requested[child] {
					requested[child] = true
					w.Launches = append(w.Launches,
						trace.Launch{At: uint32(at), Lane: uint8(min(31, len(w.Launches))), Marked: at%2 == 0, SharedSWQ: at%3 == 0,
							Child: child, Workload: d.u32("work"), ParamBytes: d.u32("params")})
				}
			}
		}
	}
	return w
}

func (d draws) access(w *trace.Warp, in *trace.Inst, mask uint32) trace.Access {
	n := bits.OnesCount32(mask)
	if in.Flags&trace.InstBulk != 0 {
		n = d.n("bulk", 0, 5)
	}
	switch d.n("kind", 0, 4) {
	case 0:
		return trace.Access{}
	case 1, 2:
		return trace.Access{
			Base: d.u64("addr"), Stride: int32(rapid.SampledFrom([]int{0, 4, -4, 1 << 30, -1 << 31, 128}).Draw(d.t, "stride")),
			Count: uint32(n),
		}
	}
	list := uint32(len(w.Lists) + 1)
	base, step := d.u64("addr"), rapid.SampledFrom([]uint64{4, 8, 3}).Draw(d.t, "step")
	for lane := range n {
		switch {
		case in.Flags&trace.InstBulk == 0 && step == 8:
			base += 8 * uint64(1+lane%3)
		case step == 4:
			base += 4 * uint64(d.n("gap", 0, 3))
		default:
			base = d.u64("addr")
		}
		w.Lists = append(w.Lists, base)
	}
	if n == 0 {
		return trace.Access{}
	}
	return trace.Access{List: list, Count: uint32(n)}
}

func (d draws) ops(h *held, requested map[uint32]bool) {
	var spawned []uint32
	for id := range h.Kernels {
		if requested[uint32(id)] {
			continue
		}
		op := trace.HostOp{Kind: trace.OpLaunch, Kernel: uint32(id), Stream: d.u64("stream"), Recorded: d.recorded(),
			Scope: d.scope(h)}
		if d.n("spawn", 0, 2) == 0 {
			h.Kernels[id].Flags |= trace.KernelTask
			op.Kind, op.ArrivalNs, op.InBytes, op.OutBytes, op.Sync = trace.OpSpawn, int64(d.n("arrival", 0, 99)), d.u64("in"),
				d.u64("out"), true
			op.Deps = slices.Clone(spawned[:min(len(spawned), 2)])
			spawned = append(spawned, uint32(id))
		}
		h.Ops = append(h.Ops, op)
	}
	inStreamOrder(h.Ops)
	for range d.n("ops", 0, 6) {
		op := trace.HostOp{Kind: rapid.SampledFrom([]trace.OpKind{trace.OpFileRead, trace.OpFileWrite, trace.OpCopyH2D,
			trace.OpCopyD2H, trace.OpCopyD2D, trace.OpCopyP2P,
			trace.OpMemset,
			trace.OpEventRecord, trace.OpStreamWait, trace.OpSyncStream, trace.OpSyncEvent, trace.OpSyncDevice,
			trace.OpHostWork}).Draw(d.t, "op")}
		op.Stream, op.Event, op.Ns, op.Bytes, op.Addr = d.u64("stream"), d.u64("event"), int64(d.n("ns", 0, 99)),
			d.u64("bytes"), d.u64("addr")
		op.Async = d.n("async", 0, 1) == 0
		op.Thread, op.Process = uint32(d.n("thread", 0, 3)), uint32(d.n("process", 0, 1))
		if op.Kind.HasArray() {
			op.Array = trace.NoArray
			if n := len(h.Program.Arrays); n > 0 && d.n("named", 0, 2) > 0 {
				op.Array = uint32(d.n("array", 0, n-1))
				d.into(&h.Program.Arrays[op.Array], &op)
			}
		}
		if op.Kind == trace.OpEventRecord {
			op.Port = trace.Port(d.n("port", 0, trace.NumPorts-1))
		}
		h.Ops = append(h.Ops, op)
	}
	d.graphs(h.Ops)
}

// graphs makes launches of graphs of some operations.
func (d draws) graphs(ops []trace.HostOp) {
	highest, current := uint32(0), map[uint32]uint32{}
	for i := range ops {
		if op := &ops[i]; inGraph(op) && d.n("graph", 0, 1) == 0 {
			if current[op.Thread] == 0 || d.n("another", 0, 2) == 0 {
				highest++
				current[op.Thread] = highest
			}
			op.Graph = current[op.Thread]
		}
	}
}

// into lets the bytes of an operation lie in its array.
func (d draws) into(a *trace.Array, op *trace.HostOp) {
	op.Bytes = min(op.Bytes, a.Bytes)
	if d.n("placed", 0, 3) == 0 {
		op.Addr = 0
	} else {
		op.Addr = a.Base + rapid.Uint64Range(0, a.Bytes-op.Bytes).Draw(d.t, "at")
	}
}

// inStreamOrder puts off starts that come before one of their stream's.
func inStreamOrder(ops []trace.HostOp) {
	last := map[uint64]int64{}
	for i := range ops {
		if op := &ops[i]; op.Kind == trace.OpLaunch && op.Recorded != nil {
			op.Recorded.StartNs = max(op.Recorded.StartNs, last[op.Stream])
			last[op.Stream] = op.Recorded.StartNs
		}
	}
}
