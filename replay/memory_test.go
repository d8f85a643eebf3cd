package replay

import (
	"context"
	"runtime"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies/policiestest"
	"gpureplay/samples/samplestest"
)

// heapWatcher reads how much memory lives when kernels end.
type heapWatcher struct {
	kernels int
	at      map[int]uint64 // by kernels that have ended
}

func (w *heapWatcher) Kernel(*model.KernelRecord) {
	w.kernels++
	if _, asked := w.at[w.kernels]; asked {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		w.at[w.kernels] = m.HeapAlloc
	}
}

func (*heapWatcher) CTA(*model.CTARecord)       {}
func (*heapWatcher) Stage(*model.StageRecord)   {}
func (*heapWatcher) Launch(*model.LaunchRecord) {}
func (*heapWatcher) Page(*model.PageRecord)     {}
func (*heapWatcher) Task(*model.TaskRecord)     {}
func (*heapWatcher) Sample(*model.SampleRecord) {}

// The memory of a replay does not grow with the trace once the reader's cache of blocks is full, even if the host
// has launched every kernel before the first has ended. A block of each of 35 kernels would be some 60 MB.
func TestMemoryDoesNotGrow(t *testing.T) {
	r := samplestest.Trace(t, "stn", "kernels=60", "nx=128", "ny=64", "nz=32")
	cfg, err := hardware.Preset("rtx3070")
	if err != nil {
		t.Fatal(err)
	}
	policy, machine := policiestest.Build(t, "serial", cfg)
	w := &heapWatcher{at: map[int]uint64{20: 0, 55: 0}}
	m, err := model.New(r, model.Options{Config: machine, Policy: policy, Observer: w})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if w.kernels != 60 {
		t.Fatalf("%d kernels ended", w.kernels)
	}
	t.Logf("%d kB live after 20 kernels, %d kB after 55", w.at[20]>>10, w.at[55]>>10)
	if w.at[55] > w.at[20]+16<<20 {
		t.Errorf("%d kB live after 20 kernels, %d kB after 55", w.at[20]>>10, w.at[55]>>10)
	}
}
