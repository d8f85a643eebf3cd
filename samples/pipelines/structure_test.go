package pipelines

import (
	"fmt"
	"testing"

	"gpureplay/samples/samplestest"
	"gpureplay/trace"
)

// small are sizes with whole and partial CTAs, inner and border ones.
var small = []struct {
	name     string
	settings []string
}{
	{"vecadd", []string{"n=1000", "block=96"}},
	{"vecadd", []string{"n=1"}},
	{"3mm", []string{"n=40"}},
	{"3mm", []string{"n=1"}},
	{"stn", []string{"nx=70", "ny=10", "nz=5", "kernels=3"}},
	{"stn", []string{"nx=3", "ny=3", "nz=3", "kernels=1"}},
	{"stn", []string{"nx=70", "ny=6", "nz=5", "kernels=2", "version=base"}},
	{"stn", []string{"nx=3", "ny=3", "nz=3", "kernels=1", "version=base"}},
	{"hsp", []string{"n=40", "kernels=3"}},
	{"hsp", []string{"n=45", "kernels=2", "pyramid=3"}},
	{"hsp", []string{"n=1", "kernels=1"}},
	{"bfs", []string{"nodes=1500"}},
	{"bfs", []string{"nodes=20"}},
	{"lpc", []string{"n=50", "kernels=3"}},
	{"lpc", []string{"n=3", "kernels=1"}},
	{"conv", []string{"width=256", "height=128", "iterations=2"}},
	{"path", []string{"cols=1000", "rows=12"}},
	{"path", []string{"cols=1", "rows=2", "pyramid=100"}},
}

// TestEveryTraceIsSound runs the checks of samplestest over every CTA: addresses
// inside arrays, exact accesses inside the stated ranges, masks, exits.
func TestEveryTraceIsSound(t *testing.T) {
	for _, s := range small {
		t.Run(fmt.Sprint(s.name, s.settings), func(t *testing.T) {
			samplestest.Same(t, s.name, s.settings...)
			r := samplestest.Generate(t, s.name, s.settings...)
			r.Check(t)
			for id, k := range r.Kernels {
				if irregular := k.Flags&trace.KernelIrregular != 0; irregular != (len(r.CTAs[id][0].Ranges) == 0) {
					t.Fatalf("kernel %d: irregular %v with ranges %v", id, irregular, r.CTAs[id][0].Ranges)
				}
			}
		})
	}
}

// TestRangesOfTheSamplingMethod checks ranges, computed by hand from the index
// functions, of CTAs in the middle of a grid.
func TestRangesOfTheSamplingMethod(t *testing.T) {
	r := func(array uint32, mode trace.Mode, lo, hi uint64) trace.Range {
		return trace.Range{Array: array, Mode: mode, Lo: 4 * lo, Hi: 4 * hi}
	}
	for _, c := range []struct {
		name     string
		settings []string
		kernel   int
		cta      int
		want     []trace.Range
	}{
		// Figure 7: elements 256..511 of C, A and B.
		{"vecadd", []string{"n=1000"}, 0, 1, []trace.Range{r(2, trace.Write, 256, 512), r(0, trace.Read, 256, 512),
			r(1, trace.Read, 256, 512)}},
		// The last CTA is cut at the allocation.
		{"vecadd", []string{"n=1000"}, 1, 3, []trace.Range{r(3, trace.Write, 768, 1000), r(2, trace.Read, 768, 1000),
			r(0, trace.Read, 768, 1000)}},
		// CTA (1, 1) of 64×64: E rows 8..15, columns 32..63 from first to last; A rows
		// 8..15; B columns 32..63 of all rows.
		{"3mm", []string{"n=64"}, 0, 3, []trace.Range{r(4, trace.Write, 8*64+32, 15*64+64), r(0, trace.Read, 8*64, 16*64),
			r(1, trace.Read, 32, 64*64)}},
		// CTA (1, 1), useful side 14: window of rows and columns 13..28.
		{"hsp", []string{"n=64", "kernels=1"}, 0, 6, []trace.Range{
			r(0, trace.Read, 13*64+13, 28*64+29), r(2, trace.Read, 13*64+13, 28*64+29), r(1, trace.Write, 13*64+13, 28*64+29)}},
		// CTA (1, 1) of 4×4: cells 16..31 both ways, one row more above and below.
		{"lpc", []string{"n=64", "kernels=1"}, 0, 5, []trace.Range{r(0, trace.Read, 15*64+16, 32*64+32),
			r(1, trace.Write, 16*64+16, 31*64+32)}},
		// CTA 1, pyramid 5: columns 246-5..246+250 of the previous row, of five rows of the wall.
		{"path", []string{"cols=1000", "rows=11"}, 1, 1, []trace.Range{
			r(1, trace.Read, 241, 497), r(0, trace.Write, 241, 497), r(2, trace.Read, 5*1000+241, 9*1000+497)}},
		// Rows CTA (1, 1) of 256 wide: rows 4..7, columns 128-16..256+16, the last ones in the next row.
		{"conv", []string{"width=256", "height=64", "iterations=1"}, 0, 3, []trace.Range{
			r(1, trace.Read, 4*256+112, 7*256+272), r(2, trace.Write, 4*256+128, 8*256)}},
		// Columns CTA (1, 0): columns 16..31, rows -8..71, cut to the image of 64.
		{"conv", []string{"width=256", "height=64", "iterations=1"}, 1, 1, []trace.Range{
			r(2, trace.Read, 0, 256*64), r(3, trace.Write, 16, 63*256+32)}},
		// The stencil sweeps z: from plane 0 to the last, between rows 3 and 8, one column beyond the tile.
		{"stn", []string{"nx=128", "ny=12", "nz=6", "kernels=1"}, 0, 3, []trace.Range{
			r(0, trace.Read, 4*128+64, 5*1536+7*128+128), r(1, trace.Write, 1536+4*128+64, 4*1536+7*128+128)}},
		// Its base version, row (3, 2): from the row behind it to the one before it, 127 threads.
		{"stn", []string{"nx=128", "ny=12", "nz=6", "kernels=1", "version=base"}, 0, 12, []trace.Range{
			r(0, trace.Read, 1536+3*128, 3*1536+3*128+127), r(1, trace.Write, 2*1536+3*128, 2*1536+3*128+127)}},
	} {
		got := samplestest.Generate(t, c.name, c.settings...).CTAs[c.kernel][c.cta].Ranges
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s %v kernel %d CTA %d: %v, want %v", c.name, c.settings, c.kernel, c.cta, got, c.want)
		}
	}
}

// TestConvolutionTileBanks checks the tile's layout as the source has it: the
// padded columns tile has no bank conflict across x, the rows tile a two-way one.
func TestConvolutionTileBanks(t *testing.T) {
	r := samplestest.Generate(t, "conv", "width=128", "height=64", "iterations=1")
	for kernel, want := range []int{2, 2} {
		k := &r.Kernels[kernel]
		w := &r.CTAs[kernel][0].Warps[0]
		for in, a := range w.Accesses(r.Functions[k.Function].Insts) {
			if in.Space == trace.SpaceShared {
				var banks [32]int
				worst := 0
				for addr := range a.Addresses(w.Lists) {
					banks[addr/4%32]++
					worst = max(worst, banks[addr/4%32])
				}
				if worst != want {
					t.Fatalf("kernel %d: %d lanes on one bank, want %d", kernel, worst, want)
				}
			}
		}
	}
}
