package timing

import (
	"math/rand/v2"
	"testing"
)

// A divisor divides as the machine does, at the edges of its magic too.
func TestDivisor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200_000 {
		n := 1 + r.Uint64N(1<<(1+i%40))
		d := NewDivisor(int(n))
		near := ^uint64(0) / n
		for _, x := range []uint64{0, n - 1, n, n + 1, r.Uint64() >> (i % 64), near, near + 1, near - 1, near / n * n,
			near/n*n - 1, ^uint64(0)} {
			if q, m := d.Div(x), d.Mod(x); q != x/n || m != x%n {
				t.Fatalf("%d by %d: %d rest %d, want %d rest %d", x, n, q, m, x/n, x%n)
			}
		}
	}
}
