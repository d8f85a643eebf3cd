package children

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

// ceil divides and rounds up.
func ceil(n, by int) uint32 { return uint32((n + by - 1) / by) }

// grid is the shape of a parent kernel: fixed, whatever the number of items.
type grid struct{ ctas, threads int }

func (g grid) kernel(c *samples.Code, registers uint32) trace.Kernel {
	return trace.Kernel{
		Function: c.Function, Fidelity: trace.FidelityWarp, Registers: registers, Flags: trace.KernelIrregular,
		Grid: trace.Dim3{uint32(g.ctas), 1, 1}, Block: trace.Dim3{uint32(g.threads), 1, 1},
	}
}

// loopCode is the frame of a kernel whose threads stride over n items by the
// size of the grid. Per thread: three operations for its index (CTA, thread,
// product); per iteration a comparison, a branch and the addition of the stride;
// an exit.
type loopCode struct {
	*samples.Code
	item        trace.Reg
	index, test []samples.Op
	step        samples.Op
	exit        samples.Op
}

func newLoop(p *samples.Program, name string) *loopCode {
	c := &loopCode{Code: p.Code(name)}
	cta, tid, more := c.Reg(), c.Reg(), c.Pred()
	c.item = c.Reg()
	c.index = []samples.Op{c.Op("S2R", cta), c.Op("S2R", tid), c.Op("IMAD", c.item, cta, tid)}
	c.test = []samples.Op{c.Op("ISETP.GE", more, c.item), c.Op("BRA", samples.NoReg, more)}
	return c
}

// end adds the code after the loop's body; it must be the last of the code.
func (c *loopCode) end() {
	c.step = c.Op("IADD3", c.item, c.item)
	c.exit = c.Exit()
}

// run records the CTA: body runs for the warps' items, base is lane 0's item.
func (c *loopCode) run(b *samples.Block, n int, body func(w *samples.Warp, base int)) {
	c.runThen(b, n, body, func(*samples.Warp) {})
}

// runThen is run with an epilogue of each warp after its loop.
func (c *loopCode) runThen(b *samples.Block, n int, body func(w *samples.Warp, base int), then func(w *samples.Warp)) {
	threads := int(b.Dim[0])
	stride := threads * int(b.Grid[0])
	for i := range b.Warps() {
		w := &b.Warps()[i]
		w.Do(c.index...)
		in := w.Mask()
		for base := b.X()*threads + i*samples.WarpSize; in != 0; base += stride {
			w.Under(in, func() {
				w.Do(c.test...)
				in = w.Where(func(lane int) bool { return base+lane < n })
			})
			w.Under(in, func() {
				body(w, base)
				w.Do(c.step)
			})
		}
		then(w)
		w.Exit(c.exit)
	}
}

// childCode is the frame of a child kernel with one thread for each item. Per
// thread: three operations for its index, a comparison with the number of items,
// and an exit guarded by it; an exit.
type childCode struct {
	*samples.Code
	item  trace.Reg
	index []samples.Op
	leave samples.Op
	exit  samples.Op
}

func newChild(p *samples.Program, name string) *childCode {
	c := &childCode{Code: p.Code(name)}
	cta, tid, beyond := c.Reg(), c.Reg(), c.Pred()
	c.item = c.Reg()
	c.index = []samples.Op{c.Op("S2R", cta), c.Op("S2R", tid), c.Op("IMAD", c.item, cta, tid),
		c.Op("ISETP.GE", beyond, c.item)}
	c.leave = c.Op("EXIT", samples.NoReg, beyond)
	return c
}

// end must be the last of the code of the child; behind it are instructions that its
// flat form alone has. That is a loop: the step to the next item, a comparison and a
// branch stand for the index and the bound check.
func (c *childCode) end() {
	c.exit = c.Exit()
	more := c.Pred()
	step, test, branch := c.Op("IADD3", c.item, c.item), c.Op("ISETP.LT", more, c.item), c.Op("BRA", samples.NoReg, more)
	c.Flat(c.index[0])
	c.Flat(c.index[1])
	c.Flat(c.index[2], step)
	c.Flat(c.index[3], test, branch)
}

// inRegister makes an atomic of the child an operation on a register in the flat form. Its result is stored once,
// after a lane's last item: all children of one thread then write one register.
func (c *childCode) inRegister(atomic samples.Op, opcode, store string, width uint32, operands ...trace.Reg) {
	own := c.Reg()
	c.Flat(atomic, c.Op(opcode, own, append([]trace.Reg{own}, operands...)...))
	c.FlatLast(atomic, c.Store(store, width, own))
}

// run records the CTA of a child of n items: body runs for each warp that has
// some, base the item of lane 0.
func (c *childCode) run(b *samples.Block, n int, body func(w *samples.Warp, base int)) {
	for i := range b.Warps() {
		w := &b.Warps()[i]
		base := b.X()*int(b.Dim[0]) + i*samples.WarpSize
		w.Do(c.index...)
		if !w.ExitIf(c.leave, w.Where(func(lane int) bool { return base+lane >= n })) {
			body(w, base)
			w.Exit(c.exit)
		}
	}
}
