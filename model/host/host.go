package host

import (
	"slices"

	"gpureplay/model/hardware"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Host runs the program of the trace: it issues operations in program order,
// waits where the program waits, and keeps the streams.
type Host struct {
	cfg        *hardware.Config
	tr         *container.Reader
	prog       *trace.Program
	dev        Device
	Gate       Gate // nil: kernels of a stream are not on the GPU together
	way        Mode
	ops        trace.Cursor[trace.HostOp]
	at         *thread  // that issues
	threads    *threads // nil: there is one
	over       bool     // the program has ended
	streams    map[uint64]*Stream
	streamList []*Stream // by first appearance
	events     map[uint64]*cudaEvent
	Open       int     // operations in streams that have not completed
	Engine     [3]Time // when each copy engine is free: to device, to host, on device
	Link       [3]rate
	Storage    rate
	Submit     Submission
	bound      endBound
	timing     Timing
	capture    *Capture
	turn       [3]Time          // per engine: before which its last copy did not begin, as recorded
	copied     [3]int64         // per engine: when its last copy was recorded to end, ns
	lastEnd    map[uint64]int64 // per stream: the latest recorded end of its operations, ns
	lastStart  map[uint64]int64 // per stream: when the last of it was recorded to begin, ns
	lastAll    int64            // the latest of them
	arrived    map[int]Time     // per hardware work queue: when its last kernel arrives
	warms      bool             // copies to the device leave their data in the L2, where somebody reads it
	peeked     trace.Kernel     // that is launched next
	ported     bool             // an event completes at a port of a kernel
	dated      int              // streams whose first operation waits for its recorded start
}

// maxOpen is how many operations the host may be ahead of the device, as the
// CUDA driver's launch queue (choice 11 of docs/model). Of one call of a capture, which
// is a graph's, the first counts; those without a call are in the queue before the
// capture begins, and only memory bounds them.
const (
	MaxOpen     = 1 << 10
	maxUncalled = 1 << 14
)

// Device takes the host's work and its records.
type Device interface {
	Now() Time
	// Run, Copied and Arrive ask for [Host.Run] and [Host.CopyEnded] at a time, and for a
	// kernel to reach the KMU.
	Run(t Time)
	Copied(stream int, t Time)
	Arrive(k *Kernel, t Time)
	// Launch makes a kernel known; Inspect is called when some may be dispatched.
	Launch(kernel uint32, st *Stream) (*Kernel, error)
	Inspect(t Time) error
	NewStream() int
	// Took reports an interval of a copy or a file, and Warm the data that a copy leaves.
	Took(kind trace.OpKind, array uint32, start, end Time, bytes uint64)
	Warm(addr, bytes uint64, t Time)
	// Ended reports the end of a stream's operation that somebody owns, Drained that the
	// host's program has ended, and Idle asks whether nothing but streams has work.
	Ended(op *StreamOp, t Time)
	Drained(t Time) error
	Idle() bool
	Fail(err error)
}

// Gate lets kernels of one stream be on the GPU together.
type Gate interface {
	// Opens reports whether a kernel at a place of its stream may enter the GPU; before is the one in front of it. Both
	// are nil when they have ended.
	Opens(place int, before, k *Kernel) bool
	Waits() bool
	Opened(k *Kernel, t Time) error
	Completed(order uint64, t Time)
}

// full reports whether a thread has to wait before it issues more.
func (th *thread) full() bool { return th.in[placeOne] >= MaxOpen || th.in[placePast] >= maxUncalled }

// Kernel is the host's state of a kernel.
type Kernel struct {
	Slot     uint64  // its number on the device
	Number   uint64  // program order
	In       *Stream // nil: of no stream
	HWQ      int
	Ready    bool     // nothing before it in its stream is unfinished
	Early    bool     // a programmatic launch: it need not wait for the end of the one before
	opened   bool     // the gate knows it
	Behind   []uint64 // kernels of other streams, by program order, that it follows programmatically
	Recorded *trace.Recorded
}

// New returns the host of a trace's program; warms: its copies leave data in the L2. It returns an error if the
// times of the capture cannot be read.
func New(c *hardware.Config, tr *container.Reader, dev Device, way Mode, timing Timing) (*Host, error) {
	p := tr.Program()
	touched := p.Totals.MemInsts > 0 || p.Meta.Fidelity >= trace.FidelityCTA
	h := &Host{cfg: c, tr: tr, prog: p, dev: dev, way: way, timing: timing, ops: tr.HostOps(),
		streams: make(map[uint64]*Stream), events: make(map[uint64]*cudaEvent), lastEnd: make(map[uint64]int64),
		lastStart: make(map[uint64]int64),
		arrived:   make(map[int]Time), warms: c.L2.CopiesWarm && touched, at: newThread(way)}
	if p.Totals.Threads > 0 && !way.Serial() {
		h.threads = &threads{all: []*thread{h.at}, events: make(map[uint64]*turns)}
	}
	core := c.Clock.CoreMHz
	h.Link[0] = newRate(c.Host.PCIeGBs*1e9, core)
	h.Link[1] = h.Link[0]
	h.Link[2] = newRate(float64(c.DRAM.Channels*c.DRAM.BusBytes*c.DRAM.DataRate)*c.Clock.DRAMMHz*1e6/2, core)
	h.Storage = newRate(c.Host.StorageMBs*1e6, core)
	h.bound.h = h
	if way != Captured && timing == (Timing{}) {
		return h, nil
	}
	var err error
	h.capture, err = ReadCapture(tr)
	return h, err
}

// Begins says how the host hands over its operations: in the program's order, or, of [Bound], hidden at both ends.
func (h *Host) Begins() Submission {
	if h.way == Bound {
		return &h.bound
	}
	return inStreams{h}
}

// WaitFor has the current thread wait until something holds.
func (h *Host) WaitFor(holds func() bool) { h.at.wait = holds }

// Run lets the host go on in cycle t until it has to wait. It returns an error if the trace cannot be read.
func (h *Host) Run(t Time) error {
	h.beginDue(t)
	if h.several() {
		return h.runThreads(t)
	}
	for {
		if went, err := h.step(t); err != nil || !went {
			return err
		}
		if h.at.ended {
			return h.dev.Drained(t)
		}
	}
}

// step lets the current thread perform an operation, or end a wait. It reports whether
// the thread can go on.
func (h *Host) step(t Time) (went bool, err error) {
	th := h.at
	if th.wait != nil {
		if !th.wait() {
			return false, nil
		}
		th.wait = nil
		h.Sleep(th.tail, t)
		th.tail = 0
		return true, nil
	}
	if th.ended {
		return false, nil
	}
	if !th.held {
		if ok, err := h.take(); !ok {
			if th.lasts > t && th.ended {
				th.ended, h.over = false, false
				h.outlast(t)
			}
			return th.ended || th.wait != nil, err
		}
		th.held = true
	}
	if th.lasts > 0 && !h.sameCall(&th.next.op) {
		h.outlast(t)
		return true, nil
	}
	if th.full() {
		th.wait = func() bool { return !th.full() }
		return true, nil
	}
	th.held = false
	busy, again, err := h.Submit.Issue(&th.next.op, t)
	if th.held = again; err != nil || again && busy == 0 && th.wait == nil {
		th.yields = true
		return false, err
	}
	if !again {
		th.next.issued()
		th.begun = true
	}
	if h.timing.Host == TimesRecorded && th.next.op.Kind == trace.OpLaunch && !again {
		th.lasts = max(th.lasts, t+busy)
		return true, nil
	}
	h.Sleep(busy, t)
	return true, nil
}

// outlast has the current thread wait for the end of its last call.
func (h *Host) outlast(t Time) {
	h.Sleep(h.at.lasts-t, t)
	h.at.lasts = 0
}

// sameCall reports whether an operation belongs to the last call of the current thread, as
// the other nodes of a graph do: it is issued with the call, and not when that returns.
func (h *Host) sameCall(op *trace.HostOp) bool {
	r := op.Recorded
	if op.Kind == trace.OpLaunch {
		if h.tr.Kernel(op.Kernel, &h.peeked) != nil {
			return false // an unreadable kernel ends the run when it is launched
		}
		r = h.peeked.Recorded
	}
	return r != nil && r.HostNs >= 0 && r.HostNs == h.at.called
}

// Sleep keeps the current thread busy for a time.
func (h *Host) Sleep(busy, t Time) {
	if busy > 0 {
		h.dev.Run(t + busy)
		h.at.wait = h.until(t + busy)
	}
}

// until waits for a time.
func (h *Host) until(t Time) func() bool { return func() bool { return h.dev.Now() >= t } }

// issue performs one operation and returns for how long it keeps the host.
func (h *Host) issue(op *trace.HostOp, t Time) (Time, error) {
	serial := h.way.Serial()
	if work := h.at.graphs.takes(h, op, t); work > 0 && h.timing.Host != TimesNone {
		h.at.held = true
		return h.scaled(work), nil
	}
	switch op.Kind {
	case trace.OpFileRead, trace.OpFileWrite:
		if serial && h.Open > 0 {
			h.at.held = true
			h.at.wait = h.drained
			return 0, nil
		}
		return h.File(op, t), nil
	case trace.OpHostWork:
		return h.works(op, t), nil
	case trace.OpSyncDevice, trace.OpSyncStream, trace.OpSyncEvent:
		if h.Gate != nil && !h.Gate.Waits() {
			return h.call(op), nil
		}
		h.synchronise(op)
	case trace.OpLaunch:
		st := h.Stream(op.Stream)
		k, err := h.dev.Launch(op.Kernel, st)
		if err != nil {
			return 0, err
		}
		k.Behind, st.behind = st.behind, nil
		k.Early = h.way == Freed
		h.Push(st, h.recorded(StreamOp{Kind: trace.OpLaunch, Run: k, order: k.Number, early: k.Early}, op, k.Recorded, t), t)
		busy := h.deliver(op, k, t)
		st.waits = false
		h.noteEnd(op, k.Recorded)
		h.at.worked = 0
		return busy, nil
	case trace.OpEventRecord:
		h.recordEvent(op, t)
		return h.call(op), nil
	case trace.OpStreamWait:
		h.waitForEvent(op, t)
		return h.call(op), nil
	default:
		st := h.Stream(op.Stream)
		h.Push(st, h.recorded(StreamOp{Kind: op.Kind, Array: op.Array, addr: op.Addr, Bytes: op.Bytes}, op, op.Recorded,
			t), t)
		h.noteEnd(op, op.Recorded)
		st.waits = false
		if op.Async && !serial {
			return h.call(op), nil
		}
		h.at.wait, h.at.tail = st.settled(len(st.queue)), h.call(op)
	}
	return 0, nil
}

// synchronise has the host wait for the device, a stream or an event.
func (h *Host) synchronise(op *trace.HostOp) {
	switch op.Kind {
	case trace.OpSyncDevice:
		h.at.wait = h.settled(op.Process)
	case trace.OpSyncStream:
		st := h.Stream(op.Stream)
		h.at.wait = st.settled(len(st.queue))
	case trace.OpSyncEvent:
		e := h.event(op.Event)
		h.at.wait = func() bool { return e.done }
	}
	h.at.tail = h.call(op)
}

func (h *Host) drained() bool { return h.Open == 0 && h.dev.Idle() }

// File reads or writes a file at the bandwidth of the storage.
func (h *Host) File(op *trace.HostOp, t Time) Time {
	d := h.Storage.Cycles(op.Bytes)
	h.dev.Took(op.Kind, op.Array, t, t+d, op.Bytes)
	return d
}

// CopyEnded completes the copy that is first in a stream. It returns the error of [Host.Run].
func (h *Host) CopyEnded(index uint64, t Time) error {
	st := h.streamList[index]
	if op := &st.queue[0]; op.Kind == trace.OpCopyH2D && op.Owner == nil && h.warms { // a task's input has no address
		h.dev.Warm(op.addr, op.Bytes, t)
	}
	h.done(st, t)
	h.begin(st, t)
	return h.Run(t)
}

// Waits reports whether a thread of the host waits.
func (h *Host) Waits() bool {
	if !h.several() {
		return h.at.wait != nil
	}
	return slices.ContainsFunc(h.threads.all, func(th *thread) bool {
		return th.wait != nil || th.held || len(th.ahead) > 0
	})
}
