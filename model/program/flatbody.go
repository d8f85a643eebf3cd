package program

import (
	"math/bits"
	"slices"

	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// flatEnd is the rest of an instruction of the body, after the last thread of each lane.
type flatEnd struct {
	inst  uint32
	mask  uint32
	known uint32                    // lanes that have an address
	addrs [hardware.WarpSize]uint64 // the last of each lane
}

// keep notes the active lanes, and where they access memory their addresses.
func (in *inliner) keep(o *Op, inst uint32, lanes []*inlineLane) {
	at := slices.IndexFunc(in.flatEnds, func(e flatEnd) bool { return e.inst >= inst })
	if at < 0 {
		at = len(in.flatEnds)
	}
	if at == len(in.flatEnds) || in.flatEnds[at].inst != inst {
		in.flatEnds = slices.Insert(in.flatEnds, at, flatEnd{inst: inst})
	}
	e := &in.flatEnds[at]
	for _, l := range lanes {
		if l.mask>>l.bit&1 == 0 {
			continue
		}
		e.mask |= 1 << l.lane
		if o.Mem {
			if addr, ok := l.address(); ok {
				e.addrs[l.lane], e.known = addr, e.known|1<<l.lane
			}
		}
	}
}

// finish appends the instructions that run once, in the order of the code.
func (in *inliner) finish(f *Frame) {
	for i := range in.flatEnds {
		e := &in.flatEnds[i]
		for _, j := range f.Code.Ops[e.inst].last {
			f.append(j, e.mask)
			if !f.Code.Ops[j].Mem {
				continue
			}
			from := len(f.Lists)
			for m := e.known; m != 0; m &= m - 1 {
				f.Lists = append(f.Lists, e.addrs[bits.TrailingZeros32(m)])
			}
			f.Mem = append(f.Mem, trace.Access{List: uint32(from) + 1, Count: uint32(len(f.Lists) - from)})
		}
	}
	in.flatEnds = in.flatEnds[:0]
}
