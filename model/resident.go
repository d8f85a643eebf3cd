package model

// ResidentDependency is a [CTADependency] whose CTAs run as tasks of persistent CTAs, one on each SM: a persistent
// megakernel. The [CTAScheduler] chooses the SM of a task, and the dependency when it begins.
type ResidentDependency interface {
	CTADependency
	// Reside places the persistent CTAs, before the program begins. It returns an error if they have no room.
	Reside(m *ResidentMachine) error
	// Room reports whether the persistent CTA of an SM takes one more task.
	Room(sm int) bool
	// Take hands over a task that the CTA scheduler gives to an SM.
	Take(order uint64, cta uint32, sm int, x TaskCTA, t Time)
	// Act is called before the CTA scheduler places tasks: in each cycle behind the end of one, and in those that
	// [ResidentMachine.ActAt] names.
	Act(t Time)
}

// ResidentMachine is the handle of a [ResidentDependency].
type ResidentMachine struct{ PersistentMachine }

// ActAt has Act called in cycle t, which is later than now.
func (x *ResidentMachine) ActAt(t Time) { x.m.ctas.wakeAt(t) }

// Begin lets a task of a kernel begin in cycle t on warps of r from first on, which wait. Tasks of another kernel than
// the one before see what it has written: they do not find older data in the L1.
func (x *ResidentMachine) Begin(r *PersistentCTA, first int, task TaskCTA, t Time) {
	c, u := task.c, x.m.ctas
	if c.SM.Order != c.kernel.Order {
		c.SM.Holder, c.SM.Order = c.kernel.ID, c.kernel.Order
		r.Acquire(t)
	}
	c.persistent, c.Rec.Resident = r, true
	u.came(c, t)
	r.Open(&c.CTA, len(c.Trace.Warps), t)
	for i := range c.Trace.Warps {
		r.RunTask(first+i, task, c.Trace.Warps[i].ID, t+1)
	}
}
