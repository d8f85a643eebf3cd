package host

import "testing"

// The boundary between kernels is the median of those whose second was launched in time,
// in whichever order they come.
func TestBoundaryIsTheMedian(t *testing.T) {
	c := &Capture{}
	c.usual[delayOfLaunch] = 100
	all := []boundary{{900, 200}, {10, 200}, {700, 200}, {1, 50}, {2, 50}, {300, 200}, {20, 200}}
	if got := c.boundary(all); got != 300 {
		t.Errorf("%d ns, want 300", got)
	}
	if got := c.boundary(all[3:5]); got != -1 {
		t.Errorf("%d ns of kernels launched late, want -1", got)
	}
	if got := c.boundary([]boundary{{5, 100}}); got != -1 { // it may have waited for its launch
		t.Errorf("%d ns of a kernel launched as long before as is usual, want -1", got)
	}
}
