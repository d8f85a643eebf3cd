package trace

import (
	"iter"
	"slices"
)

// AddWarp appends a warp without steps, with the memory of one that the CTA had before, if there is any.
func (c *CTA) AddWarp(id uint32) *Warp {
	c.Warps = slices.Grow(c.Warps, 1)[:len(c.Warps)+1]
	w := &c.Warps[len(c.Warps)-1]
	*w = Warp{ID: id, Path: w.Path[:0], Masks: w.Masks[:0], Mem: w.Mem[:0], Lists: w.Lists[:0], Launches: w.Launches[:0]}
	return w
}

// Step appends a step with its mask.
func (w *Warp) Step(inst, mask uint32) {
	if n := len(w.Masks); n == 0 || w.Masks[n-1].Mask != mask {
		w.Masks = append(w.Masks, MaskRun{At: uint32(len(w.Path)), Mask: mask})
	}
	w.Path = append(w.Path, inst)
}

// Accesses yields the executed instructions of a warp that carry an [Access], in order, of a function's instructions.
func (w *Warp) Accesses(insts []Inst) iter.Seq2[*Inst, *Access] {
	return func(yield func(*Inst, *Access) bool) {
		next := 0
		for _, i := range w.Path {
			if in := &insts[i]; in.Mem() {
				next++
				if !yield(in, &w.Mem[next-1]) {
					return
				}
			}
		}
	}
}

// Address returns the address number i of an access, in bytes. lists are the Lists of its warp.
func (a *Access) Address(lists []uint64, i uint32) uint64 {
	if a.List != 0 {
		return lists[a.List-1+i]
	}
	return a.Base + uint64(int64(a.Stride)*int64(i))
}

// Addresses yields the addresses of an access, in bytes and in order. lists are the Lists of its warp.
func (a *Access) Addresses(lists []uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := range a.Count {
			if !yield(a.Address(lists, i)) {
				return
			}
		}
	}
}

// Global reports whether an instruction accesses global memory, be it as a texture.
func (in *Inst) Global() bool { return in.Space == SpaceGlobal || in.Space == SpaceTexture }

// Mode is how an instruction uses the memory that it accesses.
func (in *Inst) Mode() Mode {
	switch {
	case in.Flags&InstAtomic != 0:
		return ReadWrite
	case in.Flags&InstStore != 0:
		return Write
	}
	return Read
}
