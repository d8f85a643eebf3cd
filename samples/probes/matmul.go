package probes

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(matmulGenerator) }

func matmulGenerator() samples.Generator {
	return samples.Generator{
		Name:   "matmul",
		Title:  "dense product of two matrices, tiled in shared memory: arithmetic and shared memory",
		Source: "CUDA samples matrixMul",
		Params: []samples.Param{
			samples.Int("m", 320, 1, 4096, "rows of A and C"),
			samples.Int("n", 320, 1, 4096, "columns of B and C"),
			samples.Int("k", 320, 1, 4096, "columns of A, rows of B"),
			samples.Seed(),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			_, err := newMatmul(p.Int("m"), p.Int("n"), p.Int("k"), p.Seed()).run(w)
			return err
		},
	}
}

// tile is the side of a CTA and of its tiles.
const tile = 32

// matmul is C = A·B with a CTA of 32×32 threads for each tile of C. Elements of a
// tile beyond a matrix are 0 and are not loaded.
type matmul struct {
	m, n, k int
	a, b, c []float32
	code    *matmulCode
	arrays  [3]samples.Array
}

func newMatmul(m, n, k int, seed uint64) *matmul {
	a, b := samples.Uniform(m*k, seed, 0), samples.Uniform(k*n, seed, 1)
	return &matmul{m: m, n: n, k: k, a: a, b: b, c: make([]float32, m*n)}
}

// matmulCode is the kernel. Per thread: twelve operations for the indices and
// pointers; per tile two guarded loads, two stores to shared memory, a barrier,
// per k two loads from shared memory and a fused multiply-add, a barrier, two
// pointer steps, counter, comparison and branch; at the end an address and a
// guarded store.
type matmulCode struct {
	*samples.Code
	index        []samples.Op
	guard        []samples.Op
	loadA, loadB samples.Op
	keepA, keepB samples.Op
	barrier      samples.Op
	readA, readB [tile]samples.Op
	fma          [tile]samples.Op
	loop         []samples.Op
	address      samples.Op
	store        samples.Op
	exit         samples.Op
}

func newMatmulCode(p *samples.Program) *matmulCode {
	c := &matmulCode{Code: p.Code("matrixMul")}
	ctaX, x, col, ctaY, y, row := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	ptrA, ptrB, shA, shB, sum, i, va, vb, out := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(),
		c.Reg()
	inA, inB, more, none := c.Pred(), c.Pred(), c.Pred(), samples.NoReg
	c.index = []samples.Op{
		c.Op("S2R", ctaX), c.Op("S2R", x), c.Op("IMAD", col, ctaX, x), c.Op("S2R", ctaY), c.Op("S2R", y),
		c.Op("IMAD", row, ctaY, y),
		c.Op("IMAD.WIDE", ptrA, row, x), c.Op("IMAD.WIDE", ptrB, y, col), c.Op("LEA", shA, y, x), c.Op("LEA", shB, x),
		c.Op("MOV", sum), c.Op("MOV", i),
	}
	c.guard = []samples.Op{c.Op("ISETP.LT.AND", inA, i, row), c.Op("ISETP.LT.AND", inB, i, col), c.Op("MOV", va),
		c.Op("MOV", vb)}
	c.loadA, c.loadB = c.Load("LDG.E", 4, va, ptrA, inA), c.Load("LDG.E", 4, vb, ptrB, inB)
	c.keepA, c.keepB = c.Store("STS", 4, shA, va), c.Store("STS", 4, shA, vb)
	c.barrier = c.Barrier(0)
	words := c.Regs(8)
	for k := range c.fma {
		l, r := words[2*k%8], words[(2*k+1)%8]
		c.readA[k], c.readB[k] = c.Load("LDS", 4, l, shA), c.Load("LDS", 4, r, shB)
		c.fma[k] = c.Op("FFMA", sum, l, r, sum)
	}
	c.loop = []samples.Op{
		c.Op("IADD3", ptrA, ptrA), c.Op("IMAD.WIDE", ptrB, ptrB), c.Op("IADD3", i, i), c.Op("ISETP.LT.AND", more, i),
		c.Op("BRA", none, more),
	}
	c.address = c.Op("IMAD.WIDE", out, row, col)
	c.store = c.Store("STG.E", 4, out, sum, inA, inB)
	c.exit = c.Exit()
	return c
}

func (s *matmul) run(w samples.Writer) ([]float32, error) {
	p := samples.NewProgram(w)
	s.arrays = [3]samples.Array{
		p.Array("A", s.m*s.k, 4, trace.ArrayInput), p.Array("B", s.k*s.n, 4, trace.ArrayInput),
		p.Array("C", s.m*s.n, 4, trace.ArrayOutput),
	}
	s.code = newMatmulCode(p)
	p.FileRead(s.arrays[:2]...)
	p.CopyH2D(s.arrays[:2]...)
	p.Launch(trace.Kernel{
		Function: s.code.Function, Fidelity: trace.FidelityWarp, Registers: 32, SharedBytes: 2 * tile * tile * 4,
		Grid: trace.Dim3{ceil(s.n, tile), ceil(s.m, tile), 1}, Block: trace.Dim3{tile, tile, 1},
	}, s.cta)
	p.CopyD2H(s.arrays[2])
	p.Sync()
	p.FileWrite(s.arrays[2])
	return s.c, p.Err()
}

func (s *matmul) cta(b *samples.Block) {
	i0, j0 := b.Y()*tile, b.X()*tile
	last := int(ceil(s.k, tile)-1) * tile
	for _, k := range [2]int{0, last} {
		b.Range(s.arrays[0], trace.Read, func(x, y, _ int) int { return (i0+y)*s.k + k + x })
		b.Range(s.arrays[1], trace.Read, func(x, y, _ int) int { return (k+y)*s.n + j0 + x })
	}
	b.Range(s.arrays[2], trace.Write, func(x, y, _ int) int { return (i0+y)*s.n + j0 + x })
	var t matmulTiles
	for y := range b.Warps() {
		b.Warps()[y].Do(s.code.index...)
	}
	for k := 0; k < s.k; k += tile {
		b.EachWarp(func(w *samples.Warp) { s.load(w, &t, i0, j0, k) })
		b.EachWarp(func(w *samples.Warp) { s.multiply(w, &t) })
	}
	for y := range b.Warps() {
		w, i := &b.Warps()[y], i0+y
		w.Do(s.code.address)
		w.Predicated(w.Where(func(lane int) bool { return i < s.m && j0+lane < s.n }), func() {
			w.Mem(s.code.store, func(lane int) uint64 { return s.arrays[2].At(i*s.n + j0 + lane) })
			w.Lanes(func(lane int) { s.c[i*s.n+j0+lane] = t.sum[y][lane] })
		})
		w.Exit(s.code.exit)
	}
}

// matmulTiles are a CTA's tiles in shared memory and its sums in registers.
type matmulTiles struct{ a, b, sum [tile][tile]float32 }

// load brings row y of both tiles at step k into shared memory.
func (s *matmul) load(w *samples.Warp, t *matmulTiles, i0, j0, k int) {
	c, y := s.code, w.ID
	w.Do(c.guard...)
	t.a[y], t.b[y] = [tile]float32{}, [tile]float32{}
	w.Predicated(w.Where(func(lane int) bool { return i0+y < s.m && k+lane < s.k }), func() {
		w.Mem(c.loadA, func(lane int) uint64 { return s.arrays[0].At((i0+y)*s.k + k + lane) })
		w.Lanes(func(lane int) { t.a[y][lane] = s.a[(i0+y)*s.k+k+lane] })
	})
	w.Predicated(w.Where(func(lane int) bool { return k+y < s.k && j0+lane < s.n }), func() {
		w.Mem(c.loadB, func(lane int) uint64 { return s.arrays[1].At((k+y)*s.n + j0 + lane) })
		w.Lanes(func(lane int) { t.b[y][lane] = s.b[(k+y)*s.n+j0+lane] })
	})
	w.Affine(c.keepA, uint64(4*tile*y), 4)
	w.Affine(c.keepB, uint64(4*tile*(tile+y)), 4)
	w.Do(c.barrier)
}

// multiply adds the product of a row of the left tile with the right tile.
func (s *matmul) multiply(w *samples.Warp, t *matmulTiles) {
	c, y := s.code, w.ID
	for k := range tile {
		w.Same(c.readA[k], uint64(4*(tile*y+k)))
		w.Affine(c.readB[k], uint64(4*tile*(tile+k)), 4)
		w.Do(c.fma[k])
		for lane := range tile {
			t.sum[y][lane] += t.a[y][k] * t.b[k][lane]
		}
	}
	w.Do(c.barrier)
	w.Do(c.loop...)
}
