package model

import (
	"context"
	"fmt"
	"math/bits"

	"gpureplay/model/clock"
	"gpureplay/model/host"
	"gpureplay/trace"
)

// Run replays the trace to its end, or to the last cycle that was requested. An
// error names the fault: a damaged trace, a kernel that fits no SM, a cancelled
// context (the summary then covers the run so far), or work that can never move (the
// error then lists the waits).
func (m *Machine) Run(ctx context.Context) (*Summary, error) {
	m.queue.Post(0, evHost, 0, 0)
	for steps := uint64(0); ; steps++ {
		if steps&0xffff == 0 {
			if end, err := m.pause(ctx); end {
				sum, _ := m.cutShort(m.now)
				return sum, err
			}
		}
		t := min(m.queue.Next(), m.wheel.Next(), m.mem.Next())
		if t == never {
			break
		}
		if t > m.cut {
			return m.cutShort(m.cut)
		}
		if t >= host.Horizon {
			return nil, fmt.Errorf("cycle %d: the program goes on beyond cycle %d, the last that is replayed: "+
				"look for impossible times and sizes in the trace (replay inspect --events), or rates of the machine",
				m.now, host.Horizon-1)
		}
		if t < m.now {
			panic(fmt.Sprintf("an event of cycle %d is handled in cycle %d", t, m.now))
		}
		m.sampler.advance(t)
		m.now, m.wheel.Now = t, t
		for m.queue.Next() == t {
			if err := m.handle(m.queue.Pop()); err != nil {
				return nil, err
			}
		}
		m.stepSMs(t)
		if m.mem.Next() <= t {
			woken, told := m.mem.Advance(t)
			for _, id := range woken {
				m.wake(id, m.sms[id].Again(t+1))
			}
			for _, id := range told {
				m.sms[id].Known(t)
			}
		}
		if m.err != nil {
			return nil, m.err
		}
	}
	if err := m.stuck(); err != nil {
		return nil, err
	}
	return m.finish()
}

// handle lets the unit that an event is for act.
func (m *Machine) handle(e clock.Event) error {
	m.sum.Wakeups++
	switch e.Kind() {
	case evHost:
		return m.host.Run(e.T)
	case evCopyEnd:
		return m.host.CopyEnded(e.A, e.T)
	case evArrive:
		return m.kmu.arrive(m.kernels.runs[e.A], e.T)
	case evChild:
		return m.children.arrived(e.A, e.T)
	case evGroups:
		return m.children.groupsFound(e.A, e.T)
	case evDispatch:
		if err := m.sample(m.kernels.runs[e.A]); err != nil {
			return err
		}
		return m.kmu.dispatched(m.kernels.runs[e.A], e.T)
	case evRelease:
		return m.ctas.release(m.kernels.runs[e.A], e.T)
	case evKernelEnd:
		return m.kernelEnded(m.kernels.runs[e.A], e.T)
	case evFollow:
		m.ctas.followed(e.A, e.B, e.T)
	case evAccess:
		return m.access.Event(e.A, e.B, e.T)
	case evTask:
		return m.tasks.event(e.A, e.B, e.T)
	case evCTAs:
		return m.ctas.run(e.T)
	case evSM:
		m.wake(int(e.A), e.T)
	}
	return nil
}

// stepSMs lets the SMs of cycle t act, in index order.
func (m *Machine) stepSMs(t Time) {
	if !m.wheel.Take(t, m.acting) {
		return
	}
	if m.stepped == t {
		panic(fmt.Sprintf("SMs act twice in cycle %d", t))
	}
	m.stepped = t
	for w, word := range m.acting {
		for ; word != 0; word &= word - 1 {
			id := w<<6 + bits.TrailingZeros64(word)
			if m.wheel.Due[id] != t {
				continue
			}
			m.sum.Wakeups++
			m.wheel.Due[id] = never
			if next := m.sms[id].Step(t); next != never {
				m.wake(id, next)
			}
		}
	}
}

// kernelEnded completes a kernel in every unit that holds it.
func (m *Machine) kernelEnded(k *kernelRun, t Time) error {
	k.rec.End = t
	m.sampled(k, t)
	m.sum.Kernels++
	if k.rec.Inferred != trace.InferredNothing {
		m.sum.KernelsInferred++
	}
	m.sum.Cycles = max(m.sum.Cycles, t)
	if k.fused == nil {
		m.obs.Kernel(&k.rec)
	} else {
		m.sum.Kernels-- // its tasks count
		m.queue.Post(t, evTask, 0, runtimeEvents+uint64(k.fused.event))
	}
	if k.rec.FirstCTA != Unset {
		m.obs.Stage(&StageRecord{Stage: StageKernel, Kernel: k.ID, Array: trace.NoArray, Start: k.rec.FirstCTA, End: t})
	}
	if !k.released {
		m.ctas.remove(k)
		if err := m.kmu.complete(k, t); err != nil {
			return err
		}
	}
	m.kernels.freeRuns = append(m.kernels.freeRuns, k.Slot)
	if k.launch != nil {
		m.children.ended(k.launch, t, t)
		return nil
	}
	if m.access != nil {
		if err := m.access.Completed(k.Order, t); err != nil {
			return err
		}
		return m.host.Run(t)
	}
	return m.host.KernelEnded(&k.Kernel, k.rec.FirstCTA, t)
}

// finish gathers the summary.
func (m *Machine) finish() (*Summary, error) {
	m.sampler.finish(m.sum.Cycles)
	if m.ctas.forwarding.k != nil { // the run was cut off
		m.ctas.leaveForward(m.ctas.forwarding.ahead)
	}
	for _, s := range m.sms {
		s.Settle(m.sum.Cycles)
		m.sum.ActiveWarpCycles += s.WarpCycles
		m.sum.ActiveSMCycles += s.ActiveCycles
		m.sum.IssueSlots += s.ActiveCycles * uint64(s.Schedulers()*max(1, m.cfg.SM.IssueWidth))
		m.sum.IssuedInsts += s.Issued
		m.sum.ThreadInsts += s.ThreadInsts
	}
	m.sum.WarpInsts = m.sum.IssuedInsts
	m.sum.Memory = m.mem.Records()
	m.sum.Events = m.sum.CTAs + m.sum.WarpInsts
	for i := range m.sum.Memory {
		if r := &m.sum.Memory[i]; r.Index < 0 { // the sum of a level
			m.sum.Events += r.Accesses
		}
	}
	m.children.finish(m.ctas.use)
	m.tasks.report()
	m.sum.Extra = m.metrics.list()
	return &m.sum, nil
}

// cutShort gathers the summary of a run that ends at cycle t, before its program.
// Kernels and CTAs that run have no records. The work of SMs counts, up to a little
// beyond t where they ran ahead of the machine.
func (m *Machine) cutShort(t Time) (*Summary, error) {
	m.sum.Cut = true
	m.sum.Cycles = t
	return m.finish()
}
