package model

import (
	"errors"
	"fmt"
	"io"

	"gpureplay/model/hardware"
	"gpureplay/model/program"
	"gpureplay/trace"
)

// Residence is a threadblock that stays on an SM for the whole run, as one of a
// MasterKernel: its warps run programs of their own runtime and warps of tasks,
// one at a time, as its [Tenant] says. Between them they wait, without issuing.
type Residence struct {
	s      *sm
	tenant Tenant
	cta    *ctaRun // on which its own programs are booked; nobody is told of it
	warps  []residentWarp
	number uint64 // among those of the run
}

// residentWarp is one warp of a residence.
type residentWarp struct {
	w   *warp
	cta *ctaRun        // of the task whose work is inferred, while it holds the warp
	mem []trace.Access // of the program that it runs
}

// Program is code that the warps of a residence run: prepared once, run often.
type Program struct {
	code   *program.Code
	path   []uint32
	mem    []trace.Access
	global []int // accesses whose address is given when it runs
}

// NewPrograms prepares stretches of a function, each given by its first and one
// past its last instruction. Accesses to shared memory are taken to be free of
// bank conflicts; those to global memory go to one address for all lanes.
func NewPrograms(f *trace.Function, stretches [][2]uint32) []*Program {
	c := program.Prepare(f, &hardware.SMConfig{}) // warps of a residence never exit
	var all []*Program
	for _, x := range stretches {
		p := &Program{code: c}
		for i := x[0]; i < x[1]; i++ {
			p.path = append(p.path, i)
			in := &f.Insts[i]
			if !in.Mem() {
				continue
			}
			a := trace.Access{Count: hardware.WarpSize, Stride: int32(in.Width)}
			if in.Space == trace.SpaceGlobal {
				p.global = append(p.global, len(p.mem))
				a.Stride = 0
			}
			p.mem = append(p.mem, a)
		}
		all = append(all, p)
	}
	return all
}

// SMs returns the number of SMs.
func (x *TaskMachine) SMs() int { return len(x.m.sms) }

// ResidencesPerSM is how many threadblocks of a shape an SM holds, and what
// limits them.
func (x *TaskMachine) ResidencesPerSM(k *trace.Kernel) (int, string) {
	n, limit := x.m.cfg.Residency(k)
	return n, limit
}

// Reserve places a threadblock of the shape of k (its block, registers and shared
// memory) on an SM. It is an error if there is no room.
func (x *TaskMachine) Reserve(sm int, k *trace.Kernel, tenant Tenant) (*Residence, error) {
	s, res := x.m.sms[sm], x.m.cfg.CTAResources(k)
	if !x.m.cfg.Fits(s.used, res) {
		_, limit := x.m.cfg.Residency(k)
		return nil, fmt.Errorf("a resident threadblock of %d threads with %d registers each and %d bytes of shared memory has no room on an SM of %s (%s)",
			k.Block.Count(), k.Registers, k.SharedBytes, x.m.cfg.Name, limit)
	}
	run := &kernelRun{tk: *k, res: res, parent: NoKernel}
	if s.used == (hardware.Resources{}) {
		s.lsu.Enter(x.m.cfg.L1Bytes(k))
	}
	s.used = s.used.Plus(res)
	r := &Residence{s: s, tenant: tenant, number: x.unit.house(), cta: &ctaRun{kernel: run, sm: s, lastAt: Unset}}
	x.unit.homes[r.number] = r
	for range res.Warps {
		_, w := s.takeSlot()
		w.home, w.place = r, len(r.warps)
		r.warps = append(r.warps, residentWarp{w: w})
	}
	return r, nil
}

// SM is the SM that holds r.
func (r *Residence) SM() int { return r.s.id }

// Warps is how many warps r has.
func (r *Residence) Warps() int { return len(r.warps) }

// Release takes r off its SM in a cycle in which units act; its warps must be
// waiting.
func (r *Residence) Release() {
	r.s.used = r.s.used.Minus(r.cta.kernel.res)
	r.s.m.tasks.homes[r.number] = nil
	for i := range r.warps {
		w := r.warps[i].w
		w.home = nil
		r.s.free |= 1 << r.s.slot(w)
	}
}

// Acknowledged is when the stores of the task's warp that has ended on a warp of r
// are acknowledged.
func (r *Residence) Acknowledged(warp int) Time { return r.warps[warp].w.last }

// Run lets a warp run a program from cycle t on, which is later than now. addr is
// that of the program's accesses to global memory.
func (r *Residence) Run(warp int, p *Program, addr uint64, t Time) {
	v := &r.warps[warp]
	mem := p.mem
	if len(p.global) > 0 {
		v.mem = append(v.mem[:0], p.mem...)
		for _, i := range p.global {
			v.mem[i].Base = addr
		}
		mem = v.mem
	}
	r.enter(v.w, r.cta, program.Frame{Code: p.code, Path: p.path, Mem: mem, Mask: ^uint32(0)}, t)
}

// enter puts a warp into a frame of a CTA.
func (r *Residence) enter(w *warp, c *ctaRun, f program.Frame, t Time) {
	w.cta, w.Callers, w.Frame = c, w.Callers[:0], f
	n := f.Code.Count
	if cap(w.bank) < n {
		w.bank = make([]Time, n)
	}
	w.Regs = w.bank[:n]
	clear(w.Regs)
	r.s.prepare(w, t)
	r.s.schedule(w, t)
}

// TaskCTA is a threadblock of a task on a residence.
type TaskCTA struct{ c *ctaRun }

// Live is how many of its warps have not ended.
func (x TaskCTA) Live() int { return x.c.live }

// OpenCTA brings a threadblock of a task to r; none of its warps runs yet.
func (r *Residence) OpenCTA(task *Task, block uint32, t Time) (TaskCTA, error) {
	m := r.s.m
	k, err := m.openTask(task, t)
	if err != nil {
		return TaskCTA{}, err
	}
	c := m.takeCTA()
	c.reset(k, block)
	c.clear(block)
	if k.tk.CTAs > 0 {
		cursor, err := m.tr.CTAs(task.Kernel, block)
		if err != nil {
			return TaskCTA{}, err
		}
		spare := m.takeCTA()
		switch err := cursor.Next(&spare.cta); {
		case err == nil && spare.cta.ID == block:
			c.cta, spare.cta = spare.cta, c.cta
		case err != nil && !errors.Is(err, io.EOF):
			return TaskCTA{}, fmt.Errorf("kernel %d, CTA %d: %w", task.Kernel, block, err)
		}
		m.spareCTAs = append(m.spareCTAs, spare)
	}
	if !k.work.Held() {
		m.expand(k, c)
	}
	c.task, c.home, c.rec.Resident, c.inferred = task, r, true, 0
	task.open++
	r.s.beginTask(c, t)
	return TaskCTA{c}, nil
}

// beginTask books a task's threadblock on its SM.
func (s *sm) beginTask(c *ctaRun, t Time) {
	s.ctas = append(s.ctas, c)
	c.sm = s
	c.rec.SM, c.rec.Dispatch, c.rec.Start, c.rec.End = uint32(s.id), t, Unset, Unset
	c.rec.WarpInsts, c.rec.Active, c.rec.StallTimes = 0, 0, [NumStalls]Time{}
	c.live = len(c.cta.Warps)
	if c.kernel.inferred > 0 {
		c.live = int(c.task.Warps())
	}
	s.m.sum.Warps += uint64(c.live)
	k := c.kernel
	if k.rec.FirstCTA == Unset {
		k.rec.FirstCTA = t
	}
	k.rec.LastCTA = t
	if s.m.placed != nil {
		s.m.placed.Placed(&c.rec)
	}
	if c.live == 0 {
		s.end(c, t+1, 0)
	}
}

// RunTask lets a warp of r run a task's warp from cycle t on. It reports whether
// the trace has work for it.
func (r *Residence) RunTask(warp int, x TaskCTA, id uint32, t Time) bool {
	s, c := r.s, x.c
	if c.kernel.inferred > 0 {
		r.hold(warp, c, t)
		return true
	}
	for i := range c.cta.Warps {
		tw := &c.cta.Warps[i]
		if tw.ID != id {
			continue
		}
		w := r.warps[warp].w
		s.settle(t)
		s.resident++
		s.m.tasks.warp(1)
		c.slots |= 1 << s.slot(w)
		w.id, w.last, w.began = id, t, t
		r.enter(w, c, c.program(i), t)
		return true
	}
	return false
}

// hold keeps a warp of r for as long as a threadblock of a kernel whose work is
// inferred takes.
func (r *Residence) hold(warp int, c *ctaRun, t Time) {
	v, s := &r.warps[warp], r.s
	s.settle(t)
	s.resident++
	s.m.tasks.warp(1)
	v.cta = c
	c.slots |= 1 << s.slot(v.w)
	s.m.queue.Post(t+c.kernel.inferred, evTask, r.number<<8|uint64(warp), warpTimed)
}

// timed ends such a warp.
func (r *Residence) timed(warp int, t Time) {
	v := &r.warps[warp]
	v.w.cta, v.w.last, v.cta = v.cta, t, nil
	r.ended(v.w, t)
}

// house returns a free number of a residence.
func (u *tasks) house() uint64 {
	for i := range u.homes {
		if u.homes[i] == nil {
			return uint64(i)
		}
	}
	u.homes = append(u.homes, nil)
	return uint64(len(u.homes) - 1)
}

// ended hands on the end of what a resident warp ran.
func (r *Residence) ended(w *warp, t Time) {
	c, s := w.cta, r.s
	if c == r.cta {
		r.tenant.ProgramEnded(r, w.place, t)
		return
	}
	s.settle(t + 1)
	s.resident--
	s.m.tasks.warp(-1)
	c.slots &^= 1 << s.slot(w)
	c.acked = max(c.acked, w.last, t+1)
	if c.live--; c.live == 0 {
		s.end(c, c.acked, 0)
	} else if c.waiting > 0 {
		s.checkBarriers(c, t)
	}
	w.cta = r.cta
	r.tenant.WarpEnded(r, w.place, t)
}

// openTask returns the kernel of a task, which is known to the machine as long
// as one of its threadblocks is on an SM or still to come.
func (m *Machine) openTask(task *Task, t Time) (*kernelRun, error) {
	if task.run != nil {
		return task.run, nil
	}
	k := m.takeRun()
	if err := m.tr.Kernel(task.Kernel, &k.tk); err != nil {
		return nil, err
	}
	k.code = m.lib.Code(k.tk.Function)
	m.order++
	k.KernelView = KernelView{ID: task.Kernel, Order: m.order, Function: k.tk.Function}
	k.parent, k.native, k.total = NoKernel, uint64(task.Blocks), uint64(task.Blocks)
	k.rec = m.kernelRecord(k)
	k.infer(m)
	task.run = k
	m.tasks.began(t)
	return k, nil
}

// taskCTAEnded completes a threadblock of a task in cycle t.
func (m *Machine) taskCTAEnded(c *ctaRun, t Time) {
	task := c.task
	k := task.run
	if c.home == nil { // of a fused kernel, on which its instructions were booked
		k.rec.WarpInsts += c.rec.WarpInsts
		k.rec.ThreadInsts += c.threadInsts
		m.ctas.ended(c, t)
	}
	task.open--
	task.ended++
	block, home := c.rec.CTA, c.home
	task.Record.End = max(task.Record.End, t)
	if task.ended == task.Blocks {
		k.rec.End = t
		m.sum.Kernels++
		if k.work != trace.InferredNothing {
			m.sum.KernelsInferred++
		}
		m.sum.Cycles = max(m.sum.Cycles, t)
		m.obs.Kernel(&k.rec)
		m.tasks.over(t)
		task.run = nil
		m.freeRuns = append(m.freeRuns, k.Slot)
		if task.done {
			m.queue.Post(t+1, evTask, uint64(task.Kernel), taskAcked)
		}
	}
	c.task, c.home = nil, nil
	m.spareCTAs = append(m.spareCTAs, c)
	if home != nil {
		home.tenant.CTAEnded(home, task, block, t)
	}
}
