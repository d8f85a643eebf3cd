package model

// KernelWork is what a kernel's CTAs came to on the SMs, in the caches and in DRAM.
// What others do on its behalf, and a copy's sectors, are of no kernel; a line that an
// access of it drives out of the L2 counts as its write, whoever wrote the line.
type KernelWork struct {
	ActiveSMCycles     uint64          // sum over SMs of the cycles with a CTA of it
	PlaceCycles        uint64          // those times the warps that an SM holds
	WarpCycles         uint64          // sum over its CTAs of warps times cycles on the SM
	StallTimes         [NumStalls]Time // sums over its CTAs
	L1Accesses, L1Hits uint64          // sectors, as those that follow
	L2Accesses, L2Hits uint64
	DRAMReads          uint64
	DRAMWrites         uint64
}

// traffic is what a slice and its channel have counted.
type traffic struct{ accesses, hits, reads, writes uint64 }

func (s *slice) traffic() traffic {
	c := &s.chan_.stats
	return traffic{s.stats.Accesses, s.stats.Hits, c.ReadSectors, c.WriteSectors}
}

// traffic is that of all slices and channels.
func (m *memory) traffic() (all traffic) {
	for i := range m.slices {
		all.accesses += m.slices[i].stats.Accesses
		all.hits += m.slices[i].stats.Hits
	}
	for i := range m.channels {
		all.reads += m.channels[i].stats.ReadSectors
		all.writes += m.channels[i].stats.WriteSectors
	}
	return all
}

// serve books what a slice did for a request on the kernel that makes it.
func (w *KernelWork) serve(before, after traffic) {
	w.L2Accesses += after.accesses - before.accesses
	w.L2Hits += after.hits - before.hits
	w.DRAMReads += after.reads - before.reads
	w.DRAMWrites += after.writes - before.writes
}

// forKernel times an access of a kernel's warp, and books what it does on the kernel.
func (u *lsu) forKernel(k *kernelRun, o *op, t Time) Time {
	w, before := &k.rec.Work, u.l1.stats
	u.s.m.mem.work = w
	done := u.global(o, t)
	u.s.m.mem.work = &u.s.m.mem.others
	now := &u.l1.stats
	w.L1Accesses += now.reads - before.reads + now.writes - before.writes
	w.L1Hits += now.hits - before.hits
	return done
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
