package replay

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/model"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// thinned makes a trace of counts of a warp-level one: for each CTA how often it executes instructions of each
// class, and which sectors of each array it touches, or which pages, as a range. A profiler of CTAs could know as
// much.
type thinned struct {
	t      *testing.T
	r      *container.Reader
	w      *container.Writer
	piece  uint64
	same   map[uint32][]uint32 // of a function: the first instruction like each
	counts map[uint32]uint64
	pieces map[pieceOf]bool
}

type pieceOf struct {
	array uint32
	mode  trace.Mode
	first uint64 // byte in the array
}

func thin(t *testing.T, r *container.Reader, piece uint64) *container.Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := container.NewWriter(&out, container.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := &thinned{t: t, r: r, w: w, piece: piece, same: map[uint32][]uint32{}}
	p := r.Program()
	for _, a := range p.Arrays {
		w.AddArray(a)
	}
	for _, f := range p.Functions {
		id := w.AddFunction(f.Name)
		for _, in := range f.Insts {
			w.AddInst(id, in)
			x.same[id] = append(x.same[id], firstLike(f.Insts, &in))
		}
	}
	ops := r.HostOps()
	var op trace.HostOp
	for ops.Next(&op) == nil {
		x.ok(w.Host(&op))
	}
	var k trace.Kernel
	for id := range uint32(r.Kernels()) {
		x.ok(r.Kernel(id, &k))
		k.Fidelity = trace.FidelityCTA
		_, err := w.BeginKernel(&k)
		x.ok(err)
		x.ctas(&k)
		x.ok(w.EndKernel(0))
	}
	x.ok(w.Close())
	return tracetest.Read(t, out.Bytes())
}

func (x *thinned) ok(err error) {
	if err != nil {
		x.t.Helper()
		x.t.Fatal(err)
	}
}

// firstLike is the first instruction of the same class, space, flags and width.
func firstLike(insts []trace.Inst, in *trace.Inst) uint32 {
	return uint32(slices.IndexFunc(insts, func(o trace.Inst) bool {
		return o.Class == in.Class && o.Space == in.Space && o.Flags == in.Flags && o.Width == in.Width
	}))
}

func (x *thinned) ctas(k *trace.Kernel) {
	cursor, err := x.r.CTAs(k.ID, 0)
	x.ok(err)
	var c trace.CTA
	for {
		if err := cursor.Next(&c); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			x.t.Fatal(err)
		}
		x.counts, x.pieces = map[uint32]uint64{}, map[pieceOf]bool{}
		for i := range c.Warps {
			x.warp(k, &c.Warps[i])
		}
		d := trace.CTA{ID: c.ID, SM: c.SM, Touches: x.touches()}
		if x.piece > 32 { // not exactly the touched bytes
			d.Ranges, d.Touches = d.Touches, nil
		}
		for i, n := range x.counts {
			d.Counts = append(d.Counts, trace.Count{Inst: i, Times: n})
		}
		slices.SortFunc(d.Counts, func(a, b trace.Count) int { return cmp.Compare(a.Inst, b.Inst) })
		x.ok(x.w.WriteCTA(&d))
	}
}

func (x *thinned) warp(k *trace.Kernel, w *trace.Warp) {
	insts := x.r.Program().Functions[k.Function].Insts
	for _, i := range w.Path {
		x.counts[x.same[k.Function][i]]++
	}
	for in, a := range w.Accesses(insts) {
		if !in.Global() {
			continue
		}
		for addr := range a.Addresses(w.Lists) {
			x.touch(addr, uint64(in.Width), in.Mode())
		}
	}
}

func (x *thinned) touch(addr, width uint64, mode trace.Mode) {
	for i, a := range x.r.Program().Arrays {
		if off := addr - a.Base; off < a.Bytes {
			for at := off / x.piece * x.piece; at < off+width; at += x.piece {
				x.pieces[pieceOf{uint32(i), mode, at}] = true
			}
			return
		}
	}
}

// touches joins pieces beside each other.
func (x *thinned) touches() (list []trace.Range) {
	var all []pieceOf
	for p := range x.pieces {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b pieceOf) int {
		return cmp.Or(cmp.Compare(a.array, b.array), cmp.Compare(a.mode, b.mode), cmp.Compare(a.first, b.first))
	})
	for _, p := range all {
		if n := len(list); n > 0 && list[n-1].Array == p.array && list[n-1].Mode == p.mode && list[n-1].Hi == p.first {
			list[n-1].Hi += x.piece
			continue
		}
		list = append(list, trace.Range{Array: p.array, Mode: p.mode, Lo: p.first, Hi: p.first + x.piece})
	}
	return list
}

// TestCountsOfCaptures replays captures as they are and with no more than counts of each CTA, and prints how far
// apart the net cycles are. The total is held to a band. The band of bfs is wide, and low: with a frontier of few
// nodes one lane of a CTA does all the work, which counts give to all of its warps.
func TestCountsOfCaptures(t *testing.T) {
	for _, c := range []struct {
		capture, preset string
		low, high       float64 // of the total, in per cent off the warps'
	}{
		{"accelsim-rodinia-bfs-a100/kernelslist.g", "rtx3070", -65, 0},
		{"accelsim-vectoradd-a100/kernelslist.g", "rtx3070", -35, 10},
		{"accelsim-simpletorch-v100/traces/kernelslist.g", "qv100", -20, 20},
	} {
		r := converttest.Trace(t, tracetest.Data(t, filepath.FromSlash(c.capture)))
		want, sum := replayedOn(t, r, presetWith(t, c.preset))
		for _, piece := range []uint64{32, 4096} {
			got, sumGot := replayedOn(t, thin(t, r, piece), presetWith(t, c.preset))
			if sumGot.WarpInsts != sum.WarpInsts {
				t.Errorf("%s: %d warp instructions, of warps %d", c.capture, sumGot.WarpInsts, sum.WarpInsts)
			}
			if e := compareCycles(t, c.capture, piece, got, want); e < c.low || e > c.high {
				t.Errorf("%s: the total is %+.1f %% off, not within %+.0f to %+.0f %%", c.capture, e, c.low, c.high)
			}
		}
	}
}

// compareCycles prints how far the kernels are off, and returns how far the total is.
func compareCycles(t *testing.T, capture string, piece uint64, got, want map[uint32]model.Time) float64 {
	var sum, sumWant model.Time
	var errs []float64
	for id := range uint32(len(want)) {
		e := percentOff(float64(got[id]), float64(want[id]))
		if piece == 32 {
			t.Logf("%s, kernel %d: %d cycles, of warps %d (%+.1f %%)", capture, id, got[id], want[id], e)
		}
		errs = append(errs, math.Abs(e))
		sum, sumWant = sum+got[id], sumWant+want[id]
	}
	slices.Sort(errs)
	total := percentOff(float64(sum), float64(sumWant))
	t.Logf("%s, touches in %d bytes: total %d cycles, of warps %d (%+.1f %%); median error of a kernel %.1f %%, "+
		"largest %.1f %%", capture, piece,
		sum, sumWant, total, errs[len(errs)/2], errs[len(errs)-1])
	return total
}
