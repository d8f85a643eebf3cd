package policies

import (
	"fmt"

	"gpureplay/model"
)

// aggParams are the parameters of aggregated groups.
var aggParams = []Param{{"dtbl-agt", "1024", "entries of the aggregated group table, a power of two (256 to 4096 in the paper)"}}

func init() {
	launches.register(Option[model.LaunchControl]{
		Name: "aggregated-group", Title: "what the program's rule marks joins a kernel in the distributor", Source: "DTBL paper, section 4",
		New: func(Args) (model.LaunchControl, error) { return aggregate{}, nil },
	})
	const doc = "Every child launch that the program's own rule would make is an aggregated group: after the parameter buffer has been allocated " +
		"it joins a kernel of the distributor with the same function and CTA configuration, whose CTAs it then adds to. Where no kernel " +
		"matches, it is launched as a device kernel, to which later groups join."
	register(Policy{
		Name: "dtbl", Title: "dynamic thread block launch: children join kernels in the distributor", Source: "DTBL paper, section 4",
		Doc: doc, Launch: "aggregated-group", Admission: "hwq", Dependency: "barrier", CTA: "fifo", Needs: needsChildren,
		Params: aggParams, Compose: withAGT,
	})
	register(Policy{
		Name: "dtbl-ideal", Title: "dtbl with a launch latency of zero", Source: "DTBL paper, section 5.2 (DTBLI)",
		Doc: doc + " No latency of the device API and of the dispatch.", Launch: "aggregated-group", Admission: "hwq",
		Dependency: "barrier", CTA: "fifo", Needs: needsChildren, Params: aggParams, Compose: withAGT, Adjust: noLaunchLatency,
	})
}

// withAGT gives the machine an aggregated group table.
func withAGT(p *model.Policy, a Args) error {
	n, err := a.integer("dtbl-agt", 1, 1<<20)
	if err == nil && n&(n-1) != 0 {
		err = fmt.Errorf("dtbl-agt=%d: want a power of two", n)
	}
	p.AGT = int(n)
	return err
}

// aggregate launches what the program's rule marks as an aggregated group.
type aggregate struct{}

func (aggregate) Decide(r *model.LaunchRequest) (model.Decision, string) {
	if r.Marked {
		return model.Group, "marked"
	}
	return model.Inline, "unmarked"
}
