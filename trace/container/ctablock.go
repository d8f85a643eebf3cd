package container

import (
	"gpureplay/trace"
	"unsafe"
)

// ctaBlock is an unpacked block of CTAs. Paths and masks are shared with those
// who read them and live as long as they do; the rest is copied out and reused.
type ctaBlock struct {
	runs     []blockRun
	paths    []uint32 // of all dictionaries, one after another
	masks    []trace.MaskRun
	ctas     []ctaRow
	warps    []warpRow
	spans    []trace.Range
	counts   []trace.Count
	mem      []trace.Access
	lists    []uint64
	launches []trace.Launch
	bytes    uint64
}

type blockRun struct {
	kernel, function uint32
	lo, hi           uint32 // CTAs
}

type ctaRow struct {
	id             uint32
	sm             int32
	warps          [2]uint32
	ranges, touchs [2]uint32
	counts         [2]uint32
	hasRanges      bool
}

type warpRow struct {
	id       uint32
	path     [2]uint32
	masks    [2]uint32
	mem      [2]uint32
	lists    [2]uint32
	launches [2]uint32
}

// part cuts a row's share out of a list, from one index up to the other.
func part[T any](list []T, x [2]uint32) []T { return list[x[0]:x[1]:x[1]] }

// held is how much memory the block keeps.
func (b *ctaBlock) held() uint64 {
	return heldBy(b.runs) + heldBy(b.paths) + heldBy(b.masks) + heldBy(b.ctas) + heldBy(b.warps) + heldBy(b.spans) +
		heldBy(b.counts) + heldBy(b.mem) + heldBy(b.lists) + heldBy(b.launches)
}

func heldBy[T any](s []T) uint64 {
	var x T
	return uint64(cap(s)) * uint64(unsafe.Sizeof(x))
}

// pathEntry is a path of a block's dictionary with its memory steps.
type pathEntry struct {
	code   *blockCode
	path   [2]uint32
	lo, hi int // in memStep
}

// memStep is a step of a path that has an access.
type memStep struct{ at, site uint32 }
