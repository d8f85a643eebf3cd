package hostmem

import "testing"

// Prefetched data is unchanged, and an address of nothing does no harm.
func TestBringReadsNothing(t *testing.T) {
	x := [64]int{3: 7}
	was := x
	for i := range x {
		Prefetch(&x[i])
	}
	Prefetch[int](nil)
	if x != was {
		t.Errorf("%v", x)
	}
}
