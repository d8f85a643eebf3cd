package trace

// The columns of a section of CTAs. Unlike those of other sections they are not
// one value per row: each is a stream that the rows take what they need from.
const (
	colSizes       = 1 + iota // what the section unpacks to, in the order of ctaSizes
	colRuns                   // per run of CTAs of one kernel: kernel − the last, function, number of CTAs
	colCTA                    // per CTA: id − (the last of the run + 1)
	colSM                     // per CTA: zigzag of SM − the last
	colWarps                  // per CTA: number of warps
	colRanges                 // per CTA: 0 no ranges, else their number + 1
	colTouches                // per CTA: number of touches
	colSpans                  // per range or touch: array, mode, zigzag of lo − the last of its kind, hi − lo
	colWarp                   // per warp: id − (the last + 1)
	colPath                   // per warp: 0 the last path, 1 a new one, else 1 + how many back
	colFlow                   // per new path: see pathcode.go
	colMask                   // per warp: 0 the last list of masks, 1 a new one, else 1 + how many back
	colMasks                  // per new list of masks: see maskcode.go
	colMaskBits               // the bits that colMasks needs
	colForm                   // per access: form byte, see predict.go
	colBase                   // per access with formBase: zigzag of the difference
	colStride                 // per access with formStride: zigzag of the stride, or the site
	colCount                  // per access with formCount: number of addresses
	colDelta                  // per address of a list but the first: zigzag of the difference
	colLaunches               // per warp: number of launch requests
	colLaunchAt               // per request: step − the last
	colLaunchLane             // per request: lane, +32 marked, +64 shared stream
	colLaunchChild            // per request: zigzag of child − (the last + 1)
	colLaunchWork             // per request: workload
	colLaunchParam            // per request: parameter bytes
	numCTAColumns
)

// ctaSizes is what a section of CTAs unpacks to.
type ctaSizes struct {
	runs, warps, spans, steps, masks, mem, lists, launches uint64
}

func (s *ctaSizes) fields() [8]*uint64 {
	return [8]*uint64{&s.runs, &s.warps, &s.spans, &s.steps, &s.masks, &s.mem, &s.lists, &s.launches}
}

// bytes is about the memory that the Go values take.
func (s *ctaSizes) bytes() uint64 {
	sum := uint64(0)
	size := [8]uint64{32, 112, 24, 4, 8, 24, 8, 28}
	for i, f := range s.fields() {
		if *f > 1<<40 {
			return 1 << 62
		}
		sum += *f * size[i]
	}
	return sum
}
