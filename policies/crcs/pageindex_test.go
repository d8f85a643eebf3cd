package crcs

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Arrays may overlap, and any number may begin in one page. The arrays of a page come in the order of their first
// pages; arrays that begin together come in the order of their addition.
func TestPageIndexAgainstAllArrays(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for range 200 {
		var x pageIndex
		var arrays [][2]int32 // first page, pages
		for range 1 + rng.IntN(12) {
			a := [2]int32{rng.Int32N(6), rng.Int32N(5)}
			arrays = append(arrays, a)
			x.add(a[0], a[1])
		}
		for page := range int32(12) {
			var want, got []int
			for first := range int32(12) {
				for n, a := range arrays {
					if a[0] == first && first <= page && page < first+a[1] {
						want = append(want, n)
					}
				}
			}
			x.each(page, func(n int) { got = append(got, n) })
			if !slices.Equal(got, want) {
				t.Fatalf("page %d of %v: arrays %v, want %v", page, arrays, got, want)
			}
		}
	}
}
