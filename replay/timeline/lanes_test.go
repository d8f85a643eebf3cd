package timeline

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/replay/table"
)

// A slice takes the free track whose last slice ended latest, the first one too. Another is made where none is free.
func TestFewestTracks(t *testing.T) {
	l := &lanes{p: newPackets(&bytes.Buffer{}), name: "x"}
	var got []uint64
	for _, s := range [][2]int64{{0, 10}, {10, 20}, {15, 18}, {20, 30}, {20, 25}, {40, 50}} {
		track, ok := l.pick(s[0], s[1])
		if !ok {
			t.Fatal("all are taken")
		}
		got = append(got, track)
	}
	if want := []uint64{1, 1, 2, 1, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("tracks %v, want %v", got, want)
	}
}

// The call of a kernel whose slice is not shown is on the track of all child launches.
func TestLaunchOfAHiddenKernel(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "p", table.Parquet)
	s.Observer().Launch(&model.LaunchRecord{Parent: 3, Child: 4, Time: 26, Workload: 9, Decision: model.Inline,
		Reason: "few items", Arrive: model.Unset, FirstCTA: model.Unset})
	commit(t, s)
	var out bytes.Buffer
	if _, err := Write(context.Background(), &out, dir, Options{}); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(parse(t, out.Bytes()), "\n")
	if !strings.Contains(got, "bfs, p, k20c/Child launches 52 inline parent_kernel=3") {
		t.Errorf("%s", got)
	}
}
