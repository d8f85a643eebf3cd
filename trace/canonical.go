package trace

import (
	"fmt"
	"gpureplay/trace/internal/words"
	"math/bits"
	"slices"
	"strings"
)

// canonicalAccess puts an access into the one form that the container stores:
//
//   - no address: all zero;
//   - one address: base, no stride, no list;
//   - addresses equally far apart, within 32 bits: base and stride;
//   - anything else: a list, base and stride zero.
//
// It checks the number of addresses against the mask.
func canonicalAccess(in *Inst, mask uint32, a Access, lists []uint64) (Access, []uint64, error) {
	lanes := uint32(bits.OnesCount32(mask))
	if in.Flags&InstBulk == 0 && a.Count != 0 && a.Count != lanes {
		return a, nil, fmt.Errorf("%d addresses for %d active lanes; give one for each, or none", a.Count, lanes)
	}
	if a.Count == 0 {
		return Access{}, nil, nil
	}
	if a.Count > maxAddresses {
		return a, nil, fmt.Errorf("%d addresses, more than %d; split the access", a.Count, maxAddresses)
	}
	if a.List == 0 {
		if a.Count == 1 {
			a.Stride = 0
		}
		return a, nil, nil
	}
	if first := uint64(a.List - 1); first+uint64(a.Count) > uint64(len(lists)) {
		return a, nil, fmt.Errorf("its list is %d..%d of %d addresses", first, first+uint64(a.Count), len(lists))
	}
	list := lists[a.List-1:][:a.Count]
	if stride, ok := progression(list); ok {
		return Access{Base: list[0], Stride: stride, Count: a.Count}, nil, nil
	}
	return Access{List: a.List, Count: a.Count}, list, nil
}

// maxAddresses bounds those of one access. A bulk access has as many as it likes
// up to here.
const maxAddresses = 1<<31 - 1

// canonicalMasks appends to dst the masks without runs that change nothing. No
// masks at all stand for full ones.
func canonicalMasks(dst, runs []MaskRun, steps int) ([]MaskRun, error) {
	if steps == 0 {
		return dst, nil
	}
	if len(runs) == 0 {
		return append(dst, MaskRun{0, ^uint32(0)}), nil
	}
	for i, r := range runs {
		switch {
		case i == 0 && r.At != 0:
			return dst, fmt.Errorf("its first mask is at step %d; the first belongs at 0", r.At)
		case i > 0 && r.At <= runs[i-1].At:
			return dst, fmt.Errorf("its masks are not in order: step %d after %d", r.At, runs[i-1].At)
		case int64(r.At) >= int64(steps):
			return dst, fmt.Errorf("it has a mask at step %d of %d", r.At, steps)
		}
		if n := len(dst); n == 0 || dst[n-1].Mask != r.Mask {
			dst = append(dst, r)
		}
	}
	return dst, nil
}

// canonicalOp puts op into the one form that the container stores: an operation
// of a kind that has no array has NoArray, and recorded times that are all
// unknown are none.
func canonicalOp(op *HostOp) HostOp {
	c := *op
	if !c.Kind.HasArray() {
		c.Array = NoArray
	}
	c.Recorded = canonicalRecorded(op.Recorded)
	c.Deps = slices.Clone(op.Deps)
	return c
}

func canonicalRecorded(r *Recorded) *Recorded {
	if r == nil {
		return nil
	}
	c := Recorded{max(r.HostNs, -1), max(r.StartNs, -1), max(r.DurationNs, -1)}
	if c == (Recorded{-1, -1, -1}) {
		return nil
	}
	return &c
}

// soundNames puts U+FFFD for what cannot stand in a name, in all of the program,
// and returns how many names it changed: captures have names as their memory had
// them.
func soundNames(p *Program) (changed uint64) {
	fix := func(names ...*string) {
		for _, s := range names {
			if !words.Sound(*s) {
				*s = strings.ReplaceAll(strings.ToValidUTF8(*s, "\uFFFD"), "\x00", "\uFFFD")
				changed++
			}
		}
	}
	m := &p.Meta
	fix(&m.Source, &m.SourceVersion, &m.GPU, &m.ArraysFrom)
	for i := range m.Attrs {
		fix(&m.Attrs[i].Key, &m.Attrs[i].Value)
	}
	for i := range p.Arrays {
		fix(&p.Arrays[i].Name)
	}
	for i := range p.Functions {
		f := &p.Functions[i]
		fix(&f.Name)
		for j := range f.Insts {
			fix(&f.Insts[j].Opcode)
		}
	}
	for i := range p.Scopes {
		fix(&p.Scopes[i].Name)
	}
	for i := range p.Diagnostics {
		fix(&p.Diagnostics[i].Name, &p.Diagnostics[i].Help)
	}
	return changed
}
