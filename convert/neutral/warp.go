package neutral

import (
	"fmt"
	"math"
	"math/bits"

	tables "gpureplay/replay/table/neutral"
	"gpureplay/trace"
)

// maxLanes is the largest number of addresses of one access, a bulk copy.
const maxLanes = 1 << 12

// warp reads a warp from the tables that stand at it.
func (c *converter) warp(k *trace.Kernel, at tables.Place) (w trace.Warp, err error) {
	w.ID = at.Warp
	if c.warps.at(at) {
		if err = c.warps.advance(); err != nil {
			return w, err
		}
		if c.warps.at(at) {
			return w, c.warps.Errorf("kernel %d, CTA %d, warp %d stands there twice", at.Kernel, at.CTA, at.Warp)
		}
	}
	full := fullMask(k.Block.Count(), at.Warp)
	if c.steps.at(at) {
		err = c.stepped(&w, k, at, full)
	} else {
		err = c.accessed(&w, k, at, full)
	}
	return w, err
}

// fullMask has a bit for each thread of a warp of a block.
func fullMask(threads uint64, warp uint32) uint32 {
	first := 32 * uint64(warp)
	if threads == 0 || threads >= first+32 {
		return math.MaxUint32
	}
	if threads <= first {
		return 0
	}
	return 1<<(threads-first) - 1
}

// stepped reads a warp whose instructions the table steps has.
func (c *converter) stepped(w *trace.Warp, k *trace.Kernel, at tables.Place, full uint32) error {
	for c.steps.at(at) {
		r := &c.steps.head
		n := uint32(len(w.Path))
		if r.Step != tables.None && r.Step != n {
			return c.steps.Errorf("step %d where %d is due: steps are in order and without gaps", r.Step, n)
		}
		code := c.code[k.Function]
		if int64(r.Instruction) >= int64(len(code)) {
			return c.steps.Errorf("instruction %d, but the function has %d", r.Instruction, len(code))
		}
		mask, err := maskOf(r.Mask, full)
		if err != nil {
			return c.steps.Errorf("%w", err)
		}
		if err := c.step(w, r.Instruction, mask); err != nil {
			return c.steps.Errorf("%w", err)
		}
		if in := &code[r.Instruction]; in.Mem() {
			a := trace.Access{}
			if s := c.accesses.head.Step; c.accesses.at(at) && (s == n || s == tables.None) {
				if a, err = c.access(w, in, mask); err != nil {
					return err
				}
				if err := c.accesses.advance(); err != nil {
					return err
				}
			}
			w.Mem = append(w.Mem, a)
		}
		if err := c.steps.advance(); err != nil {
			return err
		}
	}
	if c.accesses.at(at) {
		return c.accesses.Errorf("kernel %d, CTA %d, warp %d has no memory instruction left for it in the table steps",
			at.Kernel, at.CTA, at.Warp)
	}
	for c.launches.at(at) {
		if err := c.launch(w, c.launches.head.At); err != nil {
			return err
		}
	}
	return nil
}

// accessed reads a warp that has only accesses and launches. Its instructions come from these, in the order of
// their steps, accesses first.
func (c *converter) accessed(w *trace.Warp, k *trace.Kernel, at tables.Place, full uint32) error {
	for n := uint32(0); ; n++ {
		switch {
		case c.accesses.at(at) && (!c.launches.at(at) || min(c.accesses.head.Step, n) <= c.launches.head.At):
			if err := c.loneAccess(w, k, full); err != nil {
				return err
			}
		case c.launches.at(at):
			i, err := c.makeInst(madeKey{function: k.Function, class: trace.ClassLaunch})
			if err != nil {
				return err
			}
			if err := c.step(w, i, full); err != nil {
				return c.launches.Errorf("%w", err)
			}
			for step := c.launches.head.At; c.launches.at(at) && c.launches.head.At == step; {
				if err := c.launch(w, uint32(len(w.Path)-1)); err != nil {
					return err
				}
			}
		default:
			return nil
		}
	}
}

// loneAccess makes a step of an access.
func (c *converter) loneAccess(w *trace.Warp, k *trace.Kernel, full uint32) error {
	r := &c.accesses.head
	i := r.Instruction
	if i == tables.None {
		if r.Width == 0 {
			return c.accesses.Errorf("column width_bytes: an access has at least one byte")
		}
		var err error
		if i, err = c.makeInst(madeKey{function: k.Function, operation: r.Operation, space: r.Space,
			width: r.Width}); err != nil {
			return err
		}
	}
	code := c.code[k.Function]
	if int64(i) >= int64(len(code)) || !code[i].Mem() {
		return c.accesses.Errorf("instruction %d is none of the function that accesses memory", i)
	}
	mask, err := maskOf(r.Mask, c.laneMask(r, full))
	if err != nil {
		return c.accesses.Errorf("%w", err)
	}
	if err := c.step(w, i, mask); err != nil {
		return c.accesses.Errorf("%w", err)
	}
	a, err := c.access(w, &code[i], mask)
	if err != nil {
		return err
	}
	w.Mem = append(w.Mem, a)
	return c.accesses.advance()
}

// laneMask is the mask of an access that states none: its first lanes.
func (c *converter) laneMask(r *tables.AccessRow, full uint32) uint32 {
	n := uint64(len(r.Addresses))
	if n == 0 {
		n = uint64(r.Lanes)
	}
	if n == uint64(tables.None) {
		return full
	}
	return uint32(1<<min(n, 32) - 1)
}

// step appends an instruction with its mask.
func (c *converter) step(w *trace.Warp, inst, mask uint32) error {
	if c.steppedCTA++; c.steppedCTA > maxSteps {
		return fmt.Errorf("more than %d warp instructions of one CTA", maxSteps)
	}
	w.Step(inst, mask)
	return nil
}

func maskOf(stated int64, otherwise uint32) (uint32, error) {
	switch {
	case stated == -1:
		return otherwise, nil
	case stated < 0 || stated > math.MaxUint32:
		return 0, fmt.Errorf("column mask: %d is no mask of 32 lanes", stated)
	}
	return uint32(stated), nil
}

// access returns the access at which the table stands.
func (c *converter) access(w *trace.Warp, in *trace.Inst, mask uint32) (a trace.Access, err error) {
	r := &c.accesses.head
	count := uint64(r.Lanes)
	switch n := uint64(len(r.Addresses)); {
	case n > 0 && r.Lanes != tables.None && n != count:
		return a, c.accesses.Errorf("%d addresses for %d lanes", n, count)
	case n > 0:
		count = n
	case r.Lanes == tables.None:
		count = uint64(bits.OnesCount32(mask))
	}
	switch {
	case count > maxLanes:
		return a, c.accesses.Errorf("%d addresses, more than %d", count, maxLanes)
	case in.Flags&trace.InstBulk == 0 && count > 0 && count != uint64(bits.OnesCount32(mask)):
		return a, c.accesses.Errorf("%d addresses for %d active lanes: there is one for each, or none", count,
			bits.OnesCount32(mask))
	case count == 0:
		return a, nil
	case len(r.Addresses) > 0:
		a = trace.Access{List: uint32(len(w.Lists)) + 1, Count: uint32(count)}
		for _, v := range r.Addresses {
			w.Lists = append(w.Lists, uint64(v))
		}
		return a, nil
	}
	a = trace.Access{Base: r.Address, Stride: r.Stride, Count: uint32(count)}
	if r.Stride == tables.WidthStride {
		a.Stride = int32(min(in.Width, math.MaxInt32))
	}
	return a, nil
}

// launch takes the request at which the table stands, as one of a step.
func (c *converter) launch(w *trace.Warp, step uint32) error {
	l := c.launches.head.Launch
	l.At = step
	if len(w.Launches) == maxSteps {
		return c.launches.Errorf("more than %d launches of one warp", maxSteps)
	}
	w.Launches = append(w.Launches, l)
	c.children[l.Child] = struct{}{}
	return c.launches.advance()
}
