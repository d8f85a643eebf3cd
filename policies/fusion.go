package policies

import "gpureplay/model"

func init() {
	register(Policy{
		Name: "fusion", Title: "all tasks in one kernel, each CTA sized by the most demanding task", Source: "Pagoda paper, sections 1 and 6 (static fusion)",
		Doc: "The program waits until all tasks are there. Their inputs are copied together, one kernel holds the threadblocks of all tasks, every CTA " +
			"with the threads, registers and shared memory of the most demanding one, and when it has ended all outputs are copied together.",
		Launch: "device-kernel", Admission: "hwq", Dependency: "barrier", CTA: "fifo", Tasks: true,
		Params: taskParams, Adjust: adjustTasks,
		Needs: func(f *Facts) string {
			if f.TaskDeps > 0 {
				return "tasks of it wait for others, and one kernel has no order among its CTAs"
			}
			return needsTasks(f)
		},
		Compose: func(p *model.Policy, a Args) error {
			copies, err := a.taskCopies()
			p.Tasks = &fusion{copies: copies != model.CopiesFree}
			return err
		},
	})
}

// fusion is static fusion. Choice: a program that waits between its tasks gets a
// kernel for those before each wait. A task's threads beyond its own exit at
// once; what their CTA holds it holds to its end.
type fusion struct {
	m       *model.TaskMachine
	copies  bool
	tasks   []*model.Task
	running []*model.Task
}

// Events of fusion.
const (
	fusionCopied = iota // inputs are on the device
	fusionEnded         // the kernel has ended
	fusionBack          // outputs are on the host
)

// Start is of [model.TaskRuntime].
func (r *fusion) Start(m *model.TaskMachine) error {
	r.m = m
	return nil
}

// Window is of [model.TaskRuntime]: a static fusion holds all tasks.
func (r *fusion) Window() int { return 0 }

// Ready is of [model.TaskRuntime].
func (r *fusion) Ready(task *model.Task, _ model.Time) error {
	r.tasks = append(r.tasks, task)
	return nil
}

// Drain is of [model.TaskRuntime]: all tasks are there.
func (r *fusion) Drain(t model.Time) error {
	if len(r.running) > 0 || len(r.tasks) == 0 {
		return nil
	}
	r.running, r.tasks = r.tasks, nil
	var bytes uint64
	for _, k := range r.running {
		bytes += k.InBytes
	}
	end := t
	if r.copies && bytes > 0 {
		_, end = r.m.Copy(true, bytes, t)
	}
	r.m.At(end, fusionCopied, 0)
	return nil
}

// Event is of [model.TaskRuntime].
func (r *fusion) Event(kind uint8, _ uint64, t model.Time) error {
	switch kind {
	case fusionCopied:
		arrive := t + model.Time(r.m.Config().Host.LaunchLatency)
		for _, k := range r.running {
			k.Record.Copied, k.Record.Schedulable = t, arrive
		}
		_, err := r.m.LaunchFused(r.running, fusionEnded, t)
		return err
	case fusionEnded:
		var bytes uint64
		for _, k := range r.running {
			bytes += k.OutBytes
		}
		end := t
		if r.copies && bytes > 0 {
			_, end = r.m.Copy(false, bytes, t)
		}
		r.m.At(end, fusionBack, 0)
	case fusionBack:
		ended := r.running
		r.running = nil
		for _, k := range ended {
			r.m.Finish(k, t)
		}
	}
	return nil
}
