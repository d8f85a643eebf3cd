package accelsim

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/samples"
	_ "gpureplay/samples/all"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// written is the trace that fill writes.
func written(t *testing.T, fill func(w *bytes.Buffer) error) *container.Reader {
	t.Helper()
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		t.Fatal(err)
	}
	r, err := container.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// recordOf reads a trace as the recorder has one.
func recordOf(t *testing.T, r *container.Reader) *tracetest.Recording {
	t.Helper()
	p := r.Program()
	rec := &tracetest.Recording{Functions: p.Functions}
	for id := range r.Kernels() {
		var k trace.Kernel
		if err := r.Kernel(uint32(id), &k); err != nil {
			t.Fatal(err)
		}
		rec.BeginKernel(&k)
		cursor, err := r.CTAs(uint32(id), 0)
		if err != nil {
			t.Fatal(err)
		}
		for range k.CTAs {
			var c trace.CTA
			if err := cursor.Next(&c); err != nil {
				t.Fatal(err)
			}
			rec.WriteCTA(&c)
		}
		rec.EndKernel(0)
	}
	return rec
}

// sameProgram compares the executed code of two traces, register for register.
func sameProgram(t *testing.T, got, want *tracetest.Recording) {
	t.Helper()
	if len(got.Kernels) != len(want.Kernels) {
		t.Fatalf("%d kernels, want %d", len(got.Kernels), len(want.Kernels))
	}
	for id := range want.Kernels {
		g, w := &got.Kernels[id], &want.Kernels[id]
		if g.Grid != w.Grid || g.Block != w.Block || g.SharedBytes != w.SharedBytes || g.Registers != w.Registers ||
			g.Stream != w.Stream ||
			g.SharedBase != w.SharedBase || g.LocalBase != w.LocalBase ||
			got.Functions[g.Function].Name != want.Functions[w.Function].Name {
			t.Errorf("kernel %d: %+v, want %+v", id, g, w)
		}
		if len(got.CTAs[id]) != len(want.CTAs[id]) {
			t.Fatalf("kernel %d: %d CTAs, want %d", id, len(got.CTAs[id]), len(want.CTAs[id]))
		}
		for i := range want.CTAs[id] {
			gc, wc := &got.CTAs[id][i], &want.CTAs[id][i]
			if gc.ID != wc.ID || len(gc.Warps) != len(wc.Warps) {
				t.Fatalf("kernel %d: CTA %d with %d warps, want %d with %d", id, gc.ID, len(gc.Warps), wc.ID, len(wc.Warps))
			}
			for j := range wc.Warps {
				g, w := executions(got, id, &gc.Warps[j]), executions(want, id, &wc.Warps[j])
				if gc.Warps[j].ID != wc.Warps[j].ID ||
					!slices.EqualFunc(g, w, sameStep) {
					t.Fatalf("kernel %d, CTA %d, warp %d: %s", id, wc.ID, wc.Warps[j].ID, firstDifference(g, w))
				}
			}
		}
	}
}

func sameStep(a, b execution) bool {
	return a.pc == b.pc && a.mask == b.mask && slices.Equal(a.addresses, b.addresses) && a.inst.Opcode == b.inst.Opcode &&
		a.inst.Class == b.inst.Class &&
		a.inst.Space == b.inst.Space && a.inst.Flags == b.inst.Flags && a.inst.Width == b.inst.Width &&
		a.inst.Imm == b.inst.Imm &&
		slices.Equal(a.inst.Dst, b.inst.Dst) && slices.Equal(a.inst.Src, b.inst.Src)
}

func firstDifference(got, want []execution) string {
	for i := range want {
		if i >= len(got) || !sameStep(got[i], want[i]) {
			return fmt.Sprintf("step %d of %d (got %d):\n%+v, want\n%+v", i, len(want), len(got), got[min(i, len(got)-1)],
				want[i])
		}
	}
	return fmt.Sprintf("%d steps, want %d", len(got), len(want))
}

// again exports a trace and converts the capture.
func again(t *testing.T, r *container.Reader, sm uint32) (*tracetest.Recording, *Exported, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "capture")
	done, err := Export(context.Background(), r, dir, sm)
	if err != nil {
		t.Fatal(err)
	}
	rec := &tracetest.Recording{}
	if err := Convert(context.Background(), osFolder(dir), listName, rec, Options{}); err != nil {
		t.Fatal(err)
	}
	if rec.Meta.SMVersion != sm || done.Kernels != len(rec.Kernels) {
		t.Errorf("sm %d, %d kernels; want %d, %d", rec.Meta.SMVersion, len(rec.Kernels), sm, done.Kernels)
	}
	return rec, done, dir
}

// Programs of every kind of behaviour come back from a capture as they were, and
// nothing is said to be lost.
func TestExportComesBack(t *testing.T) {
	g, err := samples.Get("behaviour")
	if err != nil {
		t.Fatal(err)
	}
	for kind := range strings.SplitSeq(g.Params[0].Allowed(), ", ") {
		for _, sm := range []uint32{70, 86} {
			if kind == "async" && sm == 70 {
				continue
			}
			t.Run(fmt.Sprint(kind, sm), func(t *testing.T) {
				r := samplestest.Trace(t, "behaviour", "kind="+kind, fmt.Sprint("sm=", sm), "most=4000", "seed=3")
				rec, done, _ := again(t, r, sm)
				sameProgram(t, rec, recordOf(t, r))
				for _, d := range done.Lost {
					if d.Name != "host_operation" {
						t.Errorf("lost: %+v", d)
					}
				}
			})
		}
	}
}

// A capture that is converted and exported says the same again.
func TestExportOfCaptures(t *testing.T) {
	for _, name := range []string{"accelsim-rodinia-bfs-a100", "accelsim-vectoradd-a100"} {
		dir := tracetest.Data(t, name)
		r := written(t, func(b *bytes.Buffer) error {
			w, err := container.NewWriter(b, container.Options{})
			if err != nil {
				return err
			}
			if err := Convert(context.Background(), osFolder(dir), listName, w, Options{}); err != nil {
				return err
			}
			return w.Close()
		})
		rec, _, _ := again(t, r, 80)
		sameProgram(t, rec, recordOf(t, r))
		n := 0
		for _, op := range rec.Ops {
			if op.Kind == trace.OpCopyH2D {
				n++
			}
		}
		if want := int(r.Program().Totals.HostOps) - r.Kernels(); n != want {
			t.Errorf("%s: %d copies, want %d", name, n, want)
		}
	}
}

// The lines of a small trace, written by hand.
func TestExportText(t *testing.T) {
	r := written(t, func(b *bytes.Buffer) error {
		w, err := container.NewWriter(b, container.Options{})
		if err != nil {
			return err
		}
		f := w.AddFunction("f")
		a := w.AddArray(trace.Array{Name: "a", Base: 0x1000, Bytes: 4096})
		load := w.AddInst(f, trace.Inst{PC: 0x10, Opcode: "LDG.E", Class: trace.ClassMemory, Space: trace.SpaceGlobal,
			Flags: trace.InstLoad, Width: 4,
			Dst: []trace.Reg{2}, Src: []trace.Reg{4, trace.RegPredicate + 1}})
		exit := w.AddInst(f, trace.Inst{PC: 0x20, Opcode: "EXIT", Class: trace.ClassExit})
		w.Host(&trace.HostOp{Kind: trace.OpCopyH2D, Array: a, Addr: 0x1000, Bytes: 4096})
		w.Host(&trace.HostOp{Kind: trace.OpLaunch, Kernel: 0, Array: trace.NoArray, Stream: 3})
		w.Host(&trace.HostOp{Kind: trace.OpSyncDevice, Array: trace.NoArray})
		if _, err := w.BeginKernel(&trace.Kernel{Function: f, Fidelity: trace.FidelityWarp, Grid: trace.Dim3{1, 2, 1},
			Block:     trace.Dim3{32, 1, 1},
			Registers: 9, SharedBytes: 64, Stream: 3, SharedBase: 0x7f00}); err != nil {
			return err
		}
		for id := range uint32(2) {
			warp := trace.Warp{Path: []uint32{load, load, load, load, exit},
				Masks: []trace.MaskRun{{At: 0, Mask: 0xffffffff}, {At: 1, Mask: 5}, {At: 2, Mask: 0}, {At: 3, Mask: 14},
					{At: 4, Mask: 0xffffffff}},
				Mem: []trace.Access{{Base: 0x1000, Stride: -4, Count: 32}, {Base: 0x1000, Stride: 8, Count: 2}, {},
					{List: 1, Count: 3}},
				Lists: []uint64{0x1010, 0x1004, 0x1008}}
			if err := w.WriteCTA(&trace.CTA{ID: id, SM: -1, Warps: []trace.Warp{warp}}); err != nil {
				return err
			}
		}
		if err := w.EndKernel(0); err != nil {
			return err
		}
		return w.Close()
	})
	dir := t.TempDir()
	done, err := Export(context.Background(), r, dir, 70)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"host_operation 1", "other_register 1"}; done.WarpInsts != 10 || len(done.Lost) != 2 ||
		!slices.Equal([]string{fmt.Sprint(done.Lost[0].Name, " ", done.Lost[0].Count),
			fmt.Sprint(done.Lost[1].Name, " ", done.Lost[1].Count)}, want) {
		t.Errorf("%+v", done)
	}
	if got := fileText(t, dir, "kernelslist.g"); got != "MemcpyHtoD,0x0000000000001000,4096\nkernel-1.traceg\n" {
		t.Errorf("the list is %q", got)
	}
	body := `
warp = 0
insts = 5
0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x1000 -4 0
0010 00000005 1 R2 LDG.E 1 R4 4 0 0x1000 0x1008 0
0010 00000000 1 R2 LDG.E 1 R4 4 1 0x0 0 0
0010 0000000e 1 R2 LDG.E 1 R4 4 0 0x1010 0x1004 0x1008 0
0020 ffffffff 0 EXIT 0 0 0

#END_TB
`
	want := `-kernel name = f
-kernel id = 1
-grid dim = (1,2,1)
-block dim = (32,1,1)
-shmem = 64
-nregs = 9
-binary version = 70
-cuda stream id = 3
-shmem base_addr = 0x0000000000007f00
-local mem base_addr = 0x0000000000000000
-nvbit version = none
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [address_mode] [mem_addresses] ` +
		`immediate

#BEGIN_TB

thread block = 0,0,0
` + body + "\n#BEGIN_TB\n\nthread block = 0,1,0\n" + body
	if got := fileText(t, dir, "kernel-1.traceg"); got != want {
		t.Errorf("the kernel is\n%s\nwant\n%s", got, want)
	}
}

func fileText(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What has no form in a capture is refused in one line, and leaves nothing behind.
func TestExportRefuses(t *testing.T) {
	for _, c := range []struct {
		r    *container.Reader
		want string
	}{
		{samplestest.Trace(t, "tasks-mb", "tasks=2"), "kernel 0 is a narrow task"},
		{samplestest.Trace(t, "dp-join", "left=200", "right=4000"), "launches by the device"},
		{tracetest.FromText(t, "array a bytes=64\nh2d a\n"), "the host launches no kernel"},
	} {
		dir := filepath.Join(t.TempDir(), "capture")
		if _, err := Export(context.Background(), c.r, dir, 70); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s: the folder is left behind", c.want)
		}
	}
}
