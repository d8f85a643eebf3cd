package policies

import "gpureplay/model"

func init() {
	Dependencies.Register(Option[model.Dependency]{
		Name: "barrier", Title: "a kernel starts when those before it in its stream have ended",
		Source: "CUDA's order of a stream",
		New:    func(Args) (model.Dependency, error) { return nil, nil },
	})
	LaunchControls.Register(Option[model.LaunchControl]{
		Name: "device-kernel", Title: "every request that the program's rule marks becomes a kernel of its own",
		Source: "CUDA Dynamic Parallelism",
		New:    func(Args) (model.LaunchControl, error) { return nil, nil },
	})
}
