package memory

// Traffic is what a kernel's accesses came to in the caches and in DRAM, in sectors.
type Traffic struct {
	L1Accesses, L1Hits uint64
	L2Accesses, L2Hits uint64
	DRAMReads          uint64
	DRAMWrites         uint64
}
