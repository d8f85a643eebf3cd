package samplestest

import (
	"math/bits"
	"testing"

	"gpureplay/trace"
)

// Check fails the test at the first breach of what every recorded trace keeps:
//
//   - kernels have a function, a grid and every CTA of it, in order;
//   - a warp's masks lie within its threads, and it ends with an exit of all of them;
//   - every memory step has an access, with one address for each active lane (or,
//     in constant space, with none);
//   - global addresses lie inside arrays, shared ones inside the CTA's shared memory;
//   - the exact accesses lie inside the stated ranges of a CTA that has some, in
//     their direction, and the ranges inside their arrays;
//   - child launches name later kernels with KernelChild, each once;
//   - host operations name arrays and kernels that exist, launches each kernel once.
func (r *Recording) Check(t testing.TB) {
	t.Helper()
	r.checkHost(t)
	children := map[uint32]int{}
	for id := range r.Kernels {
		k := &r.Kernels[id]
		if k.Block.Count() == 0 || uint64(len(r.CTAs[id])) != k.Grid.Count() {
			t.Fatalf("kernel %d: %d CTAs of grid %v, block %v", id, len(r.CTAs[id]), k.Grid, k.Block)
		}
		for i := range r.CTAs[id] {
			c := &r.CTAs[id][i]
			if int(c.ID) != i {
				t.Fatalf("kernel %d: CTA %d is at place %d", id, c.ID, i)
			}
			r.checkRanges(t, k, c)
			for w := range c.Warps {
				r.checkWarp(t, k, c, &c.Warps[w])
				for _, l := range c.Warps[w].Launches {
					children[l.Child]++
					if l.Child <= uint32(id) || int(l.Child) >= len(r.Kernels) || r.Kernels[l.Child].Flags&trace.KernelChild == 0 {
						t.Fatalf("kernel %d launches child %d", id, l.Child)
					}
				}
			}
		}
	}
	for id := range r.Kernels {
		if child := r.Kernels[id].Flags&trace.KernelChild != 0; child && children[uint32(id)] != 1 {
			t.Fatalf("child kernel %d is launched %d times", id, children[uint32(id)])
		}
	}
}

func (r *Recording) checkHost(t testing.TB) {
	t.Helper()
	started := map[uint32]bool{}
	for i, op := range r.Ops {
		switch op.Kind {
		case trace.OpLaunch, trace.OpSpawn:
			if int(op.Kernel) >= len(r.Kernels) || started[op.Kernel] || r.Kernels[op.Kernel].Flags&trace.KernelChild != 0 {
				t.Fatalf("host operation %d starts kernel %d", i, op.Kernel)
			}
			started[op.Kernel] = true
		case trace.OpFileRead, trace.OpFileWrite, trace.OpCopyH2D, trace.OpCopyD2H, trace.OpMemset:
			if op.Array == trace.NoArray {
				continue
			}
			if int(op.Array) >= len(r.Arrays) || op.Bytes > r.Arrays[op.Array].Bytes {
				t.Fatalf("host operation %d moves %d bytes of array %d", i, op.Bytes, op.Array)
			}
		}
	}
	for id := range r.Kernels {
		if r.Kernels[id].Flags&trace.KernelChild == 0 && !started[uint32(id)] {
			t.Fatalf("the host never starts kernel %d", id)
		}
	}
}

func (r *Recording) checkRanges(t testing.TB, k *trace.Kernel, c *trace.CTA) {
	t.Helper()
	seen := map[uint32]bool{}
	for _, g := range c.Ranges {
		if int(g.Array) >= len(r.Arrays) || g.Lo >= g.Hi || g.Hi > r.Arrays[g.Array].Bytes || g.Mode == 0 || seen[g.Array] {
			t.Fatalf("kernel %d, CTA %d: range %+v", k.ID, c.ID, g)
		}
		seen[g.Array] = true
	}
}

func (r *Recording) checkWarp(t testing.TB, k *trace.Kernel, c *trace.CTA, w *trace.Warp) {
	t.Helper()
	insts := r.Functions[k.Function].Insts
	threads := int(k.Block.Count()) - 32*int(w.ID)
	if threads <= 0 || len(w.Masks) == 0 || w.Masks[0].At != 0 {
		t.Fatalf("kernel %d, CTA %d, warp %d: %d threads, masks %v", k.ID, c.ID, w.ID, threads, w.Masks)
	}
	all := uint32(1<<min(threads, 32) - 1)
	live, mem, run, mask := all, 0, 0, uint32(0)
	for at, i := range w.Path {
		if run < len(w.Masks) && int(w.Masks[run].At) == at {
			mask = w.Masks[run].Mask
			run++
		}
		if mask&^live != 0 {
			t.Fatalf("kernel %d, CTA %d, warp %d, step %d: mask %08x of live %08x", k.ID, c.ID, w.ID, at, mask, live)
		}
		in := &insts[i]
		if in.Class == trace.ClassExit {
			live &^= mask
		}
		if in.Mem() {
			if mem == len(w.Mem) || !counts(in, &w.Mem[mem], mask) {
				t.Fatalf("kernel %d, CTA %d, warp %d, step %d: no address for each lane of %08x", k.ID, c.ID, w.ID, at, mask)
			}
			r.checkAccess(t, k, c, w, in, &w.Mem[mem])
			mem++
		}
	}
	if mem != len(w.Mem) || run != len(w.Masks) || live != 0 {
		t.Fatalf("kernel %d, CTA %d, warp %d: %d of %d accesses, %d of %d masks, lanes %08x never exit",
			k.ID, c.ID, w.ID, mem, len(w.Mem), run, len(w.Masks), live)
	}
}

// counts reports whether an access has as many addresses as its lanes need.
func counts(in *trace.Inst, a *trace.Access, mask uint32) bool {
	return in.Flags&trace.InstBulk != 0 || int(a.Count) == bits.OnesCount32(mask) || in.Space == trace.SpaceConstant && a.Count == 0
}

// Addresses calls f for each address of an access.
func Addresses(w *trace.Warp, a *trace.Access, f func(addr uint64)) {
	for i := range uint64(a.Count) {
		if a.List != 0 {
			f(w.Lists[uint64(a.List)-1+i])
		} else {
			f(a.Base + i*uint64(int64(a.Stride)))
		}
	}
}

func (r *Recording) checkAccess(t testing.TB, k *trace.Kernel, c *trace.CTA, w *trace.Warp, in *trace.Inst, a *trace.Access) {
	t.Helper()
	Addresses(w, a, func(addr uint64) {
		end := addr + uint64(in.Width)
		switch in.Space {
		case trace.SpaceShared:
			if end > uint64(k.SharedBytes) {
				t.Fatalf("kernel %d, CTA %d, warp %d: %s at %d of %d shared bytes", k.ID, c.ID, w.ID, in.Opcode, addr, k.SharedBytes)
			}
		case trace.SpaceGlobal, trace.SpaceTexture:
			array := r.Array(addr)
			if array < 0 || end > r.Arrays[array].Base+r.Arrays[array].Bytes {
				t.Fatalf("kernel %d, CTA %d, warp %d: %s at %#x is in no array", k.ID, c.ID, w.ID, in.Opcode, addr)
			}
			if len(c.Ranges) > 0 && !inRange(c.Ranges, uint32(array), addr-r.Arrays[array].Base, end-r.Arrays[array].Base, direction(in)) {
				t.Fatalf("kernel %d, CTA %d, warp %d: %s at byte %d of %s is outside the stated ranges %v",
					k.ID, c.ID, w.ID, in.Opcode, addr-r.Arrays[array].Base, r.Arrays[array].Name, c.Ranges)
			}
		}
	})
}

// Array returns the index of the array that holds an address, or -1.
func (r *Recording) Array(addr uint64) int {
	for i := range r.Arrays {
		if addr-r.Arrays[i].Base < r.Arrays[i].Bytes {
			return i
		}
	}
	return -1
}

func direction(in *trace.Inst) (m trace.Mode) {
	if in.Flags&trace.InstLoad != 0 {
		m |= trace.Read
	}
	if in.Flags&trace.InstStore != 0 {
		m |= trace.Write
	}
	return m
}

func inRange(ranges []trace.Range, array uint32, lo, hi uint64, mode trace.Mode) bool {
	for _, g := range ranges {
		if g.Array == array && g.Mode&mode == mode && g.Lo <= lo && hi <= g.Hi {
			return true
		}
	}
	return false
}

// Classes counts the executed warp instructions of a kernel by class.
func (r *Recording) Classes(kernel int) (n [trace.NumClasses]int) {
	insts := r.Functions[r.Kernels[kernel].Function].Insts
	for _, c := range r.CTAs[kernel] {
		for _, w := range c.Warps {
			for _, i := range w.Path {
				n[insts[i].Class]++
			}
		}
	}
	return n
}
