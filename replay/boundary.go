package replay

import (
	"fmt"
	"slices"

	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/trace"
)

// MachineOf is [MachineFor] of a trace, with the boundary between kernels that its
// recorded times show: the median time from the end of one to the begin of the next of
// its stream, which had been launched by then. What profilers call the begin of a kernel
// differs: on AMD its dispatch is part of its duration. A launch into an idle GPU takes as
// long as before.
func MachineOf(r *trace.Reader) (*Captured, error) {
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
