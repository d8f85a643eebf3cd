package policies_test

import (
	"bytes"
	"context"
	"runtime"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// launching is a trace of a parent of n CTAs of 1,024 threads; each thread requests a child of a warp and four
// instructions.
func launching(t testing.TB, n uint32) *container.Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := container.NewWriter(&out, container.Options{})
	if err != nil {
		t.Fatal(err)
	}
	parent, child := w.AddFunction("parent"), w.AddFunction("child")
	for _, class := range []trace.Class{trace.ClassInt, trace.ClassLaunch, trace.ClassExit} {
		w.AddInst(parent, trace.Inst{Opcode: class.String(), Class: class})
	}
	for _, class := range []trace.Class{trace.ClassInt, trace.ClassExit} {
		w.AddInst(child, trace.Inst{Opcode: class.String(), Class: class})
	}
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	k := trace.Kernel{Function: parent, Fidelity: trace.FidelityWarp, Grid: trace.Dim3{n, 1, 1},
		Block: trace.Dim3{1024, 1, 1}}
	id, err := w.BeginKernel(&k)
	check(err)
	masks := []trace.MaskRun{{Mask: ^uint32(0)}}
	var cta trace.CTA
	next := id
	for i := range n {
		cta = trace.CTA{ID: i, SM: -1, Warps: cta.Warps[:0]}
		for x := range uint32(32) {
			warp := trace.Warp{ID: x, Path: []uint32{0, 1, 2}, Masks: masks}
			for lane := range uint8(32) {
				next++
				warp.Launches = append(warp.Launches, trace.Launch{At: 1, Lane: lane, Marked: true, Child: next, Workload: 4,
					ParamBytes: 32})
			}
			cta.Warps = append(cta.Warps, warp)
		}
		check(w.WriteCTA(&cta))
	}
	check(w.EndKernel(0))
	body := trace.CTA{SM: -1, Warps: []trace.Warp{{Path: []uint32{0, 0, 0, 1}, Masks: masks}}}
	for range n * 1024 {
		k = trace.Kernel{
			Function: child, Fidelity: trace.FidelityWarp, Flags: trace.KernelChild, Grid: trace.Dim3{1, 1, 1},
			Block: trace.Dim3{32, 1, 1},
		}
		_, err := w.BeginKernel(&k)
		check(err)
		check(w.WriteCTA(&body))
		check(w.EndKernel(0))
	}
	check(w.Host(&trace.HostOp{Kind: trace.OpLaunch, Kernel: id, Array: trace.NoArray}))
	check(w.Close())
	return tracetest.Read(t, out.Bytes())
}

// BenchmarkMillionLaunches replays a trace of 1,000,448 child launches. heap-MB is the heap after the run, before
// garbage is collected.
func BenchmarkMillionLaunches(b *testing.B) {
	const ctas = 977
	r := launching(b, ctas)
	for _, policy := range []string{"flat", "cdp", "dtbl", "spawn"} {
		b.Run(policy, func(b *testing.B) {
			cfg, err := hardware.Preset("k20c")
			if err != nil {
				b.Fatal(err)
			}
			cs, err := policies.Parse(policy, nil)
			if err != nil {
				b.Fatal(err)
			}
			var heap float64
			for b.Loop() {
				p, machine, err := cs[0].Build(cfg)
				if err != nil {
					b.Fatal(err)
				}
				m, err := model.New(r, model.Options{Config: machine, Policy: p})
				if err != nil {
					b.Fatal(err)
				}
				sum, err := m.Run(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				if sum.LaunchesRequested != ctas*1024 {
					b.Fatalf("%d launches", sum.LaunchesRequested)
				}
				var s runtime.MemStats
				runtime.ReadMemStats(&s)
				heap = max(heap, float64(s.HeapInuse)/(1<<20))
			}
			b.ReportMetric(float64(ctas*1024*b.N)/b.Elapsed().Seconds(), "launches/s")
			b.ReportMetric(heap, "heap-MB")
		})
	}
}
