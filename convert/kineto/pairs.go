package kineto

import "slices"

// place is a track of events: a process and a thread.
type place struct{ process, thread uint64 }

// maxOpen bounds the events that are open at a time.
const maxOpen = 1 << 16

// paired makes a complete event of two that have its begin and its end
// ("ph": "B" and "E"). It reports whether the event is complete. An end closes the innermost open
// event of its track, or the innermost of its name.
func (r *reader) paired() bool {
	e := &r.event
	if e.phase == phaseComplete {
		return true
	}
	at := place{e.pid.hash, e.tid.hash}
	if e.phase == phaseBegin {
		if r.open == maxOpen {
			r.info.Unended++
			return false
		}
		if r.begun == nil {
			r.begun = map[place][]event{}
		}
		b := *e
		b.name, b.kind = slices.Clone(e.name), slices.Clone(e.kind)
		r.begun[at] = append(r.begun[at], b)
		r.open++
		return false
	}
	stack := r.begun[at]
	if len(stack) == 0 {
		r.info.Unended++
		return false
	}
	i := len(stack) - 1
	for j := i; j >= 0 && len(e.name) > 0; j-- {
		if string(stack[j].name) == string(e.name) {
			i = j
			break
		}
	}
	b, end := stack[i], *e
	r.begun[at] = slices.Delete(stack, i, i+1)
	r.open--
	*e = b
	if end.timed && b.timed && end.start >= b.start {
		e.duration, e.lasts = end.start-b.start, true
	}
	return e.cat != catOther
}
