package audit

import (
	"errors"
	"io"
	"slices"

	"gpureplay/model"
	"gpureplay/trace"
)

// order checks in which order kernels run, from the host's program alone:
//
//   - depends: a kernel's first CTA comes after the end of every kernel before it in its stream, behind an event
//     that the stream waited for, or before a point where the host waited;
//   - hwq-limit: kernels of one hardware work queue are not in the distributor together, and the distributor has no
//     more kernels than there are queues;
//   - children: a kernel ends after all children of its CTAs, and a CTA that left its SM for its children comes back
//     when they have ended (checked without aggregated groups: a request does not name the group of its CTA).
//
// It reads the program as far as the kernels that have been dispatched: its memory is a bit for each kernel, and a
// list for each stream, event and kernel under way.
type order struct {
	a       *Auditor
	ops     trace.Cursor[trace.HostOp]
	ended   []uint64            // bit for each kernel
	deps    map[uint32][]uint32 // of the kernels read from the program and not yet placed
	streams map[uint64]*streamBook
	events  map[uint64][]uint32
	host    map[uint32][]uint32 // by host thread: kernels that it has waited for
	seen    int                 // streams
	early   map[uint32]bool     // kernels that may begin before others before them in their stream have ended
	// per queue, kernels of the host in the distributor; nil: children or tasks share the queues
	queued  []int
	parents map[uint32]childBook           // of children that have started, by child
	open    map[uint32]int                 // children that have started and not ended, by parent kernel
	away    map[uint32]map[uint32][]absent // by kernel and CTA, while the kernel runs
	groups  bool                           // a kernel may have CTAs of groups, whose numbers are not its own
}

// streamBook has the dependences of a stream's next kernel, and its queue.
type streamBook struct {
	before  []uint32
	queue   int
	waits   []uint32 // dependences of all behind it, where kernels do not wait for each other
	ends    int64    // recorded end of the work issued to it, ns
	process uint32   // of the host, that issues to it
}

// childBook is where a child comes from.
type childBook struct {
	parent, cta uint32
	call        model.Time
}

// absent is a time in which a CTA was not on its SM.
type absent struct{ from, to model.Time }

func newOrder(a *Auditor) *order {
	o := &order{
		a: a, ops: a.tr.HostOps(), deps: map[uint32][]uint32{}, streams: map[uint64]*streamBook{},
		events: map[uint64][]uint32{}, early: map[uint32]bool{},
		ended: make([]uint64, (a.tr.Kernels()+63)/64), parents: map[uint32]childBook{},
		host: map[uint32][]uint32{}, open: map[uint32]int{}, away: map[uint32]map[uint32][]absent{},
	}
	if a.tr.Program().Totals.ChildLaunches == 0 {
		o.queued = make([]int, max(1, a.cfg.KMU.HWQs))
	}
	return o
}

func (o *order) stream(id uint64) *streamBook {
	s := o.streams[id]
	if s == nil {
		s = &streamBook{queue: o.seen % max(1, o.a.cfg.KMU.HWQs)}
		o.seen++
		o.streams[id] = s
	}
	return s
}

// issuedTo is the stream to which an operation is issued.
func (o *order) issuedTo(op *trace.HostOp) *streamBook {
	s := o.stream(op.Stream)
	s.process = op.Process
	return s
}

// read goes through the host's program up to the launch of a kernel.
func (o *order) read(kernel uint32) {
	var op trace.HostOp
	for {
		if _, ok := o.deps[kernel]; ok {
			return
		}
		if err := o.ops.Next(&op); err != nil {
			if !errors.Is(err, io.EOF) {
				o.a.fail("kernel-known", o.a.last, "the host's program cannot be read: %v", err)
			}
			return
		}
		o.step(&op)
	}
}

func (o *order) step(op *trace.HostOp) {
	switch op.Kind {
	case trace.OpLaunch:
		s := o.issuedTo(op)
		if o.a.freed {
			o.deps[op.Kernel] = o.pending(append(slices.Clone(s.waits), o.host[op.Thread]...))
			s.before = append(o.pending(s.before), op.Kernel)
			return
		}
		if o.overtakes(s, op.Kernel) {
			o.early[op.Kernel] = true
			o.deps[op.Kernel] = o.pending(slices.Clone(o.host[op.Thread]))
			s.before = append(o.pending(s.before), op.Kernel)
			return
		}
		o.deps[op.Kernel] = o.pending(append(slices.Clone(s.before), o.host[op.Thread]...))
		s.before = []uint32{op.Kernel}
	case trace.OpEventRecord:
		o.events[op.Event] = o.issuedTo(op).before
	case trace.OpStreamWait:
		s := o.issuedTo(op)
		s.before = o.pending(append(slices.Clone(s.before), o.events[op.Event]...))
		s.waits = o.pending(append(slices.Clone(s.waits), o.events[op.Event]...))
	case trace.OpSyncDevice:
		for _, s := range o.streams {
			if s.process == op.Process {
				o.waited(op, s.before)
			}
		}
	case trace.OpSyncStream:
		o.waited(op, o.stream(op.Stream).before)
	case trace.OpSyncEvent:
		o.waited(op, o.events[op.Event])
	case trace.OpCopyH2D, trace.OpCopyD2H, trace.OpCopyD2D, trace.OpCopyP2P, trace.OpMemset:
		s := o.issuedTo(op)
		if s.waits = slices.Clone(s.before); !op.Async {
			o.waited(op, s.before)
		}
	}
}

// waited notes that the thread of an operation waits for kernels.
func (o *order) waited(op *trace.HostOp, kernels []uint32) {
	o.host[op.Thread] = o.pending(append(o.host[op.Thread], kernels...))
}

// overtakes reports whether a kernel of a capture may begin before the one
// before it in its stream has ended, since it was recorded to.
func (o *order) overtakes(s *streamBook, kernel uint32) bool {
	var k trace.Kernel
	if !o.a.overlaps || o.a.tr.Kernel(kernel, &k) != nil || k.Recorded == nil {
		return false
	}
	early := k.Recorded.StartNs >= 0 && k.Recorded.StartNs < s.ends
	s.ends = max(s.ends, k.Recorded.StartNs+max(0, k.Recorded.DurationNs))
	return early
}

// pending returns the kernels of a list that have not ended, each once.
func (o *order) pending(list []uint32) []uint32 {
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(k uint32) bool { return o.over(k) })
}

// over reports whether a kernel has ended.
func (o *order) over(kernel uint32) bool {
	return int(kernel>>6) < len(o.ended) && o.ended[kernel>>6]>>(kernel&63)&1 != 0
}

// dispatched checks a kernel that enters the distributor.
func (o *order) dispatched(r *model.KernelRecord) {
	if r.Device {
		return
	}
	o.read(r.ID)
	if o.queued == nil {
		return
	}
	q := o.stream(r.Stream).queue
	if o.queued[q]++; o.queued[q] > 1 && !o.a.captured && !o.a.freed && !o.early[r.ID] {
		o.a.fail("hwq-limit", r.Dispatch, "kernel %d enters the distributor while another of its hardware work queue "+
			"%d is there", r.ID, q)
	}
}

// placed checks the first CTA of a kernel.
func (o *order) placed(r *model.CTARecord, k *trace.Kernel) {
	if k.Flags&trace.KernelChild != 0 {
		return
	}
	o.read(r.Kernel)
	for _, d := range o.deps[r.Kernel] {
		if !o.over(d) {
			o.a.fail("depends", r.Dispatch, "kernel %d starts at %d, kernel %d before it has not ended", r.Kernel, r.Dispatch, d)
		}
	}
	delete(o.deps, r.Kernel)
}

// kernel notes the end of a kernel.
func (o *order) kernel(r *model.KernelRecord) {
	if n := o.open[r.ID]; n > 0 {
		o.a.fail("children", r.End, "kernel %d ends at %d, %d of its children have not", r.ID, r.End, n)
	}
	delete(o.open, r.ID)
	delete(o.away, r.ID)
	delete(o.early, r.ID)
	mark(o.ended, r.ID)
	if !r.Device && o.queued != nil && r.Dispatch != model.Unset {
		o.queued[o.stream(r.Stream).queue]--
	}
	o.childEnded(r.ID, r.End)
}

// launched notes a child that has started.
func (o *order) launched(r *model.LaunchRecord) {
	if r.Decision == model.Inline {
		return
	}
	if o.over(r.Parent) {
		o.a.fail("children", r.FirstCTA, "child kernel %d starts at %d, its parent %d has ended", r.Child, r.FirstCTA,
			r.Parent)
	}
	o.groups = o.groups || r.Decision == model.Group
	o.parents[r.Child] = childBook{r.Parent, r.CTA, r.Time}
	o.open[r.Parent]++
}

// childEnded checks that no waiting parent has gone on before.
func (o *order) childEnded(child uint32, t model.Time) {
	b, ok := o.parents[child]
	if !ok {
		return
	}
	delete(o.parents, child)
	o.open[b.parent]--
	if o.groups {
		return
	}
	for _, x := range o.away[b.parent][b.cta] {
		if b.call < x.from && x.to < t {
			o.a.fail("children", t, "CTA %d of kernel %d came back at %d, its child %d ends at %d", b.cta, b.parent, x.to,
				child, t)
		}
	}
}

// left and back note when a CTA is away from its SM.
func (o *order) left(r *model.CTARecord, t model.Time) {
	if r.Child != model.NoKernel {
		return
	}
	if o.away[r.Kernel] == nil {
		o.away[r.Kernel] = map[uint32][]absent{}
	}
	o.away[r.Kernel][r.CTA] = append(o.away[r.Kernel][r.CTA], absent{from: t, to: never})
}

func (o *order) back(r *model.CTARecord, t model.Time) {
	if list := o.away[r.Kernel][r.CTA]; len(list) > 0 && r.Child == model.NoKernel {
		list[len(list)-1].to = t
	}
}

// never is later than any time of a run.
const never = model.Time(1) << 62
