package model

import (
	"gpureplay/model/exec"
	"gpureplay/trace"
)

// ResidentDependency is a [CTADependency] whose CTAs run as tasks of persistent CTAs, one on each SM: a persistent
// megakernel. The [CTAScheduler] chooses the SM of a task, and the dependency when it begins.
type ResidentDependency interface {
	CTADependency
	// Reside places the persistent CTAs, before the program begins. It returns an error if they have no room.
	Reside(m *ResidentMachine) error
	// Entered is called when a kernel is in the distributor: its tasks may go to SMs from this cycle on.
	Entered(order uint64)
	// Room reports whether the persistent CTA of an SM takes one more task.
	Room(sm int) bool
	// Take hands over a task that the CTA scheduler gives to an SM.
	Take(order uint64, cta uint32, sm int, x TaskCTA, t Time)
	// Holds reports whether the warps of a task that runs ahead wait at their points.
	Holds(order uint64, cta uint32) bool
	// Act is called before the CTA scheduler places tasks, once in a cycle: in each behind the end of one, and in those
	// that [ResidentMachine.ActAt] names.
	Act(t Time)
}

// ResidentMachine is the handle of a [ResidentDependency].
type ResidentMachine struct{ PersistentMachine }

// ActAt has Act called in cycle t, which is later than now.
func (x *ResidentMachine) ActAt(t Time) { x.m.ctas.wakeAt(t) }

// Trace is the task as the trace has it.
func (x TaskCTA) Trace() *trace.CTA { return &x.c.Trace }

// Begin lets a task of a kernel begin in cycle t on warps of r from first on, which wait. points are of its warps,
// where they wait while the dependency holds it; nil: they have none. They stay the caller's.
func (x *ResidentMachine) Begin(r *PersistentCTA, first int, task TaskCTA, points []exec.Points, t Time) {
	c, u := task.c, x.m.ctas
	c.persistent, c.Rec.Resident, c.Points = r, true, points
	u.came(c, t)
	r.Open(&c.CTA, len(c.Trace.Warps), t)
	for i := range c.Trace.Warps {
		r.RunTask(first+i, task, c.Trace.Warps[i].ID, t+1)
	}
	c.Points = nil
}

// Acquire has a task see in cycle t what earlier kernels have written. If the task before it on its SM was of another
// kernel, it does not find older data in the L1.
func (x *ResidentMachine) Acquire(r *PersistentCTA, task TaskCTA, t Time) {
	c := task.c
	if c.SM.Order != c.kernel.Order {
		c.SM.Holder, c.SM.Order = c.kernel.ID, c.kernel.Order
		r.Acquire(t)
	}
}

// Go lets the warps of a task that has run ahead go on in cycle t, in which no SM has acted.
func (x *ResidentMachine) Go(task TaskCTA, t Time) {
	u, of := x.m.ctas, heldBy{task.c.kernel.Order, task.c.Rec.CTA}
	for _, w := range u.held[of] {
		w.sm.Resume(w.w, w.why, t+1)
	}
	delete(u.held, of)
}
