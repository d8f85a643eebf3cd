package timeline

import (
	"cmp"
	"slices"
)

// unpaired pairs activities that a profiler left without a correlation id with calls that have no
// activity: of a kind and a process the first with the first, and so on. It does so only if there are
// as many of both, and each call comes before its activity.
type unpaired struct {
	calls, activities map[unpairedKind][]row
	of                map[uint64]row  // the call of an activity, by the activity's number
	used              map[uint64]bool // these calls, by their numbers
}

type unpairedKind struct {
	process uint64
	kind    ActivityKind
}

// minUnpaired is how many of a kind there are at least: few of both may be as many by chance.
const minUnpaired = 4

// maxUnpaired bounds the rows of a kind that are paired by their order; with more none are.
const maxUnpaired = 1 << 16

func newUnpaired() *unpaired {
	return &unpaired{calls: map[unpairedKind][]row{}, activities: map[unpairedKind][]row{},
		of: map[uint64]row{}, used: map[uint64]bool{}}
}

// causes is the kind of activity that a call launches one of.
func causes(kind CallKind) (ActivityKind, bool) {
	switch kind {
	case CallLaunch:
		return Kernel, true
	case CallCopy:
		return Copy, true
	case CallMemset:
		return Memset, true
	}
	return 0, false
}

// call takes a call without an activity.
func (u *unpaired) call(r *row) {
	if kind, ok := causes(CallKind(r.kind)); ok {
		keep(u.calls, unpairedKind{r.process, kind}, r)
	}
}

// activity takes an activity without a correlation id.
func (u *unpaired) activity(r *row) {
	if r.flags&flagUntimed == 0 {
		keep(u.activities, unpairedKind{r.process, ActivityKind(r.kind)}, r)
	}
}

func keep(in map[unpairedKind][]row, k unpairedKind, r *row) {
	if len(in[k]) <= maxUnpaired {
		in[k] = append(in[k], *r)
	}
}

// pair makes the pairs of the calls and activities that were taken.
func (u *unpaired) pair(c *clocks) {
	for k, acts := range u.activities {
		calls := u.calls[k]
		if len(calls) != len(acts) || len(acts) < minUnpaired || len(acts) > maxUnpaired {
			continue
		}
		for i := range acts {
			acts[i].start -= c.ahead(acts[i].device, acts[i].began)
		}
		byStart := func(a, b row) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.seq, b.seq)) }
		slices.SortFunc(acts, byStart)
		slices.SortFunc(calls, byStart)
		ordered := true
		for i := range acts {
			ordered = ordered && calls[i].start <= acts[i].start
		}
		for i := range acts {
			if ordered {
				u.of[acts[i].seq], u.used[calls[i].seq] = calls[i], true
			}
		}
	}
	clear(u.calls)
	clear(u.activities)
}
