package pipelines

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

// hotspotCode is the kernel. Per thread: four divisions for the chip's constants (a reciprocal and four fused
// multiply-adds each, CUDA's division without its slow path). Twelve operations for the indices, three for the
// range check. Under it two addresses, two loads, two stores to shared memory. A barrier and twelve for the valid
// range and the four clamped neighbours. Per step: eight comparisons and a branch. In the cells that compute, six
// loads from shared memory, three additions and a product in single precision. The source's constant 2.0 is a
// double; it adds six conversions, six operations in double precision and one conversion back, a store to shared
// memory. A barrier and a branch, and unless it is the last step a load, a store, a second barrier and a branch. At
// the end an address, a load from shared memory, a store.
type hotspotCode struct {
	*samples.Code
	constants, index, inRange     []samples.Op
	address                       []samples.Op
	loadTemp, keepTemp            samples.Op
	loadPower, keepPower          samples.Op
	barrier                       samples.Op
	valid, check                  []samples.Op
	load                          [hotspotLoads]samples.Op
	compute                       []samples.Op
	keepNew, last, loadNew, shift samples.Op
	loop                          samples.Op
	outAddress, loadOut, store    samples.Op
	exit                          samples.Op
}

// The loads of a step: the cell's power, itself and its four neighbours.
const (
	loadPower = iota
	loadCell
	loadSouth
	loadNorth
	loadEast
	loadWest
	hotspotLoads
)

func newHotspotCode(p *samples.Program) *hotspotCode {
	c := &hotspotCode{Code: p.Code("calculate_temp")}
	chip := c.Regs(4) // step/Cap, 1/Rx, 1/Ry, 1/Rz
	for _, q := range chip {
		c.constants = append(c.constants, c.Op("MUFU.RCP", q))
		for range 4 {
			c.constants = append(c.constants, c.Op("FFMA", q, q))
		}
	}
	ctaX, x, col, ctaY, y, row := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	cell, vertical, horizontal, near := c.Reg(), c.Reg(), c.Reg(), c.Reg()
	in, ok, none := c.Pred(), c.Pred(), samples.NoReg
	c.index = []samples.Op{
		c.Op("S2R", ctaX), c.Op("S2R", x), c.Op("S2R", ctaY), c.Op("S2R", y),
		c.Op("IMAD", vertical, ctaY), c.Op("IADD3", row, vertical, y), c.Op("IADD3", vertical, vertical),
		c.Op("IMAD", horizontal, ctaX), c.Op("IADD3", col, horizontal, x), c.Op("IADD3", horizontal, horizontal),
		c.Op("IMAD", cell, row, col), c.Op("LEA", near, y, x),
	}
	c.inRange = []samples.Op{c.Op("ISETP.GE.AND", in, row), c.Op("ISETP.LT.AND", in, col, in), c.Op("BRA", none, in)}
	ptrT, ptrP, t, q := c.Reg(), c.Reg(), c.Reg(), c.Reg()
	c.address = []samples.Op{c.Op("IMAD.WIDE", ptrT, cell), c.Op("IMAD.WIDE", ptrP, cell)}
	c.loadTemp, c.loadPower = c.Load("LDG.E", 4, t, ptrT), c.Load("LDG.E", 4, q, ptrP)
	c.keepTemp, c.keepPower = c.Store("STS", 4, near, t), c.Store("STS", 4, near, q)
	c.barrier = c.Barrier(0)
	for _, e := range [...]trace.Reg{vertical, vertical, horizontal, horizontal} { // a neighbour each
		c.valid = append(c.valid, c.Op("IADD3", e, e, near), c.Op("ISETP.LT.AND", ok, e), c.Op("SEL", e, e, ok))
	}
	for _, e := range [...]trace.Reg{x, y, col, row} {
		c.check = append(c.check, c.Op("ISETP.GE.AND", ok, e, ok), c.Op("ISETP.LE.AND", ok, e, ok))
	}
	c.check = append(c.check, c.Op("BRA", none, ok))
	c.arithmetic(near, vertical, horizontal, chip)
	c.last = c.Op("BRA", none)
	v, out := c.Reg(), c.Reg()
	c.loadNew, c.shift = c.Load("LDS", 4, v, near), c.Store("STS", 4, near, v)
	c.loop = c.Op("BRA", none)
	c.outAddress = c.Op("IMAD.WIDE", out, cell)
	c.loadOut, c.store = c.Load("LDS", 4, v, near), c.Store("STG.E", 4, out, v)
	c.exit = c.Exit()
	return c
}

// arithmetic adds the code of one cell's step.
func (c *hotspotCode) arithmetic(near, vertical, horizontal trace.Reg, chip []trace.Reg) {
	v := c.Regs(hotspotLoads)
	from := [hotspotLoads]trace.Reg{near, near, vertical, vertical, horizontal, horizontal}
	for i := range c.load {
		c.load[i] = c.Load("LDS", 4, v[i], from[i])
	}
	ns, ew, amb, d, sum, cell, out := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	c.compute = []samples.Op{
		c.Op("FADD", ns, v[loadSouth], v[loadNorth]),
		c.Op("FADD", ew, v[loadEast], v[loadWest]),
		c.Op("FADD", amb, v[loadCell]), c.Op("FMUL", amb, amb, chip[3]),
		c.Op("F2F.F64.F32", cell, v[loadCell]), c.Op("F2F.F64.F32", ns, ns), c.Op("F2F.F64.F32", sum, v[loadPower]),
		c.Op("DFMA", d, cell, ns), c.Op("DFMA", sum, d, chip[2], sum),
		c.Op("F2F.F64.F32", ew, ew), c.Op("DFMA", d, cell, ew), c.Op("DFMA", sum, d, chip[1], sum),
		c.Op("F2F.F64.F32", amb, amb), c.Op("DADD", sum, sum, amb),
		c.Op("F2F.F64.F32", d, chip[0]), c.Op("DFMA", out, sum, d, cell),
		c.Op("F2F.F32.F64", out, out),
	}
	c.keepNew = c.Store("STS", 4, near, out)
}
