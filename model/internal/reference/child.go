package reference

import "gpureplay/model"

// nWorkQueue is a hardware work queue of the KMU: kernels of the host and of device threads wait in one order.
// Kernels of the host let the others pass while they wait for their streams (choice 17).
type nWorkQueue struct {
	host, device []*nKernel
	busy         int
}

// head is the kernel that the queue would dispatch next; nil: none can go.
func (q *nWorkQueue) head() *nKernel {
	var first *nKernel
	if len(q.host) > 0 && q.host[0].ready {
		first = q.host[0]
	}
	if len(q.device) > 0 && (first == nil || q.device[0].arrived < first.arrived) {
		first = q.device[0]
	}
	return first
}

func (q *nWorkQueue) take(k *nKernel) {
	if len(q.host) > 0 && q.host[0] == k {
		q.host = q.host[1:]
	} else {
		q.device = q.device[1:]
	}
	q.busy++
}

// sync lets w wait for the children of its CTA, if there are any.
func (w *nWarp) sync(n *Machine) {
	c := w.cta
	if c.kids == 0 || n.detached != nil {
		w.from = n.t + max(1, model.Time(n.cfg.Launch.DeviceSync))
		return
	}
	w.syncing = true
	c.suspend(n)
}

// suspend takes c off its SM if each of its live warps waits for children, or at a
// barrier for one that does.
func (c *nCTA) suspend(n *Machine) {
	some := false
	for _, w := range c.warps {
		if some = some || w.syncing; !w.syncing && w.barrier < 0 {
			return
		}
	}
	if !some {
		return
	}
	c.suspended = true
	for _, w := range c.warps {
		c.sm.slots[w.slot] = nil
	}
	c.sm.leave(c)
	n.left(c.k)
}

// childEnded tells the CTA that asked for a child.
func (n *Machine) childEnded(c *nCTA) {
	c.kids--
	c.k.kids--
	if c.kids == 0 && c.suspended {
		n.resumes = append(n.resumes, c)
	} else if c.kids == 0 {
		c.goOn(n)
	}
	n.maybeEnd(c.k)
}

// goOn lets the warps that wait for children issue from the next cycle on.
func (c *nCTA) goOn(n *Machine) {
	for _, w := range c.warps {
		if w.syncing {
			w.syncing, w.from = false, n.t+1
		}
	}
}

// restore puts the first CTA whose children have ended back on its SM.
func (n *Machine) restore() bool {
	if len(n.resumes) == 0 {
		return false
	}
	c := n.resumes[0]
	s := c.sm
	if !n.cfg.Fits(s.used, c.k.res) {
		return false
	}
	n.resumes = n.resumes[1:]
	c.suspended = false
	s.used = s.used.Plus(c.k.res)
	s.ctas = append(s.ctas, c)
	c.k.resident++
	for _, w := range c.warps {
		s.seat(w)
	}
	c.goOn(n)
	return true
}

// left notes that a CTA of k is no longer on an SM: a kernel that only waits for
// children gives back its entry and its queue (choice 14).
func (n *Machine) left(k *nKernel) {
	k.resident--
	n.post(n.t+1, nReleasePhase, func() {
		if k.released || k.ending || k.resident > 0 || k.next < len(k.items) || k.kids == 0 {
			return
		}
		k.released = true
		n.drop(k)
	})
}

// maybeEnd ends k in the next cycle if its CTAs and its children have ended.
func (n *Machine) maybeEnd(k *nKernel) {
	if k.done < len(k.items) || k.kids > 0 {
		return
	}
	k.ending = true
	n.post(max(n.t, k.posted)+1, nEndPhase, func() {
		if k.fused == nil {
			n.ended = append(n.ended, KernelEnd{k.id, k.dispatch, k.first, n.t})
		}
		n.cycles = max(n.cycles, n.t)
		if !k.released {
			n.drop(k)
		}
		if k.parent != nil {
			n.childEnded(k.parent)
		} else if n.over != nil {
			n.over.kernelEnded(k)
		} else {
			n.host.kernelEnded(k)
		}
	})
}

// drop takes k out of the distributor and frees its queue.
func (n *Machine) drop(k *nKernel) {
	for i, e := range n.entries {
		if e == k {
			n.entries = append(n.entries[:i:i], n.entries[i+1:]...)
			break
		}
	}
	if k.hwq >= 0 {
		n.queues[k.hwq].busy = max(0, n.queues[k.hwq].busy-1)
	}
	n.enterDirect()
	n.inspect()
}
