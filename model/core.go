package model

import (
	"gpureplay/model/clock"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/program"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// core is the part of a machine that all units share: the trace and the configuration, time
// and its events, SMs and memory, and the observers. It refers to no unit.
type core struct {
	cfg      *hardware.Config
	policy   *Policy
	tr       *container.Reader
	prog     *trace.Program
	obs      Observer
	placed   PlacementObserver  // nil: the observer does not watch placements
	swapped  SuspensionObserver // nil: nor suspensions
	untold   bool               // CTAs that are held are not told of
	now      Time
	queue    clock.Queue
	wheel    *clock.Wheel
	sms      []*exec.SM
	mem      memory.System
	lib      *program.Library
	metrics  metrics
	sum      Summary
	err      error // met by an SM; ends the run after the cycle
	cut      Time  // cycle in which the run is cut off
	captured func() *hardware.Config
}

// The kinds of events, in the order in which a cycle handles them, with their numbers a and b.
const (
	evHost      clock.Kind = iota // the host goes on
	evCopyEnd                     // a = stream: its copy has ended
	evArrive                      // a = kernel slot: reaches the KMU
	evChild                       // a = number of a request: reaches the KMU
	evGroups                      // a = number of a call: its groups reach the CTA scheduler
	evDispatch                    // a = kernel slot: enters the distributor
	evRelease                     // a = kernel slot: it only waits for children
	evKernelEnd                   // a = kernel slot: its last CTA has ended
	evFollow                      // a = kernel whose successor may enter, b = its program order
	evAccess                      // a, b = numbers of the dependency that works on accesses
	evTask                        // a = argument, b = kind: for the narrow tasks and their runtime
	evCTAs                        // the CTA scheduler looks again
	evSM                          // a = SM: wakes, farther ahead than the wheel reaches
)

// wake makes an SM act at t, unless it acts before.
func (m *core) wake(id int, t Time) {
	if m.wheel.Due[id] < t {
		return
	}
	m.wheel.Due[id] = t
	if t-m.now < clock.WheelSlots {
		m.wheel.Add(t, id)
	} else {
		m.queue.Post(t, evSM, uint64(id), 0)
	}
}

// fail notes an error met where none can be returned; the run ends with the
// first.
func (m *core) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

// stage reports an interval of the host's program.
func (m *core) stage(kind StageKind, array uint32, start, end Time, bytes uint64) {
	m.tellStage(&StageRecord{Stage: kind, Kernel: NoKernel, Array: array, Start: start, End: end, Bytes: bytes})
}

func (m *core) tellStage(r *StageRecord) {
	m.sum.Cycles = max(m.sum.Cycles, r.End)
	m.obs.Stage(r)
}

// queues is how many hardware work queues there are.
func (m *core) queues() int { return max(1, m.cfg.KMU.HWQs) }
