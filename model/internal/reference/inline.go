package reference

import (
	"math/bits"
	"slices"

	"gpureplay/trace"
)

// nLane is a lane that does the work of a refused request.
type nLane struct {
	lane  uint8
	work  uint32
	child *nKernel
}

// inline lets w run the bodies of refused requests before it goes on: lane l runs
// thread t of its child as iteration t, one function after another.
func (w *nWarp) inline(n *Machine, refused []*nRequest) {
	var order []uint32
	lanes := map[uint32][]nLane{}
	for _, r := range refused {
		if fn := r.child.tk.Function; r.l.Workload > 0 {
			if lanes[fn] == nil {
				order = append(order, fn)
			}
			lanes[fn] = append(lanes[fn], nLane{r.l.Lane, r.l.Workload, r.child})
		}
	}
	for _, fn := range slices.Backward(order) {
		w.callers = append(w.callers, w.nFrame)
		w.nFrame = frameOf(fn, n.bodies(fn, lanes[fn]))
	}
}

// bodies writes the program of some lanes, iteration by iteration.
func (n *Machine) bodies(fn uint32, lanes []nLane) *trace.Warp {
	p := &trace.Warp{}
	most := uint32(0)
	for _, l := range lanes {
		most = max(most, l.work)
	}
	ends := map[uint32]*nFlatEnd{}
	for i := range most {
		var threads []nThread
		for _, l := range lanes {
			if w := l.child.warpOf(i); w != nil && i < l.work {
				threads = append(threads, nThread{l.lane, i % uint32(l.child.tk.Block.Count()) % 32, w})
			}
		}
		for len(threads) > 0 { // threads of one path together
			path := threads[0].w.Path
			same := func(x nThread) bool { return slices.Equal(x.w.Path, path) }
			n.onePath(p, fn, ends, slices.DeleteFunc(slices.Clone(threads), func(x nThread) bool { return !same(x) }))
			threads = slices.DeleteFunc(threads, same)
		}
	}
	for i := range n.prog.Functions[fn].Insts { // work that is done once
		e := ends[uint32(i)]
		if e == nil {
			continue
		}
		n.prog.Functions[fn].Flat(n.prog.Functions[fn].Insts[i].FlatLast, func(j uint32) {
			var addrs []uint64
			for lane := range uint8(32) {
				if a, ok := e.addrs[lane]; ok {
					addrs = append(addrs, a)
				}
			}
			n.append(p, fn, j, e.mask, addrs)
		})
	}
	return p
}

// nThread is a thread of a child that a lane performs: bit `bit` of a warp.
type nThread struct {
	lane uint8
	bit  uint32
	w    *trace.Warp
}

// warpOf finds the warp of a thread; nil: there is none, or it does nothing.
func (k *nKernel) warpOf(thread uint32) *trace.Warp {
	block := uint32(k.tk.Block.Count())
	for i := range k.items {
		if tc := k.items[i].tc; k.items[i].group == nil && tc.ID == thread/block {
			for j := range tc.Warps {
				if tc.Warps[j].ID == thread%block/32 {
					return &tc.Warps[j]
				}
			}
		}
	}
	return nil
}

// maskAt is the mask of a warp's step.
func maskAt(w *trace.Warp, step int) uint32 {
	mask := ^uint32(0)
	for _, m := range w.Masks {
		if int(m.At) <= step {
			mask = m.Mask
		}
	}
	return mask
}

// nFlatEnd is the work of lanes after their last threads.
type nFlatEnd struct {
	mask  uint32
	addrs map[uint8]uint64
}

// append adds a step to a program.
func (n *Machine) append(p *trace.Warp, fn, inst, mask uint32, addrs []uint64) {
	p.Masks = append(p.Masks, trace.MaskRun{At: uint32(len(p.Path)), Mask: mask})
	p.Path = append(p.Path, inst)
	if in := &n.prog.Functions[fn].Insts[inst]; in.Class == trace.ClassMemory && in.Width > 0 {
		p.Mem = append(p.Mem, trace.Access{List: uint32(len(p.Lists)) + 1, Count: uint32(len(addrs))})
		p.Lists = append(p.Lists, addrs...)
	}
}

// onePath appends the steps of one path with the lanes whose threads are active.
func (n *Machine) onePath(p *trace.Warp, fn uint32, ends map[uint32]*nFlatEnd, threads []nThread) {
	access := 0
	for step, i := range threads[0].w.Path {
		in := &n.prog.Functions[fn].Insts[i]
		accesses := in.Class == trace.ClassMemory && in.Width > 0
		mask := uint32(0)
		var addrs []uint64
		for _, x := range threads {
			active := maskAt(x.w, step)
			if active>>x.bit&1 == 0 {
				continue
			}
			mask |= 1 << x.lane
			if in.FlatLast > 0 && ends[i] == nil {
				ends[i] = &nFlatEnd{addrs: map[uint8]uint64{}}
			}
			if in.FlatLast > 0 {
				ends[i].mask |= 1 << x.lane
			}
			if accesses {
				all := addresses(x.w, &x.w.Mem[access])
				if rank := bits.OnesCount32(active & (1<<x.bit - 1)); rank < len(all) {
					addrs = append(addrs, all[rank])
					if in.FlatLast > 0 {
						ends[i].addrs[x.lane] = all[rank]
					}
				}
			}
		}
		if accesses {
			access++
		}
		if mask != 0 && in.FlatEach > 0 {
			n.prog.Functions[fn].Flat(in.FlatEach, func(j uint32) { n.append(p, fn, j, mask, addrs) })
			continue
		}
		if mask == 0 || in.Class == trace.ClassExit || in.Class == trace.ClassBarrier || in.Class == trace.ClassDeviceSync {
			continue
		}
		at := uint32(len(p.Path))
		n.append(p, fn, i, mask, addrs)
		for _, x := range threads {
			for _, l := range x.w.Launches {
				if int(l.At) == step && uint32(l.Lane) == x.bit {
					l.At, l.Lane = at, x.lane
					p.Launches = append(p.Launches, l)
				}
			}
		}
	}
}
