package pipelines

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(pathGenerator) }

func pathGenerator() samples.Generator {
	return samples.Generator{
		Name:    "path",
		Machine: "gk110-ppcs",
		Title:   "PathFinder: the cheapest way down a grid, row by row",
		Source:  "CRCS and PPCS paper, table 2 (PATH); Rodinia pathfinder",
		Params: []samples.Param{
			samples.Int("cols", 100_000, 1, 1<<22, "columns"),
			samples.Int("rows", 100, 2, 1<<10, "rows"),
			samples.Int("pyramid", 5, 1, 100, "rows that one kernel advances"),
			samples.Seed(),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			f := pathfinder{cols: p.Int("cols"), rows: p.Int("rows"), pyramid: p.Int("pyramid")}
			if f.cols*f.rows > maxCells {
				return fmt.Errorf("cols=%d rows=%d: want at most %d cells", f.cols, f.rows, maxCells)
			}
			_, err := f.run(w, p.Seed())
			return err
		},
	}
}

// pathBlock is the suite's number of threads of a CTA.
const pathBlock = 256

// pathfinder is the program: a CTA takes a window of 256 columns with a halo as
// wide as the rows it advances, and keeps the columns inside the halo.
type pathfinder struct {
	cols, rows, pyramid int
	code                *pathCode
}

// ints is an array with its values.
type ints struct {
	samples.Array
	v []int32
}

// costs generates the costs of all cells, 0 to 9 as the suite does.
func (f *pathfinder) costs(seed uint64) []int32 {
	r := rand.New(rand.NewPCG(seed, 0))
	v := make([]int32, f.rows*f.cols)
	for i := range v {
		v[i] = r.Int32N(10)
	}
	return v
}

func (f *pathfinder) run(w samples.Writer, seed uint64) ([]int32, error) {
	p := samples.NewProgram(w)
	p.Align = samples.Page
	data := f.costs(seed)
	kernels := int(ceil(f.rows-1, f.pyramid))
	flags := [2]trace.ArrayFlags{trace.ArrayInput, 0}
	flags[kernels%2] |= trace.ArrayOutput
	src := ints{p.Array("result0", f.cols, 4, flags[0]), slices.Clone(data[:f.cols])}
	dst := ints{p.Array("result1", f.cols, 4, flags[1]), make([]int32, f.cols)}
	wall := ints{p.Array("wall", (f.rows-1)*f.cols, 4, trace.ArrayInput), data[f.cols:]}
	f.code = newPathCode(p)

	p.FileRead(src.Array, wall.Array)
	p.CopyH2D(src.Array, wall.Array)
	for t := 0; t < f.rows-1; t += f.pyramid {
		f.launch(p, min(f.pyramid, f.rows-1-t), t, wall, src, dst)
		src, dst = dst, src
	}
	p.CopyD2H(src.Array)
	p.Sync()
	p.FileWrite(src.Array)
	return src.v, p.Err()
}

// launch advances by rows, from row start. As in the suite, the grid and the halo belong to the whole pyramid, also
// in a last kernel of fewer rows.
func (f *pathfinder) launch(p *samples.Program, rows, start int, wall, src, dst ints) {
	kernel := trace.Kernel{
		Function: f.code.Function, Fidelity: trace.FidelityWarp, Registers: 13, SharedBytes: 2 * pathBlock * 4,
		Grid: trace.Dim3{ceil(f.cols, pathBlock-2*f.pyramid), 1, 1}, Block: trace.Dim3{pathBlock, 1, 1},
	}
	p.Launch(kernel, func(b *samples.Block) {
		t := pathCTA{pathfinder: f, b: b, wall: wall, src: src, dst: dst, steps: rows, start: start}
		t.x0 = b.X()*(pathBlock-2*rows) - f.pyramid
		column := func(x, _, _ int) int { return t.x0 + x }
		b.Range(src.Array, trace.Read, column)
		b.Range(dst.Array, trace.Write, column)
		for _, step := range [2]int{0, rows - 1} {
			b.Range(wall.Array, trace.Read, func(x, _, _ int) int { return t.cell(x, step) })
		}
		t.run()
	})
}
