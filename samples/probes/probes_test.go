package probes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gpureplay/samples"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
)

var small = []struct {
	name     string
	settings []string
}{
	{"matmul", []string{"m=40", "n=70", "k=33"}},
	{"matmul", []string{"m=1", "n=1", "k=1"}},
	{"walk", []string{"threads=300", "steps=5", "words=10000"}},
	{"walk", []string{"threads=300", "steps=5", "words=10000", "pattern=random"}},
	{"copy", []string{"kib=5"}},
	{"copy", []string{"kib=1", "width=4"}},
	{"stream", []string{"kib=3", "block=96"}},
	{"stream", []string{"kib=1", "kernel=init", "shared=1000"}},
	{"stream", []string{"kib=2", "kernel=read"}},
	{"stream", []string{"kib=2", "kernel=scale", "block=64"}},
	{"chase", []string{"steps=100", "bytes=4096", "stride=64", "order=random"}},
	{"concurrent", []string{"kernels=5", "streams=2", "threads=50", "steps=20"}},
	{"empty", []string{"ctas=3", "threads=50"}},
	{"ffma", []string{"ctas=3", "threads=50", "iterations=2"}},
}

func TestEveryTraceIsSound(t *testing.T) {
	for _, s := range small {
		t.Run(fmt.Sprint(s.name, s.settings), func(t *testing.T) {
			samplestest.Same(t, s.name, s.settings...)
			samplestest.Generate(t, s.name, s.settings...).Check(t)
		})
	}
}

func TestMatmulIsTheProduct(t *testing.T) {
	const m, n, k = 40, 70, 45
	s := newMatmul(m, n, k, 3)
	got, err := s.run(&samplestest.Recording{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range m {
		for j := range n {
			want := 0.0
			for l := range k {
				want += float64(s.a[i*k+l]) * float64(s.b[l*n+j])
			}
			if math.Abs(float64(got[i*n+j])-want) > 1e-4*want {
				t.Fatalf("C[%d,%d] = %v, want %v", i, j, got[i*n+j], want)
			}
		}
	}
}

// TestMatmulWork checks counts that follow from the algorithm: every thread does k
// multiply-adds, rounded up to the tile, and every tile is loaded once.
func TestMatmulWork(t *testing.T) {
	r := samplestest.Generate(t, "matmul", "m=64", "n=96", "k=40")
	n := r.Classes(0)
	if want := 2 * 3 * 32 * 64; n[trace.ClassFP32] != want { // CTAs, warps, two tiles of k
		t.Errorf("%d warp multiply-adds, want %d", n[trace.ClassFP32], want)
	}
	if want := 2 * 3 * 32 * 2 * 2; n[trace.ClassBarrier] != want {
		t.Errorf("%d warp barriers, want %d", n[trace.ClassBarrier], want)
	}
}

func TestWalkSumsItsWords(t *testing.T) {
	k := walk{threads: 70, steps: 9, words: 1000, stride: 7}
	got, err := k.run(&samplestest.Recording{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	v := samples.Uniform(k.words, 2, 0)
	for thread := range k.threads {
		var want float32
		for step := range k.steps {
			want += v[(thread*7+step*70*7)%1000]
		}
		if got[thread] != want {
			t.Fatalf("thread %d: %v, want %v", thread, got[thread], want)
		}
	}
}

// TestWalkIsUncoalesced counts 32-byte sectors: one for every lane of a load.
func TestWalkIsUncoalesced(t *testing.T) {
	r := samplestest.Generate(t, "walk", "threads=256", "steps=4")
	for _, w := range r.CTAs[0][0].Warps {
		for i := range w.Mem[:4] {
			sectors := map[uint64]bool{}
			for addr := range w.Mem[i].Addresses(w.Lists) {
				sectors[addr/32] = true
			}
			if len(sectors) != 32 {
				t.Fatalf("load %d of warp %d: %d sectors", i, w.ID, len(sectors))
			}
		}
	}
}

func TestCopyMovesEveryByteOnce(t *testing.T) {
	r := samplestest.Generate(t, "copy", "kib=12", "width=8")
	for array := range r.Arrays {
		var bytes [12 << 10]int
		for _, c := range r.CTAs[0] {
			for _, w := range c.Warps {
				for addr := range w.Mem[array].Addresses(w.Lists) { // the load, then the store
					for i := range uint64(8) {
						bytes[addr-r.Arrays[array].Base+i]++
					}
				}
			}
		}
		for i, n := range bytes {
			if n != 1 {
				t.Fatalf("byte %d of %s is accessed %d times", i, r.Arrays[array].Name, n)
			}
		}
	}
}

func TestChaseVisitsThePlacesOfOneRing(t *testing.T) {
	for _, order := range []string{"ascending", "random"} {
		r := samplestest.Generate(t, "chase", "steps=64", "bytes=4096", "stride=64", "order="+order)
		w := r.CTAs[0][0].Warps[0]
		seen := map[uint64]bool{}
		for _, a := range w.Mem[:64] {
			if (a.Base-r.Arrays[0].Base)%64 != 0 || a.Count != 1 {
				t.Fatalf("%s: access %+v", order, a)
			}
			seen[a.Base] = true
		}
		if len(seen) != 64 {
			t.Errorf("%s: %d places in 64 steps", order, len(seen))
		}
		load := r.Functions[0].Insts[w.Path[2]]
		if len(load.Dst) != 1 || len(load.Src) != 1 || load.Dst[0] != load.Src[0] {
			t.Errorf("the load does not wait for itself: %+v", load)
		}
	}
}

func TestRingIsOneCycle(t *testing.T) {
	for n := 1; n < 50; n++ {
		next, place := ring(n, rand.New(rand.NewPCG(uint64(n), 0))), int32(0)
		for step := 1; ; step++ {
			if place = next[place]; place == 0 {
				if step != n {
					t.Fatalf("%d places: back after %d steps", n, step)
				}
				break
			}
		}
	}
}

func TestConcurrentKernelsHaveStreams(t *testing.T) {
	for _, c := range []struct {
		settings []string
		streams  int
	}{{nil, 32}, {[]string{"kernels=7", "streams=3"}, 3}} {
		r := samplestest.Count(t, "concurrent", c.settings...)
		streams := map[uint64]bool{}
		for i, k := range r.Kernels {
			streams[k.Stream] = true
			if k.Grid.Count() != 1 || r.Ops[i].Stream != k.Stream {
				t.Fatalf("kernel %d: grid %v, stream %d, launched in %d", i, k.Grid, k.Stream, r.Ops[i].Stream)
			}
		}
		if len(streams) != c.streams {
			t.Errorf("%v: %d streams, want %d", c.settings, len(streams), c.streams)
		}
	}
}
