package policies

import (
	"gpureplay/model"
	"gpureplay/policies/pdl"
	"gpureplay/trace"
)

func init() {
	Dependencies.Register(Option[model.Dependency]{
		Name: "pdl", Title: "a kernel enters when all CTAs of the one before it have triggered; its warps wait for its end",
		Source: "CUDA C++ Programming Guide, programmatic dependent launch; PTX ISA, griddepcontrol",
		Params: []Param{
			{"pdl-trigger", "none", "where a kernel without PREEXIT triggers: none, begin (of a CTA), last-load (of each " +
				"warp) or end (of a CTA)"},
			{"pdl-wait", "first-dependent", "where a warp without ACQBULK waits: first-dependent (before its first access " +
				"that reads what the kernel before it writes, or overwrites what it touches) or begin"},
			{"pdl-edges", "stated", "kernels that may begin before the one before them has ended: stated (those with " +
				"the attribute programmatic; all, if the trace has none) or all"},
			{"pdl-own", "kept", "triggers that paths have (PREEXIT): kept, or moved to pdl-trigger"},
		},
		New: func(a Args) (model.Dependency, error) {
			var at pdl.Places
			var err error
			if at.Trigger, err = a.OneOf("pdl-trigger", "none", "begin", "last-load", "end"); err != nil {
				return nil, err
			}
			if at.Wait, err = a.OneOf("pdl-wait", "first-dependent", "begin"); err != nil {
				return nil, err
			}
			launch, err := a.OneOf("pdl-edges", "stated", "all")
			if err != nil {
				return nil, err
			}
			at.All = launch == "all"
			at.Moved, err = a.Either("pdl-own", "kept", "moved")
			return pdl.New(at), err
		},
	})
	Register(Policy{
		Name: "pdl", Title: "hyperq, with programmatic launches: a kernel begins while the one before it ends",
		Source: "CUDA C++ Programming Guide, programmatic dependent launch; PTX ISA, griddepcontrol",
		Doc: "The next kernel of a stream enters the distributor when each CTA of the one before it has executed PREEXIT " +
			"or ended. At ACQBULK its warps wait until that one has completed and its stores are acknowledged. Kernels " +
			"without these instructions trigger and wait where pdl-trigger and pdl-wait say. At most two kernels of a " +
			"stream are on the GPU. A kernel that triggers nowhere changes nothing.",
		Baselines: []string{"hyperq"}, Dependency: "pdl", Needs: needsPaths,
	})
}

// needsPaths requests warps with instructions, and no launches by the device.
func needsPaths(f *TraceProfile) string {
	switch {
	case f.Fidelity < trace.FidelityWarp:
		return "its warps have no instructions, so that no trigger can be placed"
	case f.ChildLaunches > 0:
		return "its kernels launch children, for which a programmatic launch is not defined"
	}
	return ""
}

var _ model.WarpDependency = (*pdl.Unit)(nil)
