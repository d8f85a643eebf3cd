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
	then := t - 1 - model.Time(c.L2.Latency)
	if upTo(d.passed, then)-upTo(d.took, then) >= max(1, c.L2.Queue-3) {
		return
	}
	k := d.before[0]
	d.before, d.passed, k.ready = d.before[1:], append(d.passed, t), t+1
	x.inbox[i] = append(x.inbox[i], k)
}

// upTo is how many of some times, in order, are no later than one.
func upTo(times []model.Time, last model.Time) int {
	n := len(times)
	for n > 0 && times[n-1] > last {
		n--
	}
	return n
}
