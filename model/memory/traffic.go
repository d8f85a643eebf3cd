package memory

import (
	"gpureplay/trace"
)

// Traffic is what a kernel's accesses came to in the caches and in DRAM, in sectors.
type Traffic struct {
	L1Accesses, L1Hits uint64
	L2Accesses, L2Hits uint64
	DRAMReads          uint64
	DRAMWrites         uint64
}

// counts is what a slice and its channel have counted.
type counts struct{ accesses, hits, reads, writes uint64 }

func (s *slice) counts() counts {
	c := &s.chan_.stats
	return counts{s.stats.Accesses, s.stats.Hits, c.ReadSectors, c.WriteSectors}
}

// Total is what all slices and channels have counted.
func (m *System) Total() (all Traffic) {
	for i := range m.slices {
		all.L2Accesses += m.slices[i].stats.Accesses
		all.L2Hits += m.slices[i].stats.Hits
	}
	for i := range m.channels {
		all.DRAMReads += m.channels[i].stats.ReadSectors
		all.DRAMWrites += m.channels[i].stats.WriteSectors
	}
	return all
}

// serve books what a slice did for a request on the kernel that makes it.
func (w *Traffic) serve(before, after counts) {
	w.L2Accesses += after.accesses - before.accesses
	w.L2Hits += after.hits - before.hits
	w.DRAMReads += after.reads - before.reads
	w.DRAMWrites += after.writes - before.writes
}

// served books the work of a slice and its channel for an answer.
func (w *Traffic) served(x *answer) {
	w.L2Accesses += uint64(x.accesses)
	w.L2Hits += uint64(x.hits)
	w.DRAMReads += uint64(x.reads)
	w.DRAMWrites += uint64(x.writes)
}

// Global times the sectors of the Coalescer for an instruction in a space, from the cycle
// in which it issues, and books what they do on w. It returns when a dependent instruction
// may issue (for stores: when the last is acknowledged), as far as that is known: of what
// [LSU.Load] gives a number, [LSU.Serve] says so.
func (u *LSU) Global(w *Traffic, space trace.Space, flags trace.InstFlags, t Time) (done Time) {
	if u.mem.net != nil {
		return u.enter(w, space, flags, t)
	}
	before, p := u.l1.stats, &u.through
	u.mem.work = w
	p.way, p.co = u.wayOf(space, flags), u.Coalescer
	u.open(p, t)
	u.pass(p)
	u.close(p)
	u.mem.work = &u.mem.others
	u.book(w, &before)
	return p.done
}

// book adds what the L1 has counted since.
func (u *LSU) book(w *Traffic, before *l1Stats) {
	now := &u.l1.stats
	w.L1Accesses += now.reads - before.reads + now.writes - before.writes
	w.L1Hits += now.hits - before.hits
}
