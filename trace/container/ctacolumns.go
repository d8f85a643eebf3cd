package container

// The columns of a section of CTAs. Other sections have one value a row in each column. Here each column is a
// stream, and each row takes as many values as it needs.
const (
	colSizes = 1 + iota
	colRuns
	colCTA
	colSM
	colWarps
	colRanges
	colTouches
	colSpans
	colWarp
	colPath
	colFlow
	colMask
	colMasks
	colMaskBits
	colForm
	colBase
	colStride
	colCount
	colDelta
	colLaunches
	colLaunchAt
	colLaunchLane
	colLaunchChild
	colLaunchWork
	colLaunchParams
	colCounts
	colTallies
	numCTAColumns
)

// ctaColumns describes each column. Values are unsigned varints where it says nothing else; Δ stands for the zigzag
// varint of a difference.
var ctaColumns = [numCTAColumns]struct{ name, doc string }{
	colSizes: {"sizes", "once: runs, warps, ranges and touches, path steps, mask runs, accesses, listed " +
		"addresses, launch requests"},
	colRuns:    {"runs", "per run of CTAs of one kernel: kernel minus the last one, function, number of CTAs"},
	colCTA:     {"cta", "per CTA: id minus (id before in the run + 1)"},
	colSM:      {"sm", "per CTA: Δ to the SM before"},
	colWarps:   {"warps", "per CTA: number of warps"},
	colRanges:  {"ranges", "per CTA: 0 none are stated, else their number + 1"},
	colTouches: {"touches", "per CTA: number of touches"},
	colSpans: {"spans", "per range, then per touch: array, one byte of mode, Δ of the first byte to the last " +
		"end, length"},
	colWarp: {"warp", "per warp: id minus (id before in the CTA + 1)"},
	colPath: {"path", "per warp: 0 the path of the warp before, 1 a new one, n+2 the one n before the newest"},
	colFlow: {"flow", "per new path: steps, Δ of the first instruction to the last path's first, then in " +
		"turn how many steps follow the table of successors and Δ of the instruction that does not"},
	colMask: {"mask", "per warp: the list of masks, as path"},
	colMasks: {"masks", "per new list: its runs; per run the step minus the last one and one byte: 0-7 the " +
		"mask so many distinct masks ago, 8 a part of the last, 9 the one before the last without the last, 10 anything"},
	colMaskBits:     {"mask_bits", "per run with 8: which lanes of the last mask; with 10: the mask"},
	colForm:         {"form", "per access: one byte, see below"},
	colBase:         {"base", "per access that says so: Δ of base or constant to the expected one"},
	colStride:       {"stride", "per access that says so: zigzag of the stride, or the site"},
	colCount:        {"count", "per access that says so: number of addresses"},
	colDelta:        {"delta", "per address of a list but its first: Δ to the one before"},
	colLaunches:     {"launches", "per warp: number of launch requests"},
	colLaunchAt:     {"launch_at", "per request: step minus the one before in the warp"},
	colLaunchLane:   {"launch_lane", "per request: lane, + 32 if marked, + 64 if on the shared stream"},
	colLaunchChild:  {"launch_child", "per request: Δ of the child to the last child + 1"},
	colLaunchWork:   {"launch_work", "per request: workload in items"},
	colLaunchParams: {"launch_params", "per request: bytes of parameters"},
	colCounts:       {"counts", "per CTA: number of counted instructions"},
	colTallies: {"tallies", "per counted instruction: its index minus (the one before in the CTA + 1), how " +
		"often it is executed"},
}

// ctaSizes are the lengths that a section of CTAs unpacks to.
type ctaSizes struct {
	runs, warps, spans, steps, masks, mem, lists, launches uint64
	counts                                                 uint64 // not stored: known as they are read
}

func (s *ctaSizes) fields() [8]*uint64 {
	return [8]*uint64{&s.runs, &s.warps, &s.spans, &s.steps, &s.masks, &s.mem, &s.lists, &s.launches}
}

// bytes is about the memory that the Go values of as many CTAs take.
func (s *ctaSizes) bytes(ctas uint64) uint64 {
	if ctas > 1<<40 {
		return 1 << 62
	}
	sum := ctas*80 + s.counts*16
	size := [8]uint64{32, 112, 24, 4, 8, 24, 8, 28}
	for i, f := range s.fields() {
		if *f > 1<<40 {
			return 1 << 62
		}
		sum += *f * size[i]
	}
	return sum
}
