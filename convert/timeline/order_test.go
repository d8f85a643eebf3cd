package timeline

import (
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
