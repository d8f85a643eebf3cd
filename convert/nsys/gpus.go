package nsys

import (
	"gpureplay/convert/sqlite"
	"gpureplay/trace"
)

// gpus reads the devices: of TARGET_INFO_GPU, and of TARGET_INFO_CUDA_GPU, which
// exports of 2021 and before have in its place.
func (r *reader) gpus() error {
	err := r.db.Each("TARGET_INFO_GPU", []string{
		"cuDevice", "id", "name", "smCount", "computeMajor|smMajor", "computeMinor|smMinor", "clockRate", "threadsPerWarp",
		"maxWarpsPerSm", "maxBlocksPerSm", "maxRegistersPerSm", "maxShmemPerSm", "maxShmemPerBlockOptin|maxShmemPerBlock",
		"l2CacheSize", "totalMemory", "memoryBandwidth",
	}, r.gpu)
	if err != nil || len(r.info.GPUs) > 0 {
		return err
	}
	return r.db.Each("TARGET_INFO_CUDA_GPU", []string{
		"deviceId", "id", "name", "numMultiprocessors", "computeCapabilityMajor", "computeCapabilityMinor",
		"coreClockRate", "numThreadsPerWarp",
		"maxWarpsPerMultiprocessor", "maxBlocksPerMultiprocessor", "maxRegistersPerMultiprocessor",
		"maxSharedMemoryPerMultiprocessor", "maxSharedMemoryPerBlock",
		"l2CacheSize", "globalMemorySize", "globalMemoryBandwidth",
	}, r.gpu)
}

func (r *reader) gpu(v []sqlite.Value) error {
	id := v[0] // CUDA's number, which activities have, where it differs
	if !id.IsInt {
		id = v[1]
	}
	if len(r.info.GPUs) == maxGPUs || !id.IsInt || id.Int < 0 || id.Int >= unknown32 {
		return nil
	}
	at := func(i int) uint64 { return uint64(max(v[i].Int, 0)) }
	g := trace.Machine{
		Name: v[2].Text[:min(len(v[2].Text), 256)], SMs: small(v[3]), SMVersion: small(v[4])*10 + small(v[5]),
		ClockHz: at(6), WarpSize: at(7), WarpsPerSM: at(8), CTAsPerSM: at(9), RegistersPerSM: at(10),
		SharedBytesPerSM: at(11), SharedBytesPerCTA: at(12), L2Bytes: at(13), MemoryBytes: at(14),
		MemoryBytesPerSecond: at(15),
	}
	// CUPTI counts in kHz and kB/s, which Nsight multiplies in newer exports: no GPU
	// has a clock of 50 MHz, or memory of 10 GB/s.
	if g.ClockHz < 50e6 {
		g.ClockHz *= 1000
	}
	if g.MemoryBytesPerSecond < 10e9 {
		g.MemoryBytesPerSecond *= 1000
	}
	r.info.GPUs[uint32(id.Int)] = g
	return nil
}
