package hardware

import "gpureplay/trace"

// WarpSize is the number of threads of a warp.
const WarpSize = 32

// Resources are the parts of an SM that resident CTAs hold. The zero value is an empty SM. A CTA scheduler adds
// [Config.CTAResources] when it places a CTA, and takes them away when the CTA ends.
type Resources struct {
	CTAs        int
	Warps       int
	Threads     int // in whole warps
	Registers   int // as allocated
	SharedBytes int // as allocated, with the system's reserve

	// Registers with the unusable part of their sub-partition: a share of the remainder that is too small for one
	// more warp of the kernel.
	registerShare int
}

// Plus returns the resources of both.
func (r Resources) Plus(o Resources) Resources { return r.With(o, 1) }

// Minus returns the resources less o.
func (r Resources) Minus(o Resources) Resources { return r.With(o, -1) }

// With returns the resources plus n times o.
func (r Resources) With(o Resources, n int) Resources {
	return Resources{r.CTAs + n*o.CTAs, r.Warps + n*o.Warps, r.Threads + n*o.Threads,
		r.Registers + n*o.Registers, r.SharedBytes + n*o.SharedBytes, r.registerShare + n*o.registerShare}
}

// CTAResources returns the resources that one CTA of a kernel holds of an SM while it is resident, by the rules of
// NVIDIA's occupancy calculator:
//
//  1. threads count in whole warps;
//  2. registers go to a warp in multiples of sm.register_unit, and a warp takes them from one of sm.warp_unit equal
//     sub-partitions of the register file;
//  3. shared memory goes to a CTA in multiples of sm.shared_unit, after sm.shared_reserved bytes for the system were
//     added (1 KiB from compute capability 8.0 on, also for a CTA that requests none).
//
// A kernel whose registers the trace does not say (0) takes none. A CTA whose time is inferred and that requests
// more than an SM has, which another GPU's may, takes the whole SM: nothing of its time depends on what it asks
// for.
func (c *Config) CTAResources(k *trace.Kernel) Resources {
	r := c.asked(k)
	if trace.InferredOf(k) == trace.InferredTime && !c.Fits(Resources{}, r) {
		s := &c.SM
		r.Warps, r.Threads = min(r.Warps, s.MaxWarps), min(r.Threads, s.MaxThreads)
		r.Registers, r.registerShare = min(r.Registers, s.Registers), min(r.registerShare, s.Registers)
		r.SharedBytes = min(r.SharedBytes, s.SharedBytes)
	}
	return r
}

// TooLarge reports whether a CTA of the kernel requests more than an SM has.
func (c *Config) TooLarge(k *trace.Kernel) bool { return !c.Fits(Resources{}, c.asked(k)) }

// asked is the resources that a CTA requests, by these rules.
func (c *Config) asked(k *trace.Kernel) Resources {
	s := &c.SM
	warps := ceil(clampInt(k.Block.Count()), WarpSize)
	perWarp := roundUp(clampInt(uint64(k.Registers)*WarpSize), s.RegisterUnit)
	return Resources{
		CTAs:          1,
		Warps:         warps,
		Threads:       warps * WarpSize,
		Registers:     warps * perWarp,
		SharedBytes:   roundUp(clampInt(uint64(k.SharedBytes))+s.SharedReserved, s.SharedUnit),
		registerShare: warps * s.registerShare(perWarp),
	}
}

// registerShare is the part of the register file that a warp of that many
// registers takes away: the file over the number of such warps that its
// sub-partitions hold, each on its own.
func (s *SMConfig) registerShare(perWarp int) int {
	if perWarp == 0 {
		return 0
	}
	warps := s.Registers / s.WarpUnit / perWarp * s.WarpUnit
	if warps == 0 {
		return s.Registers + 1 // not one fits
	}
	return s.Registers / warps
}

// Fits reports whether an SM that holds used has room for one more CTA.
func (c *Config) Fits(used, cta Resources) bool {
	s := &c.SM
	return used.CTAs+cta.CTAs <= s.MaxCTAs &&
		used.Warps+cta.Warps <= s.MaxWarps &&
		used.Threads+cta.Threads <= s.MaxThreads &&
		used.registerShare+cta.registerShare <= s.Registers &&
		used.SharedBytes+cta.SharedBytes <= s.SharedBytes
}

// Room returns how many CTAs an SM that holds used has room for.
func (c *Config) Room(used, cta Resources) int {
	s := &c.SM
	n := s.MaxCTAs - used.CTAs
	for _, x := range [...][3]int{{s.MaxWarps, used.Warps, cta.Warps}, {s.MaxThreads, used.Threads, cta.Threads},
		{s.Registers, used.registerShare, cta.registerShare}, {s.SharedBytes, used.SharedBytes, cta.SharedBytes}} {
		if x[2] > 0 {
			n = min(n, (x[0]-x[1])/x[2])
		}
	}
	return max(0, n)
}

// The limits of a kernel's CTAs on an SM.
const (
	LimitCTAs      = "ctas"
	LimitWarps     = "warps" // or threads
	LimitRegisters = "registers"
	LimitShared    = "shared memory"
)

// Residency returns how many CTAs of one kernel an SM holds at once, and their limit: the first of CTAs, warps,
// registers and shared memory that binds. It is 0 if not even one fits.
func (c *Config) Residency(k *trace.Kernel) (ctas int, limit string) {
	s, cta := &c.SM, c.CTAResources(k)
	ctas, limit = s.MaxCTAs, LimitCTAs
	lower := func(n int, by string) {
		if n < ctas {
			ctas, limit = n, by
		}
	}
	if cta.Warps > 0 {
		lower(min(s.MaxWarps/cta.Warps, s.MaxThreads/cta.Threads), LimitWarps)
	}
	if cta.registerShare > 0 {
		lower(s.Registers/cta.registerShare, LimitRegisters)
	}
	if cta.SharedBytes > 0 {
		lower(s.SharedBytes/cta.SharedBytes, LimitShared)
	}
	return ctas, limit
}

// Occupancy returns the resident warps of an SM that is full of a kernel's
// CTAs over the warps that it can hold: the vendor's theoretical occupancy.
func (c *Config) Occupancy(k *trace.Kernel) float64 {
	ctas, _ := c.Residency(k)
	return float64(ctas*c.CTAResources(k).Warps) / float64(c.SM.MaxWarps)
}

// Share returns how many CTAs of k an SM has at a time: as many as fit, or of a small grid an equal part of it
// (GPGPU-Sim's shader_core_config::max_cta).
func (c *Config) Share(k *trace.Kernel) int {
	ctas, _ := c.Residency(k)
	return min(ctas, ceil(clampInt(k.Grid.Count()), c.SM.Count))
}

// L1Bytes returns the capacity of the L1 beside a number of CTAs of k: a unified store
// gives shared memory the smallest carve-out that they fit in.
func (c *Config) L1Bytes(k *trace.Kernel, ctas int) int {
	if c.L1.Unified == 0 {
		return c.L1.Bytes
	}
	need := ctas * c.CTAResources(k).SharedBytes
	for _, size := range c.L1.Carveouts {
		if size >= need {
			return max(0, min(c.L1.Bytes, c.L1.Unified-size))
		}
	}
	return max(0, c.L1.Unified-c.SM.SharedBytes)
}

// CapRegisters lowers the registers of a kernel to the most that one of its CTAs can have on an SM, as a compiler
// told its launch bounds does.
func (c *Config) CapRegisters(k *trace.Kernel) {
	warps := ceil(clampInt(k.Block.Count()), WarpSize)
	perSub := ceil(warps, c.SM.WarpUnit) // warps that take registers from one sub-partition
	if perSub == 0 {
		return
	}
	perWarp := c.SM.Registers / c.SM.WarpUnit / perSub / c.SM.RegisterUnit * c.SM.RegisterUnit
	k.Registers = min(k.Registers, uint32(perWarp/WarpSize))
}

// clampInt returns n, or a number that no machine has but that can still be
// multiplied.
func clampInt(n uint64) int { return int(min(n, 1<<30)) }

func ceil(n, unit int) int    { return (n + unit - 1) / unit }
func roundUp(n, unit int) int { return ceil(n, unit) * unit }
