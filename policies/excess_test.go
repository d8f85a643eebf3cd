package policies

import (
	"math/big"
	"testing"
)

// Of two kernels, the one whose share of the pages exceeds its share of the SMs by more goes first by PPCS, in the
// paper's words and in fractions.
func TestExcess(t *testing.T) {
	share := func(part, whole int) *big.Rat {
		if whole == 0 {
			return new(big.Rat)
		}
		return big.NewRat(int64(part), int64(whole))
	}
	words := func(owned, available, held, sms int) *big.Rat {
		return new(big.Rat).Sub(share(owned, available), share(held, sms))
	}
	const most = 4
	for available := range most {
		for sms := 1; sms < most; sms++ {
			for i := range most * most * most * most {
				a, b, c, d := i%most, i/most%most, i/most/most%most, i/most/most/most
				got := excess(a, available, b, sms) - excess(c, available, d, sms)
				if want := words(a, available, b, sms).Cmp(words(c, available, d, sms)); min(max(got, -1), 1) != want {
					t.Fatalf("of %d available pages and %d SMs, %d and %d against %d and %d: %d, want %d", available, sms, a, b, c,
						d, got, want)
				}
			}
		}
	}
}
