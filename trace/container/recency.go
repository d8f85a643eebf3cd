package container

import "container/list"

// recency is the order in which cached blocks were used, the latest last.
type recency struct {
	order        list.List // of *cached
	bytes, limit uint64
}

// cached is a block's place in a cache.
type cached struct {
	number uint32
	bytes  uint64
	place  *list.Element // nil: it is not in the cache yet, or no longer
}

func (l *recency) add(e *cached) {
	e.place = l.order.PushBack(e)
	l.bytes += e.bytes
}

func (l *recency) remove(e *cached) {
	l.order.Remove(e.place)
	l.bytes -= e.bytes
	e.place = nil
}

// use makes e the latest, if it is there.
func (l *recency) use(e *cached) {
	if e.place != nil {
		l.order.MoveToBack(e.place)
	}
}

// over returns the oldest if there is more than the limit allows; one alone may be
// larger.
func (l *recency) over() *cached {
	if n := l.order.Len(); l.bytes <= l.limit || n == 0 || n == 1 && l.limit > 0 {
		return nil
	}
	return l.order.Front().Value.(*cached)
}
