package policies

import (
	"container/heap"

	"gpureplay/model"
	"gpureplay/model/clock"
	"gpureplay/model/hardware"
)

func init() {
	Register(Policy{
		Name: "pthreads", Title: "no GPU: a multicore CPU runs one task per core", Source: "Pagoda paper, section 6.1",
		Doc: "Tasks go first come, first served to the first free core. A task takes its thread instructions, as the " +
			"trace counts them, over IPC and clock " +
			"of the core: one GPU thread instruction stands for one instruction of the scalar program. Nothing is copied; " +
			"there is no GPU.",
		Tasks: true,
		Params: []Param{
			{"cpu-cores", "machine", "cores; machine: cpu.cores"},
			{"cpu-clock-mhz", "machine", "clock of a core in MHz; machine: cpu.clock_mhz"},
			{"cpu-ipc", "machine", "instructions per cycle of a core; machine: cpu.ipc"},
		},
		Needs: func(f *TraceProfile) string {
			switch {
			case f.Tasks == 0:
				return needsTasks(f)
			case f.Uncounted > 0:
				return "it does not count the instructions of its tasks, by which a CPU's time is estimated"
			}
			return ""
		},
		Adjust: func(c *hardware.Config, a Args) error {
			cores := float64(c.CPU.Cores)
			if err := a.override("cpu-cores", &cores); err != nil {
				return err
			}
			if cores < 1 || cores > 1<<16 || cores != float64(int(cores)) {
				return badCPU("cpu-cores", cores)
			}
			c.CPU.Cores = int(cores)
			if err := a.override("cpu-clock-mhz", &c.CPU.ClockMHz); err != nil {
				return err
			}
			if err := a.override("cpu-ipc", &c.CPU.IPC); err != nil {
				return err
			}
			if c.CPU.ClockMHz <= 0 || c.CPU.IPC <= 0 {
				return badCPU("cpu-clock-mhz x cpu-ipc", c.CPU.ClockMHz*c.CPU.IPC)
			}
			return freeCopies(c, a)
		},
		Compose: func(p *model.Policy, _ Args) error {
			p.Tasks = &cpu{}
			return nil
		},
	})
}

// cpu runs tasks on cores. Choices: all lanes' instructions are executed one
// after another, as scalar code would; a vectorised program would need fewer, a
// program of another compiler others. Starting a task on a core takes no time.
type cpu struct {
	m     *model.TaskMachine
	free  int // cores
	queue clock.FIFO[*model.Task]
	ends  cpuHeap
	seq   uint64
}

// Start is of [model.TaskRuntime].
func (r *cpu) Start(m *model.TaskMachine) error {
	r.m, r.free = m, m.Config().CPU.Cores
	return nil
}

// Window is of [model.TaskRuntime].
func (r *cpu) Window() int { return 1 << 13 }

// Drain is of [model.TaskRuntime].
func (r *cpu) Drain(model.Time) error { return nil }

// Ready is of [model.TaskRuntime].
func (r *cpu) Ready(task *model.Task, t model.Time) error {
	r.queue.Push(task)
	r.assign(t)
	return nil
}

// assign gives waiting tasks to free cores.
func (r *cpu) assign(t model.Time) {
	c := r.m.Config()
	for r.free > 0 && r.queue.Len() > 0 {
		task := r.queue.Pop()
		r.free--
		r.seq++
		rec := &task.Record
		rec.Schedulable, rec.FirstWarp = t, t
		rec.End = t + max(1, model.Time(float64(float64(task.ThreadInsts)/(c.CPU.IPC*c.CPU.ClockMHz)*c.Clock.CoreMHz)+0.5))
		r.m.Began(t)
		heap.Push(&r.ends, cpuTask{rec.End, r.seq, task})
		r.m.At(rec.End, 0, 0)
	}
}

// Event is of [model.TaskRuntime]: the first task of those that run ends.
func (r *cpu) Event(_ uint8, _ uint64, t model.Time) error {
	for r.ends.Len() > 0 && r.ends[0].end <= t {
		x := heap.Pop(&r.ends).(cpuTask)
		r.free++
		r.m.Over(t)
		r.m.Finish(x.task, t)
	}
	r.assign(t)
	return nil
}

// cpuTask is a task on a core.
type cpuTask struct {
	end  model.Time
	seq  uint64
	task *model.Task
}

// cpuHeap orders running tasks by their end, then by their start.
type cpuHeap []cpuTask

func (h cpuHeap) Len() int { return len(h) }
func (h cpuHeap) Less(i, j int) bool {
	return h[i].end < h[j].end || h[i].end == h[j].end && h[i].seq < h[j].seq
}
func (h cpuHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *cpuHeap) Push(x any)   { *h = append(*h, x.(cpuTask)) }
func (h *cpuHeap) Pop() any {
	n := len(*h) - 1
	x := (*h)[n]
	(*h)[n] = cpuTask{}
	*h = (*h)[:n]
	return x
}
