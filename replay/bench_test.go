package replay

import (
	"context"
	"path/filepath"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	_ "gpureplay/samples/probes"
	"gpureplay/samples/samplestest"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// BenchmarkReplay replays a workload on a machine and reports its rates a second: warp instructions, and 32 B
// sectors that leave the SMs or hit an L1.
func BenchmarkReplay(b *testing.B) {
	capture := func(path ...string) func(testing.TB) *container.Reader {
		return func(t testing.TB) *container.Reader {
			return converttest.Trace(t, tracetest.Data(t, filepath.Join(path...)))
		}
	}
	generated := func(name string, settings ...string) func(testing.TB) *container.Reader {
		return func(t testing.TB) *container.Reader { return samplestest.Trace(t, name, settings...) }
	}
	for _, w := range []struct {
		name, preset string
		open         func(testing.TB) *container.Reader
	}{
		{"bfs", "rtx3070", capture("accelsim-rodinia-bfs-a100", "kernelslist.g")},
		{"vectoradd", "rtx3070", capture("accelsim-vectoradd-a100", "kernelslist.g")},
		{"simpletorch", "qv100", capture("accelsim-simpletorch-v100", "traces", "kernelslist.g")},
		{"matmul", "rtx3070", generated("matmul")},
		{"stn", "rtx3070", generated("stn", "kernels=2")},
		{"copy", "rtx3070", generated("copy")},
		{"walk", "rtx3070", generated("walk", "steps=8")},
		{"walk-random", "rtx3070", generated("walk", "steps=8", "pattern=random")},
		{"chase", "rtx3070", generated("chase")},
		{"matmul-a100", "a100", generated("matmul")}, // where an access is timed as it issues
		{"stn-a100", "a100", generated("stn", "kernels=2")},
		{"copy-a100", "a100", generated("copy")},
		{"walk-a100", "a100", generated("walk", "steps=8")},
		{"walk-hits-a100", "a100", generated("walk", "steps=8", "words=8192")},
		{"walk-random-a100", "a100", generated("walk", "steps=8", "pattern=random")},
	} {
		b.Run(w.name, func(b *testing.B) { benchmarkReplay(b, w.open(b), w.preset) })
	}
}

func benchmarkReplay(b *testing.B, r *container.Reader, preset string) {
	cfg, err := hardware.Preset(preset)
	if err != nil {
		b.Fatal(err)
	}
	cs, err := policies.Parse("serial", nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var insts, sectors uint64
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
		insts += sum.WarpInsts
		sectors += sum.Memory[0].Hits + sum.Memory[1].Accesses
	}
	b.ReportMetric(float64(insts)/b.Elapsed().Seconds(), "warp-insts/s")
	b.ReportMetric(float64(sectors)/b.Elapsed().Seconds(), "sectors/s")
}
