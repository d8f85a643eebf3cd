// Package intervals holds sets of stretches of time.
package intervals

import (
	"cmp"
	"slices"

	"gpureplay/model"
)

// stretch is a time, from its first cycle to the one behind its last.
type stretch struct{ from, to model.Time }

// Set is a union of stretches of time. Its memory grows with the number of gaps
// between them.
type Set struct {
	list   []stretch
	merged int // so many from the front are in order and apart
}

// fewStretches is how many stretches are added before they are merged again.
const fewStretches = 1 << 10

// Add adds the time from one cycle to the one before another.
func (s *Set) Add(from, to model.Time) {
	if to <= from {
		return
	}
	if n := len(s.list); n > s.merged && s.list[n-1].from <= from && from <= s.list[n-1].to {
		s.list[n-1].to = max(s.list[n-1].to, to)
		return
	}
	if s.list = append(s.list, stretch{from, to}); len(s.list) >= 2*s.merged+fewStretches {
		s.merge()
	}
}

// merge puts the stretches in order and joins those that meet.
func (s *Set) merge() {
	slices.SortFunc(s.list, func(a, b stretch) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	n := 0
	for _, x := range s.list {
		if n > 0 && x.from <= s.list[n-1].to {
			s.list[n-1].to = max(s.list[n-1].to, x.to)
			continue
		}
		s.list[n] = x
		n++
	}
	s.list, s.merged = s.list[:n], n
}

// Length is the time that the set covers.
func (s *Set) Length() (sum model.Time) {
	s.merge()
	for _, x := range s.list {
		sum += x.to - x.from
	}
	return sum
}

// Join adds another set.
func (s *Set) Join(o *Set) { s.list = append(s.list, o.list...) }

// Clone returns a copy that shares nothing.
func (s *Set) Clone() Set { return Set{slices.Clone(s.list), s.merged} }

// Cut drops the time from end on.
func (s *Set) Cut(end model.Time) {
	kept := s.list[:0]
	for _, x := range s.list {
		if x.to = min(x.to, end); x.from < x.to {
			kept = append(kept, x)
		}
	}
	s.list, s.merged = kept, 0
}
