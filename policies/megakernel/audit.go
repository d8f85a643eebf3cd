package megakernel

import (
	"cmp"
	"slices"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// queueBook checks the tasks of a run by the trace and the steps of the runtime:
//
//   - mega-depends: a task begins a decision and a latency behind the end of each task of earlier kernels of its stream
//     that wrote a word that it touches, or read one that it writes; with kernels as the grain, of each task of them;
//   - mega-queue: no more ready tasks are queued than the queues of all SMs hold;
//   - mega-workers: an SM runs no more tasks than it has workers;
//   - mega-once: a task is queued at most once and before it goes to an SM, begins once, and then ends.
//
// Its books are the words of the tasks of kernels that run, or have ended less than a latency ago.
type queueBook struct {
	model.Discard
	u       *Unit
	tr      *container.Reader
	fail    model.AuditFail
	stream  map[uint32]uint64         // of each kernel of the host; a narrow task has one of its own
	coming  map[uint64][]uint32       // kernels of a stream that have no book yet, in program order
	kernels map[uint32]*kernelTasks   // that have not ended
	streams map[uint64][]*kernelTasks // in program order
	queued  int
	running []int // per SM
}

// kernelTasks is the tasks of a kernel.
type kernelTasks struct {
	id    uint32
	tasks []taskBook
	left  int        // that have not ended
	last  model.Time // end
}

// taskBook is a task: the words that it reads and writes, and how far it is.
type taskBook struct {
	words                       [2][]words
	queued, given, begun, ended bool
	end                         model.Time
}

// words are those from lo to hi, without hi.
type words struct{ lo, hi uint64 }

// Audit makes the unit a [model.Audited].
func (u *Unit) Audit(tr *container.Reader, c *hardware.Config, fail model.AuditFail) model.Observer {
	b := &queueBook{u: u, tr: tr, fail: fail, stream: map[uint32]uint64{}, coming: map[uint64][]uint32{},
		kernels: map[uint32]*kernelTasks{}, streams: map[uint64][]*kernelTasks{}, running: make([]int, c.SM.Count)}
	for op, err := range trace.Each(tr.HostOps()) {
		if err != nil { // it ends the run
			break
		}
		stream := op.Stream
		switch op.Kind {
		case trace.OpSpawn: // a narrow task waits for no other by its data
			stream = ^uint64(op.Kernel)
		case trace.OpLaunch:
		default:
			continue
		}
		b.stream[op.Kernel] = stream
		b.coming[stream] = append(b.coming[stream], op.Kernel)
	}
	u.book = b
	return b
}

// task returns the books of a kernel and one of its tasks; nil: there is none.
func (b *queueBook) task(kernel, cta uint32) (*kernelTasks, *taskBook) {
	stream := b.stream[kernel]
	for b.kernels[kernel] == nil && len(b.coming[stream]) > 0 { // with those before it, none of whose tasks may have come
		next := b.coming[stream][0]
		b.coming[stream] = b.coming[stream][1:]
		b.kernels[next] = b.read(next)
		b.streams[stream] = append(b.streams[stream], b.kernels[next])
	}
	k := b.kernels[kernel]
	if k == nil || int(cta) >= len(k.tasks) {
		return k, nil
	}
	return k, &k.tasks[cta]
}

// read reads the words of a kernel's tasks.
func (b *queueBook) read(kernel uint32) *kernelTasks {
	k := &kernelTasks{id: kernel}
	var head trace.Kernel
	cursor, err := b.tr.CTAs(kernel, 0)
	if err != nil || b.tr.Kernel(kernel, &head) != nil {
		return k // an error ends the run
	}
	k.left = int(head.Grid.Count())
	k.tasks = make([]taskBook, k.left)
	code := &b.tr.Program().Functions[head.Function]
	for c := (trace.CTA{}); cursor.Next(&c) == nil; {
		if int(c.ID) < len(k.tasks) {
			k.tasks[c.ID].words = touched(code, &c)
		}
	}
	return k
}

// touched is the words of global memory that a CTA reads, and that it writes.
func touched(code *trace.Function, c *trace.CTA) (all [2][]words) {
	for i := range c.Warps {
		w := &c.Warps[i]
		for in, a := range w.Accesses(code.Insts) {
			for way, mode := range []trace.Mode{trace.Read, trace.Write} {
				if in.Global() && in.Mode()&mode != 0 {
					all[way] = lanes(all[way], w, a, uint64(in.Width))
				}
			}
		}
	}
	return [2][]words{joined(all[0]), joined(all[1])}
}

// lanes adds the words of an access.
func lanes(list []words, w *trace.Warp, a *trace.Access, width uint64) []words {
	for at := range a.Addresses(w.Lists) {
		x := words{at / 4, (at+width-1)/4 + 1}
		if n := len(list); n > 0 && list[n-1].lo <= x.lo && x.lo <= list[n-1].hi {
			list[n-1].hi = max(list[n-1].hi, x.hi)
			continue
		}
		list = append(list, x)
	}
	return list
}

// joined is a list in order, as short as it can be.
func joined(list []words) (some []words) {
	slices.SortFunc(list, func(x, y words) int { return cmp.Compare(x.lo, y.lo) })
	for _, x := range list {
		if n := len(some); n > 0 && x.lo <= some[n-1].hi {
			some[n-1].hi = max(some[n-1].hi, x.hi)
			continue
		}
		some = append(some, x)
	}
	return some
}

// share reports whether two lists have a word in common.
func share(x, y []words) bool {
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].hi <= y[0].lo:
			x = x[1:]
		case y[0].hi <= x[0].lo:
			y = y[1:]
		default:
			return true
		}
	}
	return false
}

// waits reports whether a task has to wait for one of an earlier kernel.
func (b *queueBook) waits(x, early *taskBook) bool {
	return b.u.cfg.Kernels || share(x.words[0], early.words[1]) || share(x.words[1], early.words[0]) ||
		share(x.words[1], early.words[1])
}

// queues checks a task that takes an entry of the queue.
func (b *queueBook) queues(kernel, cta uint32, t model.Time) {
	_, x := b.task(kernel, cta)
	switch {
	case x == nil:
		b.fail("mega-once", t, "task %d of kernel %d is queued, which is not in its grid", cta, kernel)
		return
	case x.queued || x.given:
		b.fail("mega-once", t, "task %d of kernel %d is queued twice or behind its begin", cta, kernel)
	}
	x.queued = true
	if b.queued++; b.queued > b.u.cfg.Queue*len(b.running) {
		b.fail("mega-queue", t, "%d tasks are queued on %d SMs with %d entries each", b.queued, len(b.running), b.u.cfg.Queue)
	}
}

// begins checks a task that gets a worker.
func (b *queueBook) begins(kernel, cta uint32, sm int, t model.Time) {
	k, x := b.task(kernel, cta)
	if x == nil || x.begun {
		b.fail("mega-once", t, "task %d of kernel %d begins twice or is not in its grid", cta, kernel)
		return
	}
	x.begun = true
	if b.running[sm]++; b.running[sm] > b.u.cfg.Workers {
		b.fail("mega-workers", t, "SM %d runs %d tasks on %d workers", sm, b.running[sm], b.u.cfg.Workers)
	}
	delay, stream := b.u.decision+b.u.latency, b.stream[kernel]
	b.streams[stream] = slices.DeleteFunc(b.streams[stream], func(e *kernelTasks) bool {
		return e.left == 0 && e.last+delay <= t
	})
	for _, e := range b.streams[stream] {
		if e == k {
			break
		}
		for i := range e.tasks {
			if y := &e.tasks[i]; (!y.ended || y.end+delay > t) && b.waits(x, y) {
				b.fail("mega-depends", t, "task %d of kernel %d begins, and waits for task %d of kernel %d (ended: %v, in cycle "+
					"%d; a decision takes %d cycles and the way to the worker %d)", cta, kernel, i, e.id, y.ended, y.end,
					b.u.decision, b.u.latency)
			}
		}
	}
}

// Placed makes the book a [model.PlacementObserver]: a task has gone to an SM, and its entry is free.
func (b *queueBook) Placed(r *model.CTARecord) {
	if _, x := b.task(r.Kernel, r.CTA); x != nil {
		if x.queued && !x.given {
			b.queued--
		}
		x.given = true
	}
}

// Dispatched checks nothing.
func (*queueBook) Dispatched(*model.KernelRecord) {}

// Released checks nothing.
func (*queueBook) Released(*model.KernelRecord) {}

// CTA checks a task that has ended.
func (b *queueBook) CTA(r *model.CTARecord) {
	k, x := b.task(r.Kernel, r.CTA)
	if x == nil || !x.begun || x.ended {
		b.fail("mega-once", r.End, "task %d of kernel %d ends, which has not begun or has ended", r.CTA, r.Kernel)
		return
	}
	x.ended, x.end = true, r.End
	k.left--
	k.last = max(k.last, r.End)
	b.running[r.SM]--
}

// Kernel checks a kernel that has ended, and drops its book.
func (b *queueBook) Kernel(r *model.KernelRecord) {
	if k := b.kernels[r.ID]; k != nil && k.left > 0 {
		b.fail("mega-once", r.End, "kernel %d ends with %d tasks that have not", r.ID, k.left)
	}
	delete(b.kernels, r.ID)
}
