package replay

import (
	"context"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/trace/tracetest"
)

// BenchmarkSetup replays one warp: the rest is the cost of a run of any length. The parts build on each other.
func BenchmarkSetup(b *testing.B) {
	container := tracetest.Encode(b, "array a bytes=512 input\nlaunch one grid=1 block=32 regs=16\ncta 0\nwarp "+
		"0\nload R2 <- R1 @a+4\nexit\n")
	for _, part := range []struct {
		name   string
		tables []string // nil: the machine alone
	}{
		{"machine", nil},
		{"runs", []string{"runs"}},
		{"runs+kernels", []string{"runs", "kernels"}},
		{"kernels+ctas+timeline", []string{"kernels", "ctas", "timeline"}},
	} {
		b.Run(part.name, func(b *testing.B) {
			b.ReportAllocs()
			dir := b.TempDir()
			for b.Loop() {
				cfg, err := hardware.Preset("rtx3070")
				if err != nil {
					b.Fatal(err)
				}
				cs, err := policies.Parse("serial", nil)
				if err != nil {
					b.Fatal(err)
				}
				job := &Job{Trace: tracetest.Read(b, container), Name: "one", Config: cfg, Choices: cs, Sample: model.SampleAuto}
				if part.tables != nil {
					job.Output = &Output{Dir: dir, Format: "parquet", Tables: part.tables}
				}
				if _, err := Run(context.Background(), job); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
