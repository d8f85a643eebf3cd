package inference_test

import (
	"testing"

	"gpureplay/samples"
	_ "gpureplay/samples/inference"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// loaded returns the bytes of memory that a kernel loads by instructions of 16 bytes a thread, and its CTAs with such
// loads. Weights are the most of them; the vector is loaded by each CTA.
func loaded(t *testing.T, r *container.Reader, kernel uint32) (bytes uint64, ctas int) {
	t.Helper()
	return loadedBy(t, r, kernel, 16)
}

// active is the same of the loads of attention.
func active(t *testing.T, r *container.Reader, kernel uint32) (bytes uint64, ctas int) {
	t.Helper()
	return loadedBy(t, r, kernel, 4)
}

func loadedBy(t *testing.T, r *container.Reader, kernel, width uint32) (bytes uint64, ctas int) {
	t.Helper()
	cursor, err := r.CTAs(kernel, 0)
	if err != nil {
		t.Fatal(err)
	}
	var k trace.Kernel
	if err := r.Kernel(kernel, &k); err != nil {
		t.Fatal(err)
	}
	f := &r.Program().Functions[k.Function]
	var c trace.CTA
	for cursor.Next(&c) == nil {
		here := uint64(0)
		for i := range c.Warps {
			for _, at := range c.Warps[i].Path {
				if in := &f.Insts[at]; in.Space == trace.SpaceGlobal && in.Width == width && in.Flags&trace.InstLoad != 0 {
					here += uint64(width) * 32
				}
			}
		}
		if bytes += here; here > 0 {
			ctas++
		}
	}
	return bytes, ctas
}

// A layer has five kernels. The weights of its projections are those of Llama 3.2 1B: 12.58, 8.39, 67.1 and 33.55 MB.
func TestLayer(t *testing.T) {
	r := samplestest.Trace(t, "llm-decode", "layers=1", "vocabulary=0", "deal=rows", "weights=l1", "loads=8")
	if n := r.Kernels(); n != 5 {
		t.Fatalf("%d kernels, want 5", n)
	}
	for kernel, w := range map[uint32]struct {
		weights, vector uint64 // of a CTA: with the weights of its norm
		ctas            int
	}{
		0: {3072 * 2048 * 2, 2 * 4096, 132}, 2: {2048 * 2048 * 2, 4096, 132}, 3: {16384 * 2048 * 2, 2 * 4096, 132},
		4: {2048 * 8192 * 2, 16384, 132},
	} {
		bytes, ctas := loaded(t, r, kernel)
		if want := w.weights + uint64(ctas)*w.vector; bytes != want || ctas != w.ctas {
			t.Errorf("kernel %d loads %d bytes in %d CTAs, want %d in %d", kernel, bytes, ctas, want, w.ctas)
		}
	}
	if bytes, ctas := active(t, r, 1); bytes == 0 || ctas != 8 {
		t.Errorf("%d CTAs of attention load, want 8", ctas)
	}
	var k trace.Kernel
	if err := r.Kernel(1, &k); err != nil || k.Grid.Count() != 132 {
		t.Errorf("attention has %d CTAs (%v), want 132", k.Grid.Count(), err)
	}
	whole := samplestest.Trace(t, "llm-decode", "hidden=256", "intermediate=256", "vocabulary=512", "trigger=loads")
	if n := whole.Kernels(); n != 16*5+1 {
		t.Errorf("%d kernels of a token, want 81", n)
	}
}

// Each warp triggers once, at the place asked for.
func TestTriggers(t *testing.T) {
	for _, place := range []string{"none", "begin", "loads", "end"} {
		r := samplestest.Trace(t, "llm-decode", "layers=1", "hidden=256", "intermediate=512", "vocabulary=0", "ctas=4",
			"trigger="+place)
		var k trace.Kernel
		for id := range uint32(r.Kernels()) {
			if err := r.Kernel(id, &k); err != nil {
				t.Fatal(err)
			}
			cursor, err := r.CTAs(id, 0)
			if err != nil {
				t.Fatal(err)
			}
			var c trace.CTA
			for cursor.Next(&c) == nil {
				for i := range c.Warps {
					n := map[string]int{}
					for _, at := range c.Warps[i].Path {
						n[r.Program().Functions[k.Function].Insts[at].Opcode]++
					}
					if n["ACQBULK"] != 1 || (n["PREEXIT"] == 1) != (place != "none") && n["LDG.E.128"] > 0 {
						t.Fatalf("%s: warp %d of CTA %d of kernel %d triggers %d times and waits %d times", place, i, c.ID, id,
							n["PREEXIT"], n["ACQBULK"])
					}
				}
			}
		}
	}
}

// A layer of experts has a router, and loads the weights of the active ones alone.
func TestExperts(t *testing.T) {
	r := samplestest.Trace(t, "llm-decode", "layers=1", "hidden=256", "intermediate=512", "vocabulary=0", "experts=8",
		"active=3", "trigger=loads", "deal=rows")
	if n := r.Kernels(); n != 6 {
		t.Fatalf("%d kernels, want 6", n)
	}
	for kernel, w := range map[uint32]struct{ weights, vector uint64 }{
		3: {8 * 256 * 2, 2 * 512}, 4: {3 * 1024 * 256 * 2, 2 * 512}, 5: {3 * 256 * 512 * 2, 3 * 1024},
	} {
		bytes, ctas := loaded(t, r, kernel)
		if want := w.weights + uint64(ctas)*w.vector; bytes != want {
			t.Errorf("kernel %d loads %d bytes in %d CTAs, want %d", kernel, bytes, ctas, want)
		}
	}
	samplestest.Same(t, "llm-decode", "layers=2", "hidden=256", "intermediate=512", "vocabulary=0", "experts=8",
		"active=2")
	samplestest.Generate(t, "llm-decode", "layers=2", "hidden=256", "intermediate=512", "vocabulary=0", "experts=8",
		"active=2", "trigger=begin", "shared=16384").Check(t)
}

// The program has no programmatic launch unless its user asks for one; shapes that no load fits are refused.
func TestShapes(t *testing.T) {
	g, err := samples.Get("llm-decode")
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Parse()
	if err != nil || p.Text("trigger") != "none" {
		t.Errorf("trigger is %q: %v", p.Text("trigger"), err)
	}
	for _, bad := range []string{"hidden=300", "intermediate=257", "heads=6", "kv-heads=5", "active=2"} {
		if p, err = g.Parse("layers=1", "vocabulary=0", bad); err != nil {
			t.Fatal(err)
		}
		if g.Generate(&samplestest.Recording{}, p) == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// Blocks of 16 rows go to CTAs in equal parts: 128 of 132 CTAs load the weights of O and of up and gate, as measured.
// All rows of the page's program are loaded once, through the L1 or past it.
func TestBlocks(t *testing.T) {
	for _, weights := range []string{"l1", "pages"} {
		r := samplestest.Trace(t, "llm-decode", "layers=1", "vocabulary=0", "weights="+weights)
		for kernel, w := range map[uint32]struct {
			weights uint64
			ctas    int
		}{
			0: {3072 * 2048 * 2, 132}, 2: {2048 * 2048 * 2, 128}, 3: {16384 * 2048 * 2, 128}, 4: {2048 * 8192 * 2, 132},
		} {
			bytes, ctas := loaded(t, r, kernel)
			if vectors := bytes - w.weights; ctas != w.ctas || vectors < uint64(ctas)*4096 || vectors > uint64(ctas)*8192 {
				t.Errorf("%s: kernel %d loads %d bytes in %d CTAs, want %d and a vector or two in each of %d", weights, kernel,
					bytes, ctas, w.weights, w.ctas)
			}
		}
	}
	for _, shape := range [][]string{{"experts=8", "active=3"}, {"warps=4", "vocabulary=100"}, {"warps=1", "loads=32"}} {
		samplestest.Generate(t, "llm-decode", append(shape, "layers=1", "hidden=256", "intermediate=512",
			"ctas=3", "trigger=loads")...).Check(t)
	}
}
