package audit

import (
	"context"
	"errors"
	"io"
	"runtime"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/replay/table"
	_ "gpureplay/samples/children"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// liveWatcher reads how much memory lives after every so many requests for
// children, and keeps the most.
type liveWatcher struct {
	model.Observers
	every, asked uint64
	most         uint64
	pending      uint64 // bytes of one that is pending
}

func (w *liveWatcher) Launch(r *model.LaunchRecord) {
	w.Observers.Launch(r)
	w.pending = max(w.pending, r.FootprintBytes)
	if w.asked++; w.asked%w.every == 0 {
		w.most = max(w.most, live())
	}
}

func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// childRun replays a trace, audited. It returns the peak of added live memory, and the most pending launches.
func childRun(t *testing.T, r *container.Reader, policy string) (held, pending uint64) {
	t.Helper()
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	cfg.SM.Count = 4
	cs, err := policies.Parse(policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, machine, err := cs[0].Build(cfg)
	if err != nil {
		t.Fatal(err)
	}
	set, err := table.Open(table.Options{Trace: "x", Policy: "x", GPU: "k20c", ClockMHz: 1, Tables: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	before := live()
	a, err := New(&Run{Trace: r, Machine: machine, Policy: p, WarpScheduler: cs[0].WarpScheduler(machine)})
	if err != nil {
		t.Fatal(err)
	}
	w := &liveWatcher{Observers: append(model.Observers{set.Observer()}, a.Observers()...),
		every: r.Program().Totals.ChildLaunches / 8, most: before}
	a.issues = nil // it reads each CTA a second time, when its block may have left
	m, err := model.New(r, model.Options{Config: machine, Policy: p, Observer: w})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := m.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range a.Finish(sum) {
		t.Errorf("%s: %s: %s", policy, v.Rule, v.What)
	}
	return w.most - before, sum.PendingLaunchPeakBytes / max(1, w.pending)
}

// unpackedOnce is how many bytes of blocks a trace has, each read once.
func unpackedOnce(t *testing.T, r *container.Reader) uint64 {
	t.Helper()
	ops, op := r.HostOps(), trace.HostOp{}
	for ops.Next(&op) == nil {
	}
	var c trace.CTA
	for id := range r.Kernels() {
		ctas, err := r.CTAs(uint32(id), 0)
		for err == nil {
			err = ctas.Next(&c)
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
	return r.Unpacked()
}

// Of 61,440 children only the pending ones take memory, at 160 bytes each. The machine and the caches of the reader
// take a constant. Ended children take none, and the cursors of inlined bodies hold no block. In whatever order
// children start, each block is unpacked once. All blocks would be some 100 MB.
func TestMemoryOfChildren(t *testing.T) {
	open := func() *container.Reader {
		return samplestest.Trace(t, "dp-join", "distribution=uniform", "left=61440", "right=61440", "keys=384")
	}
	once := unpackedOnce(t, open())
	for _, policy := range []string{"flat", "cdp", "dtbl"} {
		r := open()
		held, pending := childRun(t, r, policy)
		t.Logf("%s: %d kB live, at most %d launches pending, %d of %d bytes unpacked", policy, held>>10, pending,
			r.Unpacked(), once)
		if held > 48<<20+160*pending {
			t.Errorf("%s: %d kB live with at most %d launches pending", policy, held>>10, pending)
		}
		if r.Unpacked() > once+once/100 { // the host's operations are read by the auditor too
			t.Errorf("%s: %d bytes were unpacked, all blocks have %d", policy, r.Unpacked(), once)
		}
	}
}
