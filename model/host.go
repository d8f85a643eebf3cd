package model

import (
	"errors"
	"fmt"
	"io"
	"math/bits"

	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// host runs the program of the trace: it issues operations in program order,
// waits where the program waits, and keeps the streams.
type host struct {
	m       *Machine
	ops     *trace.HostCursor
	op      trace.HostOp
	held    bool // op has been read and waits for something
	ended   bool
	wait    func() bool // the host goes on when this holds; nil: it does not wait
	streams map[uint64]*stream
	order   []*stream // by first appearance
	events  map[uint64]*cudaEvent
	open    int            // operations in streams that have not completed
	in      [numPlaces]int // the same, by what they take of the queue
	engine  [3]Time        // when each copy engine is free: to device, to host, on device
	link    [3]rate
	storage rate
	mode    submission
	bound   endBound
	timing  Timing
	graphs  graphs
	capture *Capture
	lastEnd map[uint64]int64 // per stream: when what was launched into it was recorded to end, ns
	arrived map[int]Time     // per hardware work queue: when what was issued to it last arrives
	called  int64            // when the last call of the capture was made that issued something, ns; -1: none was
	worked  int64            // the host's work since its last launch, the latest stretch of it, ns
	warms   bool             // copies to the device leave their data in the L2, where somebody reads it
	tail    Time             // for how long the host is kept when its wait ends
	dated   int              // streams whose first operation waits for its recorded start
}

// maxOpen is how many operations the host may be ahead of the device, as the
// CUDA driver's launch queue (choice 11 of MODEL.md). Of one call of a capture, which
// is a graph's, the first counts; those without a call are in the queue before the
// capture begins, and only memory bounds them.
const (
	maxOpen     = 1 << 10
	maxUncalled = 1 << 14
)

// queuePlace is what an operation takes of the queue between host and device.
type queuePlace uint8

const (
	placeOne  queuePlace = iota // a place
	placeNone                   // none: it came with the one before it
	placePast                   // it has no call
	numPlaces = iota
)

// full reports whether the host has to wait before it issues more.
func (h *host) full() bool { return h.in[placeOne] >= maxOpen || h.in[placePast] >= maxUncalled }

// stream is a queue of operations that complete in order.
type stream struct {
	id    uint64
	index int // in host.order
	seen  int // among all streams that the machine has seen
	queue []streamOp
	due   Time // when its first operation begins, which waits for its recorded start; 0: none waits
}

// streamOp is one operation of a stream.
type streamOp struct {
	kind  trace.OpKind
	run   *kernelRun // OpLaunch; nil when it has ended
	array uint32
	addr  uint64
	bytes uint64
	event *cudaEvent
	task  *Task // whose operation it is; nil: of no task
	last  bool  // the task's last operation

	start    Time // cycle before which it does not begin; 0: any
	duration Time // of a copy, as recorded; 0: it was not
	gap      Time // before a copy, behind what was before it
	place    queuePlace
	early    bool   // it need not wait for the end of the kernel before it
	ended    bool   // before that has
	order    uint64 // of the kernel, which its run may not outlive
}

// cudaEvent is one recording of an event.
type cudaEvent struct {
	done    bool
	waiters []*stream
}

func newHost(m *Machine) *host {
	c := m.cfg
	touched := m.prog.Totals.MemInsts > 0 || m.prog.Meta.Fidelity >= trace.FidelityCTA
	h := &host{m: m, ops: m.tr.HostOps(), streams: make(map[uint64]*stream), events: make(map[uint64]*cudaEvent), lastEnd: make(map[uint64]int64), called: -1, arrived: make(map[int]Time),
		warms: c.L2.CopiesWarm && touched}
	core := c.Clock.CoreMHz
	h.link[0] = newRate(c.Host.PCIeGBs*1e9, core)
	h.link[1] = h.link[0]
	h.link[2] = newRate(float64(c.DRAM.Channels*c.DRAM.BusBytes*c.DRAM.DataRate)*c.Clock.DRAMMHz*1e6/2, core)
	h.storage = newRate(c.Host.StorageMBs*1e6, core)
	h.bound.h = h
	return h
}

// run lets the host go on in cycle t until it has to wait.
func (h *host) run(t Time) error {
	h.beginDue(t)
	for {
		if h.wait != nil {
			if !h.wait() {
				return nil
			}
			h.wait = nil
			if busy := h.tail; busy > 0 {
				h.tail = 0
				h.sleep(busy, t)
				continue
			}
		}
		if h.ended {
			return nil
		}
		if !h.held {
			switch err := h.ops.Next(&h.op); {
			case errors.Is(err, io.EOF):
				h.ended = true
				return h.m.tasks.drain(t)
			case err != nil:
				return fmt.Errorf("host operations: %w", err)
			}
			h.held = true
		}
		if h.full() {
			h.wait = func() bool { return !h.full() }
			continue
		}
		h.held = false
		busy, again, err := h.mode.issue(&h.op, t)
		if h.held = again; err != nil || again && busy == 0 && h.wait == nil {
			return err
		}
		h.sleep(busy, t)
	}
}

// sleep keeps the host busy for a time.
func (h *host) sleep(busy, t Time) {
	if busy > 0 {
		h.m.queue.Post(t+busy, evHost, 0, 0)
		h.wait = h.until(t + busy)
	}
}

// until waits for a time.
func (h *host) until(t Time) func() bool { return func() bool { return h.m.now >= t } }

// issue performs one operation and returns for how long it keeps the host.
func (h *host) issue(op *trace.HostOp, t Time) (Time, error) {
	serial := h.m.policy.Host.serial()
	if work := h.graphs.takes(h.m, op); work > 0 && h.timing.Host != TimesNone {
		h.held = true
		return h.scaled(work), nil
	}
	switch op.Kind {
	case trace.OpFileRead, trace.OpFileWrite:
		if serial && h.open > 0 {
			h.held = true
			h.wait = h.drained
			return 0, nil
		}
		return h.file(op, t), nil
	case trace.OpHostWork:
		h.worked = op.Ns
		return h.work(op), nil
	case trace.OpSyncDevice, trace.OpSyncStream, trace.OpSyncEvent:
		if h.m.gate != nil && !h.m.gate.Waits() {
			return h.call(op), nil
		}
		h.synchronise(op)
	case trace.OpLaunch:
		st := h.stream(op.Stream)
		k, err := h.m.launch(op.Kernel, st)
		if err != nil {
			return 0, err
		}
		k.early = h.m.policy.Host == HostFreed
		h.push(st, h.recorded(streamOp{kind: trace.OpLaunch, run: k, order: k.Order, early: k.early}, op, k.tk.Recorded, t), t)
		busy := h.deliver(op, k, t)
		h.noteEnd(op.Stream, k.tk.Recorded)
		h.worked = 0
		return busy, nil
	case trace.OpEventRecord:
		e := &cudaEvent{}
		h.events[op.Event] = e
		h.push(h.stream(op.Stream), streamOp{kind: op.Kind, event: e}, t)
		return h.call(op), nil
	case trace.OpStreamWait:
		st := h.stream(op.Stream) // seen, whether there is something to wait for or not
		if e := h.events[op.Event]; e != nil && !e.done {
			h.push(st, streamOp{kind: op.Kind, event: e}, t)
		}
		return h.call(op), nil
	default:
		st := h.stream(op.Stream)
		h.push(st, h.recorded(streamOp{kind: op.Kind, array: op.Array, addr: op.Addr, bytes: op.Bytes}, op, op.Recorded, t), t)
		h.noteEnd(op.Stream, op.Recorded)
		if op.Async && !serial {
			return h.call(op), nil
		}
		h.wait, h.tail = func() bool { return len(st.queue) == 0 }, h.call(op)
	}
	return 0, nil
}

// synchronise has the host wait for the device, a stream or an event.
func (h *host) synchronise(op *trace.HostOp) {
	switch op.Kind {
	case trace.OpSyncDevice:
		h.wait = h.drained
	case trace.OpSyncStream:
		st := h.stream(op.Stream)
		h.wait = func() bool { return len(st.queue) == 0 }
	case trace.OpSyncEvent:
		e := h.event(op.Event)
		h.wait = func() bool { return e.done }
	}
	h.tail = h.call(op)
}

func (h *host) drained() bool { return h.open == 0 && h.m.tasks.idle() }

// file reads or writes a file at the bandwidth of the storage.
func (h *host) file(op *trace.HostOp, t Time) Time {
	d := h.storage.cycles(op.Bytes)
	stage := StagePrelude
	if op.Kind == trace.OpFileWrite {
		stage = StagePostlude
	}
	h.m.stage(stage, op.Array, t, t+d, op.Bytes)
	return d
}

// stream returns the stream with an id; under a serial policy there is one.
func (h *host) stream(id uint64) *stream {
	if h.m.policy.Host.serial() {
		id = 0
	}
	st := h.streams[id]
	if st == nil {
		st = &stream{id: id, index: len(h.order), seen: h.m.kmu.newStream()}
		h.streams[id] = st
		h.order = append(h.order, st)
	}
	return st
}

func (h *host) event(id uint64) *cudaEvent {
	e := h.events[id]
	if e == nil {
		e = &cudaEvent{done: true} // never recorded: nothing to wait for, as in CUDA
		h.events[id] = e
	}
	return e
}

func (h *host) push(st *stream, op streamOp, t Time) {
	h.open++
	h.in[op.place]++
	st.queue = append(st.queue, op)
	switch {
	case len(st.queue) == 1:
		h.begin(st, t)
	case h.m.gate != nil:
		if st.queue[0].run != nil && st.queue[0].run.ready {
			h.openKernels(st, t)
		}
	case op.early && st.queue[0].run != nil && st.queue[0].run.ready:
		h.overtakes(st, t)
	}
}

// begin starts the first operation of a stream; those that take no time
// complete at once.
func (h *host) begin(st *stream, t Time) {
	for len(st.queue) > 0 {
		op := &st.queue[0]
		if op.start > t {
			h.beginAt(st, op.start)
			return
		}
		switch op.kind {
		case trace.OpLaunch:
			if !op.run.ready && h.m.gate == nil {
				op.run.ready = true
				h.m.fail(h.m.kmu.inspect(t))
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
func (h *host) copy(st *stream, op *streamOp, t Time) {
	engine := engineOf(op.kind)
	start := max(t, h.engine[engine])
	end := start + nsToCycles(int64(h.m.cfg.Host.CopyLatencyNs), h.m.cfg) + h.link[engine].cycles(op.bytes)
	if op.duration > 0 {
		start, end = t+op.gap, t+op.gap+op.duration
	}
	h.engine[engine] = min(max(h.engine[engine], end), 2*horizon)
	h.m.sum.Cycles = max(h.m.sum.Cycles, end)
	if stage, ok := stageOf(op.kind); ok {
		h.m.obs.Stage(&StageRecord{Stage: stage, Kernel: NoKernel, Array: op.array, Start: start, End: end, Bytes: op.bytes})
	}
	h.m.queue.Post(end, evCopyEnd, uint64(st.index), 0)
}

// engineOf is the engine, and the link, of a kind of copy.
func engineOf(kind trace.OpKind) int {
	switch kind {
	case trace.OpCopyH2D:
		return 0
	case trace.OpCopyD2H:
		return 1
	}
	return 2
}

// stageOf is the stage of a kind of copy, if it is one.
func stageOf(kind trace.OpKind) (stage StageKind, ok bool) {
	switch kind {
	case trace.OpCopyH2D:
		return StageH2D, true
	case trace.OpCopyD2H:
		return StageD2H, true
	}
	return 0, false
}

// transfer copies bytes that no stream knows of, asked for at t.
func (h *host) transfer(in bool, bytes uint64, t Time) (start, end Time) {
	engine, stage := 1, StageD2H
	if in {
		engine, stage = 0, StageH2D
	}
	start = max(t, h.engine[engine])
	end = start + nsToCycles(int64(h.m.cfg.Host.CopyLatencyNs), h.m.cfg) + h.link[engine].cycles(bytes)
	h.engine[engine] = min(end, 2*horizon)
	h.m.stage(stage, trace.NoArray, start, end, bytes)
	return start, end
}

// copyEnded completes the copy that is first in a stream.
func (h *host) copyEnded(index uint64, t Time) error {
	st := h.order[index]
	if op := &st.queue[0]; op.kind == trace.OpCopyH2D && op.task == nil && h.warms { // a task's input has no address
		h.m.mem.Warm(op.addr, op.bytes, t)
	}
	h.done(st, t)
	h.begin(st, t)
	return h.run(t)
}

// kernelEnded completes a kernel in its stream.
func (h *host) kernelEnded(k *kernelRun, t Time) error {
	h.bound.lastStart = k.rec.FirstCTA
	st := k.stream
	switch {
	case st == nil || len(st.queue) == 0:
	case st.queue[0].run == k:
		for h.done(st, t); len(st.queue) > 0 && st.queue[0].ended; {
			h.done(st, t)
		}
		h.begin(st, t)
	default:
		for i := range st.queue {
			if st.queue[i].run == k {
				st.queue[i].ended, st.queue[i].run = true, nil
				break
			}
		}
	}
	return h.run(t)
}

// done takes the first operation of a stream off it, which has completed in
// cycle t.
func (h *host) done(st *stream, t Time) {
	op := st.queue[0]
	h.pop(st)
	if h.m.gate != nil && op.order > 0 {
		h.m.gate.Completed(op.order, t)
	}
	if op.task != nil {
		h.m.tasks.streamOpEnded(&op, t)
	}
}

func (h *host) pop(st *stream) {
	h.in[st.queue[0].place]--
	copy(st.queue, st.queue[1:])
	st.queue[len(st.queue)-1] = streamOp{}
	st.queue = st.queue[:len(st.queue)-1]
	h.open--
}

// horizon is the time at which a replay gives up: years of any clock. No single
// duration is longer, so a sum of some of them does not overflow.
const horizon = never / 16

// nsToCycles converts a time of the host, rounding up, to horizon at most.
func nsToCycles(ns int64, c *hardware.Config) Time {
	if ns <= 0 {
		return 0
	}
	return quotient(uint64(ns), uint64(float64(c.Clock.CoreMHz*1000)+0.5), 1_000_000)
}

// quotient returns a x b / c, rounded up, horizon at most.
func quotient(a, b, c uint64) Time {
	hi, lo := bits.Mul64(a, b)
	if hi >= c {
		return horizon
	}
	q, rem := bits.Div64(hi, lo, c)
	if rem > 0 && q < uint64(horizon) {
		q++
	}
	return Time(min(q, uint64(horizon)))
}

// rate is a bandwidth as an exact ratio: bytes per 1000 cycles of the SM clock
// in kHz.
type rate struct{ bytesPerSecond, coreHz uint64 }

// newRate rounds to whole bytes a second, of which a link that is not free moves
// at least one.
func newRate(bytesPerSecond, coreMHz float64) rate {
	r := rate{uint64(float64(bytesPerSecond) + 0.5), uint64(float64(coreMHz*1e6) + 0.5)}
	if bytesPerSecond > 0 {
		r.bytesPerSecond = max(r.bytesPerSecond, 1)
	}
	return r
}

// cycles returns how long a transfer takes, rounding up, horizon at most; a rate
// of 0 is free.
func (r rate) cycles(bytes uint64) Time {
	if r.bytesPerSecond == 0 || bytes == 0 {
		return 0
	}
	return quotient(bytes, r.coreHz, r.bytesPerSecond)
}
