package samples

import (
	"fmt"
	"math/bits"

	"gpureplay/trace"
)

// Warp records one warp's execution: steps under the current mask, which starts as all threads of the warp.
type Warp struct {
	ID int // in the CTA

	block *Block
	live  uint32 // threads that have not exited
	mask  uint32 // active now
	out   trace.Warp
}

func (w *Warp) start() {
	w.live = w.block.lanes(w.ID)
	w.mask = w.live
	o := &w.out
	w.out = trace.Warp{ID: uint32(w.ID), Path: o.Path[:0], Masks: o.Masks[:0], Mem: o.Mem[:0], Lists: o.Lists[:0],
		Launches: o.Launches[:0]}
}

// Mask returns the active lanes.
func (w *Warp) Mask() uint32 { return w.mask }

// Has reports whether a lane is active.
func (w *Warp) Has(lane int) bool { return w.mask>>lane&1 != 0 }

// Thread returns the thread index of a lane.
func (w *Warp) Thread(lane int) (x, y, z int) {
	t := w.block.threads[w.ID*WarpSize+lane]
	return int(t[0]), int(t[1]), int(t[2])
}

// Lanes calls f for each active lane in ascending order.
func (w *Warp) Lanes(f func(lane int)) {
	for m := w.mask; m != 0; m &= m - 1 {
		f(bits.TrailingZeros32(m))
	}
}

// Where returns the active lanes for which f holds.
func (w *Warp) Where(f func(lane int) bool) uint32 {
	var mask uint32
	for m := w.mask; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros32(m); f(lane) {
			mask |= 1 << lane
		}
	}
	return mask
}

// Under runs body with only the lanes of mask active, as a branch does: not at
// all if none of them is.
func (w *Warp) Under(mask uint32, body func()) {
	if w.mask&mask != 0 {
		w.Predicated(mask, body)
	}
}

// Predicated runs body with only the lanes of mask active, as guarded
// instructions do: its steps issue even if no lane is.
func (w *Warp) Predicated(mask uint32, body func()) {
	saved := w.mask
	w.mask &= mask
	body()
	w.mask = saved & w.live
}

// Do records steps that access no memory.
func (w *Warp) Do(ops ...Op) {
	for _, op := range ops {
		if op.width != 0 || op.class == trace.ClassLaunch || op.class == trace.ClassExit {
			panic("samples: Do of an instruction that needs addresses, requests or Exit")
		}
		w.step(op)
	}
}

// Exit ends the active threads.
func (w *Warp) Exit(op Op) {
	if op.class != trace.ClassExit {
		panic("samples: Exit of another instruction")
	}
	w.step(op)
	w.live &^= w.mask
	w.mask = 0
}

func (w *Warp) step(op Op) {
	if w.live == 0 {
		panic(fmt.Sprintf("samples: warp %d goes on after its end", w.ID))
	}
	w.out.Step(op.inst, w.mask)
}

// Mem records a memory step; addr gives the address of each active lane.
func (w *Warp) Mem(op Op, addr func(lane int) uint64) {
	var addrs [WarpSize]uint64
	n := 0
	for m := w.mask; m != 0; m &= m - 1 {
		addrs[n] = addr(bits.TrailingZeros32(m))
		n++
	}
	w.access(op, addrs[:n])
}

// Affine records a memory step in which lane l accesses base + l·stride.
func (w *Warp) Affine(op Op, base uint64, stride int32) {
	if w.mask == 0 {
		w.access(op, nil)
		return
	}
	first := firstLane(w.mask)
	n := bits.OnesCount32(w.mask)
	if bits.Len32(w.mask)-first != n && stride != 0 {
		w.Mem(op, func(lane int) uint64 { return base + uint64(int64(lane)*int64(stride)) })
		return
	}
	w.memory(op, trace.Access{Base: base + uint64(int64(first)*int64(stride)), Stride: stride, Count: uint32(n)})
}

// Same records a memory step in which all active lanes access one address.
func (w *Warp) Same(op Op, addr uint64) { w.Affine(op, addr, 0) }

// access records the addresses of the active lanes, as base and stride if they
// are, and as a list otherwise.
func (w *Warp) access(op Op, addrs []uint64) {
	a := trace.Access{Count: uint32(len(addrs))}
	if len(addrs) > 0 {
		a.Base = addrs[0]
	}
	if len(addrs) > 1 {
		stride := int64(addrs[1] - addrs[0])
		affine := stride == int64(int32(stride))
		for i := 1; i < len(addrs) && affine; i++ {
			affine = int64(addrs[i]-addrs[i-1]) == stride
		}
		if affine {
			a.Stride = int32(stride)
		} else {
			a.Base = 0
			a.List = uint32(len(w.out.Lists)) + 1
			w.out.Lists = append(w.out.Lists, addrs...)
		}
	}
	w.memory(op, a)
}

func (w *Warp) memory(op Op, a trace.Access) {
	if op.width == 0 {
		panic("samples: addresses for an instruction that accesses no memory")
	}
	w.step(op)
	w.out.Mem = append(w.out.Mem, a)
}

// Launch records a device-side launch step with the requests of its lanes, in
// ascending order of Lane; At is filled in.
func (w *Warp) Launch(op Op, requests ...trace.Launch) {
	if op.class != trace.ClassLaunch {
		panic("samples: Launch of another instruction")
	}
	for i, r := range requests {
		if !w.Has(int(r.Lane)) || i > 0 && requests[i-1].Lane >= r.Lane {
			panic("samples: launch requests of inactive lanes, or out of order")
		}
		r.At = uint32(len(w.out.Path))
		w.out.Launches = append(w.out.Launches, r)
	}
	w.step(op)
}

// ExitIf records an exit guarded by a predicate that holds in the lanes of mask,
// and reports whether the warp has ended.
func (w *Warp) ExitIf(op Op, mask uint32) bool {
	w.Predicated(mask, func() { w.Exit(op) })
	return w.live == 0
}
