package audit

import (
	"math/bits"
	"slices"

	"gpureplay/model"
	"gpureplay/model/host"
	"gpureplay/trace"
)

// taskBook checks narrow tasks: every task that the program spawns ends once, its times are in order, its CTAs lie
// between them, it waits for its dependences, tasks keep to the limits of their runtime on an SM, and copies of one
// direction do not overlap.
type taskBook struct {
	a       *Auditor
	runtime model.LimitedRuntime // nil: tasks are on no persistent CTAs
	held    []tenancy            // per SM
	deps    map[uint32][]uint32
	spawned uint64
	ended   map[uint32]model.Time // end of each task, for those behind it
	seen    []uint64              // bit per kernel
	tasks   uint64
	span    map[uint32][2]model.Time // first placement and last end of CTAs, until the task ends
	sync    []uint64                 // bit per kernel: its threadblocks synchronise
	narrow  []uint64                 // bit per kernel: it is a task
}

// tenancy has the resources of an SM that threadblocks of tasks hold.
type tenancy struct{ ctas, shared, barriers int }

// newTaskBook reads the spawns of a trace; nil if it has none. Launches run as tasks are checked as the launches of
// their capture.
func newTaskBook(a *Auditor, p *model.Policy, as host.AsTasks) (*taskBook, error) {
	b := &taskBook{a: a, held: make([]tenancy, a.cfg.SM.Count), deps: map[uint32][]uint32{},
		ended: map[uint32]model.Time{},
		span:  map[uint32][2]model.Time{}}
	var ok bool
	if b.runtime, ok = p.Tasks.(model.LimitedRuntime); !ok {
		b.runtime, _ = p.Dependency.(model.LimitedRuntime)
	}
	barrier := make([]bool, len(a.tr.Program().Functions)) // of a function's code, which a launch may run
	for fn := range barrier {
		barrier[fn] = slices.ContainsFunc(a.tr.Program().Functions[fn].Insts, func(in trace.Inst) bool {
			return in.Class == trace.ClassBarrier
		})
	}
	var k trace.Kernel
	for op, err := range trace.Each(a.tr.HostOps()) {
		if err != nil { // it ends the run
			break
		}
		if op.Kind != trace.OpSpawn && (as == host.NotTasks || op.Kind != trace.OpLaunch) {
			continue
		}
		b.spawned++
		b.narrow = grown(b.narrow, op.Kernel)
		mark(b.narrow, op.Kernel)
		sync := op.Sync // a task says so, since a path through its code may not
		if op.Kind == trace.OpLaunch {
			if err := a.tr.Kernel(op.Kernel, &k); err != nil {
				return nil, err
			}
			sync = barrier[k.Function]
		}
		if sync {
			b.sync = grown(b.sync, op.Kernel)
			mark(b.sync, op.Kernel)
		}
		if len(op.Deps) > 0 {
			b.deps[op.Kernel] = append([]uint32(nil), op.Deps...)
			for _, d := range op.Deps {
				b.ended[d] = model.Unset
			}
		}
	}
	return b, nil
}

// placed and ended book the resources of a threadblock on a persistent CTA.
func (b *taskBook) placed(r *model.CTARecord, k *kernelBook) {
	h, l := &b.held[r.SM], b.limits()
	h.take(l, k, b.syncs(k.k.ID), 1)
	if h.ctas > l.CTAs || h.shared > l.SharedBytes || h.barriers > l.Barriers {
		b.a.fail("task-limits", r.Dispatch, "SM %d holds %d threadblocks of tasks with %d bytes of shared memory and %d "+
			"barriers; it may hold %d, %d and %d",
			r.SM, h.ctas, h.shared, h.barriers, l.CTAs, l.SharedBytes, l.Barriers)
	}
}

func (b *taskBook) released(r *model.CTARecord, k *kernelBook) {
	b.held[r.SM].take(b.limits(), k, b.syncs(k.k.ID), -1)
}

// limits are the runtime's; a runtime that sizes its CTAs by the trace has them with the first of them.
func (b *taskBook) limits() *model.ResidentLimits {
	var l model.ResidentLimits
	if b.runtime != nil {
		l = b.runtime.Limits(b.a.cfg)
	}
	return &l
}

// syncs reports whether the threadblocks of a task synchronise.
func (b *taskBook) syncs(kernel uint32) bool { return marked(b.sync, kernel) }

// has reports whether a kernel is a task.
func (b *taskBook) has(kernel uint32) bool { return b != nil && marked(b.narrow, kernel) }

func marked(set []uint64, i uint32) bool {
	return int(i>>6) < len(set) && set[i>>6]>>(i&63)&1 != 0
}

// grown returns a set of bits with room for i.
func grown(set []uint64, i uint32) []uint64 {
	if grow := int(i>>6) + 1 - len(set); grow > 0 {
		return append(set, make([]uint64, grow)...)
	}
	return set
}

func (h *tenancy) take(l *model.ResidentLimits, k *kernelBook, sync bool, sign int) {
	h.ctas += sign
	bytes := int(k.k.SharedBytes)
	if bytes > 0 && l.SharedUnit > 0 {
		bytes = max(l.SharedUnit, 1<<bits.Len(uint(bytes-1)))
	}
	h.shared += sign * bytes
	if sync {
		h.barriers += sign
	}
}

// cta notes when a task's CTA was on the device.
func (b *taskBook) cta(r *model.CTARecord) {
	s, ok := b.span[r.Kernel]
	if !ok {
		s = [2]model.Time{r.Dispatch, r.End}
	}
	b.span[r.Kernel] = [2]model.Time{min(s[0], r.Dispatch), max(s[1], r.End)}
}

// task checks a task that has ended.
func (b *taskBook) task(r *model.TaskRecord) {
	a := b.a
	b.seen = grown(b.seen, r.Kernel)
	if !mark(b.seen, r.Kernel) {
		a.fail("task-once", r.Back, "task %d ends twice", r.Kernel)
	}
	b.tasks++
	last := model.Time(0)
	for _, t := range []model.Time{r.Spawn, r.Copied, r.Schedulable, r.FirstWarp, r.End, r.Back} {
		if t == model.Unset {
			continue
		}
		if t < last {
			a.fail("task-order", r.Back, "task %d: spawned %d, copied %d, schedulable %d, first warp %d, ended %d, back %d",
				r.Kernel, r.Spawn, r.Copied, r.Schedulable, r.FirstWarp, r.End, r.Back)
			break
		}
		last = t
	}
	if s, ok := b.span[r.Kernel]; ok {
		if s[0] < r.FirstWarp || s[1] > r.End {
			a.fail("task-order", r.Back, "task %d runs from %d to %d, its CTAs from %d to %d", r.Kernel, r.FirstWarp, r.End,
				s[0], s[1])
		}
		delete(b.span, r.Kernel)
	}
	for _, d := range b.deps[r.Kernel] {
		if end := b.ended[d]; end == model.Unset || end > r.Spawn {
			a.fail("task-depends", r.Spawn, "task %d is spawned at %d, task %d on which it depends ends at %d", r.Kernel,
				r.Spawn, d, end)
		}
	}
	if _, ok := b.ended[r.Kernel]; ok {
		b.ended[r.Kernel] = r.End
	}
	delete(b.deps, r.Kernel)
}

func (b *taskBook) finish(sum *model.Summary) {
	if b.spawned > 0 && b.tasks != b.spawned {
		b.a.fail("task-once", sum.Cycles, "%d of %d tasks have ended", b.tasks, b.spawned)
	}
	for sm, h := range b.held {
		if h != (tenancy{}) {
			b.a.fail("task-limits", sum.Cycles, "SM %d still holds %d threadblocks of tasks", sm, h.ctas)
		}
	}
}
