package timeline

import (
	"fmt"
	"testing"
)

// A wait that the profiler does not explain is for the other stream used last whose work had ended when the
// thread's next activity began; if the profiler explains waits, the ones that it leaves out had nothing to wait
// for.
func TestInferredWait(t *testing.T) {
	wait := func(at int64) Call {
		return Call{Kind: CallWait, Host: 1, Thread: 1, StartNs: at, DurationNs: 10}
	}
	events := []any{
		launch(1, 0), kernel("a", 1, 7, 20, 100), // ends at 120
		launch(2, 10), kernel("b", 2, 8, 30, 400), // ends at 430
		wait(20), launch(3, 30), kernel("c", 3, 9, 125, 5), // began while b ran: it is for a
		wait(40), wait(50), launch(4, 60), kernel("d", 4, 9, 440, 5), // for b and for a
		wait(70), // nothing comes after it
	}
	got, b := run(t, -1, events...)
	first, second := uint64(inferredEvent), uint64(inferredEvent|1)
	expect(t, got, fmt.Sprintf(`
launch a stream 7 host 0 start 20 ran 100 grid 2
launch b stream 8 host 10 start 30 ran 400 grid 2
work 10
record event %d stream 7
wait event %[1]d stream 9
launch c stream 9 host 30 start 125 ran 5 grid 2
work 20
record event %d stream 8
wait event %[2]d stream 9
record event %d stream 7
wait event %[3]d stream 9
launch d stream 9 host 60 start 440 ran 5 grid 2`, first, second, second+1))
	if count(b, "stream_wait_inferred") != 3 || count(b, "stream_wait_unresolved") != 1 {
		t.Errorf("%v", b.Diagnostics())
	}
	_, b = run(t, -1, append(events, Sync{Kind: CallWait, Correlation: 99, Stream: 7, HasStream: true, Event: 1,
		HasEvent: true})...)
	if count(b, "stream_wait_inferred") != 0 || count(b, "stream_wait_unresolved") != 4 {
		t.Errorf("explained: %v", b.Diagnostics())
	}
}

// A wait of a thread that issues nothing more goes to the activity of another thread
// that began when another stream's work had just ended: c waited from 140 to 430 for b, and
// began 5 later. d, which began when its stream was through, takes none.
func TestInferredWaitForAnotherThread(t *testing.T) {
	events := []any{
		launch(1, 0), kernel("a", 1, 7, 20, 120), // ends at 140
		launch(2, 10), kernel("b", 2, 8, 30, 400), // ends at 430
		Call{Kind: CallWait, Host: 1, Thread: 2, StartNs: 20, DurationNs: 10},
		Call{Kind: CallWait, Host: 1, Thread: 2, StartNs: 32, DurationNs: 1}, launch(3, 40), kernel("c", 3, 7, 435, 5),
		launch(4, 60),
		kernel("d", 4, 7, 442, 5),
	}
	got, b := run(t, -1, events...)
	expect(t, got, fmt.Sprintf(`
launch a stream 7 host 0 start 20 ran 120 grid 2
launch b stream 8 host 10 start 30 ran 400 grid 2
work 20
record event %d stream 8
wait event %[1]d stream 7
launch c stream 7 host 40 start 435 ran 5 grid 2
work 10
launch d stream 7 host 60 start 442 ran 5 grid 2`, uint64(inferredEvent)))
	if count(b, "stream_wait_inferred") != 1 || count(b, "stream_wait_unresolved") != 1 {
		t.Errorf("%v", b.Diagnostics())
	}
}

// The host waits for the default stream, 7, whose a ended at 30, from 50 to 435, when b
// of another stream had ended at 430: it waits for all. The next wait for 7 ends at once,
// and one that goes on for long behind the end of c, at 520, is the host's own time.
func TestSyncOfAllStreams(t *testing.T) {
	var events []any
	sync := func(correlation uint64, at, ns int64) {
		events = append(events, Call{Kind: CallSyncStream, Correlation: correlation, Host: 1, Thread: 1, StartNs: at,
			DurationNs: ns},
			Sync{Kind: CallSyncStream, Correlation: correlation, Stream: 7, HasStream: true})
	}
	events = append(events, launch(1, 0), kernel("a", 1, 7, 20, 10), launch(2, 10), kernel("b", 2, 8, 30, 400))
	sync(91, 50, 385)
	sync(92, 440, 10)
	events = append(events, launch(3, 460), kernel("c", 3, 8, 480, 40))
	sync(93, 500, 100)
	got, b := run(t, -1, events...)
	expect(t, got, `
launch a stream 7 host 0 start 20 ran 10 grid 2
launch b stream 8 host 10 start 30 ran 400 grid 2
work 30
sync_device
work 5
sync_stream 7
work 10
launch c stream 8 host 460 start 480 ran 40 grid 2
work 30
sync_stream 7`)
	if count(b, "sync_of_all_streams") != 1 {
		t.Errorf("%v", b.Diagnostics())
	}
}
