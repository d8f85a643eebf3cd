package samples

import (
	"math/bits"

	"gpureplay/trace"
)

// WarpSize is the number of lanes of a warp.
const WarpSize = 32

// Full is the mask of a whole warp.
const Full = ^uint32(0)

// Block records one CTA after another of one block shape. Warps can be filled in any order, so a generator may run
// phase by phase between barriers over all warps. Values that it returns are valid until the next CTA.
type Block struct {
	Dim   trace.Dim3 // threads
	Grid  trace.Dim3 // CTAs
	Index trace.Dim3 // of this CTA
	ID    uint32     // linear index of this CTA

	cta     trace.CTA
	warps   []Warp
	threads [][3]int32
	spans   []span
	cut     []trace.Range
}

// newBlock returns a recorder for CTAs of that shape.
func newBlock(dim trace.Dim3) *Block {
	n := int(dim.Count())
	b := &Block{Dim: dim, threads: make([][3]int32, n), warps: make([]Warp, (n+WarpSize-1)/WarpSize)}
	for t := range b.threads {
		at := dim.At(uint32(t))
		b.threads[t] = [3]int32{int32(at[0]), int32(at[1]), int32(at[2])}
	}
	for i := range b.warps {
		b.warps[i].ID, b.warps[i].block = i, b
	}
	return b
}

// start empties the recorder for the CTA with that linear index.
func (b *Block) start(id uint32) {
	b.ID = id
	b.Index = b.Grid.At(id)
	b.spans = b.spans[:0]
	for i := range b.warps {
		b.warps[i].start()
	}
}

// X returns the CTA's index in x.
func (b *Block) X() int { return int(b.Index[0]) }

// Y returns the CTA's index in y.
func (b *Block) Y() int { return int(b.Index[1]) }

// Z returns the CTA's index in z.
func (b *Block) Z() int { return int(b.Index[2]) }

// Warps returns the CTA's warps, to be recorded into.
func (b *Block) Warps() []Warp { return b.warps }

// EachWarp calls do with each of the CTA's warps, in order.
func (b *Block) EachWarp(do func(*Warp)) {
	for i := range b.warps {
		do(&b.warps[i])
	}
}

// finish returns the recorded CTA: warps without a step are left out.
func (b *Block) finish() *trace.CTA {
	b.cta = trace.CTA{ID: b.ID, SM: -1, Warps: b.cta.Warps[:0]}
	for i := range b.warps {
		if len(b.warps[i].out.Path) > 0 {
			b.cta.Warps = append(b.cta.Warps, b.warps[i].out)
		}
	}
	if ranges := b.ranges(); len(ranges) > 0 {
		b.cta.Ranges = ranges
	}
	return &b.cta
}

// lanes returns the mask of the threads that warp i has.
func (b *Block) lanes(i int) uint32 {
	if n := len(b.threads) - i*WarpSize; n < WarpSize {
		return 1<<n - 1
	}
	return Full
}

// firstLane returns the lowest lane of a mask that is not empty.
func firstLane(mask uint32) int { return bits.TrailingZeros32(mask) }
