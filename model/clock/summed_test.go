package clock

import "testing"

// Ticks are those that a loop adds up, for clocks of shipped machines and for one whose period is a power of two.
func TestSummed(t *testing.T) {
	for _, mhz := range []float64{1132, 850, 3500.5, 1200, 1365, 5, 1e6 / 1024 / 1024} {
		s, period, at := NewSummed(mhz), 1/float64(mhz*1e6), 0.0
		for n := range uint64(3_000_000) {
			if got := s.At(n); got != at {
				t.Fatalf("%v MHz: tick %d is at %v, added up it is %v", mhz, n, got, at)
			}
			at += period
		}
	}
}

// GPGPU-Sim's log of QV100 (1132 and 850 MHz): tick 9,775 of DRAM comes after tick 13,018 of the SMs; exactly they
// are at the same time. Every 425th tick of DRAM is later, equal or earlier so.
func TestSummedTicksDiffer(t *testing.T) {
	core, dram := NewSummed(1132), NewSummed(850)
	var signs []byte
	for i := range uint64(24) {
		switch c, d := core.At(566*(i+1)), dram.At(425*(i+1)); {
		case d > c:
			signs = append(signs, '+')
		case d == c:
			signs = append(signs, '=')
		default:
			signs = append(signs, '-')
		}
	}
	if got, want := string(signs), "+=--++++------------++++"; got != want {
		t.Errorf("later and earlier ticks: %s, want %s", got, want)
	}
}
