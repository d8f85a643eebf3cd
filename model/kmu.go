package model

import (
	"gpureplay/model/clock"
	"gpureplay/model/host"
)

// kmu is the kernel management unit: pending kernels in hardware work queues.
// The head of a queue is dispatched to the kernel distributor when nothing
// before it in its stream is unfinished and the distributor has an entry free;
// its queue then waits until it has completed.
type kmu struct {
	*core
	host     *host.Host
	ctas     *ctaScheduler
	children *launchUnit
	hwqs     []workQueue
	pending  int // kernels that have arrived and not been dispatched
	scan     int // queue to inspect first: round robin
	reserved int // entries promised to kernels on their way to the distributor
	streams  int // of the host and of device threads, as they were first seen
	arrivals uint64
}

// workQueue is one hardware work queue. Kernels of the host and of device threads
// wait in the order of their coming, but a kernel of the host that waits for its
// stream does not hold back device kernels: they may be children of the kernel
// that it waits for (docs/model, choice 17).
type workQueue struct {
	host, device clock.FIFO[pendingKernel]
	busy         int // kernels of it that have been dispatched and have not completed
}

// first returns the queue whose head is dispatched next, or nil.
func (w *workQueue) first() *clock.FIFO[pendingKernel] {
	hostReady := w.host.Len() > 0 && w.host.First().run.Ready
	switch {
	case w.device.Len() > 0 && (!hostReady || w.device.First().seq < w.host.First().seq):
		return &w.device
	case hostReady:
		return &w.host
	}
	return nil
}

// pendingKernel is a kernel of the host, or the request of a device thread,
// whose kernel is made when its turn comes.
type pendingKernel struct {
	run   *kernelRun
	child *childLaunch
	seq   uint64 // order of arrival
}

// overtakes reports whether it need not wait for those that its queue has
// dispatched: a programmatic launch (captured.go).
func (p *pendingKernel) overtakes() bool { return p.run != nil && p.run.Early }

func newKMU(m *core) *kmu {
	return &kmu{core: m, hwqs: make([]workQueue, m.queues())}
}

// newStream numbers a stream: the host's when it is first used, a device thread's
// when it is created (docs/model, choice 13).
func (u *kmu) newStream() int {
	u.streams++
	return u.streams - 1
}

// arrive takes a kernel of the host into its queue.
func (u *kmu) arrive(k *kernelRun, t Time) error {
	k.rec.Arrive = t
	u.hwqs[k.HWQ].host.Push(u.take(pendingKernel{run: k}))
	return u.inspect(t)
}

// arriveChild takes a device kernel into its queue.
func (u *kmu) arriveChild(c *childLaunch, t Time) error {
	c.arrive = t
	u.hwqs[c.hwq].device.Push(u.take(pendingKernel{child: c}))
	return u.inspect(t)
}

func (u *kmu) take(p pendingKernel) pendingKernel {
	u.pending++
	u.arrivals++
	p.seq = u.arrivals
	return p
}

// inspect dispatches the kernels that can leave their queues.
func (u *kmu) inspect(t Time) error {
	if u.pending == 0 || u.serving() {
		return nil
	}
	n := len(u.hwqs)
	first := u.scan
	for i := range n {
		q := first + i
		if q >= n {
			q -= n
		}
		w := &u.hwqs[q]
		if w.host.Len()+w.device.Len() == 0 || w.busy > 0 && (w.host.Len() == 0 || !w.host.First().overtakes()) {
			continue
		}
		from := w.first()
		if from == nil || w.busy > 0 && !from.First().overtakes() {
			continue
		}
		p := from.First()
		if len(u.ctas.entries)+u.reserved >= u.cfg.KMU.Entries {
			return nil
		}
		k := p.run
		if k == nil {
			var err error
			if k, err = u.children.makeRun(p.child); err != nil {
				return err
			}
		}
		from.Pop()
		w.busy++
		u.pending--
		u.reserved++
		u.scan = (q + 1) % n
		latency := Time(u.cfg.KMU.DispatchLatency)
		if k.launch == nil {
			latency = u.host.DispatchLatency(&k.Kernel)
		}
		u.queue.Post(t+latency, evDispatch, k.Slot, 0)
		if u.serving() {
			break
		}
	}
	return nil
}

// serving reports whether a dispatch is under way that keeps others waiting.
func (u *kmu) serving() bool { return u.cfg.KMU.SerialDispatch && u.reserved > 0 }

// dispatched takes a kernel into the distributor.
func (u *kmu) dispatched(k *kernelRun, t Time) error {
	u.reserved--
	u.ctas.admit(k, t)
	if u.cfg.KMU.SerialDispatch {
		return u.inspect(t)
	}
	return nil
}

// complete frees the queue of a kernel that has left the distributor.
func (u *kmu) complete(k *kernelRun, t Time) error {
	if k.HWQ != noQueue {
		u.hwqs[k.HWQ].busy = max(0, u.hwqs[k.HWQ].busy-1)
	}
	if err := u.children.enter(t); err != nil {
		return err
	}
	return u.inspect(t)
}
