package rocprof

import (
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// GPU is one agent that is a GPU.
type GPU struct {
	Name     string // as sold, or the architecture
	Arch     string // gfx90a
	CUs      int64
	WaveSize int64
}

// Info is what a capture says apart from its events.
type Info struct {
	GPUs      []GPU // index: device
	BadValues uint64
	Untimed   uint64 // records without times, left out
	Unnamed   uint64 // kernels whose symbol is not in the capture
	HostOnly  uint64 // copies within the host, left out
	Faults    uint64 // page faults and migrations, left out
	Repaired  uint64
}

const (
	maxAgents  = 1 << 12
	maxSymbols = 1 << 20
	maxName    = 256
)

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
	a.Sized = a.Grid.Count() > 0 && a.Block.Count() > 0
	return a
}

// small clips to 32 bits.
func small(v int64) uint32 { return uint32(min(max(v, 0), 1<<32-1)) }
