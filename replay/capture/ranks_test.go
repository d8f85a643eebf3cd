package capture

import "testing"

// Compute 0-40 and 30-60, a collective 50-90, a copy 80-95 and 100-110, the end at 120:
// 60 of compute, 30 of the collective alone, 15 of copies alone and 15 of nothing.
func TestRankOf(t *testing.T) {
	a := &Activity{Ns: 120, Kernels: []Span{{Name: "gemm", From: 0, To: 40}, {Name: "relu", From: 30, To: 60},
		{Name: "ncclKernel_AllReduce_RING_LL", From: 50, To: 90, Collective: true}},
		Copies: []Span{{From: 80, To: 95}, {From: 100, To: 110}}}
	want := Rank{Name: "r", Kernels: 3, Ns: 120, Compute: 60, Collectives: 30, Copies: 15, Idle: 15}
	if got := RankOf("r", a); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The rank that waits least in collectives is the one that the others wait for.
func TestSlowest(t *testing.T) {
	ranks := []Rank{{Name: "0", Collectives: 30}, {Name: "1", Collectives: 10}, {Name: "2", Collectives: 30}}
	if s := Slowest(ranks); s == nil || s.Name != "1" {
		t.Errorf("slowest %+v", s)
	}
	for _, same := range [][]Rank{nil, ranks[:1], {ranks[0], ranks[2]}, {{Name: "a"}, {Name: "b", Collectives: 9}}} {
		if s := Slowest(same); s != nil {
			t.Errorf("%v: slowest %+v", same, s)
		}
	}
}
