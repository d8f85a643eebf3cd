package rocprof

import (
	"cmp"

	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// gpu is one agent that is a GPU, as far as its properties say, which all three
// forms name alike.
type gpu struct {
	name, arch string // as sold; gfx90a
	values     map[string]int64
}

// machine has the facts about a GPU that a trace keeps. The clock is in MHz; registers, caches and memory are not
// among the properties, or not in units that are documented.
func (g *gpu) machine() trace.Machine {
	at := func(key string) uint64 { return uint64(max(g.values[key], 0)) }
	m := trace.Machine{
		Name: cmp.Or(g.name, g.arch), Architecture: g.arch, SMs: uint32(min(at("cu_count"), 1<<16)),
		WarpSize: at("wave_front_size"),
		ClockHz:  at("max_engine_clk_fcompute") * 1e6, SharedBytesPerSM: at("lds_size_in_kb") << 10,
		WarpsPerSM: cmp.Or(at("max_waves_per_cu"), at("max_waves_per_simd")*at("simd_per_cu")),
	}
	if m.SMs == 0 && at("simd_per_cu") > 0 {
		m.SMs = uint32(min(at("simd_count")/at("simd_per_cu"), 1<<16))
	}
	return m
}

// Info has a capture's facts apart from its events.
type Info struct {
	GPUs      []trace.Machine // index: device
	BadValues uint64
	Untimed   uint64 // records without times, left out
	Unnamed   uint64 // kernels whose symbol is not in the capture
	Faults    uint64 // page faults and migrations, left out
	Repaired  uint64
	Replayed  uint64 // dispatches that the profiler ran again, left out
}

const (
	maxAgents = 1 << 12
	maxName   = 256
)

// maxSymbols bounds the entries of a capture's table that a reader holds. Tests lower it.
var maxSymbols = 1 << 20

// properties are a GPU's properties that [gpu.machine] reads.
var properties = []string{
	"cu_count", "wave_front_size", "max_engine_clk_fcompute", "lds_size_in_kb", "max_waves_per_cu",
	"max_waves_per_simd", "simd_per_cu", "simd_count",
}

// groups turns a grid in work-items into one in workgroups.
func groups(grid, group trace.Dim3) trace.Dim3 {
	for i := range grid {
		if group[i] == 0 {
			return trace.Dim3{}
		}
		grid[i] = uint32((uint64(grid[i]) + uint64(group[i]) - 1) / uint64(group[i]))
	}
	return grid
}

// dispatch is one kernel as any of the three forms tells it.
type dispatch struct {
	start, end  int64
	number      uint64 // of the dispatch, from 1; 0: not said
	correlation uint64
	device      uint32
	stream      uint64
	grid, group trace.Dim3 // work-items
	lds         uint32
	scratch     uint32
	registers   uint32
}

func (d *dispatch) activity() timeline.Activity {
	a := timeline.Activity{
		Kind: timeline.Kernel, StartNs: d.start, DurationNs: d.end - d.start, Correlation: d.correlation,
		Device: d.device, Stream: d.stream, Grid: groups(d.grid, d.group), Block: d.group,
		SharedBytes: d.lds, LocalBytes: d.scratch, Registers: d.registers,
	}
	a.Sized = timeline.Sized(a.Grid, a.Block)
	return a
}

// maxDispatches bounds the dispatches that are looked for a second time.
const maxDispatches = 1 << 20

// passes finds dispatches that the profiler ran again, for another group of counters.
type passes map[uint64]dispatch

// again reports whether the dispatch has been seen.
func (p *passes) again(d *dispatch) bool {
	if *p == nil {
		*p = passes{}
	}
	same := *d
	same.start, same.end = 0, 0
	before, ok := (*p)[d.number]
	if !ok && d.number > 0 && len(*p) < maxDispatches {
		(*p)[d.number] = same
	}
	return ok && before == same
}

// small clips to 32 bits.
func small(v int64) uint32 { return uint32(min(max(v, 0), 1<<32-1)) }
