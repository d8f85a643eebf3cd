package coalesce

import (
	"math/rand/v2"
	"testing"

	"gpureplay/trace"
)

// Words on distinct banks are found as such, and no others: the search that counts the words of each bank says the
// same.
func TestFits(t *testing.T) {
	fit := 0
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(seed, 7))
		banks := uint64(1) << r.IntN(7)
		a := trace.Access{Count: uint32(1 + r.IntN(32)), Base: uint64(r.IntN(1 << 12))}
		if r.IntN(2) == 0 {
			a.Stride = int32(r.IntN(5)) * 4 * int32(1+r.IntN(2))
		} else {
			a.List = 1
		}
		var list []uint64
		for i := range int(a.Count) {
			list = append(list, uint64(i)*uint64(1+r.IntN(1+r.IntN(8)))*4+uint64(r.IntN(1+r.IntN(4))))
		}
		fits := fits(&a, list, banks-1)
		if a.List == 0 && a.Stride != 0 && a.Stride != 4 && !fits {
			continue // left to the search
		}
		n := pass(&a, list, 0, uint64(a.Count), 1, banks)
		if fits != (n == 1) {
			t.Fatalf("seed %d: %v, and %d cycles: %+v %v", seed, fits, n, a, list)
		}
		if fits {
			fit++
		}
	}
	if fit < 1000 {
		t.Errorf("%d of 20,000 fit", fit)
	}
}
