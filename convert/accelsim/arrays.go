package accelsim

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"gpureplay/trace"
)

const (
	leastGap   = 4 << 10 // untouched bytes that part two arrays
	maxRegions = 4096    // arrays made of touched addresses
)

// region is a span of device memory.
type region struct {
	lo, hi uint64 // hi exclusive
	mode   trace.Mode
	input  bool
}

// arrays finds the arrays of a capture: targets of copies, and other touched memory. Its memory is bounded.
type arrays struct {
	copied  []region // by address, disjoint
	touched []region // by address, gap bytes or a copied region between them
	gap     uint64
	hot     *region // the last that was touched
	coarser uint64  // times that the gap was doubled
}

// newArrays takes the copies of the list.
func newArrays(list []command) *arrays {
	a := &arrays{gap: leastGap, hot: &region{}}
	for _, c := range list {
		if c.file == "" && c.bytes > 0 {
			a.copied = append(a.copied, region{lo: c.addr, hi: c.addr + c.bytes, input: true})
		}
	}
	slices.SortFunc(a.copied, func(x, y region) int { return cmp.Compare(x.lo, y.lo) })
	merged := a.copied[:0]
	for _, r := range a.copied {
		if n := len(merged); n > 0 && r.lo < merged[n-1].hi {
			merged[n-1].hi = max(merged[n-1].hi, r.hi)
		} else {
			merged = append(merged, r)
		}
	}
	a.copied = merged
	return a
}

// touch marks the bytes from lo to hi as used.
func (a *arrays) touch(lo, hi uint64, mode trace.Mode) {
	if r := a.hot; lo >= r.lo && hi <= r.hi && lo < hi {
		r.mode |= mode
		return
	}
	for lo < hi {
		end := hi
		if i := a.find(lo); i < len(a.copied) {
			r := &a.copied[i]
			if r.lo <= lo {
				r.mode |= mode
				a.hot = r
				lo = min(hi, r.hi)
				continue
			}
			end = min(hi, r.lo)
		}
		a.extend(lo, end, mode)
		lo = end
	}
}

// find returns the first copied region that ends behind addr.
func (a *arrays) find(addr uint64) int {
	return sort.Search(len(a.copied), func(i int) bool { return a.copied[i].hi > addr })
}

// extend adds bytes outside all copied regions to the touched ones.
func (a *arrays) extend(lo, hi uint64, mode trace.Mode) {
	at := sort.Search(len(a.touched), func(i int) bool { return a.touched[i].hi >= lo })
	i := at
	switch {
	case at < len(a.touched) && a.near(hi, a.touched[at].lo):
	case at > 0 && a.near(a.touched[at-1].hi, lo):
		i = at - 1
	default:
		a.touched = slices.Insert(a.touched, at, region{lo: lo, hi: hi})
	}
	r := &a.touched[i]
	if mode&trace.Read != 0 && (lo < r.lo || hi > r.hi || r.mode == 0) {
		r.input = true // read before it was written
	}
	r.lo, r.hi, r.mode = min(r.lo, lo), max(r.hi, hi), r.mode|mode
	if i > 0 && a.near(a.touched[i-1].hi, r.lo) {
		i--
		a.merge(i)
	}
	for i+1 < len(a.touched) && a.near(a.touched[i].hi, a.touched[i+1].lo) {
		a.merge(i)
	}
	a.hot = &a.touched[i]
	if len(a.touched) > maxRegions+len(a.copied) {
		a.coarsen()
	}
}

// near reports whether regions that end and begin there are one array.
func (a *arrays) near(end, begin uint64) bool {
	if begin <= end {
		return true
	}
	if begin-end >= a.gap {
		return false
	}
	i := a.find(end)
	return i == len(a.copied) || a.copied[i].lo >= begin
}

// merge joins touched region i and the next.
func (a *arrays) merge(i int) {
	r, s := &a.touched[i], a.touched[i+1]
	r.lo, r.hi = min(r.lo, s.lo), max(r.hi, s.hi)
	r.mode |= s.mode
	r.input = r.input || s.input
	a.touched = slices.Delete(a.touched, i+1, i+2)
}

// coarsen doubles the gap until half the regions are left, or it is useless.
func (a *arrays) coarsen() {
	for len(a.touched) > (maxRegions+len(a.copied))/2 && a.gap < 1<<48 {
		a.gap *= 2
		a.coarser++
		merged := a.touched[:1]
		for _, s := range a.touched[1:] {
			r := &merged[len(merged)-1]
			if a.near(r.hi, s.lo) {
				r.hi, r.mode, r.input = max(r.hi, s.hi), r.mode|s.mode, r.input || s.input
			} else {
				merged = append(merged, s)
			}
		}
		a.touched = merged
	}
	a.hot = &region{}
}

// list returns all arrays: copied ones by address, then touched ones.
func (a *arrays) list() []trace.Array {
	var list []trace.Array
	for _, part := range []struct {
		name    string
		regions []region
	}{{"copied", a.copied}, {"touched", a.touched}} {
		for i, r := range part.regions {
			t := trace.Array{Name: fmt.Sprintf("%s%d", part.name, i), Base: r.lo, Bytes: r.hi - r.lo}
			if r.input {
				t.Flags |= trace.ArrayInput
			}
			if r.mode&trace.Write != 0 {
				t.Flags |= trace.ArrayOutput
			}
			list = append(list, t)
		}
	}
	return list
}
