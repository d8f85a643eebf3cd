package accelsim_test

import (
	"context"
	"path/filepath"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// counting keeps the small parts of a trace and counts the rest.
type counting struct {
	converttest.Recording
	ctas, insts, mems uint64
}

func (c *counting) WriteCTA(cta *trace.CTA) error {
	c.ctas++
	for i := range cta.Warps {
		c.insts += uint64(len(cta.Warps[i].Path))
		c.mems += uint64(len(cta.Warps[i].Mem))
	}
	return nil
}

func countCapture(t testing.TB, path string, opt convert.Options) *counting {
	t.Helper()
	in, err := convert.Open(filepath.Join(tracetest.Data(t), path), nil)
	if err != nil {
		t.Fatal(err)
	}
	opt.TempDir = t.TempDir()
	c := &counting{}
	if err := convert.Convert(context.Background(), in, "", c, opt); err != nil {
		t.Fatal(err)
	}
	return c
}

// The counts are those that the captures' notices and the project's
// requirements state, or that grep counts in the text.
func TestAccelsimCounts(t *testing.T) {
	for _, c := range []struct {
		path                       string
		kernels                    int
		ctas, insts, mems          uint64
		sm                         uint32
		version, arraysFrom        string
		copies, copied, irregulars int
	}{
		{"accelsim-rodinia-bfs-a100/kernelslist.g", 16, 128, 159509, 38584, 80, "tracer 3, NVBit 1.5.3", "memcpy", 14, 7, 8},
		{"accelsim-rodinia-bfs-a100", 16, 128, 159509, 38584, 80, "tracer 3, NVBit 1.5.3", "memcpy", 14, 7, 8},
		{"accelsim-backprop-h100/kernelslist.g", 33, 1169, 79040, 9745, 90, "tracer 5, NVBit 1.7.4", "memcpy", 5, 6, 0},
		{"accelsim-vectoradd-a100/kernelslist.g", 1, 196, 26601, 4689, 80, "tracer 5, NVBit 1.7", "memcpy", 2, 3, 0},
		{"accelsim-atax-v5v6/atax-v5/kernel-1.traceg", 1, 1, 60, 2, 90, "tracer 5, NVBit 1.8", "clustered", 0, 1, 0},
		{"accelsim-atax-v5v6/atax-v6", 1, 1, 60, 2, 90, "tracer 6, NVBit 1.8", "clustered", 0, 1, 0},
		{"accelsim-ffmakernel-h100/simtune-ffmakernel-4096-16", 1, 4096, 102400, 0, 90, "tracer 5, NVBit 1.7.4", "", 0, 0, 0},
		{"accelsim-ffmakernel-h100/simtune-ffmakernel-1-32-10", 1, 1, 1328, 0, 90, "tracer 5, NVBit 1.7.4", "", 0, 0, 0},
		{"accelsim-simpletorch-v100/traces/kernelslist.g", 33, 540, 189162, 45714, 70, "tracer 3, NVBit 1.5.3",
			"clustered", 0, 2, 0},
		// the list in its folder traces
		{"accelsim-simpletorch-v100", 33, 540, 189162, 45714, 70, "tracer 3, NVBit 1.5.3", "clustered", 0, 2, 0},
		{"accelsim-simpletorch-v100/all-1101-kernels.tar.gz", 1101, 18001, 6306141, 1523941, 70, "tracer 3, NVBit 1.5.3",
			"clustered", 0, 2, 0},
	} {
		t.Run(c.path, func(t *testing.T) {
			got := countCapture(t, c.path, converttest.AnyDevice)
			if len(got.Kernels) != c.kernels || got.ctas != c.ctas || got.insts != c.insts || got.mems != c.mems {
				t.Errorf("%d kernels, %d CTAs, %d instructions, %d of memory; want %d, %d, %d, %d",
					len(got.Kernels), got.ctas, got.insts, got.mems, c.kernels, c.ctas, c.insts, c.mems)
			}
			m := got.Meta
			if m.Source != "accelsim" || m.SMVersion != c.sm || m.SourceVersion != c.version || m.ArraysFrom != c.arraysFrom ||
				m.Fidelity != trace.FidelityWarp {
				t.Errorf("metadata %+v", m)
			}
			if got.Count(trace.OpCopyH2D) != c.copies || got.Count(trace.OpLaunch) != c.kernels || len(got.Arrays) != c.copied {
				t.Errorf("%d copies, %d launches, %d arrays", got.Count(trace.OpCopyH2D), got.Count(trace.OpLaunch),
					len(got.Arrays))
			}
			irregular := 0
			for i := range got.Kernels {
				if got.Kernels[i].Flags&trace.KernelIrregular != 0 {
					irregular++
				}
			}
			if irregular != c.irregulars || got.Diag("unknown_opcode") != 0 {
				t.Errorf("%d irregular kernels, %d unknown opcodes", irregular, got.Diag("unknown_opcode"))
			}
		})
	}
}

// The members of the archive are not in the order of its list; the kernels are.
func TestAccelsimArchiveOrder(t *testing.T) {
	archive := countCapture(t, "accelsim-simpletorch-v100/all-1101-kernels.tar.gz", converttest.AnyDevice)
	folder := countCapture(t, "accelsim-simpletorch-v100/traces", converttest.AnyDevice)
	for i := range folder.Kernels {
		a, f := archive.Kernels[i], folder.Kernels[i]
		if archive.Functions[a.Function].Name != folder.Functions[f.Function].Name || a.Grid != f.Grid || a.Block != f.Block {
			t.Errorf("kernel %d: %v in the archive, %v in the folder", i, a, f)
		}
	}
	for i := range archive.Ops {
		if op := archive.Ops[i]; op.Kind != trace.OpLaunch || op.Kernel != uint32(i) {
			t.Fatalf("operation %d is %+v", i, op)
		}
	}
}

// Placement and order of a raw capture.
func TestAccelsimRaw(t *testing.T) {
	r := converttest.Read(t, converttest.Put(t, t.TempDir(), "kernel-1.trace", converttest.AccelsimRaw),
		converttest.AnyDevice)
	if len(r.CTAs[0]) != 2 || r.CTAs[0][0].ID != 0 || r.CTAs[0][0].Warps[0].ID != 1 ||
		len(r.CTAs[0][1].Warps[0].Path) != 3 {
		t.Errorf("CTAs %+v", r.CTAs[0])
	}
}
