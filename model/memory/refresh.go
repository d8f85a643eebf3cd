package memory

import (
	"gpureplay/model/hardware"
)

// refresh takes the last cycles of every interval of a channel. All that a
// channel does is timed in the cycles between refreshes, its working cycles, so
// that its commands and its bus stand still meanwhile; the zero value never
// refreshes (docs/model, choice 20).
type refresh struct {
	interval, work divisor // cycles between two refreshes' ends, and those of them that work
	busy           Time
}

func newRefresh(d *hardware.DRAMConfig) refresh {
	if d.TREFI == 0 {
		return refresh{}
	}
	return refresh{newDivisor(d.TREFI), newDivisor(d.TREFI - d.TRFC), Time(d.TRFC)}
}

// worked returns how many working cycles lie before cycle t.
func (r *refresh) worked(t Time) Time {
	if r.work.n == 0 {
		return t
	}
	n := Time(r.interval.div(uint64(t)))
	return min(t-n*r.busy, (n+1)*Time(r.work.n))
}

// begins returns the cycle in which working cycle w begins.
func (r *refresh) begins(w Time) Time {
	if r.work.n == 0 {
		return w
	}
	return w + Time(r.work.div(uint64(w)))*r.busy
}

// ends returns the cycle at which w working cycles, 1 or more, are over.
func (r *refresh) ends(w Time) Time {
	if r.work.n == 0 {
		return w
	}
	return w + Time(r.work.div(uint64(w-1)))*r.busy
}

// era returns how many refreshes lie before working cycle w, and the first
// working cycle after the next.
func (r *refresh) era(w Time) (n, end Time) {
	if r.work.n == 0 {
		return 0, Never
	}
	n = Time(r.work.div(uint64(w)))
	return n, (n + 1) * Time(r.work.n)
}
