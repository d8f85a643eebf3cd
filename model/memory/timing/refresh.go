package timing

import (
	"gpureplay/model/hardware"
)

// Refresh takes the last cycles of every interval of a channel. A channel counts the cycles between refreshes, its
// working cycles. So its commands and its bus stand still during a refresh. The zero value never refreshes (docs/model,
// choice 20).
type Refresh struct {
	interval, work Divisor // cycles between two refreshes' ends, and the working ones of them
	busy           Time
}

func NewRefresh(d *hardware.DRAMConfig) Refresh {
	if d.TREFI == 0 {
		return Refresh{}
	}
	return Refresh{NewDivisor(d.TREFI), NewDivisor(d.TREFI - d.TRFC), Time(d.TRFC)}
}

// Worked returns how many working cycles lie before cycle t.
func (r *Refresh) Worked(t Time) Time {
	if r.work.N == 0 {
		return t
	}
	n := Time(r.interval.Div(uint64(t)))
	return min(t-n*r.busy, (n+1)*Time(r.work.N))
}

// Begins returns the cycle in which working cycle w begins.
func (r *Refresh) Begins(w Time) Time {
	if r.work.N == 0 {
		return w
	}
	return w + Time(r.work.Div(uint64(w)))*r.busy
}

// Ends returns the cycle at which w working cycles, 1 or more, are over.
func (r *Refresh) Ends(w Time) Time {
	if r.work.N == 0 {
		return w
	}
	return w + Time(r.work.Div(uint64(w-1)))*r.busy
}

// Era returns how many refreshes lie before working cycle w, and the first
// working cycle after the next.
func (r *Refresh) Era(w Time) (n, end Time) {
	if r.work.N == 0 {
		return 0, Never
	}
	n = Time(r.work.Div(uint64(w)))
	return n, (n + 1) * Time(r.work.N)
}
