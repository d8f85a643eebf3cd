package samplestest

import (
	"fmt"
	"math/bits"
	"testing"

	"gpureplay/trace"
)

// Check fails the test if the recording has a [Recording.Problem].
func (r *Recording) Check(t testing.TB) {
	t.Helper()
	if err := r.Problem(); err != nil {
		t.Fatal(err)
	}
}

// Problem returns the first breach of these rules:
//
//   - kernels have a function, a grid and every CTA of it, in order;
//   - a warp's masks lie within its threads, and it ends with an exit of all of them;
//   - every memory step has an access, with one address for each active lane (or, in constant space, with none);
//   - global addresses lie inside arrays, shared ones inside the CTA's shared memory;
//   - the exact accesses lie inside the stated ranges of a CTA that has some, in their direction, and the ranges
//     inside their arrays;
//   - child launches name later kernels with KernelChild, each once;
//   - host operations name arrays and kernels that exist, launches each kernel once.
func (r *Recording) Problem() error {
	if err := r.hostProblem(); err != nil {
		return err
	}
	children := map[uint32]int{}
	for id := range r.Kernels {
		k := &r.Kernels[id]
		if k.Block.Count() == 0 || uint64(len(r.CTAs[id])) != k.Grid.Count() {
			return fmt.Errorf("kernel %d: %d CTAs of grid %v, block %v", id, len(r.CTAs[id]), k.Grid, k.Block)
		}
		for i := range r.CTAs[id] {
			c := &r.CTAs[id][i]
			if int(c.ID) != i {
				return fmt.Errorf("kernel %d: CTA %d is at place %d", id, c.ID, i)
			}
			if err := r.rangeProblem(c); err != nil {
				return fmt.Errorf("kernel %d, CTA %d: %w", id, i, err)
			}
			for w := range c.Warps {
				if err := r.warpProblem(k, c, &c.Warps[w]); err != nil {
					return fmt.Errorf("kernel %d, CTA %d, warp %d: %w", id, i, c.Warps[w].ID, err)
				}
				for _, l := range c.Warps[w].Launches {
					children[l.Child]++
					if l.Child <= uint32(id) || int(l.Child) >= len(r.Kernels) || r.Kernels[l.Child].Flags&trace.KernelChild == 0 {
						return fmt.Errorf("kernel %d launches child %d", id, l.Child)
					}
				}
			}
		}
	}
	for id := range r.Kernels {
		if child := r.Kernels[id].Flags&trace.KernelChild != 0; child && children[uint32(id)] != 1 {
			return fmt.Errorf("child kernel %d is launched %d times", id, children[uint32(id)])
		}
	}
	return nil
}

func (r *Recording) hostProblem() error {
	started := map[uint32]bool{}
	for i, op := range r.Ops {
		switch op.Kind {
		case trace.OpLaunch, trace.OpSpawn:
			if int(op.Kernel) >= len(r.Kernels) || started[op.Kernel] || r.Kernels[op.Kernel].Flags&trace.KernelChild != 0 {
				return fmt.Errorf("host operation %d starts kernel %d", i, op.Kernel)
			}
			started[op.Kernel] = true
		case trace.OpFileRead, trace.OpFileWrite, trace.OpCopyH2D, trace.OpCopyD2H, trace.OpMemset:
			if op.Array == trace.NoArray {
				continue
			}
			if int(op.Array) >= len(r.Arrays) || op.Bytes > r.Arrays[op.Array].Bytes {
				return fmt.Errorf("host operation %d moves %d bytes of array %d", i, op.Bytes, op.Array)
			}
		}
	}
	for id := range r.Kernels {
		if r.Kernels[id].Flags&trace.KernelChild == 0 && !started[uint32(id)] {
			return fmt.Errorf("the host never starts kernel %d", id)
		}
	}
	return nil
}

func (r *Recording) rangeProblem(c *trace.CTA) error {
	seen := map[uint32]bool{}
	for _, g := range c.Ranges {
		if int(g.Array) >= len(r.Arrays) || g.Lo >= g.Hi || g.Hi > r.Arrays[g.Array].Bytes || g.Mode == 0 || seen[g.Array] {
			return fmt.Errorf("range %+v", g)
		}
		seen[g.Array] = true
	}
	return nil
}

func (r *Recording) warpProblem(k *trace.Kernel, c *trace.CTA, w *trace.Warp) error {
	insts := r.Functions[k.Function].Insts
	threads := int(k.Block.Count()) - 32*int(w.ID)
	if threads <= 0 || len(w.Masks) == 0 || w.Masks[0].At != 0 {
		return fmt.Errorf("%d threads, masks %v", threads, w.Masks)
	}
	all := uint32(1<<min(threads, 32) - 1)
	live, mem, run, mask := all, 0, 0, uint32(0)
	for at, i := range w.Path {
		if run < len(w.Masks) && int(w.Masks[run].At) == at {
			mask = w.Masks[run].Mask
			run++
		}
		if mask&^live != 0 {
			return fmt.Errorf("step %d: mask %08x of live %08x", at, mask, live)
		}
		in := &insts[i]
		if in.Class == trace.ClassExit {
			live &^= mask
		}
		if in.Mem() {
			if mem == len(w.Mem) || !counts(in, &w.Mem[mem], mask) {
				return fmt.Errorf("step %d: no address for each lane of %08x", at, mask)
			}
			if err := r.accessProblem(k, c, w, in, &w.Mem[mem]); err != nil {
				return fmt.Errorf("step %d: %s %w", at, in.Opcode, err)
			}
			mem++
		}
	}
	if mem != len(w.Mem) || run != len(w.Masks) || live != 0 {
		return fmt.Errorf("%d of %d accesses, %d of %d masks, lanes %08x never exit", mem, len(w.Mem), run, len(w.Masks),
			live)
	}
	return nil
}

// counts reports whether an access has as many addresses as its lanes need.
func counts(in *trace.Inst, a *trace.Access, mask uint32) bool {
	return in.Flags&trace.InstBulk != 0 || int(a.Count) == bits.OnesCount32(mask) || in.Space == trace.SpaceConstant &&
		a.Count == 0
}

func (r *Recording) accessProblem(k *trace.Kernel, c *trace.CTA, w *trace.Warp, in *trace.Inst,
	a *trace.Access) error {
	for addr := range a.Addresses(w.Lists) {
		if err := r.addressProblem(k, c, in, addr); err != nil {
			return err
		}
	}
	return nil
}

func (r *Recording) addressProblem(k *trace.Kernel, c *trace.CTA, in *trace.Inst, addr uint64) error {
	end := addr + uint64(in.Width)
	switch in.Space {
	case trace.SpaceShared:
		if end > uint64(k.SharedBytes) {
			return fmt.Errorf("at %d of %d shared bytes", addr, k.SharedBytes)
		}
	case trace.SpaceGlobal, trace.SpaceTexture:
		i := r.Array(addr)
		if i < 0 || end > r.Arrays[i].Base+r.Arrays[i].Bytes {
			return fmt.Errorf("at %#x is in no array", addr)
		}
		base := r.Arrays[i].Base
		if len(c.Ranges) > 0 && !inRange(c.Ranges, uint32(i), addr-base, end-base, direction(in)) {
			return fmt.Errorf("at byte %d of %s is outside the stated ranges %v", addr-base, r.Arrays[i].Name, c.Ranges)
		}
	}
	return nil
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
