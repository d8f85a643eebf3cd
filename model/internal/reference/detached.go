package reference

import (
	"gpureplay/model"
	"gpureplay/trace"
)

// nDetached is launches that no parent waits for (docs/policies/boundaries.md, launches by the device).
type nDetached struct {
	n                              *Machine
	tail                           bool
	pending, course, tails, selves int // limits; 0: none
	made, begun                    int
	launched, own                  map[*nKernel]int         // by kernel: launches, and tails of its own function
	kept                           map[*nKernel][]*nRequest // tails that have not begun
	tailOf                         map[*nKernel]*nKernel
}

// detach has launches go into the streams of cdp2, or be graphs that the device launches.
func (n *Machine) detach(policy string, tail bool, pending int) {
	d := &nDetached{n: n, tail: tail, pending: pending, launched: map[*nKernel]int{}, own: map[*nKernel]int{},
		kept: map[*nKernel][]*nRequest{}, tailOf: map[*nKernel]*nKernel{}}
	if policy == "device-graph" {
		d.pending, d.course, d.tails, d.selves = 0, 120, 255, 1
	}
	n.detached = d
	n.decide = func(l *trace.Launch, _ int64, r *nRequest) nWay {
		if l.Marked {
			return d.decide(r.parent.k, r)
		}
		return nRefuse
	}
}

// decide is the outcome of a marked request of a kernel.
func (d *nDetached) decide(k *nKernel, r *nRequest) nWay {
	self := d.tail && d.selves > 0 && k.tk.Function == r.child.tk.Function
	switch {
	case d.pending > 0 && d.made-d.begun >= d.pending,
		!d.tail && d.course > 0 && d.launched[k] >= d.course,
		d.tail && d.tails > 0 && d.launched[k] >= d.tails,
		self && d.own[k] >= d.selves:
		return nRefuse
	}
	d.made++
	d.launched[k]++
	if self {
		d.own[k]++
	}
	if d.tail {
		return nKeep
	}
	return nDevice
}

// kernelEnded launches the next tail behind the last CTA of a kernel: its own, or the next one of the kernel whose tail
// it is.
func (d *nDetached) kernelEnded(k *nKernel) {
	for x := k; x != nil; x = d.tailOf[x] {
		if len(d.kept[x]) == 0 {
			continue
		}
		r := d.kept[x][0]
		d.kept[x] = d.kept[x][1:]
		d.tailOf[r.child] = x
		d.n.post(d.n.t+max(1, model.Time(d.n.apiLatency(1))), nChildPhase, func() { d.n.arrive([]*nRequest{r}) })
		return
	}
}
