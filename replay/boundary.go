package replay

import (
	"fmt"
	"slices"

	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/trace/container"
)

// MachineOf is [MachineFor] of a trace, with the boundary between kernels that its recorded times show. It is the
// median time from the end of one to the begin of the next of its stream, which had been launched by then. Profilers
// differ in the begin of a kernel: on AMD its dispatch is part of its duration. A launch into an idle GPU takes as
// long as before. It returns an error if the trace cannot be read.
func MachineOf(r *container.Reader) (*Captured, error) {
	c := MachineFor(&r.Program().Meta)
	times, err := host.ReadCapture(r)
	if err != nil || times.BoundaryNs < 0 {
		return c, err
	}
	c.between(times.BoundaryNs)
	return c, nil
}

// between sets the time between two kernels.
func (c *Captured) between(ns int64) {
	cfg := *c.Config
	was := cfg.KMU.DispatchLatency
	cfg.KMU.DispatchLatency = int(min(float64(ns)*cfg.Clock.CoreMHz/1000+0.5, 1<<30))
	cfg.Host.LaunchLatency = max(0, cfg.Host.LaunchLatency+was-cfg.KMU.DispatchLatency)
	c.Says += fmt.Sprintf(", %.2f µs between kernels from the capture", float64(ns)/1000)
	if slices.Contains(hardware.Presets(), cfg.Name) {
		cfg.Name += "-captured"
		cfg.Description = c.Says
	}
	c.Config = &cfg
}

// firstOnAccelSim is the cycle of a kernel in which Accel-Sim places its first CTA. 5000 is
// gpgpu_kernel_launch_latency of the configurations that it ships. gpgpu_sim::cycle (gpu-sim.cc) places CTAs
// (issue_block2core), and then counts the latency down (decrement_kernel_latency).
const firstOnAccelSim = 5000 + 1

// AsOnAccelSim is a machine with the boundary between kernels that Accel-Sim has in trace mode, for comparisons
// with it; presets launch as GPUs do, while the kernel before runs. There is no host (accel-sim.cc):
// parse_commandlist reads copies and launches in no time, copies beside that (perf_memcpy_to_gpu). A kernel is
// launched in the cycle in which cleanup has the one before, so that each has all of its latency. At the first CTA
// of the trace, DRAM's clock has the phase that it has on the given machine, whose lead is for its own launch.
func AsOnAccelSim(machine *hardware.Config) *hardware.Config {
	cfg := *machine
	later := firstOnAccelSim - (cfg.Host.LaunchLatency + cfg.KMU.DispatchLatency)
	cfg.DRAM.Lead = max(0, cfg.DRAM.Lead-later)
	cfg.KMU.DispatchLatency, cfg.Host.LaunchLatency = firstOnAccelSim, 0
	cfg.Host.LaunchOverheadNs, cfg.Host.WorkScale = 0, 0
	cfg.Host.CopyCallNs, cfg.Host.CopyLatencyNs = 0, 0
	cfg.Host.PCIeGBs, cfg.Host.StorageMBs = 0, 0 // free
	return &cfg
}
