package policies

import (
	"gpureplay/model/hardware"
	"gpureplay/model/host"
)

// freeCopies makes copies between host and device take no time.
func freeCopies(c *hardware.Config, _ Args) error {
	c.Host.PCIeGBs, c.Host.CopyLatencyNs = 0, 0
	return nil
}

func init() {
	Register(Policy{
		Name: "nocopy", Bound: true,
		Title:  "serial with copies that take no time: the bound of integrated GPUs",
		Source: "CRCS/PPCS paper, section 1",
		Doc:    "As serial; copies between host and device are free.",
		Host:   host.Serial, Adjust: freeCopies,
	})
	Register(Policy{
		Name: "single-overlap", Bound: true,
		Title:  "the prelude hides the first kernel, the postlude the last; copies free",
		Source: "CRCS/PPCS paper, figure 1(c)",
		Doc: "The bound of approaches that overlap one kernel with input and one with output: the first kernel starts " +
			"with the prelude and waits " +
			"for nothing, the postlude starts with the last kernel, copies are free, everything else is serial.",
		Host: host.Bound, Adjust: freeCopies,
	})
}
