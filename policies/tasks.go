package policies

import (
	"fmt"
	"strconv"

	"gpureplay/model"
	"gpureplay/model/hardware"
)

// taskParams are parameters of every policy that runs narrow tasks in a way of
// its own.
var taskParams = []Param{
	{"task-copies", "interleaved", "interleaved: a task's input is copied before it and its output behind it " +
		"(Pagoda, figure 1a); phased: all inputs, then all tasks, then all outputs, as the artifact's programs do; off: " +
		"they take no time, for compute-only times"},
	{"task-copy-call-ns", "machine", "host time of a call of an asynchronous copy in ns; machine: host.copy_call_ns"},
	{"task-copy-latency-ns", "machine", "fixed part of a copy in ns; machine: host.copy_latency_ns"},
	{"task-launch-overhead-ns", "machine", "host time of a kernel launch in ns; machine: host.launch_overhead_ns"},
}

// composeTaskStreams sets the parts of tasks in streams beyond the five decisions.
func composeTaskStreams(p *model.Policy, a Args) error {
	var err error
	p.TaskCopies, err = a.taskCopies()
	return err
}

// taskCopies is the parameter task-copies.
func (a Args) taskCopies() (model.TaskCopies, error) {
	switch s := a.Text("task-copies"); s {
	case "interleaved":
		return model.CopiesInterleaved, nil
	case "phased":
		return model.CopiesPhased, nil
	case "off":
		return model.CopiesFree, nil
	default:
		return 0, fmt.Errorf("task-copies=%s: want interleaved, phased or off", s)
	}
}

// adjustTasks sets the machine's host to the parameters of tasks.
func adjustTasks(c *hardware.Config, a Args) error {
	for _, x := range []struct {
		name string
		to   *float64
	}{{"task-copy-call-ns", &c.Host.CopyCallNs}, {"task-copy-latency-ns", &c.Host.CopyLatencyNs},
		{"task-launch-overhead-ns", &c.Host.LaunchOverheadNs}} {
		if err := a.override(x.name, x.to); err != nil {
			return err
		}
	}
	return nil
}

// override sets a number of the machine unless the parameter says "machine".
func (a Args) override(name string, to *float64) error {
	s := a.Text(name)
	if s == "machine" {
		return nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v <= 1e9) {
		return badNumber(name, s)
	}
	*to = v
	return nil
}

// needsTasks requests narrow tasks.
func needsTasks(f *TraceProfile) string {
	if f.Tasks == 0 {
		return "it spawns no narrow tasks (--as-tasks runs the kernels of a capture as tasks)"
	}
	return ""
}

func badNumber(name, s string) error {
	return fmt.Errorf("%s=%s: want a number from 0 to 1e9, or machine", name, s)
}

func badCPU(name string, v float64) error {
	return fmt.Errorf("%s: %g is no CPU", name, v)
}
