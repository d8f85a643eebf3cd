package policies

import (
	"gpureplay/model/hardware"
	"gpureplay/model/host"
)

func init() {
	Register(Policy{
		Name: "boundary-free", Bound: true,
		Title:  "hyperq whose launches and calls take no time: the bound of what a boundary costs",
		Source: "this project",
		Doc: "Kernels keep the order of their streams. Launches, dispatch, the host's calls and its work take no time, " +
			"recorded or not; copies take theirs. The difference to hyperq is the cost of the boundaries between kernels.",
		Baselines: []string{"hyperq"}, Host: host.AtOnce,
		Adjust: func(c *hardware.Config, _ Args) error {
			c.KMU.DispatchLatency, c.Host.LaunchLatency = 0, 0
			c.Host.LaunchOverheadNs, c.Host.CopyCallNs, c.Host.WorkScale = 0, 0, 0
			return nil
		},
	})
}
