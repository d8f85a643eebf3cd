package pipelines

import (
	"fmt"

	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(stnGenerator) }

func stnGenerator() samples.Generator {
	return samples.Generator{
		Name:    "stn",
		Machine: "gk110-ppcs",
		Title:   "7-point stencil over a 3D grid, repeated",
		Source:  "CRCS and PPCS paper, table 2 (STN); Parboil stencil",
		Params: []samples.Param{
			samples.Int("nx", 128, 3, 1024, "cells in x"),
			samples.Int("ny", 128, 3, 1024, "cells in y"),
			samples.Int("nz", 32, 3, 512, "cells in z"),
			samples.Int("kernels", 50, 1, 1000, "time steps, a kernel each"),
			samples.Choice("version", "of the suite: a CTA sweeps all z, or a CTA is one row in x", "coarsened", "base"),
			samples.Seed(),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			s := stencil{nx: p.Int("nx"), ny: p.Int("ny"), nz: p.Int("nz")}
			s.rows = p.Text("version") == "base"
			if s.size() > maxCells {
				return fmt.Errorf("nx=%d ny=%d nz=%d: want at most %d cells", s.nx, s.ny, s.nz, maxCells)
			}
			_, err := s.run(w, p.Int("kernels"), p.Seed())
			return err
		},
	}
}

// The factors of the suite's Jacobi step.
const (
	stencilC0 = float32(1.0 / 6.0)
	stencilC1 = float32(1.0 / 6.0 / 6.0)
)

// Shape of a CTA: 32×4 threads, each of two columns in x, which keep one plane
// of 64×4 cells in shared memory.
const (
	stencilX    = 32
	stencilY    = 4
	stencilTile = 2 * stencilX
)

// stencil is the program: out = (the six neighbours)·c1 - centre·c0 on the inner cells, with the two buffers
// swapped after each kernel.
//
//  1. The outermost cells are 0 in the input. The suite copies the input into the second buffer on the device, for
//     these cells alone. Here the suite's other initialisation, a memset to 0, gives them, and no copy waits for the
//     whole input.
//  2. The default is the suite's tuned version, whose CTAs sweep all planes, so that each states nearly the whole
//     array as its range. The base version has a CTA for each row and states three planes.
type stencil struct {
	nx, ny, nz int
	rows       bool // the base version
	code       *stencilCode
	base       *stencilBase
}

func (s *stencil) size() int            { return s.nx * s.ny * s.nz }
func (s *stencil) at(i, j, k int) int   { return (k*s.ny+j)*s.nx + i }
func (s *stencil) inner(i, j int) bool  { return i > 0 && j > 0 && i < s.nx-1 && j < s.ny-1 }
func (s *stencil) inside(i, j int) bool { return i < s.nx && j < s.ny }

// input generates the grid with its border of zeros.
func (s *stencil) input(seed uint64) []float32 {
	v := samples.Uniform(s.size(), seed, 0)
	for k := range s.nz {
		for j := range s.ny {
			for i := range s.nx {
				if !s.inner(i, j) || k == 0 || k == s.nz-1 {
					v[s.at(i, j, k)] = 0
				}
			}
		}
	}
	return v
}

func (s *stencil) run(w samples.Writer, kernels int, seed uint64) ([]float32, error) {
	p := samples.NewProgram(w)
	p.Align = samples.Page
	flags := [2]trace.ArrayFlags{trace.ArrayInput, 0}
	flags[kernels%2] |= trace.ArrayOutput
	src := vector{p.Array("A0", s.size(), 4, flags[0]), s.input(seed)}
	dst := vector{p.Array("Anext", s.size(), 4, flags[1]), make([]float32, s.size())}
	launch := s.launch
	if s.rows {
		s.base, launch = newStencilBase(p), s.launchBase
	} else {
		s.code = newStencilCode(p)
	}

	p.FileRead(src.Array)
	p.Memset(dst.Array)
	p.CopyH2D(src.Array)
	for range kernels {
		launch(p, src, dst)
		src, dst = dst, src
	}
	p.CopyD2H(src.Array)
	p.Sync()
	p.FileWrite(src.Array)
	return src.v, p.Err()
}

func (s *stencil) launch(p *samples.Program, src, dst vector) {
	kernel := trace.Kernel{
		Function: s.code.Function, Fidelity: trace.FidelityWarp, Registers: 29, SharedBytes: stencilTile * stencilY * 4,
		Grid:  trace.Dim3{ceil(s.nx, stencilTile), ceil(s.ny, stencilY), 1},
		Block: trace.Dim3{stencilX, stencilY, 1},
	}
	p.Launch(kernel, func(b *samples.Block) {
		s.ranges(b, src, dst)
		t := stencilCTA{stencil: s, src: src, dst: dst}
		t.run(b)
	})
}

// ranges states every index function of the source, with the loop over z at its
// first and its last iteration.
func (s *stencil) ranges(b *samples.Block, src, dst vector) {
	cell := func(dx, dy, k int) samples.Index {
		return func(x, y, _ int) int { return s.at(b.X()*stencilTile+x+dx, b.Y()*stencilY+y+dy, k) }
	}
	for half := range 2 {
		column := half * stencilX
		outer := column + 2*half - 1 // the neighbour beyond the tile
		b.Range(src.Array, trace.Read, cell(column, 0, 0), cell(column, 0, 1))
		for _, k := range [2]int{1, s.nz - 2} {
			b.Range(src.Array, trace.Read, cell(column, 0, k+1), cell(outer, 0, k), cell(column, -1, k), cell(column, 1, k))
			b.Range(dst.Array, trace.Write, cell(column, 0, k))
		}
	}
}
