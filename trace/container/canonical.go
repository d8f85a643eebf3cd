package container

import (
	"fmt"
	"gpureplay/trace"
	"gpureplay/trace/internal/words"
	"math/bits"
	"slices"
	"strings"
)

// canonicalAccess puts an access into the one form of the container:
//
//   - no address: all zero;
//   - one address: base, no stride, no list;
//   - addresses equally far apart, within 32 bits: base and stride;
//   - anything else: a list, base and stride zero.
//
// It checks the number of addresses against the mask.
func canonicalAccess(in *trace.Inst, mask uint32, a trace.Access, lists []uint64) (trace.Access, []uint64, error) {
	lanes := uint32(bits.OnesCount32(mask))
	if in.Flags&trace.InstBulk == 0 && a.Count != 0 && a.Count != lanes {
		return a, nil, fmt.Errorf("%d addresses for %d active lanes; give one for each, or none", a.Count, lanes)
	}
	if a.Count == 0 {
		return trace.Access{}, nil, nil
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
		return trace.Access{Base: list[0], Stride: stride, Count: a.Count}, nil, nil
	}
	return trace.Access{List: a.List, Count: a.Count}, list, nil
}

// maxAddresses bounds the addresses of one access, bulk accesses included.
const maxAddresses = 1<<31 - 1

// canonicalMasks appends to dst the masks without runs that change nothing. No
// masks at all stand for full ones.
func canonicalMasks(dst, runs []trace.MaskRun, steps int) ([]trace.MaskRun, error) {
	if steps == 0 {
		return dst, nil
	}
	if len(runs) == 0 {
		return append(dst, trace.MaskRun{At: 0, Mask: ^uint32(0)}), nil
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

// canonicalOp puts op into the one form that the container stores. An operation without an array has NoArray, and
// recorded times that are all unknown are none.
func canonicalOp(op *trace.HostOp) trace.HostOp {
	c := *op
	if !c.Kind.HasArray() {
		c.Array = trace.NoArray
	}
	c.Recorded = canonicalRecorded(op.Recorded)
	c.Deps = slices.Clone(op.Deps)
	return c
}

func canonicalRecorded(r *trace.Recorded) *trace.Recorded {
	if r == nil {
		return nil
	}
	c := trace.Recorded{HostNs: max(r.HostNs, -1), StartNs: max(r.StartNs, -1), DurationNs: max(r.DurationNs, -1)}
	if c == (trace.Recorded{HostNs: -1, StartNs: -1, DurationNs: -1}) {
		return nil
	}
	return &c
}

// soundNames puts U+FFFD for characters that no name may have, in the whole program, and returns how many names it
// changed. Captures copy names from memory, sound or not.
func soundNames(p *trace.Program) (changed uint64) {
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
