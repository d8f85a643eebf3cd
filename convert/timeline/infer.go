package timeline

import "gpureplay/trace"

// Most profilers tell that a stream waited for an event, but neither which
// stream nor which event. What is known bounds the guess: a wait orders two
// different streams; the waiting one is the stream that the calling thread uses
// next; and what it then runs began after what it waited for had ended. So the
// wait is taken to be for the other stream that was used last, among those whose
// last activity had ended by then. The recorded order never contradicts it.
//
// A profiler that explains some waits leaves out those that had nothing to wait
// for; nothing is inferred then.

// recentStreams is how many streams a wait may have been for.
const recentStreams = 16

// inferredEvent marks events that stand for inferred waits.
const inferredEvent = 1 << 63

// used is a stream, and when what was issued to it last ended.
type used struct {
	stream uint64
	ended  int64
}

// waits infers what unexplained waits were for.
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

// infer writes what the pending waits of a thread are taken to be for, before
// the activity that the thread issues next.
func (e *emitter) infer(r *row, pending uint64) error {
	for _, u := range e.waits.recent {
		if pending == 0 {
			break
		}
		if u.stream == r.stream || u.ended > r.began {
			continue
		}
		event := inferredEvent | e.waits.events
		e.waits.events++
		e.op = trace.HostOp{Kind: trace.OpEventRecord, Array: trace.NoArray, Stream: u.stream, Event: event}
		if err := e.sink.Op(&e.op); err != nil {
			return err
		}
		e.op = trace.HostOp{Kind: trace.OpStreamWait, Array: trace.NoArray, Stream: r.stream, Event: event}
		if err := e.sink.Op(&e.op); err != nil {
			return err
		}
		e.b.counts.add(streamWaitInferred)
		pending--
	}
	e.b.counts[streamWaitUnresolved] += pending
	return nil
}
