package accelsim_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// executed is one execution of an instruction.
type executed struct {
	inst      uint32
	mask      uint32
	addresses []uint64
}

func executions(insts []trace.Inst, w *trace.Warp) (list []executed) {
	run, mem := 0, 0
	for at, i := range w.Path {
		for run+1 < len(w.Masks) && int(w.Masks[run+1].At) <= at {
			run++
		}
		e := executed{inst: i, mask: ^uint32(0)}
		if len(w.Masks) > 0 {
			e.mask = w.Masks[run].Mask
		}
		if insts[i].Mem() {
			a := w.Mem[mem]
			mem++
			e.addresses = slices.Collect(a.Addresses(w.Lists))
		}
		list = append(list, e)
	}
	return list
}

// The trace file reads back as the converter wrote it; convert/accelsim compares that line by line with the
// captures.
func TestAccelsimReadBack(t *testing.T) {
	for _, path := range []string{"accelsim-rodinia-bfs-a100", "accelsim-backprop-h100", "accelsim-atax-v5v6/atax-v5",
		"accelsim-atax-v5v6/atax-v6", "accelsim-simpletorch-v100/traces"} {
		want := converttest.Read(t, filepath.Join(tracetest.Data(t), path), converttest.AnyDevice)
		r := converttest.Trace(t, filepath.Join(tracetest.Data(t), path))
		p := r.Program()
		if !reflect.DeepEqual(p.Arrays, want.Arrays) || p.Meta.Fidelity != trace.FidelityWarp ||
			r.Kernels() != len(want.Kernels) {
			t.Errorf("%s: %d kernels, %+v, arrays %+v", path, r.Kernels(), p.Meta, p.Arrays)
		}
		ops := r.HostOps()
		for i := range want.Ops {
			var op trace.HostOp
			if err := ops.Next(&op); err != nil || !reflect.DeepEqual(op, want.Ops[i]) {
				t.Fatalf("%s: operation %d is %+v, %v; want %+v", path, i, op, err, want.Ops[i])
			}
		}
		for i := range want.Kernels {
			compareKernel(t, r, want, i)
		}
	}
}

func compareKernel(t *testing.T, r *container.Reader, want *converttest.Recording, i int) {
	t.Helper()
	var k trace.Kernel
	if err := r.Kernel(uint32(i), &k); err != nil {
		t.Fatal(err)
	}
	if w := want.Kernels[i]; k.Grid != w.Grid || k.Block != w.Block || k.Flags != w.Flags || k.Function != w.Function ||
		k.SharedBase != w.SharedBase {
		t.Errorf("kernel %d: %+v, want %+v", i, k, w)
	}
	insts := r.Program().Functions[k.Function].Insts
	ctas, err := r.CTAs(uint32(i), 0)
	if err != nil {
		t.Fatal(err)
	}
	var cta trace.CTA
	for c := range want.CTAs[i] {
		w := &want.CTAs[i][c]
		if err := ctas.Next(&cta); err != nil || cta.ID != w.ID || cta.SM != w.SM || len(cta.Warps) != len(w.Warps) {
			t.Fatalf("kernel %d CTA %d: %+v, %v", i, c, cta, err)
		}
		for j := range w.Warps {
			if cta.Warps[j].ID != w.Warps[j].ID || !reflect.DeepEqual(executions(insts, &cta.Warps[j]),
				executions(insts, &w.Warps[j])) {
				t.Fatalf("kernel %d CTA %d: warp %d differs", i, c, w.Warps[j].ID)
			}
		}
	}
	if err := ctas.Next(&cta); err != io.EOF {
		t.Errorf("kernel %d: more than %d CTAs", i, len(want.CTAs[i]))
	}
}

// The largest capture keeps its counts through the file, which is checked whole.
func TestAccelsimWholeTrace(t *testing.T) {
	r := converttest.Trace(t, tracetest.Data(t, "accelsim-simpletorch-v100/all-1101-kernels.tar.gz"))
	if err := container.Verify(t.Context(), r, func(err error) { t.Error(err) }); err != nil {
		t.Error(err)
	}
	got := r.Program().Totals
	if got.Kernels != 1101 || got.CTAs != 18001 || got.WarpInsts != 6306141 || got.MemInsts != 1523941 ||
		got.HostOps != 1101 {
		t.Errorf("%+v", got)
	}
}

// Two conversions, one of them from standard input, come to the same bytes.
func TestAccelsimDeterministic(t *testing.T) {
	file := filepath.Join(tracetest.Data(t), "accelsim-rodinia-bfs-a100", "kernel-5.traceg")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var traces [2]bytes.Buffer
	for i, path := range []string{file, "-"} {
		in, err := convert.Open(path, bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		w, err := container.NewWriter(&traces[i], container.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := convert.Convert(t.Context(), in, "", w, converttest.AnyDevice); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(traces[0].Bytes(), traces[1].Bytes()) || traces[0].Len() == 0 {
		t.Errorf("%d and %d bytes differ", traces[0].Len(), traces[1].Len())
	}
}
