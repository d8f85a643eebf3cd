package choose

import (
	"math"

	"gpureplay/trace"
)

// verdict is the fate of an operation of the host.
type verdict uint8

const (
	out     verdict = iota
	in              // stays
	forNext         // as the next launch
	ofLast          // as the launch before
	work            // as the next launch or copy
	order           // stays within the chosen part
)

// kinds of operations that verdicts are about.
func launches(k trace.OpKind) bool { return k == trace.OpLaunch || k == trace.OpSpawn }
func moves(k trace.OpKind) bool    { return k <= trace.OpMemset }
func acts(k trace.OpKind) bool     { return launches(k) || moves(k) }

// host decides which operations stay, and from when times count.
func (s *Selection) host() error {
	kinds := make([]trace.OpKind, 0, min(s.r.Program().Totals.HostOps, 1<<20))
	s.ops = make([]verdict, 0, cap(kinds))
	err := s.eachOp(func(_ uint64, op *trace.HostOp) {
		kinds = append(kinds, op.Kind)
		s.ops = append(s.ops, s.first(op))
	})
	if err != nil {
		return err
	}
	s.follow(kinds, forNext, true, launches)
	s.follow(kinds, ofLast, false, launches)
	s.follow(kinds, work, true, acts)
	s.ordered(kinds)
	for _, v := range s.ops {
		if v == in {
			s.Ops++
		}
	}
	return s.times()
}

// first is the verdict on an operation by itself.
func (s *Selection) first(op *trace.HostOp) verdict {
	stays := func(ok bool) verdict {
		if ok {
			return in
		}
		return out
	}
	switch {
	case launches(op.Kind) || op.Kind == trace.OpWaitTask:
		return stays(s.Has(op.Kernel))
	case op.Kind == trace.OpHostWork:
		return work
	case !moves(op.Kind):
		return order
	}
	c := s.choice
	timed := (c.From.Set || c.To.Set) && op.Recorded != nil && op.Recorded.StartNs >= 0
	if timed && !s.begins(op.Recorded) || !s.inScope(op.Scope) {
		return out
	}
	if len(c.Kernels) == 0 && (timed || c.scoped()) {
		return in
	}
	if op.Kind == trace.OpCopyD2H || op.Kind == trace.OpFileWrite {
		return ofLast
	}
	return forNext
}

// follow settles operations that share the verdict of the nearest leading one: the next, or the one before. Where
// there is none on that side, the one on the other side leads.
func (s *Selection) follow(kinds []trace.OpKind, mine verdict, next bool, leads func(trace.OpKind) bool) {
	for _, backward := range [2]bool{next, !next} {
		leading := mine
		for n := range kinds {
			i := n
			if backward {
				i = len(kinds) - 1 - n
			}
			switch {
			case s.ops[i] == mine:
				s.ops[i] = leading
			case leads(kinds[i]):
				leading = s.ops[i]
			}
		}
	}
}

// ordered settles records, waits and synchronisations: those stay that stand between chosen launches and copies,
// and behind the last one until another is left out. Operations before the first one, work of the host too, stay if
// nothing before them is left out: else the selection begins with its first call.
func (s *Selection) ordered(kinds []trace.OpKind) {
	first, last, begun := -1, -1, in
	for i, v := range s.ops {
		switch {
		case !acts(kinds[i]):
		case v == in:
			if first < 0 {
				first = i
			}
			last = i
		case first < 0:
			begun = out
		}
	}
	behind := in
	for i := range s.ops {
		switch v := &s.ops[i]; {
		case acts(kinds[i]):
			if i > last && *v == out {
				behind = out
			}
		case i < first && (*v == order || *v == in):
			*v = begun
		case *v == order && i > last:
			*v = behind
		case *v == order:
			*v = in
		}
	}
}

// times finds from when times count, and which calls count as made later.
func (s *Selection) times() error {
	first, leftOut := int64(math.MaxInt64), int64(-1)
	s.Origin, s.arrival = math.MaxInt64, math.MaxInt64
	var k trace.Kernel
	each := func(do func(stays bool, r *trace.Recorded)) error {
		err := s.eachOp(func(i uint64, op *trace.HostOp) {
			if moves(op.Kind) && op.Recorded != nil {
				do(s.ops[i] == in, op.Recorded)
			}
			if op.Kind == trace.OpSpawn && s.ops[i] == in {
				s.arrival = min(s.arrival, op.ArrivalNs)
			}
		})
		for id := range s.kernels {
			if err == nil {
				err = s.r.Kernel(uint32(id), &k)
			}
			if err == nil && k.Recorded != nil {
				do(s.Has(k.ID), k.Recorded)
			}
		}
		return err
	}
	err := each(func(stays bool, r *trace.Recorded) {
		if stays && r.StartNs >= 0 {
			first = min(first, r.StartNs)
		}
	})
	if err != nil || first == math.MaxInt64 {
		s.Origin = -1
		return err
	}
	err = each(func(stays bool, r *trace.Recorded) {
		if !stays && r.StartNs >= 0 && r.StartNs < first {
			leftOut = max(leftOut, endOf(r))
		}
	})
	s.clamp = min(leftOut, first)
	if err == nil {
		err = each(func(stays bool, r *trace.Recorded) {
			if !stays {
				return
			}
			if r.HostNs >= 0 {
				s.Origin = min(s.Origin, max(r.HostNs, s.clamp))
			}
			if r.StartNs >= 0 {
				s.Origin = min(s.Origin, r.StartNs)
			}
		})
	}
	return err
}

// recorded are times as they count in the selection.
func (s *Selection) recorded(r *trace.Recorded) *trace.Recorded {
	if r == nil || s.Origin < 0 {
		return r
	}
	c := *r
	if c.HostNs >= 0 {
		c.HostNs = max(c.HostNs, s.clamp) - s.Origin
	}
	if c.StartNs >= 0 {
		c.StartNs -= s.Origin
	}
	return &c
}
