package memory

// Record is one cache level or DRAM channel, summed over the run.
type Record struct {
	Level        string // "l1", "l2", "dram"
	Index        int32  // SM, slice or channel; -1: all
	Accesses     uint64
	Hits         uint64
	Misses       uint64
	ReadSectors  uint64
	WriteSectors uint64
	RowHits      uint64
	Stops        uint64 // times that a slice stopped at a request it had no room for; cycle engine
	BusyCycles   Time   // cycles with a request pending
}

func (r *Record) AddUp(x *Record) {
	r.Accesses += x.Accesses
	r.Hits += x.Hits
	r.Misses += x.Misses
	r.ReadSectors += x.ReadSectors
	r.WriteSectors += x.WriteSectors
	r.RowHits += x.RowHits
	r.Stops += x.Stops
	r.BusyCycles += x.BusyCycles
}
