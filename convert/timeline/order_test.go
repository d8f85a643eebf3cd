package timeline

import (
	"strings"
	"testing"

	"gpureplay/trace"
)

// The window begins while the host waits for two kernels whose calls it does not have: both are issued before the
// wait. Work that began after the wait is issued when it began.
func TestOrphansOfAWait(t *testing.T) {
	got, _ := run(t, -1,
		kernel("a", 0, 7, 100, 50),
		Call{Kind: CallSyncDevice, Host: 1, Thread: 1, StartNs: 120, DurationNs: 300},
		kernel("b", 0, 7, 160, 240),
		kernel("c", 0, 7, 500, 50),
		launch(1, 450), kernel("d", 1, 8, 470, 10),
	)
	expect(t, got, `
launch a stream 7 host -1 start 0 ran 50 grid 2
launch b stream 7 host -1 start 60 ran 240 grid 2
sync_device
work 30
launch d stream 8 host 350 start 370 ran 10 grid 2
launch c stream 7 host -1 start 400 ran 50 grid 2`)
}

// The copies of a graph keep the host no longer than its launch.
func TestCopiesOfAGraph(t *testing.T) {
	got, _ := run(t, -1,
		Call{Kind: CallGraph, Correlation: 1, Host: 1, Thread: 1, StartNs: 10, DurationNs: 5},
		kernel("a", 1, 7, 20, 5),
		Activity{Kind: Copy, Copy: trace.OpCopyD2D, Correlation: 1, Stream: 7, StartNs: 30, DurationNs: 5, Bytes: 8},
		Activity{Kind: Copy, Copy: trace.OpCopyD2H, Correlation: 1, Stream: 7, StartNs: 40, DurationNs: 5, Bytes: 8,
			Pageable: true},
	)
	expect(t, got, `
launch a stream 7 host 0 start 10 ran 5 grid 2
d2d 8 bytes async
d2h 8 bytes async`)
}

// A kernel that lasts until the last call of the capture has a duration. One that lasts ten times as long as the
// capture without it has none.
func TestLastCallBoundsDurations(t *testing.T) {
	const second = 1_000_000_000
	a := kernel("a", 0, 7, 100, 30*second)
	if _, b := run(t, -1, a); count(b, "overrun") != 1 {
		t.Error("a kernel of 30 s alone has a duration")
	}
	call := func(at int64) Call { return Call{Kind: CallSyncDevice, Host: 1, Thread: 1, StartNs: at, DurationNs: 5} }
	if _, b := run(t, -1, call(10), a, call(31*second)); count(b, "overrun") != 0 {
		t.Error("a kernel that ends before the last call has no duration")
	}
}

// A wait for a stream ends work of that stream alone, one for the device any work of its host; a wait for a stream that
// the capture does not name ends none.
func TestWaitsOfTheHost(t *testing.T) {
	for _, x := range []struct {
		kind   CallKind
		flags  flags
		stream uint64
		want   bool
	}{
		{CallSyncStream, flagStream, 7, true}, {CallSyncStream, flagStream, 8, false}, {CallSyncStream, 0, 7, false},
		{CallSyncDevice, 0, 8, true}, {CallWait, flagStream, 7, false},
	} {
		var h hostWaits
		h.note(&row{kind: uint8(x.kind), flags: x.flags, start: 10, duration: 5, host: 1, stream: 7})
		end, ok := h.of(&row{start: 4, host: 1, stream: x.stream})
		if ok != x.want || ok && end != 15 {
			t.Errorf("kind %d, flags %b: work of stream %d ends with it: %v, at %d", x.kind, x.flags, x.stream, ok, end)
		}
	}
}

// Work without a call is of the thread that gave its stream work before, not of the thread that acted last.
func TestThreadOfWorkWithoutACall(t *testing.T) {
	second := launch(2, 10)
	second.Thread = 2
	got, _ := run(t, -1,
		launch(1, 0), kernel("a", 1, 7, 20, 5), second, kernel("b", 2, 8, 40, 5), launch(3, 60), kernel("c", 3, 7, 80, 5),
		kernel("d", 0, 8, 100, 5), launch(4, 120), kernel("e", 4, 7, 140, 5),
	)
	for line := range strings.Lines(got) {
		if f := strings.Fields(line); f[0] == "launch" && strings.HasSuffix(strings.TrimSpace(line), "thread 1") !=
			(f[3] == "8") {
			t.Errorf("%s", line)
		}
	}
	if !strings.Contains(got, "launch d stream 8") {
		t.Errorf("no launch of d in\n%s", got)
	}
}

// A wait of the host cuts the duration of work that outlasts it by more than half a millisecond, and by more than a
// tenth of the time from the begin of the work to the end of the wait.
func TestWaitCutsDurations(t *testing.T) {
	for _, x := range []struct{ began, ran, wait, want int64 }{ // ns; the wait ends at wait
		{20, 500_000, 1000, 500_000}, {20, 500_980, 1000, 500_980}, {20, 500_981, 1000, 980},
		{20, 10_900_000, 10_000_020, 10_900_000}, {20, 11_000_001, 10_000_020, 10_000_000}, {2000, 600_000, 1000, 0},
	} {
		b := New(Options{TempDir: t.TempDir()})
		b.hostWaits.note(&row{kind: uint8(CallSyncDevice), start: 30, duration: x.wait - 30, host: 1})
		r := row{began: x.began, ran: x.ran, host: 1, flags: flagHostTime}
		next := newLater(&r)
		if b.end(&r, &next); r.ran != x.want || (count(b, "overrun") == 1) != (x.want != x.ran) {
			t.Errorf("began at %d, ran %d, wait until %d: ran %d, want %d", x.began, x.ran, x.wait, r.ran, x.want)
		}
		b.Close()
	}
}

// A time of 0 belongs to a lost record where all others of its kind are more than a second away. Else it is a time.
func TestTimeOfZero(t *testing.T) {
	for _, x := range []struct {
		after int64
		lost  uint64
	}{{1_000_000_000, 0}, {1_000_000_001, 2}} {
		_, b := run(t, -1, launch(1, 0), launch(2, x.after), kernel("a", 0, 7, 0, 5), kernel("b", 2, 7, x.after, 5))
		if n := count(b, "lost_time"); n != x.lost {
			t.Errorf("the others at %d: %d lost times, want %d", x.after, n, x.lost)
		}
	}
}
