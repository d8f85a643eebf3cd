package model

import "gpureplay/model/memory"

// KernelWork is what a kernel's CTAs came to on the SMs, in the caches and in DRAM.
// What others do on its behalf, and a copy's sectors, are of no kernel; a line that an
// access of it drives out of the L2 counts as its write, whoever wrote the line.
type KernelWork struct {
	ActiveSMCycles uint64          // sum over SMs of the cycles with a CTA of it
	PlaceCycles    uint64          // those times the warps that an SM holds
	WarpCycles     uint64          // sum over its CTAs of warps times cycles on the SM
	StallTimes     [NumStalls]Time // sums over its CTAs
	memory.Traffic
}

// came and went keep the time in which a kernel has CTAs on an SM; sm holds the first.
func (k *kernelRun) came(sm int, t Time) { k.smSince[sm] = t }

func (k *kernelRun) went(sm int, t Time, warps int) {
	d := uint64(t - k.smSince[sm])
	k.rec.Work.ActiveSMCycles += d
	k.rec.Work.PlaceCycles += d * uint64(warps)
}

// book adds a CTA that has ended.
func (w *KernelWork) book(c *CTARecord, warps int) {
	w.WarpCycles += uint64(warps) * uint64(c.End-c.Dispatch)
	for i, n := range c.StallTimes {
		w.StallTimes[i] += n
	}
}
