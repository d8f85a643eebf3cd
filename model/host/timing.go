package host

import "gpureplay/trace"

// Timing says where the times of the host and of its copies come from, outside [Captured].
type Timing struct {
	Host   Times
	Copies CopyTimes
}

// Times is where the host's times come from.
type Times uint8

const (
	// TimesMachine: its own work is the trace's; a launch takes
	// host.launch_overhead_ns and arrives host.launch_latency later.
	TimesMachine Times = iota
	// TimesRecorded: as the capture has it. Its own work and its calls take their recorded times. A launch or copy
	// that had nothing before it in its stream begins as long after its call as recorded. Work without a call
	// begins no earlier than recorded. Times that the capture does not have are the machine's.
	TimesRecorded
	// TimesNone: the host takes no time, and launches arrive at once.
	TimesNone
)

// TimeNames are the words for [Times], in order.
func TimeNames() []string { return []string{"machine", "recorded", "none"} }

// CopyTimes is where the times of copies and memsets come from.
type CopyTimes uint8

const (
	CopiesMachine  CopyTimes = iota // from the machine's links
	CopiesRecorded                  // their recorded times, on engines as the capture shows them
)

// CopyTimeNames are the words for [CopyTimes], in order.
func CopyTimeNames() []string { return []string{"machine", "recorded"} }

// works has the current thread compute from cycle t on, and returns for how long. Its first
// work counts from the beginning of the program.
func (h *Host) works(op *trace.HostOp, t Time) Time {
	h.at.worked = op.Ns
	busy := h.work(op)
	if !h.at.begun {
		busy = max(0, busy-t)
	}
	return busy
}

// work is how long the host computes.
func (h *Host) work(op *trace.HostOp) Time {
	if h.captured() || h.timing.Host == TimesNone || h.at.graphs.node {
		return 0
	}
	return h.scaled(op.Ns)
}

// scaled is a time of the host that the trace has, on this machine.
func (h *Host) scaled(ns int64) Time {
	if scale := h.cfg.Host.WorkScale; scale != 1 {
		ns = int64(min(float64(float64(ns)*scale)+0.5, 1<<62))
	}
	return Cycles(ns, h.cfg)
}

// call is how long a call other than a launch keeps the host, beside its wait.
func (h *Host) call(op *trace.HostOp) Time {
	if h.captured() || h.timing.Host != TimesRecorded || h.at.graphs.node {
		return 0
	}
	return h.scaled(op.Ns)
}

// deliver sends a launched kernel on its way to the KMU and returns for how long
// the call keeps the host.
func (h *Host) deliver(op *trace.HostOp, k *Kernel, t Time) Time {
	latency, overhead := Time(h.cfg.Host.LaunchLatency), Cycles(int64(h.cfg.Host.LaunchOverheadNs), h.cfg)
	switch r := k.Recorded; {
	case h.captured() || h.timing.Host == TimesNone || h.at.graphs.node:
		latency, overhead = 0, 0
	case h.timing.Host != TimesRecorded || r == nil || r.StartNs < 0:
	case r.HostNs < 0:
		latency, overhead = 0, 0
	default:
		overhead = h.call(op)
		if at := h.notBefore(op, r, t); at > 0 {
			latency = max(0, at-t-Time(h.cfg.KMU.DispatchLatency))
		}
	}
	at := max(t+latency, h.arrived[k.HWQ], h.at.graphs.at) // as they were issued: a queue is in program order
	if h.at.graphs.open && !h.at.graphs.node {
		h.at.graphs.at = at
	}
	h.arrived[k.HWQ] = at
	h.dev.Arrive(k, at)
	return overhead
}

// notBefore is the cycle before which work that is issued in cycle t does not begin: as long after its call as
// recorded, or its recorded start, where the capture has no call. The delay of work that may have waited for other
// work in its stream, or for its copy engine, is at most the usual one of work that did not wait. Behind a wait for
// an event it is at most that and the time in which the device was idle. 0: it was not recorded.
func (h *Host) notBefore(op *trace.HostOp, r *trace.Recorded, t Time) Time {
	switch {
	case r.StartNs < 0 || h.way == AtOnce:
		return 0
	case r.HostNs < 0:
		return max(1, h.since(r.StartNs))
	}
	delay := r.StartNs - r.HostNs
	if op.Ns == 0 { // a launch that loaded code, which stands before it as work
		delay -= h.at.worked
	}
	if op.Kind != trace.OpLaunch && h.engineBusy(op.Kind, r.HostNs) {
		return h.inTurn(op.Kind, t+Cycles(min(delay, h.usualCopy()), h.cfg))
	}
	usual := h.capture.usual[kindOfDelay(op.Kind)]
	switch {
	case h.lastEnd[op.Stream] > r.HostNs:
		if late := r.StartNs - h.lastEnd[op.Stream]; delay >= h.at.took || late <= usual {
			delay = min(delay, usual)
		} // else it waited for its call, which had not handed it on when its stream was free
	case h.Stream(op.Stream).waits:
		delay = min(delay, usual+h.capture.idleIn(r.StartNs-delay, r.StartNs))
	}
	at := t + h.delayed(delay)
	if op.Kind != trace.OpLaunch {
		return h.inTurn(op.Kind, at)
	}
	return at
}

// delayed is a delay from a call to the begin of its work, on this machine. Work that begins within its call
// waits for the host alone; the delay of other work is the device's.
func (h *Host) delayed(ns int64) Time {
	if ns < h.at.took {
		return h.scaled(ns)
	}
	return Cycles(ns, h.cfg)
}

// gap is the recorded time from the end of the operation before a copy in its stream to its beginning, and no
// longer than on the machine: it may have waited for more.
func (h *Host) gap(op *trace.HostOp, r *trace.Recorded) Time {
	last, ok := h.lastEnd[op.Stream]
	if !ok || r.HostNs < 0 || last <= r.HostNs {
		return 0
	}
	return Cycles(min(r.StartNs-last, int64(h.cfg.Host.CopyLatencyNs)), h.cfg)
}

// noteEnd notes when an operation was recorded to end, for those behind it.
func (h *Host) noteEnd(op *trace.HostOp, r *trace.Recorded) {
	if r == nil || r.StartNs < 0 {
		return
	}
	end := r.StartNs + max(0, r.DurationNs)
	h.lastStart[op.Stream] = r.StartNs
	h.lastEnd[op.Stream], h.lastAll = max(h.lastEnd[op.Stream], end), max(h.lastAll, end)
	if op.Kind != trace.OpLaunch {
		engine := EngineOf(op.Kind)
		h.copied[engine] = max(h.copied[engine], end)
	}
}
