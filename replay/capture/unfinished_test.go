package capture

import (
	"testing"

	"gpureplay/model"
	"gpureplay/replay/table"
)

// Of a run that was cut off, kernels without an end are not there, nor kernels without a first CTA.
func TestKernelsWithoutAnEnd(t *testing.T) {
	dir := t.TempDir()
	s, err := table.Open(table.Options{Dir: dir, Trace: "t", Policy: "p", GPU: "g", ClockMHz: 500})
	if err != nil {
		t.Fatal(err)
	}
	s.Run(&table.Run{Summary: model.Summary{Cycles: 50}})
	o := s.Observer()
	const none = model.Unset
	for id, at := range [][2]model.Time{{10, 30}, {20, none}, {none, 40}, {none, none}} {
		o.Kernel(&model.KernelRecord{ID: uint32(id), Function: "f", Parent: model.NoKernel, FirstCTA: at[0], End: at[1]})
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	all, err := Activities(dir)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	if k := all[0].Kernels; len(k) != 1 || k[0].From != 20 || k[0].To != 60 { // 2 ns a cycle
		t.Errorf("%+v", k)
	}
	if all[0].Ns != 100 {
		t.Errorf("the run takes %d ns, want 100", all[0].Ns)
	}
}
