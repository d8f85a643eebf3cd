// Package megakernel runs the CTAs of kernels as tasks of one persistent kernel.
package megakernel

import (
	"fmt"
	"math"
	"slices"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/policies/producers"
)

// Config is the shape of a megakernel.
type Config struct {
	Workers    int     // tasks that an SM runs at once; 0: as many as fit
	Schedulers int     // scheduler warps of an SM
	Queue      int     // entries for ready tasks, of an SM
	DecisionNs float64 // of a scheduler warp for a task
	Kernels    bool    // a task waits for all tasks of every kernel before
	LatencyNs  float64 // from the decision on a task to its begin; negative: the machine's
	Pages      int     // that tasks of an SM may load ahead; 0: none runs ahead
}

// trips is how many round trips to the L2 lie between the end of a task and the next that waits for it. They are a
// fence, an atomic operation and polls. The number is set from one measurement: 1.04 us a kernel of 4,096 doubles with
// an atomic barrier on an H200 (RRZE's gpu-small-kernels).
const trips = 4.6

// latency of a task on a machine, in cycles.
func (c *Config) latency(m *hardware.Config) model.Time {
	cycles := c.LatencyNs * m.Clock.CoreMHz / 1000
	if c.LatencyNs < 0 {
		cycles = trips * float64(m.L1.BypassLatency+m.L2.Latency)
	}
	return max(1, model.Time(math.Round(cycles)))
}

// window is how many kernels of a stream the runtime has tasks of. A further one is there long before its turn.
const window = 16

// producersOf is how many tasks of one kernel a task can wait for. One with more waits for all tasks of the kernel, as
// for an event that they all trigger.
const producersOf = 64

// Unit is the runtime. It is a [model.ResidentDependency].
type Unit struct {
	*producers.Graph
	schedule
	cfg     Config
	m       *model.ResidentMachine
	sms     []residence
	warps   int // of a worker
	ahead   int // tasks of an SM that run ahead of its workers
	idle    int // SMs with fewer tasks than workers
	kernels map[uint64]*progress
	tasks   map[name]*task
	check   []int // SMs whose tasks may begin
	points  []exec.Points
	book    *queueBook // of an audited run
}

// name is a task's: its kernel by program order, and its CTA.
type name struct {
	order uint64
	cta   uint32
}

// progress is how far the tasks of a kernel have been given to SMs.
type progress struct {
	k     *producers.Kernel
	there bool   // in the distributor
	given []bool // per CTA
	next  uint32 // those before it have been
	left  int
}

// task is one that has been given to an SM.
type task struct {
	name
	model.TaskCTA
	k              *producers.Kernel
	sm, place      int
	ready, running bool
}

// residence is the megakernel's CTA on an SM.
type residence struct {
	cta     *model.PersistentCTA
	free    []int // places of tasks, the one that goes next last
	tasks   int
	running int     // of them
	waiting []*task // the others, in the order of their coming
}

// New returns the runtime.
func New(cfg Config) *Unit {
	u := &Unit{cfg: cfg, kernels: map[uint64]*progress{}, tasks: map[name]*task{}}
	u.Graph = producers.New(producers.Rules{
		Kernels: cfg.Kernels, Parents: producersOf, Spans: producers.Addresses,
		Count: "megakernel_fully_connected", Ready: u.ready,
	})
	return u
}

// Window is of [model.Dependency].
func (u *Unit) Window() int { return window }

// Waits is of [model.CTADependency].
func (u *Unit) Waits() bool { return true }

// Limits is of [model.LimitedRuntime].
func (u *Unit) Limits(c *hardware.Config) model.ResidentLimits {
	most := u.cfg.Workers + u.ahead
	return model.ResidentLimits{CTAs: most, SharedBytes: most * c.SM.SharedBytes, Barriers: most}
}

// Reside is of [model.ResidentDependency].
func (u *Unit) Reside(m *model.ResidentMachine) error {
	u.m, u.schedule = m, newSchedule(&u.cfg, m)
	s, err := u.largest()
	if err != nil {
		return err
	}
	u.cfg.Workers = s.workers(u.cfg.Workers, m)
	u.warps = s.warps
	if u.cfg.Pages > 0 {
		u.ahead = s.ahead(u.cfg.Workers, m.Config())
	}
	head := s.fitted(u.cfg.Workers, u.ahead, m.Config())
	for sm := range m.SMs() {
		r := residence{}
		if r.cta, err = m.Reserve(sm, &head, u); err != nil {
			return fmt.Errorf("%d workers of %d warps and %d scheduler warps: %w", u.cfg.Workers, u.warps,
				u.cfg.Schedulers, err)
		}
		for place := u.cfg.Workers + u.ahead - 1; place >= 0; place-- {
			r.free = append(r.free, place)
		}
		u.sms = append(u.sms, r)
	}
	u.idle = len(u.sms)
	return nil
}

// ready has a task begin when a scheduler warp has decided on it and a worker received it.
func (u *Unit) ready(k *producers.Kernel, cta uint32) {
	u.decide(k, cta, u.m.Now())
	u.await()
}

// await has Act called when the next task may begin.
func (u *Unit) await() {
	if at := u.due.First().at; u.asked != at {
		u.asked = at
		u.m.ActAt(at)
	}
}

// Act is of [model.ResidentDependency].
func (u *Unit) Act(t model.Time) {
	u.retry(u.goes)
	for u.due.Len() > 0 {
		x := *u.due.First()
		if x.at > t {
			u.await()
			break
		}
		u.due.Pop()
		if !u.goes(x) {
			u.full = append(u.full, x)
		}
	}
	for _, sm := range u.check {
		u.begin(&u.sms[sm], t)
	}
	u.check = u.check[:0]
}

// goes lets a task begin that has been decided on: on its SM, if it runs ahead, or by an entry of the queue. It reports
// whether there is one. A task of a kernel that is not in the distributor takes none, or it might keep out a task that
// the kernel waits for.
func (u *Unit) goes(x turn) bool {
	if b := u.tasks[name{x.k.Order, x.cta}]; b != nil {
		b.ready = true
		u.check = append(u.check, b.sm)
		return true
	}
	if u.room == 0 || !u.kernels[x.k.Order].there {
		return false
	}
	u.room--
	if u.book != nil {
		u.book.queues(x.k.ID, x.cta, u.m.Now())
	}
	x.k.Release(x.cta)
	return true
}

// begin lets tasks go on that are ready, as far as there are workers.
func (u *Unit) begin(r *residence, t model.Time) {
	for i := 0; i < len(r.waiting) && r.running < u.cfg.Workers; {
		b := r.waiting[i]
		if !b.ready {
			i++
			continue
		}
		r.waiting = slices.Delete(r.waiting, i, i+1)
		u.work(r, b, t)
		u.m.Go(b.TaskCTA, t)
	}
}

// work gives a task a worker in cycle t.
func (u *Unit) work(r *residence, b *task, t model.Time) {
	r.running++
	b.running = true
	if u.book != nil {
		u.book.begins(b.k.ID, b.cta, b.sm, t)
	}
	u.m.Acquire(r.cta, b.TaskCTA, t)
}

// Opened is of [model.CTADependency].
func (u *Unit) Opened(v *model.KernelView, t model.Time) error {
	p := &progress{given: make([]bool, v.Left), left: int(v.Left)}
	u.kernels[v.Order] = p
	err := u.Graph.Opened(v, t)
	p.k = u.Kernel(v.Order)
	return err
}

// Next is of [model.CTADependency]. If no task of the kernel is ready, one may go to an SM to run ahead. All tasks that
// it can wait for are on SMs then: each task waits for tasks that have come before it.
func (u *Unit) Next(order uint64) (cta uint32, ok bool) {
	if cta, ok = u.Graph.Next(order); ok || u.ahead == 0 {
		return cta, ok
	}
	p := u.kernels[order]
	for _, before := range u.Before(p.k) {
		if u.kernels[before.Order].left > 0 {
			return 0, false
		}
	}
	for p.left > 0 && p.given[p.next] {
		p.next++
	}
	return p.next, p.left > 0
}

// Placed is of [model.CTADependency].
func (u *Unit) Placed(order uint64, cta uint32, t model.Time) {
	p := u.kernels[order]
	p.given[cta] = true
	p.left--
	b := &task{name: name{order, cta}, k: p.k}
	if first, ok := u.Graph.Next(order); ok && first == cta {
		b.ready = true
		u.Graph.Placed(order, cta, t)
		u.room++
	}
	u.tasks[b.name] = b
	if len(u.full) > 0 {
		u.m.ActAt(t + 1)
	}
}

// Entered is of [model.ResidentDependency].
func (u *Unit) Entered(order uint64) { u.kernels[order].there = true }

// Room is of [model.ResidentDependency]: tasks run ahead when every SM has as many as workers, behind tasks that run.
func (u *Unit) Room(sm int) bool {
	r := &u.sms[sm]
	return r.tasks < u.cfg.Workers || u.idle == 0 && len(r.waiting) < u.ahead
}

// Take is of [model.ResidentDependency].
func (u *Unit) Take(order uint64, cta uint32, sm int, x model.TaskCTA, t model.Time) {
	r, b := &u.sms[sm], u.tasks[name{order, cta}]
	last := len(r.free) - 1
	b.TaskCTA, b.sm, b.place = x, sm, r.free[last]
	r.free = r.free[:last]
	if r.tasks++; r.tasks == u.cfg.Workers {
		u.idle--
	}
	var points []exec.Points
	if b.ready && r.running < u.cfg.Workers {
		u.work(r, b, t)
	} else {
		r.waiting = append(r.waiting, b)
		points = u.held(b)
	}
	u.m.Begin(r.cta, b.place*u.warps, x, points, t)
}

// Holds is of [model.ResidentDependency].
func (u *Unit) Holds(order uint64, cta uint32) bool { return !u.tasks[name{order, cta}].running }

// Ended is of [model.CTADependency].
func (u *Unit) Ended(order uint64, cta uint32, t model.Time) {
	b := u.tasks[name{order, cta}]
	delete(u.tasks, b.name)
	r := &u.sms[b.sm]
	r.free = append(r.free, b.place)
	if r.tasks--; r.tasks == u.cfg.Workers-1 {
		u.idle++
	}
	if b.running {
		r.running--
		u.check = append(u.check, b.sm)
	} else {
		r.waiting = slices.DeleteFunc(r.waiting, func(x *task) bool { return x == b })
	}
	u.Graph.Ended(order, cta, t)
}

// Completed is of [model.CTADependency].
func (u *Unit) Completed(order uint64, t model.Time) {
	delete(u.kernels, order)
	u.Graph.Completed(order, t)
}

// ProgramEnded is of [model.PersistentRuntime]: the scheduler warp's program is a latency.
func (u *Unit) ProgramEnded(*model.PersistentCTA, int, model.Time) {}

// WarpEnded is of [model.PersistentRuntime]: a worker waits for its whole task.
func (u *Unit) WarpEnded(*model.PersistentCTA, int, model.Time) {}

// CTAEnded is of [model.PersistentRuntime]: tasks of a host's runtime end so, and those of kernels by [Unit.Ended].
func (u *Unit) CTAEnded(*model.PersistentCTA, *model.Task, uint32, model.Time) {}
