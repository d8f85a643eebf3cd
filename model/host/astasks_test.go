package host

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// Kernel 1 is in stream 2, which then waits for kernel 0 in stream 1. The event that is recorded behind both stands
// for both, the next kernel of stream 2 waits for both, and stream 1 is kernel 0's alone.
func TestLaunchesBecomeTasksThatWait(t *testing.T) {
	const k = " grid=1 block=32\ncta 0\nwarp 0\nexit\n"
	r := tracetest.FromText(t, "launch a stream=1"+k+"launch b stream=2"+k+
		"record 7 stream=1\nwait 7 stream=2\nrecord 8 stream=2\nsyncevent 8\n"+
		"launch c stream=2"+k+"syncstream 1\nsyncstream 2\nsyncstream 5\nsync\n")
	for as, want := range map[AsTasks][]string{
		TasksIndependent: {"spawn 0 []", "spawn 1 []", "spawn 2 []", "sync"},
		TasksInStreams:   {"spawn 0 []", "spawn 1 []", "wait [0 1]", "spawn 2 [0 1]", "wait [0]", "wait [2]", "sync"},
	} {
		var l LaunchOrder
		l.Init()
		var got []string
		var op trace.HostOp
		for ops := r.HostOps(); ; {
			if err := ops.Next(&op); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			ok, err := l.Convert(r, as, &op)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				continue
			}
			slices.Sort(op.Deps)
			switch op.Kind {
			case trace.OpSpawn:
				got = append(got, fmt.Sprint("spawn ", op.Kernel, " ", op.Deps))
			case trace.OpWaitTask:
				of := append(op.Deps, op.Kernel)
				slices.Sort(of)
				got = append(got, fmt.Sprint("wait ", of))
			default:
				got = append(got, "sync")
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", as, got, want)
		}
	}
}
