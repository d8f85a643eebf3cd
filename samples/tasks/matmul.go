package tasks

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() {
	register("tasks-mm", "matrix products, one of small matrices per task",
		"Pagoda tables 3 and 4; CUDA SDK matrixMul", matmulKind)
}

var matmulKind = &kind{name: "matmul", registers: 30, prepare: prepareMatmul, params: func() []samples.Param {
	return []samples.Param{
		samples.Int("n", 64, 4, 512, "rows and columns of a matrix, rounded down to a multiple of 4"),
		samples.Choice("tiles", "tiles of the factors go through shared memory, or rows and columns are read from "+
			"device memory", "device", "shared"),
	}
}, most: func(p samples.Params) int {
	n := ceil(p.Int("n"), matTile) * matTile
	return 6*units(n*n*n) + 40*units(n*n)
}}

// matTile is the side of the SDK's tiles.
const matTile = 32

// matSums is the number of sums that a thread holds at most, which bounds its
// registers.
const matSums = 8

// factors is the code that reads the factors: four values of a row of A, for two
// rows in turn, and one value each of four rows of B.
type factors struct {
	a [2]samples.Op
	b [unroll]samples.Op
}

// matmul is the kernel. From device memory it is the artifact's: a lane computes
// one value of the product at a time (matdevice.go). Through shared memory a lane
// holds one column of a tile of the product, and sums of every warps-th row of it.
// With 128 threads or more the tile is 32x32, with fewer it is as high as eight
// sums a thread reach. The factors are a copy each.
type matmul struct {
	shared       bool
	a, b, c      buffer
	entry        entry
	begin        []samples.Op // of a tile of the product
	address      []samples.Op // of a pair of tiles
	load, put    samples.Op
	shmem        factors
	device       matDevice
	fuse         [matSums][unroll]samples.Op // sum, value of a row of A
	steps, tiles loop
	store        [matSums]samples.Op
	barrier      samples.Op
	exit         samples.Op
}

func prepareMatmul(b *bench) maker {
	n := b.params.Int("n") / 4 * 4
	k := matmul{shared: b.params.Text("tiles") == "shared"}
	most := b.side(n) * b.side(n)
	k.a, k.b = b.buffer("a", most, 4, trace.ArrayInput), b.buffer("b", most, 4, trace.ArrayInput)
	k.c = b.buffer("c", most, 4, trace.ArrayOutput)
	c := b.program.Code("matmul")
	k.entry = newEntry(c)
	row, col, ap, bp, v := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	sum, av, bv := c.Regs(matSums), c.Regs(2), c.Regs(unroll)
	k.begin = []samples.Op{c.Op("LOP3", col, k.entry.thread), c.Op("SHF", row, k.entry.thread),
		c.Op("IMAD", row, row, col)}
	for _, r := range sum {
		k.begin = append(k.begin, c.Op("MOV", r))
	}
	k.address = []samples.Op{c.Op("IADD3", ap, row), c.Op("IADD3", bp, col), c.Op("ISETP", c.Pred(), col)}
	k.load, k.put = c.Load("LDG", 4, v, ap), c.Store("STS", 4, row, v)
	for i := range av {
		k.shmem.a[i] = c.Load("LDS.128", 16, av[i], row)
	}
	for j := range bv {
		k.shmem.b[j] = c.Load("LDS", 4, bv[j], col)
		for i := range sum {
			k.fuse[i][j] = c.Op("FFMA", sum[i], av[i%2], bv[j], sum[i])
		}
	}
	k.steps, k.tiles = newLoop(c), newLoop(c)
	for i := range sum {
		k.store[i] = c.Store("STG", 4, row, sum[i])
	}
	k.barrier, k.exit = c.Barrier(0), c.Exit()
	if !k.shared {
		k.device = newMatDevice(c, k.entry.thread)
	}
	return func(in input) (body, any) {
		n := in.side(n, 4)
		m := product{n: n, a: in.floats(n * n), b: in.floats(n * n), c: make([]float32, n*n)}
		height := min(matTile, matSums*in.threads/samples.WarpSize)
		bytes := uint32(0)
		if k.shared {
			bytes = uint32(4 * matTile * (height + matTile))
		}
		bd := b.record(b.blocks, in.threads, bytes, c, func(blk *samples.Block) {
			if k.shared {
				k.cta(blk, m, height)
			} else {
				k.values(blk, m)
			}
		})
		bd.in, bd.copies, bd.out, bd.sync = 8*uint64(n*n), 2, 4*uint64(n*n), k.shared
		return bd, m
	}
}

// product is two factors and their product, n rows of n values each.
type product struct {
	n       int
	a, b, c []float32
}

func (k *matmul) cta(blk *samples.Block, m product, height int) {
	across := ceil(m.n, matTile)
	tiles := across * ceil(m.n, height)
	blk.EachWarp(func(w *samples.Warp) {
		k.entry.do(w)
		for t := blk.X(); t < tiles; t += int(blk.Grid[0]) {
			tile := tile{w: w, m: m, x: t % across * matTile, y: t / across * height, height: height, warps: len(blk.Warps())}
			w.Do(k.begin...)
			k.throughShared(tile)
			k.write(tile)
			k.tiles.next(w)
		}
		w.Exit(k.exit)
	})
}

// tile is a warp's part of a tile of the product at (x, y).
type tile struct {
	w             *samples.Warp
	m             product
	x, y          int
	height, warps int
}

// rows calls f for the warp's rows of a tile that has that many.
func (t tile) rows(height int, f func(r int)) {
	for r := t.w.ID; r < height; r += t.warps {
		f(r)
	}
}

// within returns the lanes that have a column of the matrix from x on.
func (t tile) within(x int) uint32 {
	return t.w.Where(func(l int) bool { return x+l < t.m.n })
}

// throughShared sums over pairs of tiles. Elements outside of a matrix are 0 in the tile.
func (k *matmul) throughShared(t tile) {
	w, n := t.w, t.m.n
	bTile := uint64(4 * matTile * t.height)
	for k0 := 0; k0 < n; k0 += matTile {
		w.Do(k.address...)
		t.rows(t.height, func(r int) { k.fill(t, k.a, k0, t.y+r, uint64(4*matTile*r)) })
		t.rows(matTile, func(r int) { k.fill(t, k.b, t.x, k0+r, bTile+uint64(4*matTile*r)) })
		w.Do(k.barrier)
		for s := 0; s < matTile; s += unroll {
			k.multiply(t, &k.shmem, t.height,
				func(r int) uint64 { return uint64(4 * (matTile*r + s)) },
				func(j int) uint64 { return bTile + uint64(4*matTile*(s+j)) })
		}
		w.Do(k.barrier)
	}
}

// multiply adds the products of four values of each of the warp's rows of A with four rows of B. It takes two rows
// of A at a time, so that their sums take turns.
func (k *matmul) multiply(t tile, f *factors, height int, a, b func(i int) uint64) {
	for j := range unroll {
		t.w.Affine(f.b[j], b(j), 4)
	}
	var rows []int
	t.rows(height, func(r int) { rows = append(rows, r) })
	for i := 0; i < len(rows); i += 2 {
		pair := rows[i:min(i+2, len(rows))]
		for x, r := range pair {
			t.w.Same(f.a[x], a(r))
		}
		for j := range unroll {
			for x := range pair {
				t.w.Do(k.fuse[i+x][j])
			}
		}
	}
	k.steps.next(t.w)
}

// fill copies 32 values of row y, from column x on, to shared memory.
func (k *matmul) fill(t tile, from buffer, x, y int, to uint64) {
	mask := t.within(x)
	if y >= t.m.n {
		mask = 0
	}
	t.w.Predicated(mask, func() { t.w.Affine(k.load, from.Base+uint64(4*(y*t.m.n+x)), 4) })
	t.w.Affine(k.put, to, 4)
}

// write computes and stores the warp's rows of the tile.
func (k *matmul) write(t tile) {
	n := t.m.n
	t.w.Under(t.within(t.x), func() {
		t.rows(min(t.height, n-t.y), func(r int) {
			t.w.Affine(k.store[(r-t.w.ID)/t.warps], k.c.At((t.y+r)*n+t.x), 4)
			t.w.Lanes(func(l int) { t.m.c[(t.y+r)*n+t.x+l] = t.m.dot(t.y+r, t.x+l) })
		})
	})
}

func (m product) dot(row, column int) float32 {
	var sum float32
	for i := range m.n {
		sum += m.a[row*m.n+i] * m.b[i*m.n+column]
	}
	return sum
}
