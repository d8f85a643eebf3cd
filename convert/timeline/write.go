package timeline

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gpureplay/trace"
)

const (
	maxThreads = 1 << 16 // whose last stream is remembered
	maxEvents  = 1 << 20 // distinct events
)

// Sink takes the host program in order. The values handed to it are reused.
type Sink interface {
	// Launch writes the kernel k of the named function, and then the launch op with the kernel's id. gridID is the
	// activity's.
	Launch(name string, k *trace.Kernel, op *trace.HostOp, gridID uint64) error
	// Scope defines a scope and returns its index + 1.
	Scope(trace.Scope) uint32
	// Op writes any other operation.
	Op(op *trace.HostOp) error
}

// FirstNs returns the earliest time of the capture, from which the times in the
// trace count.
func (b *Builder) FirstNs() int64 { return b.first }

// Write joins the gathered records and writes the chosen device's part. It fails if the sink does, or the device
// has no activity. It may be called once.
func (b *Builder) Write(sink Sink) error {
	device, ok := b.Device()
	if !ok && b.opts.Device >= 0 && len(b.kernels) > 0 {
		return fmt.Errorf("no activity of device %d; the capture has devices %v", b.opts.Device, b.deviceList())
	}
	err := b.join()
	b.events.Close()
	if err != nil {
		return err
	}
	it, err := b.host.Sorted()
	if err != nil {
		return err
	}
	e := emitter{
		b: b, sink: sink, device: device, threads: map[thread]*last{}, recorded: map[uint64]bool{}, scopes: newScopes(),
		ended: math.MinInt64, own: newOwn(), users: map[uint64]*last{}, hosts: map[uint64]uint32{},
		edges: newEdges(),
	}
	for {
		rec, err := it.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		e.r.decode(rec)
		if err := e.row(&e.r); err != nil {
			return err
		}
	}
	for _, used := range e.threads { // nothing came after these waits
		b.counts[streamWaitUnresolved] += used.pending
	}
	if n := e.numbers; n > 1 {
		b.counts[hostThreads] = uint64(n)
	}
	return nil
}

func (b *Builder) deviceList() []uint32 {
	var list []uint32
	for d := range b.kernels {
		list = append(list, d)
	}
	slices.Sort(list)
	return list[:min(len(list), 16)]
}

// emitter turns rows in host order into operations.
type emitter struct {
	b        *Builder
	sink     Sink
	device   uint32
	threads  map[thread]*last
	left     []*last // the same, in the order of their first calls
	recorded map[uint64]bool
	users    map[uint64]*last // by stream: the thread that issued to it last
	at       *last            // the thread of the current operation
	first    last             // of work without a call, before the first call
	hosts    map[uint64]uint32
	numbers  uint32 // of threads
	opened   int64  // of the first call that was written
	ended    int64  // end of the last activity of the device
	own      own
	waits    waits
	scopes   scopes
	edges    edges
	r        row
	op       trace.HostOp
	kernel   trace.Kernel
	times    trace.Recorded
}

func (e *emitter) row(r *row) error {
	if r.side == sideRange {
		e.begin(r)
		return nil
	}
	used := e.threads[thread{r.host, r.thread}]
	if r.side == sideSync && r.host == 0 { // a wait whose call the capture does not have
		if used = e.users[r.stream]; used == nil || r.flags&flagStream == 0 {
			used = e.at
		}
	}
	if r.flags&flagHostTime != 0 && used == nil && len(e.threads) < maxThreads {
		used = &last{device: e.device}
		if r.flags&flagDevice != 0 {
			used.device = r.device
		}
		used.stream = noStream
		e.threads[thread{r.host, r.thread}] = used
		e.left = append(e.left, used)
	}
	if r.side == sideActivity {
		pending := uint64(0)
		if used != nil && r.flags&flagHostTime != 0 {
			pending = used.pending
			used.device, used.stream, used.pending = r.device, r.stream, 0
		}
		if r.device != e.device {
			e.b.counts.add(otherDevices)
			return nil
		}
		e.turn(r, used)
		return e.activity(r, pending)
	}
	if r.flags&flagDevice == 0 {
		r.device = e.device
		if used != nil {
			r.device = used.device
		}
	}
	if r.device != e.device {
		return nil
	}
	e.turn(r, used)
	return e.call(r, used)
}

// noStream stands for no stream of a thread.
const noStream = ^uint64(0)

// work writes the host's own work before a call. A thread begins with the first call of
// the capture.
func (e *emitter) work(r *row) error {
	e.own.call(0, 0)
	th := e.at
	if r.flags&flagHostTime == 0 {
		return nil
	}
	e.number(th, r.host)
	end := r.start + r.duration
	if !th.started {
		if th.number == 0 {
			e.opened = r.start
		}
		th.busy, th.started, th.slow = e.opened, true, r.start-1
	}
	e.own.call(max(r.start, th.busy), end)
	if err := e.hostWork(r.start - th.busy); err != nil {
		return err
	}
	th.busy = max(th.busy, end)
	if th.slow == r.start || !e.slowLaunch(r) {
		return nil
	}
	th.slow = r.start
	e.b.counts.add(slowLaunch)
	e.own.call(0, 0)
	loading := min(r.duration, r.began-r.start) // the rest of the call is work behind the launch
	th.busy = r.start + loading
	return e.hostWork(loading)
}

func (e *emitter) hostWork(ns int64) error {
	if ns <= 0 {
		return nil
	}
	e.op = trace.HostOp{Kind: trace.OpHostWork, Array: trace.NoArray, Ns: ns}
	return e.write()
}

// write writes the current operation, as one of the current thread.
func (e *emitter) write() error {
	e.op.Thread, e.op.Process = e.at.number, e.at.process
	return e.sink.Op(&e.op)
}

// slowCall is the time in nanoseconds from which a launch is examined: ten times a usual launch.
const slowCall = 50_000

// slowLaunch reports whether a launch took long although the device had nothing
// to do in the second half of the call: then the host was loading code. Else it
// was waiting for room in a queue, which is the model's business. The call of a graph lasts
// as long as its many nodes need.
func (e *emitter) slowLaunch(r *row) bool {
	middle := r.start + r.duration/2
	return r.side == sideActivity && ActivityKind(r.kind) == Kernel && r.duration > slowCall && r.flags&flagGraph == 0 &&
		r.began >= middle && e.ended <= middle
}

// call writes a call that has no activity.
func (e *emitter) call(r *row, used *last) error {
	op := trace.HostOp{Array: trace.NoArray, Stream: r.stream, Event: r.event}
	switch CallKind(r.kind) {
	case CallSyncDevice:
		op.Kind, op.Stream = trace.OpSyncDevice, 0
	case CallSyncStream:
		op.Kind = trace.OpSyncStream
		if r.flags&flagStream == 0 {
			e.b.counts.add(syncStreamInferred)
			op.Stream = noStream
			if used != nil {
				op.Stream = used.stream
			}
		}
		if op.Stream == noStream { // a thread that has launched nothing
			op.Kind, op.Stream = trace.OpSyncDevice, 0
		}
	case CallRecord:
		op.Kind = trace.OpEventRecord
		if len(e.recorded) == maxEvents {
			return fmt.Errorf("more than %d events", maxEvents)
		}
		e.recorded[r.event] = true
	case CallSyncEvent, CallWait:
		op.Kind = trace.OpSyncEvent
		if CallKind(r.kind) == CallWait {
			op.Kind = trace.OpStreamWait
		} else {
			op.Stream = 0
		}
		if drop, reason := e.unknownEvent(r); drop {
			if reason == streamWaitUnresolved && used != nil && !e.b.waits {
				used.pending++
				return nil
			}
			e.b.counts.add(reason)
			return nil
		}
	default:
		return nil
	}
	if err := e.work(r); err != nil {
		return err
	}
	if e.own.waitsForAll(&op) {
		e.b.counts.add(syncOfAll)
		op.Kind, op.Stream, op.Event = trace.OpSyncDevice, 0, 0
	}
	op.Ns = e.own.waiting(&op)
	e.op = op
	return e.write()
}

// unknownEvent reports whether a wait must be left out, and why.
func (e *emitter) unknownEvent(r *row) (bool, oddity) {
	wait := CallKind(r.kind) == CallWait
	switch {
	case wait && r.flags&(flagEvent|flagStream) != flagEvent|flagStream:
		return true, streamWaitUnresolved
	case r.flags&flagEvent == 0:
		return true, eventUnresolved
	case !e.recorded[r.event]:
		return true, waitWithoutRecord
	}
	return false, 0
}

// activity writes a launch, a copy or a memory set.
func (e *emitter) activity(r *row, pending uint64) error {
	if err := e.work(r); err != nil {
		return err
	}
	err := e.infer(r, pending)
	if err == nil && r.flags&flagHostTime != 0 {
		err = e.inferOthers(r)
	}
	if err != nil {
		return err
	}
	e.waits.use(r)
	e.ended = max(e.ended, r.began+r.ran)
	if r.flags&flagGraph != 0 {
		e.b.counts.add(graphLaunch)
	}
	e.times = trace.Recorded{HostNs: -1, StartNs: r.began - e.b.first, DurationNs: r.ran}
	if r.flags&flagUntimed != 0 {
		e.times.StartNs = -1
	}
	if r.flags&flagEndless != 0 {
		e.times.DurationNs = -1
	}
	if r.flags&flagHostTime != 0 {
		e.times.HostNs = r.start - e.b.first
	}
	e.op = trace.HostOp{
		Array: trace.NoArray, Stream: r.stream, Recorded: &e.times, Scope: e.scope(r), Bytes: r.bytes, Addr: r.addr,
		Ns: e.own.after(0),
	}
	flags := e.edge(r)
	e.own.issued(r.stream, r.began+r.ran)
	switch ActivityKind(r.kind) {
	case Kernel:
		return e.launch(r, flags)
	case Memset:
		e.op.Kind, e.op.Async = trace.OpMemset, true
	default:
		e.op.Kind = r.copy
		e.op.Async = r.flags&flagAsync != 0 || r.flags&(flagHostTime|flagBlocking) == 0
		if r.copy == trace.OpCopyD2H && r.flags&flagPageable != 0 {
			e.op.Async = false
		}
		e.op.Async = e.op.Async || r.flags&flagGraph != 0 // its call launches a graph and waits for nothing
		e.op.Async = e.op.Async || r.returnsEarly()
	}
	if r.bytes == 0 {
		e.b.counts.add(copyWithoutSize)
	}
	if !e.op.Async {
		e.op.Ns = e.own.after(r.began + r.ran)
	}
	return e.write()
}

// returnsEarly reports whether the call of a copy had returned before the copy ended:
// cudaMemcpy does from pageable memory, once the data is staged (CUDA Runtime API, "API
// synchronization behavior").
func (r *row) returnsEarly() bool {
	return r.flags&flagHostTime != 0 && r.flags&(flagUntimed|flagEndless) == 0 && r.began+
		r.ran-r.start-r.duration > returnSlack
}

// returnSlack is how well the clocks of host and device agree, ns.
const returnSlack = 10_000

func (e *emitter) launch(r *row, flags trace.KernelFlags) error {
	e.op.Kind, e.op.Bytes, e.op.Addr = trace.OpLaunch, 0, 0
	e.kernel = trace.Kernel{
		Fidelity: trace.FidelityNone, Flags: flags, Device: r.device, Stream: r.stream,
		Registers: r.registers, SharedBytes: r.shared, LocalBytes: r.local, Cluster: r.cluster,
		Recorded: &e.times, Scope: e.op.Scope,
	}
	if !r.cluster.Valid() {
		e.kernel.Cluster = trace.Dim3{}
	}
	if r.flags&flagSized != 0 && r.grid.Valid() && r.block.Valid() {
		e.kernel.Fidelity, e.kernel.Grid, e.kernel.Block = trace.FidelityKernel, r.grid, r.block
	} else if n := r.grid; r.flags&flagSized != 0 && min(n[0], n[1], n[2]) > 0 && !n.Valid() {
		return fmt.Errorf("kernel %q: its grid of %v has %.3g CTAs, more than a GPU launches; the record is damaged: "+
			"capture it again", e.b.names[r.name], n, float64(n[0])*float64(n[1])*float64(n[2]))
	} else if r.flags&flagWhole != 0 {
		e.b.counts.add(wholeGraph)
	} else {
		e.b.counts.add(kernelWithoutGrid)
	}
	e.op.Thread, e.op.Process = e.at.number, e.at.process
	return e.sink.Launch(e.b.names[r.name], &e.kernel, &e.op, r.gridID)
}
