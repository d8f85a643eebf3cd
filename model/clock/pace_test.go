package clock

import (
	"math/rand/v2"
	"testing"
)

// Against counting cycle by cycle: as many CTAs as the pace gives from cycle 0 on,
// and the next cycle that gives one.
func TestCTAPace(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		thousandths := uint64(1 + r.IntN(3000))
		p := NewPace(float64(thousandths) / 1000)
		start := Time(r.IntN(5000))
		sum := uint64(start) * thousandths / 1000
		for c := start; c < start+3000; c++ {
			n := p.In(c)
			if sum += uint64(n); sum != (uint64(c)+1)*thousandths/1000 {
				t.Fatalf("%d thousandths: %d CTAs up to cycle %d", thousandths, sum, c)
			}
			if next := p.Next(c); (next == c) != (n > 0) || p.In(next) == 0 {
				t.Fatalf("%d thousandths: in cycle %d come %d CTAs, and the next in %d", thousandths, c, n, next)
			}
		}
		if n := uint64(r.IntN(1 << 30)); p.Cycles(n) != Time(n*1000/thousandths) {
			t.Fatalf("%d CTAs at %d thousandths: %d cycles", n, thousandths, p.Cycles(n))
		}
	}
}
