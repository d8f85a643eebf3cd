package timeline

import (
	"testing"

	"gpureplay/trace"
)

// A call that names a stream whose work had ended, and that ends with the work of another, waited for all.
func TestWaitForAllEndsWithTheLast(t *testing.T) {
	o := newOwn()
	o.issued(1, 50)
	o.issued(2, 200)
	for end, want := range map[int64]bool{199: false, 200: true, 299: true, 300: false} {
		o.call(100, end)
		if got := o.waitsForAll(&trace.HostOp{Kind: trace.OpSyncStream, Stream: 1}); got != want {
			t.Errorf("a call from 100 to %d waits for all: %v, want %v", end, got, want)
		}
	}
}
