package replay

import (
	"context"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/samples/samplestest"
)

// BenchmarkPipelines replays ten time steps of the stencil under each policy of
// the CRCS/PPCS paper.
func BenchmarkPipelines(b *testing.B) {
	r := samplestest.Trace(b, "stn", "kernels=10")
	cfg, err := hardware.Preset("gk110-ppcs")
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"serial", "crcs", "ppcs", "oracle"} {
		b.Run(name, func(b *testing.B) {
			cs, err := policies.Parse(name, nil)
			if err != nil {
				b.Fatal(err)
			}
			for range b.N {
				if _, err := Run(context.Background(), &Job{Trace: r, Name: "stn", Config: cfg, Choices: cs}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
