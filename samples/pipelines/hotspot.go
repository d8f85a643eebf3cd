package pipelines

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(hspGenerator) }

func hspGenerator() samples.Generator {
	return samples.Generator{
		Name:    "hsp",
		Machine: "gk110-ppcs",
		Title:   "HotSpot: heat flow over a chip, repeated",
		Source:  "CRCS and PPCS paper, table 2 (HSP); Rodinia hotspot",
		Params: []samples.Param{
			samples.Int("n", 512, 1, 4096, "rows and columns of cells"),
			samples.Int("kernels", 10, 1, 1000, "kernels"),
			samples.Int("pyramid", 1, 1, 7, "time steps in one kernel"),
			samples.Seed(),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			_, err := newHotspot(p.Int("n"), p.Int("pyramid")).run(w, p.Int("kernels"), p.Seed())
			return err
		},
	}
}

// hotspotSide is the side of a CTA and of its window of cells.
const hotspotSide = 16

// hotspotAmbient is the suite's ambient temperature, in degrees.
const hotspotAmbient = float32(80)

// hotspot is the program: a CTA loads a window of 16×16 cells with a halo as wide
// as the steps it makes, and keeps the cells inside the halo.
type hotspot struct {
	n, steps                        int
	stepDivCap, rxInv, ryInv, rzInv float32
	code                            *hotspotCode
}

// newHotspot computes the chip's constants as the suite does.
func newHotspot(n, steps int) *hotspot {
	const (
		maxPower, precision, heat, conductivity, factor = 3.0e6, 0.001, 1.75e6, 100, 0.5
		thickness, side                                 = 0.0005, 0.016
	)
	cell := float32(side / float64(n))
	capacity := float32(factor * heat * thickness * float64(cell) * float64(cell))
	rx := cell / float32(2*conductivity*thickness*float64(cell))
	rz := float32(thickness) / (conductivity * cell * cell)
	slope := float32(maxPower / (factor * thickness * heat))
	step := float32(precision / float64(slope))
	return &hotspot{n: n, steps: steps, stepDivCap: step / capacity, rxInv: 1 / rx, ryInv: 1 / rx, rzInv: 1 / rz}
}

// useful is the side of the square of cells that a CTA keeps.
func (h *hotspot) useful() int { return hotspotSide - 2*h.steps }

func (h *hotspot) run(w samples.Writer, kernels int, seed uint64) ([]float32, error) {
	p := samples.NewProgram(w)
	p.Align = samples.Page
	cells := h.n * h.n
	flags := [2]trace.ArrayFlags{trace.ArrayInput, 0}
	flags[kernels%2] |= trace.ArrayOutput
	temp := vector{p.Array("temp0", cells, 4, flags[0]), hotspotTemperature(cells, seed)}
	next := vector{p.Array("temp1", cells, 4, flags[1]), make([]float32, cells)}
	power := vector{p.Array("power", cells, 4, trace.ArrayInput), hotspotPower(cells, seed)}
	h.code = newHotspotCode(p)

	p.FileRead(temp.Array, power.Array)
	p.CopyH2D(temp.Array, power.Array)
	for range kernels {
		h.launch(p, power, temp, next)
		temp, next = next, temp
	}
	p.CopyD2H(temp.Array)
	p.Sync()
	p.FileWrite(temp.Array)
	return temp.v, p.Err()
}

// hotspotTemperature and hotspotPower generate inputs in the ranges of the suite's.
func hotspotTemperature(cells int, seed uint64) []float32 {
	return scale(samples.Uniform(cells, seed, 0), 323, 20)
}

func hotspotPower(cells int, seed uint64) []float32 {
	return scale(samples.Uniform(cells, seed, 1), 0, 0.02)
}

func (h *hotspot) launch(p *samples.Program, power, src, dst vector) {
	side := ceil(h.n, h.useful())
	kernel := trace.Kernel{
		Function: h.code.Function, Fidelity: trace.FidelityWarp, Registers: 37,
		SharedBytes: 3 * hotspotSide * hotspotSide * 4,
		Grid:        trace.Dim3{side, side, 1}, Block: trace.Dim3{hotspotSide, hotspotSide, 1},
	}
	p.Launch(kernel, func(b *samples.Block) {
		t := hotspotCTA{hotspot: h, b: b, power: power, src: src, dst: dst}
		t.x0, t.y0 = b.X()*h.useful()-h.steps, b.Y()*h.useful()-h.steps
		cell := func(x, y, _ int) int { return t.cell(x, y) }
		b.Range(src.Array, trace.Read, cell)
		b.Range(power.Array, trace.Read, cell)
		b.Range(dst.Array, trace.Write, cell)
		t.run()
	})
}
