package timeline

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpureplay/trace"
)

// script is a sink that writes operations as lines.
type script struct{ lines, scopes []string }

func (s *script) Launch(name string, k *trace.Kernel, op *trace.HostOp, gridID uint64) error {
	line := fmt.Sprintf("launch %s stream %d host %d start %d ran %d grid %d", name, op.Stream,
		op.Recorded.HostNs, op.Recorded.StartNs, op.Recorded.DurationNs, k.Grid.Count())
	if op.Thread > 0 {
		line += fmt.Sprint(" thread ", op.Thread)
	}
	if op.Scope > 0 {
		line += " in " + s.scopes[op.Scope-1]
	}
	s.lines = append(s.lines, line)
	return nil
}

func (s *script) Scope(x trace.Scope) uint32 {
	if x.In > 0 {
		x.Name = s.scopes[x.In-1] + "/" + x.Name
	}
	s.scopes = append(s.scopes, x.Name)
	return uint32(len(s.scopes))
}

func (s *script) Op(op *trace.HostOp) error {
	line := [trace.NumOpKinds]string{
		trace.OpCopyH2D: "h2d", trace.OpCopyD2H: "d2h", trace.OpCopyD2D: "d2d", trace.OpMemset: "memset",
		trace.OpEventRecord: "record", trace.OpStreamWait: "wait", trace.OpSyncStream: "sync_stream",
		trace.OpSyncEvent: "sync_event", trace.OpSyncDevice: "sync_device", trace.OpHostWork: "work",
	}[op.Kind]
	switch op.Kind {
	case trace.OpHostWork:
		line += fmt.Sprint(" ", op.Ns)
	case trace.OpEventRecord, trace.OpStreamWait:
		line += fmt.Sprintf(" event %d stream %d", op.Event, op.Stream)
	case trace.OpSyncEvent:
		line += fmt.Sprint(" event ", op.Event)
	case trace.OpSyncStream:
		line += fmt.Sprint(" ", op.Stream)
	case trace.OpSyncDevice:
	default:
		line += fmt.Sprintf(" %d bytes", op.Bytes)
		if op.Async {
			line += " async"
		}
	}
	if op.Thread > 0 {
		line += fmt.Sprint(" thread ", op.Thread)
	}
	s.lines = append(s.lines, line)
	return nil
}

// run hands events to a builder with little memory and returns its output.
func run(t testing.TB, device int, events ...any) (string, *Builder) {
	t.Helper()
	b := New(Options{TempDir: t.TempDir(), Memory: 1, Device: device})
	t.Cleanup(b.Close)
	for _, e := range events {
		var err error
		switch e := e.(type) {
		case Activity:
			err = b.Activity(&e)
		case Call:
			err = b.Call(&e)
		case Sync:
			err = b.Sync(&e)
		case Range:
			err = b.Range(&e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var s script
	if err := b.Write(&s); err != nil {
		return err.Error(), b
	}
	return strings.Join(s.lines, "\n"), b
}

func launch(corr uint64, at int64) Call {
	return Call{Kind: CallLaunch, Correlation: corr, Host: 1, Thread: 1, StartNs: at, DurationNs: 10}
}

func kernel(name string, corr uint64, stream uint64, at, ran int64) Activity {
	return Activity{Name: name, Correlation: corr, Stream: stream, StartNs: at, DurationNs: ran, Sized: true,
		Grid: trace.Dim3{2, 1, 1}, Block: trace.Dim3{32, 1, 1}}
}

func expect(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimSpace(want); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func count(b *Builder, name string) uint64 {
	for _, d := range b.Diagnostics() {
		if d.Name == name {
			return d.Count
		}
	}
	return 0
}

// Operations come in the order of the calls, whatever the order of the file and of
// the device's streams; the host works between calls; times count from the first
// event.
func TestHostOrder(t *testing.T) {
	got, b := run(t, -1,
		kernel("second", 2, 8, 1050, 5), kernel("first", 1, 7, 1100, 50),
		launch(2, 1030), launch(1, 1000),
		Call{Kind: CallSyncDevice, Host: 1, Thread: 1, StartNs: 1045, DurationNs: 200},
	)
	expect(t, got, `
launch first stream 7 host 0 start 100 ran 50 grid 2
work 20
launch second stream 8 host 30 start 50 ran 5 grid 2
work 5
sync_device`)
	if len(b.Diagnostics()) != 0 {
		t.Errorf("diagnostics %v", b.Diagnostics())
	}
}

// A stream runs in order. Here the window of the capture began while "queued" ran
// and "waiting" stood in the queue, so neither has a call, and other calls came
// before they began; and two threads' calls crossed on stream 9.
func TestStreamOrderIsThatOfTheDevice(t *testing.T) {
	other := launch(4, 1025)
	other.Thread = 2
	got, b := run(t, -1,
		launch(1, 1000), launch(2, 1020), kernel("queued", 0, 7, 1001, 50), kernel("waiting", 0, 7, 1051, 10),
		kernel("a", 1, 7, 1061, 10),
		kernel("b", 2, 9, 1080, 10), other, kernel("c", 4, 9, 1070, 10),
		kernel("elsewhere", 0, 8, 1055, 10), Call{Kind: CallSyncStream, Host: 1, Thread: 1, StartNs: 1040, DurationNs: 2},
	)
	expect(t, got, `
launch queued stream 7 host -1 start 1 ran 50 grid 2
launch waiting stream 7 host -1 start 51 ran 10 grid 2
launch a stream 7 host 0 start 61 ran 10 grid 2
work 25 thread 1
launch c stream 9 host 25 start 70 ran 10 grid 2 thread 1
work 10
launch b stream 9 host 20 start 80 ran 10 grid 2
work 10
sync_stream 9
launch elsewhere stream 8 host -1 start 55 ran 10 grid 2`)
	if count(b, "issued_before_call") != 3 {
		t.Errorf("%v", b.Diagnostics())
	}
}

// Recorded events order streams; a wait whose event was not recorded in the
// capture, or that the profiler does not explain, is counted.
func TestEvents(t *testing.T) {
	call := func(kind CallKind, corr uint64, at int64) Call {
		return Call{Kind: kind, Correlation: corr, Host: 1, Thread: 1, StartNs: at, DurationNs: 1}
	}
	got, b := run(t, -1,
		launch(1, 0), kernel("a", 1, 7, 20, 5),
		call(CallRecord, 2, 12), call(CallRecord, 3, 14), // the second is not waited for
		call(CallWait, 4, 16), call(CallWait, 5, 18), call(CallWait, 6, 20), call(CallQueryEvent, 8, 22),
		call(CallSyncEvent, 9, 24), call(CallSyncEvent, 10, 26), // for an event that nothing names
		Sync{Kind: CallWait, Correlation: 4, Stream: 9, HasStream: true, Event: 50, HasEvent: true, RecordCorrelation: 2,
			RecordStream: 7},
		Sync{Kind: CallWait, Correlation: 5, Stream: 9, HasStream: true, Event: 51, HasEvent: true},
		Sync{Kind: CallSyncEvent, Correlation: 8, Event: 50, HasEvent: true, RecordCorrelation: 2, RecordStream: 7},
		Sync{Kind: CallSyncEvent, Correlation: 9, Event: 50, HasEvent: true, RecordCorrelation: 2, RecordStream: 7},
	)
	expect(t, got, `
launch a stream 7 host 0 start 20 ran 5 grid 2
work 2
record event 50 stream 7
work 3
wait event 50 stream 9
work 7
sync_event event 50`)
	for name, want := range map[string]uint64{
		"wait_without_record": 1, "stream_wait_unresolved": 1, "event_query": 1, "duplicate_event": 0,
		"event_sync_unresolved": 1,
	} {
		if n := count(b, name); n != want {
			t.Errorf("%s: %d, want %d", name, n, want)
		}
	}
}

// A synchronising call does as its name says: CUPTI lists device synchronisations as waits for an event that was
// never recorded. Without a call its word counts.
func TestNameOfSyncCounts(t *testing.T) {
	sync := func(kind CallKind, corr uint64) Sync {
		return Sync{Kind: kind, Correlation: corr, StartNs: 80, DurationNs: 5}
	}
	got, b := run(t, -1,
		launch(1, 0), kernel("a", 1, 7, 20, 50),
		Call{Kind: CallSyncDevice, Correlation: 2, Host: 1, Thread: 1, StartNs: 15, DurationNs: 60}, sync(CallSyncEvent, 2),
		sync(CallSyncDevice, 3))
	expect(t, got, `
launch a stream 7 host 0 start 20 ran 50 grid 2
work 5
sync_device
work 5
sync_device`)
	if count(b, "event_sync_unresolved") != 0 {
		t.Errorf("%v", b.Diagnostics())
	}
}

// A range holds its own thread's calls, also inside other ranges; a step holds the calls of all threads. The same
// name at the same place is one scope.
func TestRanges(t *testing.T) {
	on := func(name string, thread uint64, start, ran int64) Range {
		return Range{Name: []byte(name), Host: 1, Thread: thread, StartNs: start, DurationNs: ran}
	}
	step := on("step", 1, 100, 100)
	step.AnyThread = true
	second := launch(3, 130)
	second.Thread = 2
	got, b := run(t, -1,
		on("inner", 1, 110, 30), on("outer", 1, 110, 60), on("inner", 1, 160, 5), on("other", 2, 120, 20), step,
		launch(1, 90), kernel("before", 1, 7, 300, 1), launch(2, 115), kernel("a", 2, 7, 301, 1), second,
		kernel("b", 3, 7, 302, 1),
		launch(4, 140), kernel("c", 4, 7, 303, 1), launch(5, 162), kernel("d", 5, 7, 304, 1), launch(6, 250),
		kernel("after", 6, 7, 305, 1),
		kernel("no call", 0, 8, 115, 1))
	var places []string
	for line := range strings.SplitSeq(got, "\n") {
		if f := strings.Fields(line); f[0] == "launch" {
			_, in, _ := strings.Cut(line, " in ")
			places = append(places, f[1]+": "+in)
		}
	}
	want := "before: ; no: ; a: step/outer/inner; b: step/other; c: step/outer; d: step/outer/inner; after: "
	if list := strings.Join(places, "; "); list != want {
		t.Errorf("got  %s\nwant %s", list, want)
	}
	if count(b, "scope_dropped") != 0 {
		t.Errorf("%v", b.Diagnostics())
	}
}

// One id may name the calls of two ranks: each device's kernel goes to the call
// of the process that drives that device.
func TestCollision(t *testing.T) {
	on := func(a Activity, device uint32) Activity { a.Device = device; return a }
	of := func(c Call, host uint64) Call { c.Host = host; return c }
	events := []any{
		of(launch(1, 0), 100), on(kernel("a", 1, 7, 30, 1), 0),
		of(launch(2, 0), 200), on(kernel("b", 2, 7, 30, 1), 1),
		of(launch(3, 50), 100), of(launch(3, 60), 200), on(kernel("c0", 3, 7, 90, 1), 0), on(kernel("c1", 3, 7, 95, 1), 1),
	}
	for device, want := range []string{
		"launch a stream 7 host 0 start 30 ran 1 grid 2\nwork 40\nlaunch c0 stream 7 host 50 start 90 ran 1 grid 2",
		"launch b stream 7 host 0 start 30 ran 1 grid 2\nwork 50\nlaunch c1 stream 7 host 60 start 95 ran 1 grid 2",
	} {
		got, b := run(t, device, events...)
		expect(t, got, want)
		if count(b, "correlation_collision") != 2 || count(b, "other_devices") != 2 {
			t.Errorf("device %d: %v", device, b.Diagnostics())
		}
	}
	if got, _ := run(t, 5, events...); got != "no activity of device 5; the capture has devices [0 1]" {
		t.Error(got)
	}
}

// The same id again in a later capture of one process: the last call before the
// activity is its call.
func TestRepeatedCapture(t *testing.T) {
	got, _ := run(t, -1, launch(1, 0), kernel("a", 1, 7, 30, 1), launch(1, 500), kernel("b", 1, 7, 530, 1))
	expect(t, got, `
launch a stream 7 host 0 start 30 ran 1 grid 2
work 490
launch b stream 7 host 500 start 530 ran 1 grid 2`)
}

// A graph launch issues its kernels in the order of their starts; an activity
// without a call comes when it began; twice the same event counts once.
func TestGraphAndOrphans(t *testing.T) {
	orphan := kernel("orphan", 77, 3, 100, 1)
	got, b := run(t, -1,
		Call{Kind: CallGraph, Correlation: 1, Host: 1, Thread: 1, StartNs: 10, DurationNs: 5},
		kernel("g2", 1, 8, 60, 1), kernel("g1", 1, 7, 50, 1), orphan, orphan,
		Activity{Kind: Memset, Correlation: 1, Stream: 7, StartNs: 55, DurationNs: 1, Bytes: 64},
	)
	expect(t, got, `
launch g1 stream 7 host 0 start 40 ran 1 grid 2
memset 64 bytes async
launch g2 stream 8 host 0 start 50 ran 1 grid 2
launch orphan stream 3 host -1 start 90 ran 1 grid 2`)
	for name, want := range map[string]uint64{"graph_activity": 3, "activity_without_call": 1, "duplicate_event": 1} {
		if n := count(b, name); n != want {
			t.Errorf("%s: %d, want %d", name, n, want)
		}
	}
}

func TestCopies(t *testing.T) {
	copied := func(kind trace.OpKind, corr uint64, pageable bool) Activity {
		return Activity{
			Kind: Copy, Copy: kind, Correlation: corr, Stream: 7, StartNs: int64(corr) * 100, DurationNs: 1, Bytes: corr,
			Pageable: pageable,
		}
	}
	async := func(corr uint64, async bool) Call {
		return Call{Kind: CallCopy, Correlation: corr, Host: 1, Thread: 1, StartNs: int64(corr) * 10, DurationNs: 10,
			Async: async}
	}
	got, b := run(t, -1,
		copied(trace.OpCopyH2D, 1, true), async(1, true), copied(trace.OpCopyD2H, 2, true), async(2, true),
		copied(trace.OpCopyD2H, 3, false), async(3, true), copied(trace.OpCopyD2D, 4, false), async(4, false),
		Call{Kind: CallCopy, Correlation: 5, Host: 1, Thread: 1, StartNs: 50, DurationNs: 10}, // nothing came of it
		Activity{Kind: Copy, Copy: trace.OpCopyH2D, StartNs: 600, Blocking: true},             // no call, no size
	)
	expect(t, got, "h2d 1 bytes async\nd2h 2 bytes\nd2h 3 bytes async\nd2d 4 bytes\nh2d 0 bytes")
	if count(b, "call_without_activity") != 1 || count(b, "copy_without_size") != 1 {
		t.Errorf("%v", b.Diagnostics())
	}
}

// A synchronisation whose stream is not told is for the stream that its thread
// used last; with several devices, for the device that it used last.
func TestInferredSync(t *testing.T) {
	onThread := func(c Call, thread uint64) Call { c.Thread = thread; return c }
	other := kernel("other", 3, 5, 90, 1)
	other.Device = 1
	got, b := run(t, 0,
		launch(1, 0), kernel("a", 1, 7, 20, 1), onThread(launch(2, 12), 2), kernel("b", 2, 8, 40, 1),
		onThread(launch(3, 30), 3), other,
		Call{Kind: CallSyncStream, Host: 1, Thread: 1, StartNs: 50, DurationNs: 5},
		Call{Kind: CallSyncDevice, Host: 1, Thread: 3, StartNs: 55, DurationNs: 5}, // the other device
		Call{Kind: CallSyncStream, Host: 1, Thread: 9, StartNs: 60, DurationNs: 5}, // has launched nothing
	)
	expect(t, got, `
launch a stream 7 host 0 start 20 ran 1 grid 2
work 12 thread 1
launch b stream 8 host 12 start 40 ran 1 grid 2 thread 1
work 40
sync_stream 7
work 60 thread 2
sync_device thread 2`)
	if count(b, "sync_stream_inferred") != 2 || count(b, "host_threads") != 3 {
		t.Errorf("%v", b.Diagnostics())
	}
}

func TestGridFromCall(t *testing.T) {
	a := Activity{Name: "k", Correlation: 1, StartNs: 20, DurationNs: 1}
	c := launch(1, 0)
	c.Sized, c.Grid, c.Block = true, trace.Dim3{5, 1, 1}, trace.Dim3{64, 1, 1}
	got, b := run(t, -1, a, c, Activity{Name: "bare", StartNs: 30, DurationNs: -4})
	expect(t, got, "launch k stream 0 host 0 start 20 ran 1 grid 5\nlaunch bare stream 0 host -1 start 30 ran -1 grid 0")
	for _, name := range []string{"grid_of_call", "kernel_without_grid", "negative_duration"} {
		if count(b, name) != 1 {
			t.Errorf("%s: %v", name, b.Diagnostics())
		}
	}
}

// A function of HIP takes the grid in threads.
func TestGridInThreads(t *testing.T) {
	c := launch(1, 0)
	c.WorkItems = InThreads([]byte("hipExtModuleLaunchKernel"))
	a := kernel("gemm", 1, 7, 20, 1)
	a.Grid, a.Block = trace.Dim3{229632, 1, 1}, trace.Dim3{256, 1, 1}
	got, b := run(t, -1, a, c)
	expect(t, got, "launch gemm stream 7 host 0 start 20 ran 1 grid 897")
	if count(b, "grid_in_threads") != 1 {
		t.Errorf("%v", b.Diagnostics())
	}
}

// A launch that takes long while the device is idle loads code: that is work of
// the host. One that takes long while the device is busy waits for a queue.
func TestSlowLaunch(t *testing.T) {
	slow := func(corr uint64, at int64) Call {
		c := launch(corr, at)
		c.DurationNs = 2_000_000
		return c
	}
	got, b := run(t, -1,
		slow(1, 0), kernel("a", 1, 7, 2_000_100, 5_000_000),
		slow(2, 2_000_000), kernel("b", 2, 7, 7_000_100, 10),
		slow(3, 9_000_000), kernel("c", 3, 7, 9_000_100, 10)) // began at once: the call did something else
	expect(t, got, `
work 2000000
launch a stream 7 host 0 start 2000100 ran 5000000 grid 2
launch b stream 7 host 2000000 start 7000100 ran 10 grid 2
work 5000000
launch c stream 7 host 9000000 start 9000100 ran 10 grid 2`)
	if count(b, "slow_launch") != 1 {
		t.Errorf("%v", b.Diagnostics())
	}
}

// Names are valid text of bounded length.
func TestNames(t *testing.T) {
	long := strings.Repeat("x", maxName+5)
	got, b := run(t, -1, kernel(long, 0, 7, 1, 1), kernel(long+"y", 0, 7, 2, 1), kernel("a\xffb", 0, 7, 3, 1))
	cut := "launch " + long[:maxName] + " stream 7 host -1 start "
	if !strings.HasPrefix(got, cut+"0") || strings.Count(got, cut) != 2 ||
		!strings.Contains(got, "launch a\uFFFDb stream") ||
		count(b, "long_name") != 2 {
		t.Errorf("%.100s... %v", got[len(got)-200:], b.Diagnostics())
	}
	b.chars = maxNameBytes
	if _, err := b.Name([]byte("one more")); err == nil {
		t.Error("names without bound")
	}
}

// Nothing is lost and nothing invented, in any order of events, and the result
// does not depend on that order.
func TestOrderOfFileDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(r, "kernels")
		var events []any
		for i := range n {
			corr := uint64(i + 1)
			at := int64(rapid.IntRange(0, 50).Draw(r, "at"))
			events = append(events, launch(corr, at*100+int64(i)), kernel(fmt.Sprint("k", i), corr, uint64(i%3),
				at*100+60+int64(i), 10))
		}
		want, _ := run(t, -1, events...)
		got, _ := run(t, -1, rapid.Permutation(events).Draw(r, "order")...)
		if got != want {
			r.Fatalf("got\n%s\nwant\n%s", got, want)
		}
		if launches := strings.Count(got, "launch "); launches != n {
			r.Fatalf("%d launches of %d kernels", launches, n)
		}
	})
}

func TestClassify(t *testing.T) {
	var api API
	for name, want := range map[string]CallKind{
		"cudaLaunchKernel": CallLaunch, "cudaLaunchKernel_v7000": CallLaunch, "cudaLaunchKernelExC": CallLaunch,
		"cuLaunchKernelEx":         CallLaunch,
		"hipExtModuleLaunchKernel": CallLaunch, "hipModuleLaunchKernel": CallLaunch,
		"cudaLaunchCooperativeKernel_v9000": CallLaunch,
		"cudaLaunchHostFunc":                CallNone, "cudaGraphLaunch": CallGraph, "hipGraphLaunch": CallGraph,
		"cudaMemcpyFromSymbol_v3020": CallCopy, "cuMemcpyHtoDAsync_v2": CallCopy, "hipMemcpyWithStream": CallCopy,
		"cudaMemsetAsync": CallMemset, "cudaEventRecordWithFlags": CallRecord, "cudaStreamWaitEvent": CallWait,
		"cuCtxSynchronize":           CallSyncDevice,
		"cudaStreamSynchronize_ptsz": CallSyncStream, "cudaEventQuery": CallQueryEvent, "cudaMalloc": CallNone,
		"INVALID": CallNone, "": CallNone,
	} {
		for range 2 { // the second time from memory
			if got, async := api.Classify([]byte(name)); got != want || async != strings.Contains(name, "Async") {
				t.Errorf("%s: %d, %v; want %d", name, got, async, want)
			}
		}
	}
}
