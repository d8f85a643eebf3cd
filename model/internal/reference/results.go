package reference

import "gpureplay/model"

// Request is the outcome of a child-launch request as a record has it, in the words of
// [Machine.Requests].
func Request(r *model.LaunchRecord) string {
	var s model.Notes // of SPAWN: n, x, n_con, t_cta, t_warp, t_child, t_parent
	if r.Noted != nil {
		s = *r.Noted
	}
	return nAnswer{r.Decision, r.Time, r.FirstCTA, r.Spilled, r.AGT, s[0], s[2], s[3], s[4], s[5], s[6]}.String()
}

// Task is the times of a narrow task as a record has them, in the words of [Machine.Tasks].
func Task(r *model.TaskRecord) string {
	x := nTask{
		spawn: r.Spawn, copied: r.Copied, schedulable: r.Schedulable, first: r.FirstWarp, end: r.End, back: r.Back,
	}
	return x.String()
}

// Tasks are the times of the narrow tasks, by kernel.
func (n *Machine) Tasks() map[uint32]string { return n.tasks.records }

// Stages are the stages of the host's program; overlap: the policy overlaps kernels, and has
// them.
func (n *Machine) Stages() (all []string, overlap bool) {
	if n.over == nil {
		return nil, false
	}
	return n.over.stages, true
}

// MemoryCounts are the accesses of the L1s, the L2 and the DRAM, and the cycles in which the
// DRAM has requests.
func (n *Machine) MemoryCounts() (l1, l2, dram any, busy int) {
	return n.mem.l1Count, n.mem.l2Count, n.mem.dramCount, n.mem.pendingCycles()
}

// Insts are the times of each instruction: issued and done.
func (n *Machine) Insts() map[InstKey][2]model.Time { return n.insts }

// CTAs are the SM, placing and end of each CTA, by kernel, child (or NoKernel) and number.
func (n *Machine) CTAs() map[[3]uint32][3]model.Time { return n.ctas }

// Ended are the kernels in the order of their ends.
func (n *Machine) Ended() []KernelEnd { return n.ended }

// Requests are the outcomes of child-launch requests, by child.
func (n *Machine) Requests() map[uint32]string { return n.requests }

// Cycles is the length of the run; warpInsts and threadInsts are its instructions.
func (n *Machine) Cycles() (cycles model.Time, warpInsts, threadInsts uint64) {
	return n.cycles, n.warpInsts, n.threadInsts
}
