package reference

import (
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

type nSM struct {
	id      int
	slots   []*nWarp
	taken   map[int]bool   // slots of workers, and of warps that have exited
	exited  map[int]*nWarp // these
	ctas    []*nCTA
	ending  []*nCTA // whose warps have exited, in that order
	used    hardware.Resources
	last    []int // per scheduler: bit issued from
	free    []map[trace.Class]model.Time
	age     uint64
	order   *nKernel // of the CTA placed last
	lsu     nLSU
	coll    nCollectors
	leaving []*nWarp
	fetched int // slot whose warp was given instructions last
	active  int // cycles in which it had a CTA or a worker
}

// seat gives w the first free slot.
func (s *nSM) seat(w *nWarp) {
	for w.slot = 0; s.slots[w.slot] != nil || s.taken[w.slot]; w.slot++ {
	}
	s.age++
	w.age = s.age
	s.slots[w.slot] = w
}

// leave takes a CTA off the SM.
func (s *nSM) leave(c *nCTA) {
	for i, x := range s.ctas {
		if x == c {
			s.ctas = append(s.ctas[:i:i], s.ctas[i+1:]...)
			break
		}
	}
	for _, slot := range c.kept {
		s.taken[slot] = false
		delete(s.exited, slot)
	}
	c.kept = nil
	if c.worker == nil {
		s.used = s.used.Minus(c.k.res)
	}
}

// step lets each scheduler issue, fetches, and ends CTAs whose time has come.
func (s *nSM) step(n *Machine) {
	defer s.coll.step()
	if len(s.ctas) == 0 && !s.works() {
		return
	}
	first := 0
	if n.collects() {
		first = s.active % len(s.last)
	}
	s.active++
	for i := range s.last {
		s.issue(n, (first+i)%len(s.last))
	}
	s.fetch(n)
	s.end(n)
}

// end takes the CTAs off that end in this cycle.
func (s *nSM) end(n *Machine) {
	later := s.ending[:0]
	for _, c := range s.ending {
		if c.ends < 0 || c.ends > n.t || c.passedOver(n) {
			later = append(later, c)
			continue
		}
		s.leave(c)
		n.ctas[c.key()] = [3]model.Time{model.Time(s.id), c.placed, n.t}
		for _, x := range c.gives {
			n.over.release(c.k, x)
		}
		if n.mega != nil {
			n.mega.over(c)
			n.left(c.k)
			n.maybeEnd(c.k)
			continue
		}
		if c.worker != nil {
			c.item.task.left(n)
			c.worker.ended()
			continue
		}
		n.childCTAEnded(c)
		if n.gate != nil {
			n.gate.ended[c.key()] = true
		}
		if n.pdl != nil {
			n.pdl.pass(c)
		}
		if c.k.done++; n.klap != nil && c.k.done == len(c.k.items) {
			n.klap.kernelEnded(c.k)
		} else if n.detached != nil && c.k.done == len(c.k.items) {
			n.detached.kernelEnded(c.k)
		}
		n.left(c.k)
		n.maybeEnd(c.k)
		if c.item.task != nil {
			c.item.task.left(n)
		}
	}
	s.ending = later
}

// works: a worker is on the SM.
func (s *nSM) works() bool {
	for _, taken := range s.taken {
		if taken {
			return true
		}
	}
	return false
}
