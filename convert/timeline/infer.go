package timeline

import (
	"math"
	"slices"

	"gpureplay/trace"
)

// Most profilers tell that a stream waited for an event, but neither which stream nor which event. Three facts
// bound the guess. A wait orders two different streams. The waiting one is the stream that the calling thread uses
// next. And its next work began after the awaited work had ended. So the wait is taken to be for the other stream
// that was used last, among those whose last activity had ended by then. The recorded order never contradicts it.
//
// A thread may order streams on behalf of another one (PyTorch's backward pass does, for the optimizer). An
// activity that could have begun when its own stream was through, and began when work of another stream had just
// ended, takes a wait that another thread left: it waited longer for the end of that work than it took to begin
// behind it.
//
// A profiler that explains some waits leaves out waits without work to wait for; nothing is inferred then.

// recentStreams is how many streams a wait may have been for.
const recentStreams = 16

// inferredEvent marks events that stand for inferred waits.
const inferredEvent = 1 << 63

// used is a stream, and the end of its last work.
type used struct {
	stream uint64
	ended  int64
}

// waits infers the targets of unexplained waits.
type waits struct {
	recent []used // last used first
	events uint64
}

// use notes an activity that is issued.
func (w *waits) use(r *row) {
	end := r.began + r.ran
	at := len(w.recent)
	for i := range w.recent {
		if w.recent[i].stream == r.stream {
			at, end = i, max(end, w.recent[i].ended)
			break
		}
	}
	if at == len(w.recent) && at < recentStreams {
		w.recent = append(w.recent, used{})
	}
	at = min(at, len(w.recent)-1)
	copy(w.recent[1:at+1], w.recent[:at])
	w.recent[0] = used{r.stream, end}
}

// infer writes the inferred waits of a thread before the activity that the thread issues next.
func (e *emitter) infer(r *row, pending uint64) error {
	for _, u := range e.waits.recent {
		if pending == 0 {
			break
		}
		if u.stream == r.stream || u.ended > r.began {
			continue
		}
		if err := e.order(u.stream, r.stream); err != nil {
			return err
		}
		pending--
	}
	e.b.counts[streamWaitUnresolved] += pending
	return nil
}

// order makes a stream wait for another one's work.
func (e *emitter) order(first, second uint64) error {
	event := inferredEvent | e.waits.events
	e.waits.events++
	e.b.counts.add(streamWaitInferred)
	e.op = trace.HostOp{Kind: trace.OpEventRecord, Array: trace.NoArray, Stream: first, Event: event}
	if err := e.write(); err != nil {
		return err
	}
	e.op = trace.HostOp{Kind: trace.OpStreamWait, Array: trace.NoArray, Stream: second, Event: event}
	return e.write()
}

// inferOthers writes a wait that another thread left for the stream of an activity.
func (e *emitter) inferOthers(r *row) error {
	i := slices.IndexFunc(e.left, func(l *last) bool { return l.pending > 0 })
	stream, ok := e.waits.behind(r)
	if i < 0 || !ok {
		return nil
	}
	e.left[i].pending--
	return e.order(stream, r.stream)
}

// behind returns the stream behind whose work an activity began.
func (w *waits) behind(r *row) (stream uint64, ok bool) {
	ready, ended := r.start+r.duration, int64(math.MinInt64)
	for _, u := range w.recent {
		switch {
		case u.stream == r.stream:
			ready = max(ready, u.ended)
		case u.ended <= r.began && u.ended > ended:
			stream, ended = u.stream, u.ended
		}
	}
	return stream, ended > ready && r.began-ended < ended-ready
}
