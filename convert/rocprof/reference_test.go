package rocprof

import "testing"

// A kind's operations count from 0; one that the capture does not name has no name.
func TestOperations(t *testing.T) {
	r := &results{kinds: map[int64]*operations{2: {names: []string{"hipLaunchKernel", "hipMemcpyAsync"}}}}
	for _, x := range []struct {
		kind, op int64
		want     string
	}{{2, -1, ""}, {2, 0, "hipLaunchKernel"}, {2, 1, "hipMemcpyAsync"}, {2, 2, ""}, {1, 0, ""}} {
		if got := r.operation(x.kind, x.op); got != x.want {
			t.Errorf("operation %d of kind %d is %q, want %q", x.op, x.kind, got, x.want)
		}
	}
}
