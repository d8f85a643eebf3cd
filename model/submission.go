package model

import (
	"gpureplay/model/host"
	"gpureplay/trace"
)

// newSubmission returns the mode of a policy: its kernels overlap, or are hidden at
// both ends of the program, or are in streams; narrow tasks go to their runtime.
func newSubmission(m *Machine) host.Submission {
	kernels := m.host.Begins()
	if m.access != nil {
		kernels = accessMode{m.access}
	}
	return taskMode{m.tasks, kernels}
}

// accessMode has the dependency issue operations.
type accessMode struct{ d AccessDependency }

func (x accessMode) Issue(op *trace.HostOp, t Time) (busy Time, again bool, err error) {
	return x.d.Issue(op, t)
}

// taskMode hands narrow tasks to their runtime, and all else on.
type taskMode struct {
	u       *tasks
	kernels host.Submission
}

func (x taskMode) Issue(op *trace.HostOp, t Time) (busy Time, again bool, err error) {
	if done, again, err := x.u.issue(op, t); done || err != nil {
		return 0, again, err
	}
	return x.kernels.Issue(op, t)
}

// hostDevice is the machine as its host sees it.
type hostDevice struct{ m *Machine }

func (d hostDevice) Now() Time                       { return d.m.now }
func (d hostDevice) Run(t Time)                      { d.m.queue.Post(t, evHost, 0, 0) }
func (d hostDevice) Copied(stream int, t Time)       { d.m.queue.Post(t, evCopyEnd, uint64(stream), 0) }
func (d hostDevice) Arrive(k *host.Kernel, t Time)   { d.m.queue.Post(t, evArrive, k.Slot, 0) }
func (d hostDevice) Inspect(t Time) error            { return d.m.kmu.inspect(t) }
func (d hostDevice) NewStream() int                  { return d.m.kmu.newStream() }
func (d hostDevice) Ended(op *host.StreamOp, t Time) { d.m.tasks.streamOpEnded(op, t) }
func (d hostDevice) Drained(t Time) error            { return d.m.tasks.drain(t) }
func (d hostDevice) Idle() bool                      { return d.m.tasks.idle() }
func (d hostDevice) Warm(addr, bytes uint64, t Time) { d.m.mem.Warm(addr, bytes, t) }

func (d hostDevice) Fail(err error) { d.m.fail(err) }

func (d hostDevice) Launch(kernel uint32, st *host.Stream) (*host.Kernel, error) {
	k, err := d.m.kernels.launch(kernel, st)
	if err != nil {
		return nil, err
	}
	return &k.Kernel, nil
}

func (d hostDevice) Took(kind trace.OpKind, array uint32, start, end Time, bytes uint64) {
	d.m.sum.Cycles = max(d.m.sum.Cycles, end)
	if stage, ok := stageOf(kind); ok {
		d.m.stage(stage, array, start, end, bytes)
	}
}

// stageOf is the stage of a copy or of a file, if it is one.
func stageOf(kind trace.OpKind) (stage StageKind, ok bool) {
	switch kind {
	case trace.OpFileRead:
		return StagePrelude, true
	case trace.OpFileWrite:
		return StagePostlude, true
	case trace.OpCopyH2D:
		return StageH2D, true
	case trace.OpCopyD2H:
		return StageD2H, true
	}
	return 0, false
}

// hostGate is a dependency that works on CTAs as the host sees it.
type hostGate struct {
	CTADependency
	*kernels
}

// Opens is of [host.Gate].
func (g hostGate) Opens(place int, _, _ *host.Kernel) bool {
	window := g.Window()
	return window == 0 || place < window
}

// Opened hands over the kernel as policies see it.
func (g hostGate) Opened(k *host.Kernel, t Time) error {
	return g.CTADependency.Opened(&g.runs[k.Slot].KernelView, t)
}
