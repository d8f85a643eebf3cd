package pipelines

import (
	"fmt"

	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(convGenerator) }

func convGenerator() samples.Generator {
	return samples.Generator{
		Name:    "conv",
		Machine: "gk110-ppcs",
		Title:   "separable convolution of an image: rows, then columns, repeated",
		Source:  "CRCS and PPCS paper, table 2 (CONV); CUDA samples convolutionSeparable",
		Params: []samples.Param{
			samples.Int("width", 512, 128, 8192, "columns of the image, a multiple of 128"),
			samples.Int("height", 512, 64, 8192, "rows of the image, a multiple of 64"),
			samples.Int("iterations", 3, 1, 500, "repetitions, of two kernels each"),
			samples.Seed(),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			c := convolution{width: p.Int("width"), height: p.Int("height")}
			if c.width%128 != 0 || c.height%64 != 0 {
				return fmt.Errorf("width=%d height=%d: want multiples of 128 and 64", c.width, c.height)
			}
			_, err := c.run(w, p.Int("iterations"), p.Seed())
			return err
		},
	}
}

// The suite's filter and how a thread covers its CTA's tile: one halo step, eight
// steps with a result, one halo step.
const (
	convRadius = 8
	convTaps   = 2*convRadius + 1
	convSteps  = 8
	convLoads  = convSteps + 2
)

// convolution is the program: rows from the image to a buffer, columns from the
// buffer to the output. Every repetition does the same, as in the suite, so it
// overwrites the buffer that the one before has read.
type convolution struct {
	width, height int
	taps          [convTaps]float32
}

func (c *convolution) run(w samples.Writer, iterations int, seed uint64) ([]float32, error) {
	p := samples.NewProgram(w)
	p.Align = samples.Page
	cells := c.width * c.height
	copy(c.taps[:], samples.Uniform(convTaps, seed, 0))
	filter := p.Array("c_Kernel", convTaps, 4, trace.ArrayInput)
	image := vector{p.Array("d_Input", cells, 4, trace.ArrayInput), samples.Uniform(cells, seed, 1)}
	buffer := vector{p.Array("d_Buffer", cells, 4, 0), make([]float32, cells)}
	out := vector{p.Array("d_Output", cells, 4, trace.ArrayOutput), make([]float32, cells)}
	rows, columns := newConvPass(p, c, true), newConvPass(p, c, false)

	p.FileRead(filter, image.Array)
	p.CopyH2D(filter, image.Array)
	for range iterations {
		rows.launch(p, image, buffer)
		columns.launch(p, buffer, out)
	}
	p.CopyD2H(out.Array)
	p.Sync()
	p.FileWrite(out.Array)
	return out.v, p.Err()
}

// convPass is one of the two kernels. Both let a thread load ten cells, 16 apart in x or 8 apart in y, into the
// CTA's tile, and compute the inner eight.
type convPass struct {
	*convolution
	code   *convCode
	kernel trace.Kernel
	rows   bool
	step   int // words of the tile from one load of a thread to its next
	pitch  int // words of the tile from one line to the next
}

func newConvPass(p *samples.Program, c *convolution, rows bool) *convPass {
	pass := &convPass{convolution: c, rows: rows}
	w, h := uint32(c.width), uint32(c.height)
	if rows {
		pass.code = newConvCode(p, "convolutionRowsKernel")
		pass.step, pass.pitch = 16, convLoads*16
		pass.kernel = trace.Kernel{Block: trace.Dim3{16, 4, 1}, Grid: trace.Dim3{w / 128, h / 4, 1}, Registers: 30,
			SharedBytes: 2560}
	} else {
		pass.code = newConvCode(p, "convolutionColumnsKernel")
		pass.step, pass.pitch = 8, convLoads*8+1
		pass.kernel = trace.Kernel{Block: trace.Dim3{16, 8, 1}, Grid: trace.Dim3{w / 16, h / 64, 1}, Registers: 31,
			SharedBytes: 5184}
	}
	pass.kernel.Function, pass.kernel.Fidelity = pass.code.Function, trace.FidelityWarp
	return pass
}

// place returns the cell that thread (x, y) loads or computes in its step k.
func (c *convPass) place(b *samples.Block, x, y, k int) (column, row int) {
	if c.rows {
		return (b.X()*convSteps-1+k)*16 + x, b.Y()*4 + y
	}
	return b.X()*16 + x, (b.Y()*convSteps-1+k)*8 + y
}

// word returns the place in the tile of the cell of a thread's step k.
func (c *convPass) word(x, y, k int) int {
	if c.rows {
		return y*c.pitch + x + k*c.step
	}
	return x*c.pitch + y + k*c.step
}

func (c *convPass) launch(p *samples.Program, src, dst vector) {
	tile := make([]float32, c.kernel.SharedBytes/4)
	p.Launch(c.kernel, func(b *samples.Block) {
		for k := range convLoads {
			cell := func(x, y, _ int) int { column, row := c.place(b, x, y, k); return row*c.width + column }
			b.Range(src.Array, trace.Read, cell)
			if k >= 1 && k <= convSteps {
				b.Range(dst.Array, trace.Write, cell)
			}
		}
		b.EachWarp(func(w *samples.Warp) { c.load(w, b, src, tile) })
		b.EachWarp(func(w *samples.Warp) { c.compute(w, b, dst, tile) })
	})
}
