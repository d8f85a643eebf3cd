package kineto

import (
	"gpureplay/convert/jsonscan"
	"gpureplay/trace"
)

// GPU is one entry of "deviceProperties".
type GPU struct {
	ID           int64
	Name         string
	Major        int64 // compute capability
	Minor        int64
	SMs          int64
	WarpSize     int64
	Registers    int64 // per SM
	Shared       int64 // bytes per SM
	SharedPerCTA int64 // bytes, opted in
	MaxThreads   int64 // per SM
	Memory       int64 // bytes
}

func (r *reader) devices() error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.BeginArray {
		return r.wrongType(kind)
	}
	for {
		kind, err := r.s.Next()
		if err != nil || kind == jsonscan.EndArray {
			return err
		}
		if kind != jsonscan.BeginObject || len(r.info.GPUs) == maxGPUs {
			if err := r.wrongType(kind); err != nil {
				return err
			}
			continue
		}
		var g GPU
		if err := r.s.Members(func(key string) error { return r.property(&g, key) }); err != nil {
			return err
		}
		r.info.GPUs = append(r.info.GPUs, g)
	}
}

func (r *reader) property(g *GPU, key string) (err error) {
	to := map[string]*int64{
		"id": &g.ID, "computeMajor": &g.Major, "computeMinor": &g.Minor, "numSms": &g.SMs, "warpSize": &g.WarpSize,
		"regsPerMultiprocessor": &g.Registers, "sharedMemPerMultiprocessor": &g.Shared,
		"maxSharedMemoryPerMultiProcessor": &g.Shared, "maxThreadsPerMultiprocessor": &g.MaxThreads,
		"sharedMemPerBlockOptin": &g.SharedPerCTA, "totalGlobalMem": &g.Memory,
	}[key]
	switch {
	case key == "name":
		return r.text(func(v []byte) { g.Name = string(v[:min(len(v), maxGPUName)]) })
	case to == nil:
		return r.s.Skip()
	}
	*to, _, err = r.number(1)
	return err
}

// Machine has the entry's facts about the device. The compute capability of AMD's, whose warps have 64 threads, is
// none.
func (g *GPU) Machine() trace.Machine {
	at := func(v int64) uint64 { return uint64(max(v, 0)) }
	m := trace.Machine{
		Name: g.Name, SMs: uint32(min(at(g.SMs), 1<<16)), WarpSize: at(g.WarpSize), RegistersPerSM: at(g.Registers),
		SharedBytesPerSM: at(g.Shared), SharedBytesPerCTA: at(g.SharedPerCTA), MemoryBytes: at(g.Memory),
	}
	warp := m.WarpSize
	if warp == 0 {
		warp = 32
	}
	m.WarpsPerSM = at(g.MaxThreads) / warp
	if warp == 32 {
		m.SMVersion = uint32(min(at(g.Major), 1<<16)*10 + min(at(g.Minor), 9))
	}
	return m
}
