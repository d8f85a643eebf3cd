package accelsim

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// counter64 counts instructions and keeps nothing.
type counter64 struct {
	tracetest.Recording
	insts uint64
}

func (c *counter64) WriteCTA(cta *trace.CTA) error {
	for i := range cta.Warps {
		c.insts += uint64(len(cta.Warps[i].Path))
	}
	return nil
}

// longCapture has so many CTAs of two warps of 50 lines.
func longCapture(ctas int) string {
	var warp, b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&warp, "%04x ffffffff 1 R%d LDG.E 1 R2 4 2 0x7f0000000000 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 "+
			"4 4 4 4 4 4 4 4 4 8 0 \n", 16*i, i)
	}
	b.WriteString(strings.Replace(testHeader, "(2,1,1)", "(100000,1,1)", 1))
	for i := range ctas {
		fmt.Fprintf(&b, "#BEGIN_TB\nthread block = %d,0,0\nwarp = 0\ninsts = 50\n%swarp = 1\ninsts = 50\n%s#END_TB\n", i,
			&warp, &warp)
	}
	return b.String()
}

// In the steady state a line allocates nothing, and a CTA next to nothing.
func TestAllocations(t *testing.T) {
	mallocs := func(ctas int) uint64 {
		text := longCapture(ctas)
		w := counter64{}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := ConvertKernel(context.Background(), strings.NewReader(text), "k", &w, Options{}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if w.insts != 100*uint64(ctas) {
			t.Errorf("%d instructions of %d CTAs", w.insts, ctas)
		}
		return after.Mallocs - before.Mallocs
	}
	few, many := mallocs(10), mallocs(510)
	if per := float64(many-few) / 500; per > 20 {
		t.Errorf("%.1f allocations a CTA of 100 lines", per)
	}
}

// BenchmarkGrouped is the speed of reading grouped captures, in MB of text.
func BenchmarkGrouped(b *testing.B) {
	for _, name := range []string{"accelsim-rodinia-bfs-a100/kernel-9.traceg",
		"accelsim-simpletorch-v100/traces/kernel-2.traceg",
		"accelsim-ffmakernel-h100/simtune-ffmakernel-4096-16/kernel-1-ctx_0x5584c875a730.traceg"} {
		text, err := os.ReadFile(filepath.Join(tracetest.Data(b), name))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(filepath.Base(filepath.Dir(name)), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if err := ConvertKernel(context.Background(), bytes.NewReader(text), "k", &counter64{}, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRaw is the same of a raw capture, grouping included.
func BenchmarkRaw(b *testing.B) {
	text := rawOf(b, filepath.Join(tracetest.Data(b), "accelsim-rodinia-bfs-a100/kernel-9.traceg"), rawLead{}, 1)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := ConvertKernel(context.Background(), strings.NewReader(text), "k", &counter64{}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
