package reference

import "gpureplay/model"

// first is the time of the first free cycle of a port, of those that begin behind t-1.
func (p *nPort) first(t model.Time) model.Time { return ceilDiv(p.free(t)*p.against, p.clock) }

func (p *nPort) free(t model.Time) model.Time {
	c := max(0, (t-1)*p.clock/p.against)
	for t > 0 && c*p.against <= (t-1)*p.clock || p.has(c) {
		c++
	}
	return c
}

// claim takes the first free cycles of those that begin behind t-1.
func (p *nPort) claim(t model.Time, flits int) model.Time {
	c := p.free(t)
	for p.take(c); flits > 1; flits-- {
		for p.has(c) {
			c++
		}
		p.take(c)
	}
	return ceilDiv(c*p.against, p.clock)
}
