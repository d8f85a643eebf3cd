package policies

import (
	"fmt"

	"gpureplay/model/hardware"
)

// needsBodies requests the bodies of children: a policy that refuses launches has the parent's lanes do their work.
func needsBodies(f *TraceProfile) string {
	if f.Bodiless > 0 && f.ChildLaunches > 0 {
		return fmt.Sprintf("it does not know the warps of %d of its children, so that a parent cannot do their "+
			"work itself", f.Bodiless)
	}
	return needsChildren(f)
}

// needsChildren requests child launches.
func needsChildren(f *TraceProfile) string {
	if f.ChildLaunches == 0 {
		return "it holds no child launches"
	}
	return ""
}

// noLaunchLatency makes the device API and the dispatch free.
func noLaunchLatency(c *hardware.Config, _ Args) error {
	l := &c.Launch
	l.StreamCreate, l.ParamBase, l.ParamPerLane, l.DeviceBase, l.DevicePerLane = 0, 0, 0, 0, 0
	c.KMU.DispatchLatency = 0
	return nil
}

func init() {
	Register(Policy{
		Name: "cdp", Title: "CUDA Dynamic Parallelism: a launch that the program's rule marks becomes a kernel of its own",
		Source: "DTBL paper, section 2.4; SPAWN paper, section II (Baseline-DP)",
		Doc: "Every child launch that the program's own rule would make is a device kernel: the API's latency, the KMU, " +
			"a hardware work " +
			"queue and an entry of the kernel distributor. Work that the rule leaves to the parent runs in the parent's lanes.",
		Needs: needsChildren,
	})
	Register(Policy{
		Name: "cdp-ideal", Bound: true,
		Title: "cdp with a launch latency of zero", Source: "DTBL paper, section 5.2 (CDPI)",
		Doc:    "As cdp, with no latency of the device API and of the dispatch.",
		Needs:  needsChildren,
		Adjust: noLaunchLatency,
	})
}
