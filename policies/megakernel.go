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
			{"mega-task-latency", "machine", "ns from the decision on a task until it begins: an atomic and polls; " +
				"machine: 4.6 round trips to its L2"},
			{"mega-schedulers", "1", "scheduler warps of an SM, at most 4; a task that waits no more is dealt to those of " +
				"all SMs in turn"},
			{"mega-decision", "0", "ns that a scheduler warp takes for one task, one after another"},
			{"mega-queue", "1024", "ready tasks that an SM's queue holds; a scheduler warp waits while all are full"},
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
			if err = schedulers(a, &c); err != nil {
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

// schedulers sets the latencies of tasks, the scheduler warps and their queue. It returns an error for a wrong number.
func schedulers(a Args, c *megakernel.Config) error {
	warps, err := a.Integer("mega-schedulers", 1, 4)
	if err != nil {
		return err
	}
	entries, err := a.Integer("mega-queue", 1, 1<<20)
	if err != nil {
		return err
	}
	c.Schedulers, c.Queue = int(warps), int(entries)
	if err = a.override("mega-decision", &c.DecisionNs); err != nil {
		return err
	}
	return a.override("mega-task-latency", &c.LatencyNs)
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
