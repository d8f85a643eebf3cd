package replay

import (
	"errors"
	"io"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// chainLatency is the latency of an integer instruction in the presets derived from GPGPU-Sim: 4 cycles, and 5 of
// the pipeline.
const chainLatency = 9

// chains measures how many instructions of a warp are on their way together when it issues in order, one a cycle,
// each with a latency of chainLatency. That many chains of dependent instructions would take as long. It also
// measures how many loads issue between two waits for one.
type chains struct {
	insts, cycles, loads, waits uint64
	at                          map[trace.Reg]uint64 // when a register is written
	fresh                       map[trace.Reg]bool   // written by a load that nothing has waited for
}

func (c *chains) warp(code []trace.Inst, w *trace.Warp) {
	clear(c.at)
	clear(c.fresh)
	now, last := uint64(0), uint64(0)
	for _, i := range w.Path {
		in := &code[i]
		waits := false
		for _, regs := range [2][]trace.Reg{in.Src, in.Dst} {
			for _, r := range regs {
				if !r.Zero() {
					now, waits = max(now, c.at[r]), waits || c.fresh[r]
				}
			}
		}
		if waits {
			c.waits++
			clear(c.fresh)
		}
		for _, r := range in.Dst {
			if r.Zero() {
				continue
			}
			c.at[r] = now + chainLatency
			if in.Class == trace.ClassMemory && in.Flags&trace.InstLoad != 0 {
				c.fresh[r] = true
			} else {
				delete(c.fresh, r)
			}
		}
		if in.Class == trace.ClassMemory && in.Flags&trace.InstLoad != 0 {
			c.loads++
		}
		last = now + chainLatency
		now++
	}
	c.insts += uint64(len(w.Path))
	c.cycles += last
}

// The model gives a warp with known counts alone three chains of dependent instructions, and bursts of two loads
// (docs/model, C3 and C4). Both are near the median of the captures with registers.
func TestChainsOfCaptures(t *testing.T) {
	var asChains, perWait []float64
	for _, capture := range []string{"accelsim-rodinia-bfs-a100/kernelslist.g", "accelsim-vectoradd-a100/kernelslist.g",
		"accelsim-simpletorch-v100/traces/kernelslist.g", "accelsim-backprop-h100/kernelslist.g"} {
		c := chains{at: map[trace.Reg]uint64{}, fresh: map[trace.Reg]bool{}}
		c.capture(t, converttest.Trace(t, tracetest.Data(t, filepath.FromSlash(capture))))
		n, m := chainLatency*float64(c.insts)/float64(c.cycles), float64(c.loads)/float64(c.waits)
		t.Logf("%s: as %.2f chains, %.2f loads for each wait", capture, n, m)
		asChains, perWait = append(asChains, n), append(perWait, m)
	}
	slices.Sort(asChains)
	slices.Sort(perWait)
	n, m := (asChains[1]+asChains[2])/2, (perWait[1]+perWait[2])/2
	t.Logf("medians: %.2f chains, %.2f loads for each wait", n, m)
	if math.Abs(n-3) > 0.6 || math.Abs(m-2) > 0.6 {
		t.Error("the model's 3 chains and bursts of 2 are not near the medians")
	}
}

func (c *chains) capture(t *testing.T, r *container.Reader) {
	var k trace.Kernel
	var cta trace.CTA
	for id := range uint32(r.Kernels()) {
		if err := r.Kernel(id, &k); err != nil {
			t.Fatal(err)
		}
		cur, err := r.CTAs(id, 0)
		if err != nil {
			t.Fatal(err)
		}
		for {
			if err := cur.Next(&cta); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			for i := range cta.Warps {
				c.warp(r.Program().Functions[k.Function].Insts, &cta.Warps[i])
			}
		}
	}
}
