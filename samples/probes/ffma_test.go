package probes

import (
	"fmt"
	"slices"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// The generated kernel is the captured one: same instructions, registers (but for
// RZ), masks and path, for each number of iterations that was captured.
func TestFFMAIsTheCapturedKernel(t *testing.T) {
	for _, iterations := range []int{10, 20, 30, 40} {
		want := captured(t, tracetest.Data(t, "accelsim-ffmakernel-h100",
			fmt.Sprintf("simtune-ffmakernel-1-32-%d", iterations), "kernelslist.g"))
		r := samplestest.Generate(t, "ffma", fmt.Sprintf("iterations=%d", iterations))
		got, insts := r.CTAs[0][0].Warps[0], r.Functions[0].Insts
		if !slices.Equal(r.Kernels[0].Grid[:], want.kernel.Grid[:]) || r.Kernels[0].Registers != want.kernel.Registers {
			t.Errorf("kernel %+v, captured %+v", r.Kernels[0], want.kernel)
		}
		if !slices.Equal(got.Path, want.warp.Path) || !slices.Equal(got.Masks, want.warp.Masks) {
			t.Fatalf("%d iterations: %d steps, captured %d, or other ones", iterations, len(got.Path), len(want.warp.Path))
		}
		for i := range insts {
			if a, b := describe(&insts[i]), describe(&want.insts[i]); a != b {
				t.Errorf("instruction %d: %s, captured %s", i, a, b)
			}
		}
		if len(insts) != len(want.insts) {
			t.Errorf("%d instructions, captured %d", len(insts), len(want.insts))
		}
	}
}

// describe leaves out RZ and immediates.
func describe(in *trace.Inst) string {
	var src []trace.Reg
	for _, r := range in.Src {
		if !r.Zero() {
			src = append(src, r)
		}
	}
	return fmt.Sprint(in.PC, in.Opcode, in.Class, in.Space, in.Flags, in.Width, in.Dst, src)
}

type oneWarp struct {
	kernel trace.Kernel
	insts  []trace.Inst
	warp   trace.Warp
}

// captured reads the only warp of a capture.
func captured(t *testing.T, capture string) (one oneWarp) {
	t.Helper()
	r := converttest.Trace(t, capture)
	if err := r.Kernel(0, &one.kernel); err != nil {
		t.Fatal(err)
	}
	one.insts = r.Program().Functions[one.kernel.Function].Insts
	ctas, err := r.CTAs(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var c trace.CTA
	if err := ctas.Next(&c); err != nil {
		t.Fatal(err)
	}
	one.warp = c.Warps[0]
	return one
}
