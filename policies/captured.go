package policies

import (
	"gpureplay/model/host"
)

func init() {
	Register(Policy{
		Name: "captured", Title: "hyperq, with kernels and copies no earlier than they were recorded to start",
		Source: "this project",
		Doc: "Kernels, copies and memsets begin when their streams and events let them and no earlier than the capture " +
			"says; copies take " +
			"their recorded time, and the host's own work takes none, since the recorded starts have it in them. The " +
			"rest of the difference from the recorded timeline comes from the model of the kernels. The other policies " +
			"replay launches as the " +
			"host issued them: in " +
			"program order, with the gaps of the host's own work that the converter found, and the machine's cost of a launch.",
		Host: host.Captured,
		Needs: func(f *TraceProfile) string {
			if f.Starts == 0 {
				return "it has no recorded start times: it comes from a tracer or a generator, not from a profiler"
			}
			return ""
		},
	})
}
