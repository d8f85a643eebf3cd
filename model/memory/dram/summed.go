package dram

import (
	"gpureplay/model/clock"
	"gpureplay/model/hardware"
	"gpureplay/model/memory/timing"
)

// summed are the SMs' clock and the channels' as GPGPU-Sim adds them up. They differ from exact ones where both tick
// at once: the channels may then tick behind the SMs (dram.clock_sums).
type summed struct {
	core, dram clock.Summed
	perCore    uint64         // SM cycles from one common tick to the next
	perDRAM    timing.Divisor // and the channels' ticks
	from, to   Time           // common ticks of the channels around the last tick asked for
}

func newSummed(c *hardware.Config) *summed {
	cores, ticks := timing.NewRatio(c.Clock.DRAMMHz, c.Clock.CoreMHz).Common()
	return &summed{core: clock.NewSummed(c.Clock.CoreMHz), dram: clock.NewSummed(c.Clock.DRAMMHz),
		perCore: uint64(cores), perDRAM: timing.NewDivisor(int(ticks))}
}

// late reports whether tick k of the channels is due with one of the SMs and comes behind it.
func (s *summed) late(k Time) bool { return (k <= s.from || k >= s.to) && s.common(k) }

// common is late for a tick that may be due with one of the SMs.
func (s *summed) common(k Time) bool {
	n := s.perDRAM.Div(uint64(k))
	s.from, s.to = Time(n*s.perDRAM.N), Time((n+1)*s.perDRAM.N)
	return s.from == k && s.behind(n)
}

// behind reports whether the channels tick behind the SMs at common tick n.
func (s *summed) behind(n uint64) bool { return s.dram.At(n*s.perDRAM.N) > s.core.At(n*s.perCore) }
