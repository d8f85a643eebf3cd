package model

import (
	"errors"
	"fmt"
	"io"

	"gpureplay/model/exec"
	"gpureplay/trace"
)

// PersistentCTA is a threadblock that stays on an SM for the whole run, as one of a
// MasterKernel. Its warps run programs of their runtime and warps of tasks, one at a time,
// as the [PersistentRuntime] decides. Between them they wait without issuing.
type PersistentCTA struct {
	*exec.PersistentCTA
	u       *tasks
	runtime PersistentRuntime
	number  uint64 // its slot
}

// ProgramEnded passes the end of a runtime's program on ([exec.PersistentRuntime]).
func (r *PersistentCTA) ProgramEnded(warp int, t Time) { r.runtime.ProgramEnded(r, warp, t) }

// WarpEnded passes the end of a task's warp on ([exec.PersistentRuntime]).
func (r *PersistentCTA) WarpEnded(warp int, t Time) { r.runtime.WarpEnded(r, warp, t) }

// PersistentMachine is the part of a machine that persistent CTAs are placed on.
type PersistentMachine struct{ View }

// SMs returns the number of SMs.
func (x PersistentMachine) SMs() int { return len(x.m.sms) }

// PersistentPerSM is how many threadblocks of a shape an SM holds, and the resource that
// limits them.
func (x PersistentMachine) PersistentPerSM(k *trace.Kernel) (int, string) {
	n, limit := x.m.cfg.Residency(k)
	return n, limit
}

// Reserve places a threadblock of the shape of k (its block, registers and shared
// memory) on an SM. It returns an error if there is no room.
func (x PersistentMachine) Reserve(sm int, k *trace.Kernel, runtime PersistentRuntime) (*PersistentCTA, error) {
	s, res := x.m.sms[sm], x.m.cfg.CTAResources(k)
	if !x.m.cfg.Fits(s.Used, res) {
		_, limit := x.m.cfg.Residency(k)
		return nil, fmt.Errorf("a resident threadblock of %d threads with %d registers each and %d bytes of shared memory "+
			"has no room on an SM of %s (%s)", k.Block.Count(), k.Registers, k.SharedBytes, x.m.cfg.Name, limit)
	}
	run := &kernelRun{tk: *k}
	run.is(KernelView{})
	run.seen.Resources = res
	r := &PersistentCTA{u: x.m.tasks, runtime: runtime, number: x.m.tasks.slot()}
	r.PersistentCTA = s.Reserve(&run.seen, r)
	x.m.tasks.slots[r.number] = r
	return r, nil
}

// Release takes r off its SM in a cycle in which units act; its warps must be
// waiting.
func (r *PersistentCTA) Release() {
	r.Leave()
	r.u.slots[r.number] = nil
}

// TaskCTA is a threadblock of a task on a persistent CTA.
type TaskCTA struct{ c *ctaRun }

// Live is how many of its warps have not ended.
func (x TaskCTA) Live() int { return x.c.Live }

// OpenCTA brings a threadblock of a task to r; none of its warps runs yet. It returns an error if the trace cannot
// be read.
func (r *PersistentCTA) OpenCTA(task *Task, block uint32, t Time) (TaskCTA, error) {
	m := r.u
	k, err := m.openTask(task, t)
	if err != nil {
		return TaskCTA{}, err
	}
	c := m.kernels.takeCTA()
	c.reset(k, block)
	c.clear(block)
	if k.tk.CTAs > 0 {
		cursor, err := m.tr.CTAs(task.Kernel, block)
		if err != nil {
			return TaskCTA{}, err
		}
		spare := m.kernels.takeCTA()
		switch err := cursor.Next(&spare.Trace); {
		case err == nil && spare.Trace.ID == block:
			c.Trace, spare.Trace = spare.Trace, c.Trace
		case err != nil && !errors.Is(err, io.EOF):
			return TaskCTA{}, fmt.Errorf("kernel %d, CTA %d: %w", task.Kernel, block, err)
		}
		m.kernels.spareCTAs = append(m.kernels.spareCTAs, spare)
	}
	if !k.work.Held() {
		m.kernels.expand(k, c)
	}
	c.task, c.persistent, c.Rec.Resident, c.Hold = task, r, true, 0
	task.open++
	if k.rec.FirstCTA == Unset {
		k.rec.FirstCTA = t
	}
	k.rec.LastCTA = t
	warps := len(c.Trace.Warps)
	if k.inferred > 0 {
		warps = int(task.Warps())
	}
	r.Open(&c.CTA, warps, t)
	return TaskCTA{c}, nil
}

// RunTask lets a warp of r run a task's warp from cycle t on. It reports whether
// the trace has work for it.
func (r *PersistentCTA) RunTask(warp int, x TaskCTA, id uint32, t Time) bool {
	m, c := r.u, x.c
	if held := c.kernel.inferred; held > 0 {
		r.Keep(warp, &c.CTA, t)
		m.queue.Post(t+held, evTask, r.number<<8|uint64(warp), warpTimed)
	} else if !r.RunWarp(warp, &c.CTA, id, t) {
		return false
	}
	m.warp(1)
	return true
}

// slot returns a free number for a persistent CTA.
func (u *tasks) slot() uint64 {
	for i := range u.slots {
		if u.slots[i] == nil {
			return uint64(i)
		}
	}
	u.slots = append(u.slots, nil)
	return uint64(len(u.slots) - 1)
}

// openTask returns the kernel of a task, which is known to the machine as long
// as one of its threadblocks is on an SM or still to come.
func (m *tasks) openTask(task *Task, t Time) (*kernelRun, error) {
	if task.run != nil {
		return task.run, nil
	}
	k := m.kernels.takeRun()
	if err := m.tr.Kernel(task.Kernel, &k.tk); err != nil {
		return nil, err
	}
	k.code = m.lib.Code(k.tk.Function)
	m.kernels.order++
	k.is(KernelView{ID: task.Kernel, Order: m.kernels.order, Function: k.tk.Function, CTAs: uint64(task.Blocks)})
	k.native = k.CTAs
	k.rec = m.kernels.kernelRecord(k)
	k.infer(m.kernels)
	task.run = k
	m.began(t)
	return k, nil
}

// ctaEnded completes a threadblock of a task in cycle t.
func (m *tasks) ctaEnded(c *ctaRun, t Time) {
	task := c.task
	k := task.run
	if c.persistent == nil { // of a fused kernel, on which its instructions were booked
		k.rec.WarpInsts += c.Rec.WarpInsts
		k.rec.ThreadInsts += c.ThreadInsts
		m.ctas.ended(c, t)
	}
	task.open--
	task.ended++
	block, on := c.Rec.CTA, c.persistent
	task.Record.End = max(task.Record.End, t)
	if task.ended == task.Blocks {
		k.rec.End = t
		m.sum.Kernels++
		if k.work != trace.InferredNothing {
			m.sum.KernelsInferred++
		}
		m.sum.Cycles = max(m.sum.Cycles, t)
		m.obs.Kernel(&k.rec)
		m.over(t)
		task.run = nil
		m.kernels.freeRuns = append(m.kernels.freeRuns, k.Slot)
	}
	c.task, c.persistent = nil, nil
	m.kernels.spareCTAs = append(m.kernels.spareCTAs, c)
	if on != nil {
		on.runtime.CTAEnded(on, task, block, t)
	}
}
