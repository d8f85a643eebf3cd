package pipelines

import (
	"testing"

	"gpureplay/samples/samplestest"
)

// BenchmarkGenerate generates every workload at its default size.
func BenchmarkGenerate(b *testing.B) {
	for _, name := range []string{"3mm", "bfs", "conv", "hsp", "lpc", "path", "stn", "vecadd"} {
		b.Run(name, func(b *testing.B) {
			var insts uint64
			for b.Loop() {
				insts = 0
				for _, k := range samplestest.Count(b, name).Kernels {
					insts += k.WarpInsts
				}
			}
			b.ReportMetric(float64(insts), "warp-insts")
			b.ReportMetric(float64(insts)*float64(b.N)/b.Elapsed().Seconds()/1e6, "M-insts/s")
		})
	}
}
