// Package megakernel runs the CTAs of kernels as tasks of one persistent kernel.
package megakernel

import (
	"fmt"
	"math"

	"gpureplay/model"
	"gpureplay/model/clock"
	"gpureplay/model/hardware"
	"gpureplay/policies/producers"
)

// Config is the shape of a megakernel.
type Config struct {
	Workers   int     // tasks that an SM runs at once; 0: as many as fit
	Kernels   bool    // a task waits for all tasks of every kernel before
	LatencyNs float64 // from the end of a task's last producer to the task; negative: the machine's
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
	cfg     Config
	m       *model.ResidentMachine
	latency model.Time
	sms     []residence
	warps   int // of a worker
	due     clock.FIFO[task]
	asked   model.Time // Act has been asked for then
	on      map[name]place
}

// task is one that may begin at a time.
type task struct {
	k   *producers.Kernel
	cta uint32
	at  model.Time
}

// name is a task's; place is where it runs.
type (
	name struct {
		order uint64
		cta   uint32
	}
	place struct{ sm, worker int }
)

// residence is the megakernel's CTA on an SM.
type residence struct {
	cta  *model.PersistentCTA
	free []int // workers, the one that goes next last
}

// New returns the runtime.
func New(cfg Config) *Unit {
	u := &Unit{cfg: cfg, on: map[name]place{}}
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
	return model.ResidentLimits{CTAs: u.cfg.Workers, SharedBytes: c.SM.SharedBytes, SharedUnit: 1, Barriers: u.cfg.Workers}
}

// Reside is of [model.ResidentDependency].
func (u *Unit) Reside(m *model.ResidentMachine) error {
	u.m, u.latency = m, u.cfg.latency(m.Config())
	s, err := u.largest()
	if err != nil {
		return err
	}
	u.cfg.Workers = s.workers(u.cfg.Workers, m)
	u.warps = s.warps
	head := s.fitted(u.cfg.Workers, m.Config())
	for sm := range m.SMs() {
		r := residence{}
		if r.cta, err = m.Reserve(sm, &head, u); err != nil {
			return fmt.Errorf("%d workers of %d warps and a scheduler warp: %w", u.cfg.Workers, u.warps, err)
		}
		for w := range u.cfg.Workers {
			r.free = append(r.free, u.cfg.Workers-1-w)
		}
		u.sms = append(u.sms, r)
	}
	return nil
}

// ready has a task begin when the scheduler warp has heard of its last producer and a worker of the task.
func (u *Unit) ready(k *producers.Kernel, cta uint32) {
	u.due.Push(task{k, cta, u.m.Now() + u.latency})
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
	for u.due.Len() > 0 {
		x := u.due.First()
		if x.at > t {
			u.await()
			return
		}
		x.k.Release(x.cta)
		u.due.Pop()
	}
}

// Room is of [model.ResidentDependency].
func (u *Unit) Room(sm int) bool { return len(u.sms[sm].free) > 0 }

// Take is of [model.ResidentDependency].
func (u *Unit) Take(order uint64, cta uint32, sm int, x model.TaskCTA, t model.Time) {
	r := &u.sms[sm]
	last := len(r.free) - 1
	worker := r.free[last]
	r.free = r.free[:last]
	u.on[name{order, cta}] = place{sm, worker}
	u.m.Begin(r.cta, worker*u.warps, x, t)
}

// Ended is of [model.CTADependency].
func (u *Unit) Ended(order uint64, cta uint32, t model.Time) {
	p := u.on[name{order, cta}]
	delete(u.on, name{order, cta})
	u.sms[p.sm].free = append(u.sms[p.sm].free, p.worker)
	u.Graph.Ended(order, cta, t)
}

// ProgramEnded is of [model.PersistentRuntime]: the scheduler warp's program is a latency.
func (u *Unit) ProgramEnded(*model.PersistentCTA, int, model.Time) {}

// WarpEnded is of [model.PersistentRuntime]: a worker waits for its whole task.
func (u *Unit) WarpEnded(*model.PersistentCTA, int, model.Time) {}

// CTAEnded is of [model.PersistentRuntime]: tasks of a host's runtime end so, and those of kernels by [Unit.Ended].
func (u *Unit) CTAEnded(*model.PersistentCTA, *model.Task, uint32, model.Time) {}
