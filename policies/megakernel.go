package policies

import (
	"gpureplay/model"
	"gpureplay/model/host"
	"gpureplay/policies/megakernel"
)

func init() {
	Dependencies.Register(Option[model.Dependency]{
		Name: "megakernel", Title: "CTAs are tasks of a persistent kernel, ready when their producers have ended",
		Source: "Mirage Persistent Kernel (MPK); Hazy Research, no bubbles",
		Params: []Param{
			{"mega-workers", "0", "tasks that an SM runs at once; 0: as many as fit beside the scheduler warp"},
			{"mega-grain", "task", "task: a task waits for the tasks whose data it reads or overwrites; kernel: for all " +
				"of every kernel before"},
			{"mega-task-latency", "machine", "ns from the end of a task's last producer until it begins: an atomic and polls; " +
				"machine: 4.6 round trips to its L2"},
			{"mega-prefetch", "13", "pages of 16 KB that the next tasks of an SM may load ahead; 0: none"},
		},
		New: func(a Args) (model.Dependency, error) {
			workers, err := a.Integer("mega-workers", 0, 64)
			if err != nil {
				return nil, err
			}
			kernels, err := a.Either("mega-grain", "task", "kernel")
			if err != nil {
				return nil, err
			}
			c := megakernel.Config{Workers: int(workers), Kernels: kernels, LatencyNs: -1}
			if err = a.override("mega-task-latency", &c.LatencyNs); err != nil {
				return nil, err
			}
			pages, err := a.Integer("mega-prefetch", 0, 1<<10)
			c.Pages = int(pages)
			return megakernel.New(c), err
		},
	})
	Register(Policy{
		Name: "megakernel", Title: "one persistent kernel between two waits of the host: its tasks are the kernels' CTAs",
		Source: "Mirage Persistent Kernel (MPK); Hazy Research, no bubbles",
		Doc: "All that the host issues between two of its waits is one launch. On each SM one CTA stays, with a scheduler " +
			"warp and workers. A worker runs a CTA of a kernel as a task. A task is ready when the tasks have ended that " +
			"wrote its input or used memory that it overwrites. It begins mega-task-latency later. A copy between kernels " +
			"ends the megakernel.",
		Baselines: []string{"hyperq"}, Host: host.Graph, Dependency: "megakernel", Needs: needsTaskPaths,
	})
}

// needsTaskPaths requests warps with instructions, and no launches by the device.
func needsTaskPaths(f *TraceProfile) string {
	switch {
	case f.Inferred > 0:
		return "no work is known of some of its kernels, so they cannot be tasks"
	case f.ChildLaunches > 0:
		return "its kernels launch children, for which a megakernel has no rule"
	}
	return ""
}

var (
	_ model.ResidentDependency = (*megakernel.Unit)(nil)
	_ model.LimitedRuntime     = (*megakernel.Unit)(nil)
)
