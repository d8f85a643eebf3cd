package memory

// Traffic counts the sectors of a kernel's accesses in the caches and in DRAM.
type Traffic struct {
	L1Accesses, L1Hits uint64
	L2Accesses, L2Hits uint64
	DRAMReads          uint64
	DRAMWrites         uint64
}
