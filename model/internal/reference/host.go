package reference

import (
	"errors"
	"io"
	"math"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// nPhase is the order of the units within a cycle (docs/model, "Time and order").
type nPhase int

const (
	nHostPhase nPhase = iota
	nCopyPhase
	nArrivePhase
	nChildPhase
	nGroupPhase
	nDispatchPhase
	nReleasePhase
	nEndPhase
	nFollowPhase
	nOverlapPhase
	nTaskPhase
)

// nEvent is something that a unit does in a cycle.
type nEvent struct {
	at    model.Time
	phase nPhase
	do    func()
}

// nHost runs the host's program.
type nHost struct {
	n            *Machine
	ops          []trace.HostOp
	*nHostThread // that issues
	threads      []*nHostThread
	gone         []bool // by operation: it has been issued
	inGraphs     bool
	ended        bool
	open         int
	streams      map[uint64]*nStream
	events       map[uint64]*nCudaEvent
	engines      [3]model.Time
	comes        map[int]model.Time // by hardware work queue: when its last kernel arrives
	serial       bool               // there is one stream
	loose        bool               // kernels do not wait for those before them in their stream
}

// nStream holds the operations that have not completed.
type nStream struct {
	number int        // among all streams
	behind []*nKernel // that its next kernel follows by a programmatic event
	queue  []*nOp
}

type nOp struct {
	op     trace.HostOp
	k      *nKernel
	ev     *nCudaEvent
	task   *nTask // whose operation it is
	last   bool   // and its last
	done   bool   // the kernel has ended
	popped bool   // it has left its stream
}

type nCudaEvent struct {
	of      *nKernel // at a port of which it is done; nil: behind all before it
	port    trace.Port
	done    bool
	waiters []*nStream
}

func newNHost(t testing.TB, n *Machine, tr *container.Reader) *nHost {
	h := &nHost{n: n, streams: map[uint64]*nStream{}, events: map[uint64]*nCudaEvent{},
		comes: map[int]model.Time{}}
	ops := tr.HostOps()
	for {
		var op trace.HostOp
		err := ops.Next(&op)
		if errors.Is(err, io.EOF) {
			return h
		}
		if err != nil {
			t.Fatal(err)
		}
		h.ops = append(h.ops, op)
	}
}

func (h *nHost) stream(id uint64) *nStream {
	if h.serial {
		id = 0
	}
	if h.streams[id] == nil {
		h.streams[id] = &nStream{number: h.n.streams}
		h.n.streams++
	}
	return h.streams[id]
}

// run issues operations until all threads wait.
func (h *nHost) run() {
	if h.threads == nil {
		h.split()
	}
	for h.choose() {
		i := h.mine[h.next]
		op, at := h.ops[i], h.next
		h.next++
		busy, known := model.Time(0), false
		switch {
		case h.inGraphs:
			busy, known = h.graph.issue(op)
		case op.Graph > 0 && !h.serial:
			known = h.graph.stated(op)
		}
		if !known {
			busy = h.perform(op)
		}
		h.gone[i] = h.next > at
		if busy > 0 {
			until := h.n.t + busy
			h.n.post(until, nHostPhase, h.run)
			h.wait = func() bool { return h.n.t >= until }
		}
	}
	for _, th := range h.threads {
		if th.wait != nil || th.next < len(th.mine) {
			return
		}
	}
	if !h.ended {
		h.ended = true
		h.n.tasks.drain()
	}
}

// perform has the tasks' runtime perform an operation, or the host, and returns for how
// long it keeps the host.
func (h *nHost) perform(op trace.HostOp) model.Time {
	known, again := h.n.tasks.op(&op)
	if again {
		h.next--
	}
	if known {
		return 0
	}
	return h.issue(op)
}

// issue performs an operation and returns for how long it keeps the host.
func (h *nHost) issue(op trace.HostOp) model.Time {
	n := h.n
	switch op.Kind {
	case trace.OpHostWork:
		if busy := cyclesOfNs(float64(op.Ns), n.cfg); h.next > 1 {
			return busy
		} else { // the thread begins with the program
			return max(0, busy-n.t)
		}
	case trace.OpSyncDevice, trace.OpSyncStream, trace.OpSyncEvent:
		if n.gate == nil {
			h.synchronise(op)
		}
	case trace.OpEventRecord:
		e := &nCudaEvent{}
		h.events[op.Event] = e
		if n.pdl != nil {
			n.pdl.records(h.stream(op.Stream), e, op.Port)
		}
		h.push(&nOp{op: op, ev: e})
	case trace.OpStreamWait:
		st := h.stream(op.Stream)
		if e := h.events[op.Event]; e != nil && e.port == trace.PortProgrammatic {
			st.behind = append(st.behind, e.of)
		}
		if e := h.events[op.Event]; e != nil && !e.done {
			h.push(&nOp{op: op, ev: e})
		}
	case trace.OpLaunch:
		k := n.kernels[op.Kernel]
		k.stream = h.stream(op.Stream)
		k.hwq, k.early = k.stream.number%len(n.queues), h.loose
		if n.pdl != nil {
			n.pdl.behind[k], k.stream.behind = k.stream.behind, nil
		}
		h.push(&nOp{op: op, k: k})
		h.arrive(k, n.t+model.Time(n.cfg.Host.LaunchLatency))
		return cyclesOfNs(n.cfg.Host.LaunchOverheadNs, n.cfg)
	default:
		st := h.stream(op.Stream)
		h.push(&nOp{op: op})
		if !op.Async || h.serial {
			h.wait = st.past()
		}
	}
	return 0
}

// synchronise lets the host wait for the device, a stream or an event.
func (h *nHost) synchronise(op trace.HostOp) {
	switch op.Kind {
	case trace.OpSyncDevice:
		h.wait = h.past(op.Process)
	case trace.OpSyncStream:
		h.wait = h.stream(op.Stream).past()
	case trace.OpSyncEvent:
		if e := h.events[op.Event]; e != nil {
			h.wait = func() bool { return e.done }
		}
	}
}

// past returns whether a stream's work so far has completed.
func (st *nStream) past() func() bool {
	if len(st.queue) == 0 {
		return func() bool { return true }
	}
	last := st.queue[len(st.queue)-1]
	return func() bool { return last.popped }
}

// cyclesOfNs rounds up; the tests' times are whole nanoseconds.
func cyclesOfNs(ns float64, c *hardware.Config) model.Time {
	return model.Time(math.Ceil(math.Floor(ns) * c.Clock.CoreMHz / 1000))
}

func (h *nHost) push(o *nOp) {
	h.open++
	st := h.stream(o.op.Stream)
	st.queue = append(st.queue, o)
	if len(st.queue) == 1 {
		h.begin(st)
	} else if first := st.queue[0]; h.n.opens != nil && first.k != nil && first.k.ready {
		h.n.opens.open(st)
	} else if h.loose && first.k != nil {
		h.freed(st)
	}
}

// arrive has a kernel come to its queue, behind the kernels that were issued to it before.
func (h *nHost) arrive(k *nKernel, t model.Time) {
	h.comes[k.hwq] = max(h.comes[k.hwq], t)
	h.n.post(h.comes[k.hwq], nArrivePhase, func() { h.deliver(k) })
}

// deliver takes a kernel to its queue at the KMU.
func (h *nHost) deliver(k *nKernel) {
	n := h.n
	n.queues[k.hwq].host = append(n.queues[k.hwq].host, k)
	k.arrived = n.order()
	n.inspect()
}

func (h *nHost) pop(st *nStream) {
	o := st.queue[0]
	st.queue, o.popped = st.queue[1:], true
	h.open--
	if o.task != nil {
		h.n.tasks.streamEnded(o)
	}
}

// linkTime is how long bytes take between host and device.
func (h *nHost) linkTime(bytes uint64) model.Time {
	c := h.n.cfg
	t := cyclesOfNs(c.Host.CopyLatencyNs, c)
	if c.Host.PCIeGBs > 0 {
		t += model.Time(math.Ceil(float64(bytes) * c.Clock.CoreMHz * 1e6 / (c.Host.PCIeGBs * 1e9)))
	}
	return t
}

// begin starts the first work of a stream, and goes on behind work that takes no time.
func (h *nHost) begin(st *nStream) {
	for len(st.queue) > 0 {
		switch o := st.queue[0]; o.op.Kind {
		case trace.OpLaunch:
			if h.n.opens != nil {
				h.n.opens.open(st)
				return
			}
			if h.loose {
				h.freed(st)
				return
			}
			o.k.ready = true
			h.n.inspect()
			return
		case trace.OpEventRecord:
			o.ev.done = true
			h.pop(st)
			for _, w := range o.ev.waiters {
				h.pop(w)
				h.begin(w)
			}
		case trace.OpStreamWait:
			if !o.ev.done {
				o.ev.waiters = append(o.ev.waiters, st)
				return
			}
			h.pop(st)
		default:
			h.copy(st, o)
			return
		}
	}
}

// copy moves bytes over the link to or from the host, or on the device, where a
// byte is read and written.
func (h *nHost) copy(st *nStream, o *nOp) {
	op := &o.op
	c := h.n.cfg
	engine, bytesPerSecond := 2, float64(c.DRAM.Channels*c.DRAM.BusBytes*c.DRAM.DataRate)*c.Clock.DRAMMHz*1e6/2
	switch op.Kind {
	case trace.OpCopyH2D:
		engine, bytesPerSecond = 0, c.Host.PCIeGBs*1e9
	case trace.OpCopyD2H:
		engine, bytesPerSecond = 1, c.Host.PCIeGBs*1e9
	}
	end := max(h.n.t, h.engines[engine]) + cyclesOfNs(c.Host.CopyLatencyNs, c)
	if bytesPerSecond > 0 {
		end += model.Time(math.Ceil(float64(op.Bytes) * c.Clock.CoreMHz * 1e6 / bytesPerSecond))
	}
	h.engines[engine] = end
	h.n.cycles = max(h.n.cycles, end)
	h.n.post(end, nCopyPhase, func() {
		if op.Kind == trace.OpCopyH2D && c.L2.CopiesWarm && o.task == nil {
			h.n.mem.warm(op.Addr, op.Bytes, end)
		}
		h.pop(st)
		h.begin(st)
		h.run()
	})
}

// kernelEnded completes a launch in its stream.
func (h *nHost) kernelEnded(k *nKernel) {
	if k.fused != nil {
		k.fused.ended()
	}
	st := k.stream
	for _, o := range st.queue {
		o.done = o.done || o.k == k
	}
	if st.queue[0].done {
		for len(st.queue) > 0 && st.queue[0].done {
			if h.n.pdl != nil {
				h.n.pdl.ended(st.queue[0].k)
			}
			h.pop(st)
		}
		h.begin(st)
	}
	if h.n.pdl != nil {
		h.n.pdl.look()
	}
	h.run()
}
