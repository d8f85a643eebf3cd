package host

import "gpureplay/trace"

// queuePlace is an operation's place in the queue between host and device.
type queuePlace uint8

const (
	placeOne  queuePlace = iota // a place
	placeNone                   // none: it came with the one before it
	placePast                   // it has no call
	numPlaces = iota
)

// Stream is a queue of operations that complete in order.
type Stream struct {
	ID     uint64
	index  int // in host.streamList
	Seen   int // among all streams that the machine has seen
	queue  []StreamOp
	due    Time     // when its first operation begins, which waits for its recorded start; 0: none waits
	waits  bool     // for an event, with the next operation that is issued to it
	behind []uint64 // kernels, by program order, that the next one issued to it follows programmatically
	freed  Time     // when the last operation that left it had ended

	popped     uint64 // operations that have left it
	read, gone uint64 // operations of the program that name it: read ahead, and issued
}

// StreamOp is one operation of a stream.
type StreamOp struct {
	Kind  trace.OpKind
	Run   *Kernel // OpLaunch; nil when it has ended
	Array uint32
	addr  uint64
	Bytes uint64
	event *cudaEvent
	Owner any  // whose operation it is; nil: the program's
	Last  bool // the owner's last

	start    Time // cycle before which it does not begin; 0: any
	duration Time // of a copy, as recorded; 0: it was not
	gap      Time // behind the operation before it
	place    queuePlace
	by       *thread // that issued it
	early    bool    // it need not wait for the end of the kernel before it
	from, to int64   // recorded start and end, ns
	lead     Time    // from the begin of the kernel before it to its own, at least
	begun    Time    // when it was let go; 0: it was not
	ended    bool    // before that has
	order    uint64  // of the kernel, which its run may not outlive
}

// cudaEvent is one recording of an event.
type cudaEvent struct {
	done    bool
	of      uint64     // kernel, by program order, at a port of which it completes; 0: when all before it has
	port    trace.Port // of that
	waiters []*Stream
}

// Stream returns the stream with an id; under a serial policy there is one.
func (h *Host) Stream(id uint64) *Stream {
	if h.way.Serial() {
		id = 0
	}
	st := h.streams[id]
	if st == nil {
		st = &Stream{ID: id, index: len(h.streamList), Seen: h.dev.NewStream()}
		h.streams[id] = st
		h.streamList = append(h.streamList, st)
	}
	return st
}

func (h *Host) event(id uint64) *cudaEvent {
	e := h.events[id]
	if e == nil {
		e = &cudaEvent{done: true} // never recorded: nothing to wait for, as in CUDA
		h.events[id] = e
	}
	return e
}

func (h *Host) Push(st *Stream, op StreamOp, t Time) {
	h.Open++
	op.by = h.at
	op.by.in[op.place]++
	st.queue = append(st.queue, op)
	switch {
	case len(st.queue) == 1:
		h.begin(st, t)
	case h.Gate != nil:
		if st.queue[0].Run != nil && st.queue[0].Run.Ready {
			h.OpenKernels(st, t)
		}
	case op.early && st.queue[0].Run != nil && st.queue[0].Run.Ready:
		h.overtakes(st, t)
	}
}

// begin starts the first operation of a stream; those that take no time
// complete at once.
func (h *Host) begin(st *Stream, t Time) {
	for len(st.queue) > 0 {
		op := &st.queue[0]
		if op.Kind == trace.OpLaunch && op.Run.Ready { // it began before the operation before it had ended
			h.overtakes(st, t)
			return
		}
		if op.gap > 0 && op.Kind == trace.OpLaunch { // the rest of the time between two kernels is the machine's
			op.start, op.gap = max(op.start, st.freed+op.gap-Time(h.cfg.KMU.DispatchLatency)), 0
		}
		if op.start > t {
			h.beginAt(st, op.start)
			return
		}
		switch op.Kind {
		case trace.OpLaunch:
			if h.Gate == nil {
				op.Run.Ready, op.begun = true, t
				h.inspect(t)
			}
			h.overtakes(st, t)
			return
		case trace.OpEventRecord:
			op.event.done = true
			waiters := op.event.waiters
			h.pop(st)
			for _, w := range waiters {
				h.pop(w)
				h.begin(w, t)
			}
		case trace.OpStreamWait:
			if !op.event.done {
				op.event.waiters = append(op.event.waiters, st)
				return
			}
			h.pop(st)
		default:
			h.copy(st, op, t)
			return
		}
	}
}

// copy runs a copy or memset on its engine.
func (h *Host) copy(st *Stream, op *StreamOp, t Time) {
	engine := EngineOf(op.Kind)
	start := max(t, h.Engine[engine])
	end := start + Cycles(int64(h.cfg.Host.CopyLatencyNs), h.cfg) + h.Link[engine].Cycles(op.Bytes)
	if op.duration > 0 {
		if start = t + op.gap; !h.captured() {
			start = max(start, h.freeAt(engine))
		}
		end = start + op.duration
	}
	h.Engine[engine] = min(max(h.Engine[engine], end), 2*Horizon)
	h.dev.Took(op.Kind, op.Array, start, end, op.Bytes)
	h.dev.Copied(st.index, end)
}

// EngineOf is the engine, and the link, of a kind of copy.
func EngineOf(kind trace.OpKind) int {
	switch kind {
	case trace.OpCopyH2D:
		return 0
	case trace.OpCopyD2H:
		return 1
	}
	return 2
}

// Transfer copies bytes that no stream knows of, requested at t.
func (h *Host) Transfer(in bool, bytes uint64, t Time) (start, end Time) {
	kind := trace.OpCopyD2H
	if in {
		kind = trace.OpCopyH2D
	}
	engine := EngineOf(kind)
	start = max(t, h.Engine[engine])
	end = start + Cycles(int64(h.cfg.Host.CopyLatencyNs), h.cfg) + h.Link[engine].Cycles(bytes)
	h.Engine[engine] = min(end, 2*Horizon)
	h.dev.Took(kind, trace.NoArray, start, end, bytes)
	return start, end
}

// KernelEnded completes a kernel in its stream, whose first CTA was placed then. It returns the error of [Host.Run].
func (h *Host) KernelEnded(k *Kernel, firstCTA, t Time) error {
	h.bound.lastStart = firstCTA
	st := k.In
	switch {
	case st == nil || len(st.queue) == 0:
	case st.queue[0].Run == k:
		for h.done(st, t); len(st.queue) > 0 && st.queue[0].ended; {
			h.done(st, t)
		}
		h.begin(st, t)
	default:
		for i := range st.queue {
			if st.queue[i].Run == k {
				st.queue[i].ended, st.queue[i].Run = true, nil
				break
			}
		}
	}
	if err := h.reached(t); err != nil {
		return err
	}
	return h.Run(t)
}

// done takes the first operation of a stream off it, which has completed in
// cycle t.
func (h *Host) done(st *Stream, t Time) {
	op := st.queue[0]
	h.pop(st)
	st.freed = t
	if h.Gate != nil && op.order > 0 {
		h.Gate.Completed(op.order, t)
	}
	if op.Owner != nil {
		h.dev.Ended(&op, t)
	}
}

func (h *Host) pop(st *Stream) {
	st.queue[0].by.in[st.queue[0].place]--
	st.popped++
	copy(st.queue, st.queue[1:])
	st.queue[len(st.queue)-1] = StreamOp{}
	st.queue = st.queue[:len(st.queue)-1]
	h.Open--
}

// inspect has kernels dispatched that may be.
func (h *Host) inspect(t Time) { h.dev.Fail(h.dev.Inspect(t)) }

// OpenKernels lets the kernels of a stream enter the GPU that its gate allows.
func (h *Host) OpenKernels(st *Stream, t Time) {
	var before *Kernel
	for i := range st.queue {
		op := &st.queue[i]
		if op.Kind != trace.OpLaunch || op.start > t || !h.Gate.Opens(i, before, op.Run) {
			return
		}
		k := op.Run
		before = k
		if k == nil || k.opened {
			continue
		}
		k.opened, k.Early = true, i > 0
		if err := h.Gate.Opened(k, t); err != nil {
			h.dev.Fail(err)
			return
		}
		if !k.Ready {
			k.Ready = true
			h.inspect(t)
		}
	}
}

// Stuck names the streams that wait for an event that is never recorded.
func (h *Host) Stuck(add func(string, ...any)) {
	for _, st := range h.streamList {
		if len(st.queue) > 0 && st.queue[0].Run == nil {
			add("stream %d waits for an event that has not been recorded", st.ID)
		}
	}
}
