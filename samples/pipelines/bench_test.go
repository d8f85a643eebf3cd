package pipelines

import (
	"testing"

	"gpureplay/samples"
	"gpureplay/samples/samplestest"
)

var programs = []string{"3mm", "bfs", "conv", "hsp", "lpc", "path", "stn", "vecadd"}

// count is a writer that counts bytes.
type count int64

func (c *count) Write(p []byte) (int, error) { *c += count(len(p)); return len(p), nil }

// BenchmarkWrite generates every program at the paper's size into a file.
func BenchmarkWrite(b *testing.B) {
	for _, name := range programs {
		b.Run(name, func(b *testing.B) {
			g, err := samples.Get(name)
			if err != nil {
				b.Fatal(err)
			}
			var insts uint64
			for _, k := range samplestest.Count(b, name).Kernels {
				insts += k.WarpInsts
			}
			var bytes count
			for b.Loop() {
				bytes = 0
				if err := g.Write(&bytes); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(insts), "warp-insts")
			b.ReportMetric(float64(bytes), "file-bytes")
			b.ReportMetric(float64(insts)*float64(b.N)/b.Elapsed().Seconds()/1e6, "M-insts/s")
		})
	}
}

// TestFilesAreSmall generates the quick ones at the paper's size.
func TestFilesAreSmall(t *testing.T) {
	for _, name := range []string{"bfs", "conv", "lpc", "vecadd"} {
		g, err := samples.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		var bytes count
		if err := g.Write(&bytes); err != nil {
			t.Fatal(err)
		}
		if bytes == 0 || bytes > 1<<20 {
			t.Errorf("%s: %d bytes", name, bytes)
		}
	}
}
