package hardware

// A capability has the limits of an SM by its compute capability: the table of technical specifications of the CUDA
// C++ Programming Guide and the limits of NVIDIA's occupancy calculator.
type capability struct {
	cc          int // major × 10 + minor; from 100 on the last digit is the minor too
	warps       int
	ctas        int
	registers   int
	warpUnit    int // sub-partitions of the register file
	sharedKiB   int
	sharedUnit  int
	reserved    int // bytes of shared memory per CTA
	description string
}

const registerUnit = 256 // of every capability from 3.0 on

var capabilities = []capability{
	{35, 64, 16, 64 << 10, 4, 48, 256, 0, "Kepler GK110"},
	{37, 64, 16, 128 << 10, 4, 112, 256, 0, "Kepler GK210"},
	{50, 64, 32, 64 << 10, 4, 64, 256, 0, "Maxwell GM10x"},
	{52, 64, 32, 64 << 10, 4, 96, 256, 0, "Maxwell GM20x"},
	{60, 64, 32, 64 << 10, 2, 64, 256, 0, "Pascal GP100"},
	{61, 64, 32, 64 << 10, 4, 96, 256, 0, "Pascal GP10x"},
	{70, 64, 32, 64 << 10, 4, 96, 256, 0, "Volta GV100"},
	{75, 32, 16, 64 << 10, 4, 64, 256, 0, "Turing"},
	{80, 64, 32, 64 << 10, 4, 164, 128, 1024, "Ampere GA100"},
	{86, 48, 16, 64 << 10, 4, 100, 128, 1024, "Ampere GA10x"},
	{87, 48, 16, 64 << 10, 4, 164, 128, 1024, "Orin"},
	{89, 48, 24, 64 << 10, 4, 100, 128, 1024, "Ada"},
	{90, 64, 32, 64 << 10, 4, 228, 128, 1024, "Hopper"},
	{100, 64, 32, 64 << 10, 4, 228, 128, 1024, "Blackwell GB100"},
}

// WithCapability returns the SM with the limits and allocation units of a
// compute capability (major × 10 + minor: 80 for 8.0, 100 for 10.0) in place of
// its own; ok is false, and the SM as it was, if the capability is not known.
func (s SMConfig) WithCapability(cc int) (_ SMConfig, ok bool) {
	for _, k := range capabilities {
		if k.cc != cc {
			continue
		}
		s.ComputeCapability = cc
		s.MaxWarps, s.MaxThreads, s.MaxCTAs = k.warps, k.warps*WarpSize, k.ctas
		s.Registers, s.RegisterUnit, s.WarpUnit = k.registers, registerUnit, k.warpUnit
		s.SharedBytes, s.SharedUnit, s.SharedReserved = k.sharedKiB<<10, k.sharedUnit, k.reserved
		return s, true
	}
	return s, false
}
