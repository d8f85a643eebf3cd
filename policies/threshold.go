package policies

import "gpureplay/model"

func init() {
	LaunchControls.Register(Option[model.LaunchControl]{
		Name: "threshold", Title: "a child only where the workload exceeds a threshold",
		Source: "SPAWN paper, section II.B (THRESHOLD)",
		Params: []Param{{"threshold", "128", "a child is launched where its workload exceeds this many items (0: " +
			"every request)"}},
		New: func(a Args) (model.LaunchControl, error) {
			n, err := a.Integer("threshold", 0, 1<<32-1)
			return threshold(n), err
		},
	})
	Register(Policy{
		Name: "threshold", Title: "threshold=N: a child kernel only where the workload exceeds N",
		Source: "SPAWN paper, sections II.B and III",
		Doc: "Decides over all requests, also those that the program's own rule leaves to the parent: a workload of " +
			"more than N items is " +
			"launched as a device kernel, any other runs in the parent's lane.",
		Launch: "threshold", Needs: needsBodies,
	})
}

// threshold launches requests of more items than its value.
type threshold uint32

func (n threshold) Decide(r *model.LaunchRequest) (model.Decision, string) {
	if r.Workload > uint32(n) {
		return model.DeviceKernel, "above threshold"
	}
	return model.Inline, "below threshold"
}
