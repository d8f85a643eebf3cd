package model

import (
	"errors"
	"fmt"
	"io"

	"gpureplay/model/host"
	"gpureplay/trace"
)

// fused is a kernel made of the threadblocks of many tasks, in the order of the
// tasks, each with the resources of the most demanding one.
type fused struct {
	u      *tasks
	tasks  []*Task
	next   int // task whose threadblocks are being placed
	block  uint32
	cursor trace.Cursor[trace.CTA]
	ahead  *ctaRun // read from the cursor and not placed
	event  uint8   // that the runtime gets when the kernel has ended
}

// LaunchFused launches one kernel with the threadblocks of all tasks at t, when the host makes the call; when it has
// ended the runtime gets the event. It returns until when the call keeps the host. It returns an error if the tasks
// have more threadblocks than one kernel holds.
func (x *TaskMachine) LaunchFused(tasks []*Task, event uint8, t Time) (Time, error) {
	m := x.m.tasks
	k := m.kernels.takeRun()
	var blocks uint64
	tk := &k.tk
	*tk = trace.Kernel{Block: trace.Dim3{1, 1, 1}, Stream: taskStreamBase}
	for _, task := range tasks {
		blocks += uint64(task.Blocks)
		tk.Block[0] = max(tk.Block[0], task.Threads)
		tk.Registers = max(tk.Registers, task.Registers)
		tk.SharedBytes = max(tk.SharedBytes, task.SharedBytes)
	}
	if blocks >= 1<<31 {
		return 0, fmt.Errorf("%d tasks have %d threadblocks, more than one kernel holds", len(tasks), blocks)
	}
	tk.Grid = trace.Dim3{uint32(blocks), 1, 1}
	m.cfg.CapRegisters(tk)
	if ctas, limit := m.cfg.Residency(tk); ctas == 0 {
		return 0, fmt.Errorf("the fused kernel's CTAs of %d threads, %d registers a thread and %d bytes of shared memory "+
			"fit no SM of %s (%s)", tk.Block[0], tk.Registers, tk.SharedBytes, m.cfg.Name, limit)
	}
	m.kernels.order++
	k.is(KernelView{ID: tasks[0].Kernel, Order: m.kernels.order, CTAs: blocks, Left: blocks})
	k.seen.Resources, k.native = m.cfg.CTAResources(tk), blocks
	k.fused = &fused{u: m, tasks: tasks, event: event}
	k.rec = KernelRecord{
		ID: k.ID, Parent: NoKernel, CTAs: blocks, Arrive: Unset, Dispatch: Unset, FirstCTA: Unset, LastCTA: Unset, End: Unset,
	}
	k.In = m.host.Stream(taskStreamBase)
	k.HWQ = m.policy.Admission.Queue(k.In.Seen, m.queues())
	m.host.Push(k.In, host.StreamOp{Kind: trace.OpLaunch, Run: &k.Kernel}, t)
	m.queue.Post(t+Time(m.cfg.Host.LaunchLatency), evArrive, k.Slot, 0)
	return t + host.Cycles(int64(m.cfg.Host.LaunchOverheadNs), m.cfg), nil
}

// nextCTA returns the next threadblock of a fused kernel.
func (f *fused) nextCTA(k *kernelRun) (*ctaRun, error) {
	m := f.u
	task, block := f.tasks[f.next], f.block
	own, err := m.openTask(task, m.now)
	if err != nil {
		return nil, err
	}
	if block == 0 {
		if f.cursor, err = m.tr.CTAs(task.Kernel, 0); err != nil {
			return nil, err
		}
	}
	if err := f.read(task.Kernel); err != nil {
		return nil, err
	}
	var c *ctaRun
	if f.ahead != nil && f.ahead.Trace.ID == block {
		c, f.ahead = f.ahead, nil
	} else {
		c = m.kernels.takeCTA()
		c.clear(block)
	}
	k.next++
	if f.block++; f.block == task.Blocks {
		f.next, f.block = f.next+1, 0
		if f.ahead != nil {
			m.kernels.spareCTAs = append(m.kernels.spareCTAs, f.ahead)
			f.ahead = nil
		}
	}
	c.reset(k, block)
	c.Code, c.task, c.Hold = own.code, task, own.inferred
	c.Rec.Kernel = task.Kernel
	m.kernels.expand(own, c)
	task.open++
	if own.rec.FirstCTA == Unset {
		own.rec.FirstCTA, task.Record.FirstWarp = m.now, m.now
	}
	own.rec.LastCTA = m.now
	return c, nil
}

// read reads one threadblock ahead of those placed.
func (f *fused) read(kernel uint32) error {
	m := f.u
	if f.cursor == nil || f.ahead != nil {
		return nil
	}
	p := m.kernels.takeCTA()
	switch err := f.cursor.Next(&p.Trace); {
	case errors.Is(err, io.EOF):
		f.cursor = nil
		m.kernels.spareCTAs = append(m.kernels.spareCTAs, p)
	case err != nil:
		return fmt.Errorf("kernel %d: %w", kernel, err)
	default:
		f.ahead = p
	}
	return nil
}
