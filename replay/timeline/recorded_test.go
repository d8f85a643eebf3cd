package timeline

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/replay/table"
	"gpureplay/trace"
)

// A capture of 500 ns that begins at 1,000: two launches in nested ranges and a copy that is in the outer one
// alone. The replay's clock is 500 MHz. Recorded kernels lie below the replayed ones, ranges last from their first
// call to the end of their last.
func TestRecordedBesideReplayed(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "ppcs", table.Parquet)
	s.Run(&table.Run{RecordedNs: 500})
	launch := func(kernel uint32, scope string, host, start, length int64) {
		at := &trace.Recorded{HostNs: host, StartNs: start, DurationNs: length}
		s.Call(&table.Call{Op: &trace.HostOp{Kind: trace.OpLaunch, Kernel: kernel, Stream: 7, Thread: 1, Ns: 20},
			Function: "k", Recorded: at, Scope: scope})
		s.Observer().Kernel(&model.KernelRecord{ID: kernel, Function: "k", Parent: model.NoKernel, Stream: 7, Arrive: 1,
			Dispatch: 1,
			FirstCTA: model.Time(start-1000) / 2, End: model.Time(start-1000+length) / 2, Recorded: at})
	}
	launch(0, "step / fwd", 1010, 1100, 100)
	s.Call(&table.Call{Op: &trace.HostOp{Kind: trace.OpCopyH2D, Bytes: 64, Stream: 7, Thread: 1, Ns: 30}, Scope: "step",
		Recorded: &trace.Recorded{HostNs: 1040, StartNs: 1200, DurationNs: 50}})
	launch(1, "step / bwd", 1080, 1300, 200)
	commit(t, s)
	var b bytes.Buffer
	if _, err := Write(context.Background(), &b, dir, Options{}); err != nil {
		t.Fatal(err)
	}
	got := parse(t, b.Bytes())
	for _, want := range []string{
		"Streams/Stream 7 100-200 k", "Streams/Stream 7 as recorded 100-200 k", "Streams/Stream 7 300-500 k",
		"Streams/Stream 7 as recorded 300-500 k",
		"Streams/Stream 7 as recorded 200-250 h2d", "Host as recorded/Thread 1: ranges 10-100 step",
		"Host as recorded/Thread 1: ranges 10-30 fwd",
		"Host as recorded/Thread 1: ranges 80-100 bwd", "Host as recorded/Thread 1: calls 10-30 launch k",
		"Host as recorded/Thread 1: calls 40-70 h2d",
	} {
		if !slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, process+"/"+want+" ") }) {
			t.Errorf("no line %q in\n%s", want, strings.Join(got, "\n"))
		}
	}
	b.Reset()
	if _, err := Write(context.Background(), &b, dir, Options{From: 140, To: 170}); err != nil { // cycles of 2 ns
		t.Fatal(err)
	}
	if text := strings.Join(parse(t, b.Bytes()), "\n"); strings.Contains(text, "fwd") ||
		!strings.Contains(text, "as recorded 300-500 k") {
		t.Errorf("a window has\n%s", text)
	}
}
