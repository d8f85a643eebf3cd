package capture

import (
	"slices"
	"testing"
)

// Kernels 10-20, 15-18 and 40-50 and a copy 25-30: nothing in 0-10, 20-25 and 30-40.
func TestPauses(t *testing.T) {
	a := &Activity{
		Kernels: []Span{{Name: "c", From: 40, To: 50}, {Name: "a", From: 10, To: 20}, {Name: "b", From: 15, To: 18}},
		Copies:  []Span{{Name: "h2d", From: 25, To: 30}},
	}
	want := []Pause{{0, 10, "", "a"}, {30, 10, "h2d", "c"}, {20, 5, "a", "h2d"}}
	if got := a.Pauses(9); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := a.Pauses(1); !slices.Equal(got, want[:1]) {
		t.Errorf("the longest: %+v", got)
	}
	a = &Activity{Kernels: []Span{{Name: "a", From: 0, To: 10}, {Name: "b", From: 10, To: 20}}}
	if got := a.Pauses(3); len(got) != 0 {
		t.Errorf("between kernels that follow each other: %+v", got)
	}
	if got := (&Activity{}).Pauses(3); len(got) != 0 {
		t.Errorf("of nothing: %+v", got)
	}
}
