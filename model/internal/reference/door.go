package reference

import "gpureplay/model"

// nDoor is where requests of a slice wait that have crossed the crossbar, with the times
// of all that passed it and of all that the slice took.
type nDoor struct {
	before       []*nPacket
	passed, took []model.Time
}

// lets reports whether one more request may cross to slice i.
func (x *nNetwork) lets(i int) bool { return len(x.doors[i].before) < max(1, x.m.cfg.Icnt.Queue) }

// pass lets one request into slice i in cycle t, if the queue behind the latency had fewer than l2.queue - 3 at the
// end of the cycle before.
func (x *nNetwork) pass(i int, t model.Time) {
	d, c := &x.doors[i], x.m.cfg
	if len(d.before) == 0 || d.before[0].ready > t+1 {
		return
	}
	latency := model.Time(c.L2.Latency)
	if upTo(d.passed, t-1-latency)-upTo(d.took, t-1) >= max(1, c.L2.Queue-3) {
		return
	}
	k := d.before[0]
	d.before, d.passed, k.ready = d.before[1:], append(d.passed, t), t+1+latency
	x.inbox[i] = append(x.inbox[i], k)
}

// gather lets one answer leave the queue of slice i to the crossbar in each of its cycles up to SM cycle t, and puts
// the answer of a fill into it, one in a cycle of the slice. With its last answer a fetch gives its MSHR back.
func (x *nNetwork) gather(i int, t model.Time) {
	p, in := x.m.sliceOut[i], x.m.sliceIn[i]
	for ; x.seen[i] < t*p.clock/p.against; x.seen[i]++ {
		if x.crowd[i] > 0 && x.sent[i] < max(1, x.m.cfg.Icnt.Queue) {
			x.crowd[i]--
			x.sent[i]++
		}
	}
	for {
		var first *nPacket
		for _, k := range x.done[i] {
			if k.late && !k.gathered && (first == nil || k.ready < first.ready) {
				first = k
			}
		}
		if first == nil || max(first.ready, x.after[i]) > t+1 {
			return
		}
		first.ready, first.gathered = max(first.ready, x.after[i]), true
		x.after[i] = ceilDiv((first.ready*in.clock/in.against+1)*in.against, in.clock)
		x.crowd[i]++
		if first.last {
			x.m.unknown[i]--
		}
	}
}

// upTo is how many of some times, in order, are no later than one.
func upTo(times []model.Time, last model.Time) int {
	n := len(times)
	for n > 0 && times[n-1] > last {
		n--
	}
	return n
}
