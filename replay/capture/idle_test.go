package capture

import "testing"

// From 100 to 200: kernels at 110-130 (launched at 105), 150-170 (at 140) and 165-180, copies at 125-135 and 185-190.
// The GPU waits for the host at 100-105, 135-140, 180-185 and 190-200, and for launched kernels at 105-110 and 140-150.
func TestIdle(t *testing.T) {
	a := &Activity{Start: 100, Ns: 100,
		Kernels: []Span{{From: 150, To: 170, Asked: 140}, {From: 110, To: 130, Asked: 105}, {From: 165, To: 180, Asked: 150}},
		Copies:  []Span{{From: 125, To: 135}, {From: 185, To: 190}}}
	if got, want := a.Idle(), (Idle{Kernels: 50, Copies: 10, Host: 25, Gaps: 15}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	a.Kernels[0].Asked = -1
	if got, want := a.Idle(), (Idle{Kernels: 50, Copies: 10, Host: 20, Gaps: 5, Unknown: 15}); got != want {
		t.Errorf("without a call: %+v, want %+v", got, want)
	}
	if got := (&Activity{Ns: 7}).Idle(); got != (Idle{Host: 7}) {
		t.Errorf("without work: %+v", got)
	}
}
