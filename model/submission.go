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
		kernels = inAccesses{m.access}
	}
	return tasked{m.tasks, kernels}
}

// inAccesses has the dependency issue operations.
type inAccesses struct{ d AccessDependency }

func (x inAccesses) Issue(op *trace.HostOp, t Time) (busy Time, again bool, err error) {
	return x.d.Issue(op, t)
}

// tasked hands narrow tasks to their runtime, and all else on.
type tasked struct {
	u       *tasks
	kernels host.Submission
}

func (x tasked) Issue(op *trace.HostOp, t Time) (busy Time, again bool, err error) {
	if done, again, err := x.u.issue(op, t); done || err != nil {
		return 0, again, err
	}
	return x.kernels.Issue(op, t)
}

// onDevice is the machine as its host sees it.
type onDevice struct{ m *Machine }

func (d onDevice) Now() Time                       { return d.m.now }
func (d onDevice) Run(t Time)                      { d.m.queue.Post(t, evHost, 0, 0) }
func (d onDevice) Copied(stream int, t Time)       { d.m.queue.Post(t, evCopyEnd, uint64(stream), 0) }
func (d onDevice) Arrive(k *host.Kernel, t Time)   { d.m.queue.Post(t, evArrive, k.Slot, 0) }
func (d onDevice) Inspect(t Time) error            { return d.m.kmu.inspect(t) }
func (d onDevice) NewStream() int                  { return d.m.kmu.newStream() }
func (d onDevice) Ended(op *host.StreamOp, t Time) { d.m.tasks.streamOpEnded(op, t) }
func (d onDevice) Drained(t Time) error            { return d.m.tasks.drain(t) }
func (d onDevice) Idle() bool                      { return d.m.tasks.idle() }
func (d onDevice) Warm(addr, bytes uint64, t Time) { d.m.mem.Warm(addr, bytes, t) }

func (d onDevice) Fail(err error) { d.m.fail(err) }

func (d onDevice) Launch(kernel uint32, st *host.Stream) (*host.Kernel, error) {
	k, err := d.m.kernels.launch(kernel, st)
	if err != nil {
		return nil, err
	}
	return &k.Kernel, nil
}

func (d onDevice) Took(kind trace.OpKind, array uint32, start, end Time, bytes uint64) {
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

// Opened hands over the kernel as policies see it.
func (g hostGate) Opened(k *host.Kernel, t Time) error {
	return g.CTADependency.Opened(&g.runs[k.Slot].KernelView, t)
}
