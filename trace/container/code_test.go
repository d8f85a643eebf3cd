package container

import (
	"gpureplay/trace"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestPathCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		insts := rapid.IntRange(1, 9).Draw(t, "insts")
		step := rapid.Uint32Range(0, uint32(insts-1))
		paths := rapid.SliceOfN(rapid.SliceOfN(step, 0, 40), 1, 5).Draw(t, "paths")
		var c column
		out, in := newFlow(insts), newFlow(insts).close()
		for _, p := range paths {
			out.encode(&c, p)
		}
		v := values{b: c}
		for _, p := range paths {
			got := make([]uint32, v.uint())
			if !in.decode(&v, got) || !slices.Equal(got, p) {
				t.Fatalf("%v, not %v", got, p)
			}
		}
		if !v.ok() {
			t.Fatalf("%d of %d bytes read", v.pos, len(c))
		}
	})
}

// A loop costs a few bytes, however often it runs.
func TestLoopsAreSmall(t *testing.T) {
	path := []uint32{0, 1}
	for range 100_000 {
		path = append(path, 2, 3, 4)
	}
	path = append(path, 5, 6)
	var c column
	newFlow(7).encode(&c, path)
	if len(c) > 16 {
		t.Errorf("%d bytes for one loop", len(c))
	}
}

func TestMaskCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var runs []trace.MaskRun
		at := uint32(0)
		for _, m := range rapid.SliceOfN(rapid.Uint32(), 0, 12).Draw(t, "masks") {
			if n := len(runs); n > 1 && m%3 == 0 {
				m = runs[n-2].Mask &^ runs[n-1].Mask
			} else if n > 0 && m%3 == 1 {
				m &= runs[n-1].Mask
			}
			runs = append(runs, trace.MaskRun{At: at, Mask: m})
			at += 1 + m%200
		}
		var c, b column
		encodeMasks(&c, &b, runs)
		v, w := values{b: c}, values{b: b}
		got := make([]trace.MaskRun, v.uint())
		if !decodeMasks(&v, &w, got, int(at)+1) || !slices.Equal(got, runs) || !v.ok() || !w.ok() {
			t.Fatalf("%v, not %v", got, runs)
		}
	})
}

func TestCompressExpand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, mask := rapid.Uint32().Draw(t, "v"), rapid.Uint32().Draw(t, "mask")
		if got := expand(compress(v, mask), mask); got != v&mask {
			t.Fatalf("%08x, not %08x", got, v&mask)
		}
		if n := bits.Len32(compress(v, mask)); n > bits.OnesCount32(mask) {
			t.Fatalf("%d bits of a mask of %d", n, bits.OnesCount32(mask))
		}
	})
}

// laneStep against the definition.
func TestLaneStep(t *testing.T) {
	naive := func(mask uint32) int32 {
		var at []int
		for l := range 32 {
			if mask>>l&1 != 0 {
				at = append(at, l)
			}
		}
		if len(at) == 1 {
			return 1
		}
		d := at[1] - at[0]
		for i := range at[1:] {
			if at[i+1]-at[i] != d {
				return 0
			}
		}
		return int32(d)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 200_000 {
		mask := rng.Uint32()
		switch i % 3 {
		case 0:
			mask &= rng.Uint32() & rng.Uint32()
		case 1: // lanes first, first+d, ...
			first, d, n := rng.IntN(32), 1+rng.IntN(31), 1+rng.IntN(32)
			mask = 0
			for l := first; l < 32 && n > 0; l, n = l+d, n-1 {
				mask |= 1 << l
			}
		}
		if mask != 0 && laneStep(mask) != naive(mask) {
			t.Fatalf("%032b: %d, not %d", mask, laneStep(mask), naive(mask))
		}
	}
}

// accessPattern makes the addresses of the active lanes of one execution.
type accessPattern func(rng *rand.Rand, mask uint32, last *[32]uint64, width uint64) []uint64

func perLane(mask uint32, f func(lane uint64) uint64) (list []uint64) {
	for ; mask != 0; mask &= mask - 1 {
		list = append(list, f(uint64(bits.TrailingZeros32(mask))))
	}
	return list
}

// patterns are those of real code: a stream, a stream across rows, a gather, a walk along the gathered addresses,
// and an array indexed with them.
var patterns = []accessPattern{
	func(rng *rand.Rand, mask uint32, _ *[32]uint64, w uint64) []uint64 {
		base := rng.Uint64()
		return perLane(mask, func(l uint64) uint64 { return base + l*w })
	},
	func(rng *rand.Rand, mask uint32, _ *[32]uint64, w uint64) []uint64 {
		return perLane(mask, func(l uint64) uint64 { return 0x1000 + l%16*w + l/16*4096 })
	},
	func(rng *rand.Rand, mask uint32, last *[32]uint64, w uint64) []uint64 {
		return perLane(mask, func(l uint64) uint64 { last[l] = rng.Uint64N(1<<20) * 8; return last[l] })
	},
	func(rng *rand.Rand, mask uint32, last *[32]uint64, w uint64) []uint64 {
		return perLane(mask, func(l uint64) uint64 { last[l] += 8; return last[l] })
	},
	func(rng *rand.Rand, mask uint32, last *[32]uint64, w uint64) []uint64 {
		return perLane(mask, func(l uint64) uint64 { return last[l]/8*w + 0x7f0000000000 })
	},
	func(rng *rand.Rand, mask uint32, _ *[32]uint64, w uint64) []uint64 { // compacted by rank
		i := uint64(0)
		return perLane(mask, func(uint64) uint64 { i++; return 1<<40 + i*w })
	},
	func(rng *rand.Rand, mask uint32, _ *[32]uint64, w uint64) []uint64 {
		return perLane(mask, func(uint64) uint64 { return rng.Uint64() })
	},
}

// Accesses of every pattern under every kind of mask come back as they were,
// and every shape is used.
func TestAccessShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	h := &held{Program: trace.Program{Functions: []trace.Function{{Name: "k"}}}}
	f := &h.Program.Functions[0]
	for _, width := range []uint32{1, 4, 8, 16, 12} {
		for range patterns {
			f.Insts = append(f.Insts, trace.Inst{Class: trace.ClassMemory, Width: width})
		}
	}
	f.Insts = append(f.Insts, trace.Inst{Class: trace.ClassMemory, Width: 16, Flags: trace.InstBulk})
	h.Kernels = []trace.Kernel{{Grid: trace.Dim3{8, 1, 1}, Block: trace.Dim3{128, 1, 1}, Fidelity: trace.FidelityWarp}}
	h.CTAs = make([][]trace.CTA, 1)
	for c := range uint32(8) {
		cta := trace.CTA{ID: c}
		for id := range uint32(4) {
			cta.Warps = append(cta.Warps, shapeWarp(rng, f.Insts, id))
		}
		h.CTAs[0] = append(h.CTAs[0], cta)
	}
	file := h.write(t, 1<<20)
	got := holdAll(t, openBytes(t, file))
	if d := diff(&held{CTAs: h.canonical().CTAs}, &held{CTAs: got.CTAs}); d != "" {
		t.Fatalf("the accesses changed (-want +got):\n%s", d)
	}
	used := map[shape]int{}
	for _, raw := range takeApart(t, file).raw {
		var s section
		if _, err := s.next(raw); err != nil {
			t.Fatal(err)
		}
		if s.kind == kindCTA {
			for _, form := range s.columns[colForm] {
				used[form&shapeMask]++
			}
		}
	}
	for s := shapeLanes; s <= shapeScaled; s++ {
		if used[s] == 0 {
			t.Errorf("shape %d is not used: %v", s, used)
		}
	}
}

// Differences are in widths of the access where all are multiples of it, and the width is a power of two.
func TestScaledDifferences(t *testing.T) {
	for _, x := range []struct {
		width uint32
		addrs []uint64
		want  bool
	}{
		{4, []uint64{8, 24, 4}, true}, {4, []uint64{8, 24, 6}, false}, {12, []uint64{12, 36, 24}, false},
		{1, []uint64{8, 24, 4}, false}, {16, []uint64{3, 19, 35}, true},
	} {
		s := makeSite(&trace.Inst{Class: trace.ClassMemory, Width: x.width})
		if got := scaled(&s, x.addrs); got != x.want {
			t.Errorf("addresses %d of width %d are scaled: %v", x.addrs, x.width, got)
		}
	}
}

func shapeWarp(rng *rand.Rand, insts []trace.Inst, id uint32) trace.Warp {
	w := trace.Warp{ID: id}
	var last [32]uint64
	mask := ^uint32(0)
	for range 60 {
		i := rng.IntN(len(insts))
		w.Path = append(w.Path, uint32(i))
		switch rng.IntN(6) {
		case 0:
			mask = ^uint32(0)
		case 1:
			mask &= rng.Uint32()
		case 2:
			one := uint32(1) << rng.IntN(32)
			mask = one | 1<<rng.IntN(32)
		}
		w.Masks = append(w.Masks, trace.MaskRun{At: uint32(len(w.Path) - 1), Mask: mask})
		if rng.IntN(20) == 0 {
			w.Mem = append(w.Mem, trace.Access{})
			continue
		}
		var list []uint64
		if insts[i].Flags&trace.InstBulk != 0 {
			list = patterns[rng.IntN(3)](rng, rng.Uint32(), &[32]uint64{}, 16)
		} else {
			list = patterns[i%len(patterns)](rng, mask, &last, uint64(insts[i].Width))
		}
		w.Mem = append(w.Mem, trace.Access{List: uint32(len(w.Lists) + 1), Count: uint32(len(list))})
		w.Lists = append(w.Lists, list...)
	}
	return w
}

// A stream of CTA after CTA costs next to nothing once its strides are known.
func TestStreamsAreSmall(t *testing.T) {
	small, large := len(wideTrace(t, 100)), len(wideTrace(t, 4100))
	if perCTA := float64(large-small) / 4000; perCTA > 1 {
		t.Errorf("%.2f bytes for each CTA of 36 instructions", perCTA)
	}
}

// Blocks of any size hold the same trace.
func TestBlockSizes(t *testing.T) {
	file := wideTrace(t, 90)
	want := holdAll(t, openBytes(t, file))
	for _, size := range []int{1 << 10, 5000, 1 << 20} {
		got := holdAll(t, openBytes(t, want.write(t, size)))
		if d := diff(&held{CTAs: want.CTAs}, &held{CTAs: got.CTAs}); d != "" {
			t.Fatalf("blocks of %d bytes (-want +got):\n%s", size, d)
		}
	}
}
