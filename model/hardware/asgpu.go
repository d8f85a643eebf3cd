package hardware

import (
	"cmp"
	"math"
	"slices"

	"gpureplay/trace"
)

// AsGPU returns the machine with a capture's facts about its GPU in place of its own: SMs, clock, the limits of an
// SM, caches and memory. Other values (latencies above all) stay. A clock that is the SMs' follows it; DRAM timings
// keep their time. A fact that no machine can have is left out. The result is a copy, of the same name.
func (c *Config) AsGPU(g *trace.Machine) *Config {
	out := c.clone()
	for _, fact := range []func(*Config){
		func(c *Config) { c.setCapability(int(g.SMVersion)) },
		func(c *Config) { set(&c.SM.Count, uint64(g.SMs)) },
		func(c *Config) { c.setClock(float64(g.ClockHz) / 1e6) },
		func(c *Config) { c.setWarps(g.WarpsPerSM*g.WarpSize, g.WarpSize) },
		func(c *Config) { set(&c.SM.MaxCTAs, g.CTAsPerSM) },
		func(c *Config) { set(&c.SM.Registers, g.RegistersPerSM) },
		func(c *Config) { c.setShared(g.SharedBytesPerSM) },
		func(c *Config) { c.setL2(g.L2Bytes) },
		func(c *Config) { c.DRAM.Bytes = cmp.Or(int64(min(g.MemoryBytes, math.MaxInt64)), c.DRAM.Bytes) },
		func(c *Config) { c.setBandwidth(float64(g.MemoryBytesPerSecond) / 1e6) },
	} {
		next := out.clone()
		if fact(next); next.Validate() == nil {
			out = next
		}
	}
	return out
}

func (c *Config) clone() *Config {
	next := *c
	next.L1.Carveouts = slices.Clone(c.L1.Carveouts)
	return &next
}

// set sets a known value.
func set(to *int, n uint64) {
	if n > 0 {
		*to = clampInt(n)
	}
}

// setCapability gives the SM the limits of a compute capability that is not its
// own.
func (c *Config) setCapability(cc int) {
	s, ok := c.SM.WithCapability(cc)
	if !ok {
		return
	}
	shared := s.SharedBytes
	s.SharedBytes = c.SM.SharedBytes
	c.SM = s
	c.setShared(uint64(shared))
}

func (c *Config) setClock(mhz float64) {
	if mhz <= 0 {
		return
	}
	for _, clock := range []*float64{&c.Clock.IcntMHz, &c.Clock.L2MHz} {
		if *clock == c.Clock.CoreMHz {
			*clock = mhz
		}
	}
	c.Clock.CoreMHz = mhz
}

// setWarps sets the threads of an SM, which this machine has in warps of 32
// whatever the GPU's are.
func (c *Config) setWarps(threads, warp uint64) {
	if warp == 0 || threads == 0 {
		return
	}
	c.SM.MaxThreads = clampInt(threads)
	c.SM.MaxWarps = c.SM.MaxThreads / WarpSize
}

// setShared sets the shared memory of an SM. Of a unified L1 it is the largest carve-out; the L1 keeps its own
// part.
func (c *Config) setShared(bytes uint64) {
	if bytes == 0 || clampInt(bytes) == c.SM.SharedBytes {
		return
	}
	more := clampInt(bytes) - c.SM.SharedBytes
	c.SM.SharedBytes += more
	l1 := &c.L1
	if l1.Unified == 0 {
		return
	}
	kept := l1.Carveouts[:0]
	for _, size := range l1.Carveouts {
		if size < c.SM.SharedBytes && size != c.SM.SharedBytes-more {
			kept = append(kept, size)
		}
	}
	l1.Carveouts = append(kept, c.SM.SharedBytes)
	sets := l1.Bytes / (l1.LineBytes * l1.Ways)
	l1.Unified += more
	l1.Ways = (l1.Bytes + more) / (l1.LineBytes * sets)
	l1.Bytes = l1.Ways * l1.LineBytes * sets
}

// setL2 sets the size of the L2, to whole sets of its slices.
func (c *Config) setL2(bytes uint64) {
	if unit := uint64(c.L2.LineBytes * c.L2.Ways * c.L2.Slices); bytes >= unit {
		c.L2.Bytes = int(min(bytes, 1<<36, math.MaxInt) / unit * unit)
	}
}

// setBandwidth sets the memory clock from MB/s, and keeps the memory's timings.
func (c *Config) setBandwidth(mbs float64) {
	d := &c.DRAM
	clock := mbs / float64(d.Channels*d.BusBytes*d.DataRate)
	if clock <= 0 {
		return
	}
	ratio := clock / c.Clock.DRAMMHz
	c.Clock.DRAMMHz = clock
	for _, cycles := range []*int{&d.TRRD, &d.TRCD, &d.TRAS, &d.TRP, &d.TRC, &d.TCL, &d.TWL, &d.TCDLR, &d.TWR, &d.TREFI,
		&d.TRFC} {
		*cycles = int(math.Round(float64(*cycles) * ratio))
	}
}
