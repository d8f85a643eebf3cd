package policies

import (
	"fmt"
	"strconv"

	"gpureplay/model"
)

func init() {
	Register(Policy{
		Name: "fusion", Title: "tasks fused into kernels, each CTA sized by the most demanding task",
		Source: "Pagoda paper, sections 1 and 6 (static fusion)",
		Doc: "The program waits until all tasks are there. One kernel holds the threadblocks of as many tasks as fill " +
			"the GPU, every CTA with the threads, " +
			"registers and shared memory of the most demanding one; such kernels run one after another, so that each ends " +
			"with its longest task. The " +
			"inputs of a kernel's tasks are copied together, before the first kernel, and their outputs behind the last.",
		Tasks: true,
		Params: append([]Param{{"fusion-batch", "fill", "tasks of a kernel; fill: as many as the GPU holds at once; 0: " +
			"all, which lets the hardware fill in behind short tasks"}}, taskParams...),
		Adjust: adjustTasks,
		Needs: func(f *TraceProfile) string {
			if f.TaskDeps > 0 {
				return "tasks of it wait for others, and one kernel has no order among its CTAs"
			}
			return needsTasks(f)
		},
		Compose: func(p *model.Policy, a Args) error {
			copies, err := a.taskCopies()
			if err != nil {
				return err
			}
			size := -1
			if s := a.Text("fusion-batch"); s != "fill" {
				if size, err = strconv.Atoi(s); err != nil || size < 0 || size > 1<<30 {
					return fmt.Errorf("fusion-batch=%s: want fill or a whole number from 0 to %d", s, 1<<30)
				}
			}
			p.Tasks = &fusion{free: copies == model.CopiesFree, size: size}
			return nil
		},
	})
}

// fusion is static fusion. Choices:
//
//  1. A program that waits between its tasks gets kernels for those before each wait.
//  2. A task's threads beyond its own exit at once; what their CTA holds it holds
//     to its end.
//  3. The artifact's programs put the inputs of a kernel's tasks side by side: they
//     are one copy, and so are the outputs. Copies are phased whatever task-copies
//     says: a fused program has all tasks before it begins.
//  4. One host thread makes the calls: the kernels are launched without waiting
//     between, into one stream.
type fusion struct {
	m       *model.TaskMachine
	host    taskHost
	free    bool
	size    int // tasks of a kernel; 0: all; -1: a fill of the GPU
	tasks   []*model.Task
	kernels [][]*model.Task // of the phase under way
	next    int             // kernel that is launched next
	ended   int
}

// Events of fusion.
const (
	fusionLaunch = iota // the host launches the next kernel
	fusionEnded         // a kernel has ended
	fusionBack          // arg: a kernel whose outputs are on the host
)

// Start is of [model.TaskRuntime].
func (r *fusion) Start(m *model.TaskMachine) error {
	r.m, r.host = m, taskHost{m: m}
	return nil
}

// Window is of [model.TaskRuntime]: a static fusion holds all tasks.
func (r *fusion) Window() int { return 0 }

// Ready is of [model.TaskRuntime].
func (r *fusion) Ready(task *model.Task, _ model.Time) error {
	if r.free {
		task.InBytes, task.OutBytes = 0, 0
	}
	r.tasks = append(r.tasks, task)
	return nil
}

// Drain is of [model.TaskRuntime]: all tasks are there.
func (r *fusion) Drain(t model.Time) error {
	if len(r.kernels) > 0 || len(r.tasks) == 0 {
		return nil
	}
	if err := r.divide(); err != nil {
		return err
	}
	for _, k := range r.kernels {
		if bytes := sum(k, func(x *model.Task) uint64 { return x.InBytes }); bytes > 0 {
			r.host.copy(true, bytes, t)
		}
	}
	r.host.wait()
	r.m.At(max(t, r.host.free), fusionLaunch, 0)
	return nil
}

// divide makes kernels of the tasks.
func (r *fusion) divide() error {
	size := r.size
	if size < 0 { // the largest task decides how many fit, wherever it comes
		var f gpuFill
		for _, k := range r.tasks {
			if _, err := f.add(r.m, k, 0); err != nil {
				return fmt.Errorf("the fused kernel's CTA %w", err)
			}
		}
		size = f.most
	}
	blocks, first := 0, 0
	for i, k := range r.tasks {
		if r.size < 0 {
			blocks += int(k.Blocks)
		} else {
			blocks++
		}
		if i > first && size > 0 && blocks > size {
			r.kernels = append(r.kernels, r.tasks[first:i])
			first, blocks = i, 1
			if r.size < 0 {
				blocks = int(k.Blocks)
			}
		}
	}
	r.kernels = append(r.kernels, r.tasks[first:])
	r.tasks, r.next, r.ended = nil, 0, 0
	return nil
}

func sum(tasks []*model.Task, bytes func(*model.Task) uint64) (n uint64) {
	for _, k := range tasks {
		n += bytes(k)
	}
	return n
}

// Event is of [model.TaskRuntime].
func (r *fusion) Event(kind uint8, arg uint64, t model.Time) error {
	switch kind {
	case fusionLaunch:
		tasks := r.kernels[r.next]
		for _, k := range tasks {
			k.Record.Copied, k.Record.Schedulable = t, t+model.Time(r.m.Config().Host.LaunchLatency)
		}
		free, err := r.m.LaunchFused(tasks, fusionEnded, t)
		if r.host.free = free; err != nil {
			return err
		}
		if r.next++; r.next < len(r.kernels) {
			r.m.At(free, fusionLaunch, 0)
		}
	case fusionEnded:
		if r.ended++; r.ended == len(r.kernels) {
			r.outputs(t)
		}
	case fusionBack:
		ended := r.kernels[arg]
		r.ended--
		if r.ended == 0 {
			r.kernels = nil
		}
		for _, k := range ended {
			r.m.Finish(k, t)
		}
	}
	return nil
}

// outputs copies the outputs of all kernels.
func (r *fusion) outputs(t model.Time) {
	for i, k := range r.kernels {
		end := t
		if bytes := sum(k, func(x *model.Task) uint64 { return x.OutBytes }); bytes > 0 {
			end = r.host.copy(false, bytes, t)
		}
		r.m.At(end, fusionBack, uint64(i))
	}
}
