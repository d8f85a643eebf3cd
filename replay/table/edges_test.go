package table

import (
	"testing"

	"gpureplay/model"

	"github.com/google/go-cmp/cmp"
)

// Edges go by the order in which kernels entered the GPU, whichever ends first. Kernels of the device, and kernels that
// are alone in their stream, have none. The steps of a stream add up to the time behind its first kernel.
func TestEdgeBook(t *testing.T) {
	kernel := func(id uint32, stream uint64, entered, began, end model.Time) *model.KernelRecord {
		return &model.KernelRecord{ID: id, Stream: stream, Parent: model.NoKernel, Dispatch: entered, FirstCTA: began,
			End: end}
	}
	child, waits := kernel(8, 0, 0, 10, 20), kernel(9, 0, model.Unset, model.Unset, 30)
	child.Device, child.Parent = true, 0
	var book EdgeBook
	for _, r := range []*model.KernelRecord{child, waits, kernel(2, 0, 40, 60, 90), kernel(1, 0, 30, 45, 100),
		kernel(4, 0, 130, 150, 160), kernel(3, 7, 0, 1, 50), kernel(0, 0, 0, 1, 20)} {
		book.Kernel(r)
	}
	got := book.Edges()
	want := []Edge{
		{Predecessor: 0, Successor: 1, Ended: 20, Entered: 30, Began: 45, End: 100},
		{Predecessor: 1, Successor: 2, Ended: 100, Entered: 40, Began: 60, End: 90},
		{Predecessor: 2, Successor: 4, Ended: 90, Entered: 130, Began: 150, End: 160},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	sum := model.Time(0)
	for i, times := range [][3]model.Time{{25, 0, 80}, {0, 30, -10}, {60, 0, 70}} { // gap, overlap, step
		e := &got[i]
		if now := [3]model.Time{e.Gap(), e.Overlap(), e.Step()}; now != times {
			t.Errorf("edge %d: gap, overlap and step are %d, want %d", i, now, times)
		}
		sum += e.Step()
	}
	if sum != 160-20 {
		t.Errorf("the steps add up to %d", sum)
	}
}
