package policies

import (
	"strconv"

	"gpureplay/model"
)

// taskParams are parameters of every policy that runs narrow tasks in a way of
// its own.
var taskParams = []Param{
	{"task-copies", "on", "on: inputs and outputs of tasks are copied; off: they take no time, for compute-only times"},
	{"task-copy-latency-ns", "machine", "fixed part of a copy in ns; machine: host.copy_latency_ns"},
	{"task-launch-overhead-ns", "machine", "host time of a kernel launch in ns; machine: host.launch_overhead_ns"},
}

// adjustTasks sets the machine's host to the parameters of tasks.
func adjustTasks(c *model.Config, a Args) error {
	for _, x := range []struct {
		name string
		to   *float64
	}{{"task-copy-latency-ns", &c.Host.CopyLatencyNs}, {"task-launch-overhead-ns", &c.Host.LaunchOverheadNs}} {
		if err := a.override(x.name, x.to); err != nil {
			return err
		}
	}
	return nil
}

// override sets a number of the machine unless the parameter says "machine".
func (a Args) override(name string, to *float64) error {
	s := a.text(name)
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

// needsTasks asks for narrow tasks.
func needsTasks(f *Facts) string {
	if f.Tasks == 0 {
		return "it spawns no narrow tasks (--as-tasks runs the kernels of a capture as tasks)"
	}
	return ""
}
