package trace

import "iter"

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

// Address returns the address number i of an access; lists are those of its warp.
func (a *Access) Address(lists []uint64, i uint32) uint64 {
	if a.List != 0 {
		return lists[a.List-1+i]
	}
	return a.Base + uint64(int64(a.Stride)*int64(i))
}

// Addresses yields the addresses of an access, in order; lists are those of its warp.
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
