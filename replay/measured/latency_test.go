package measured

import (
	"fmt"
	"math"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/samples/samplestest"
)

// A pointer chase takes as long on the presets of the H100 PCIe as RRZE's gpu-latency
// measured on that card at 1,755 MHz: in its L1, in the near half of its L2, and in DRAM. At
// 1,095 MHz the L2 takes the same cycles, and DRAM behind it the same time (docs/model, P5).
func TestLatenciesOfAnH100PCIe(t *testing.T) {
	const l1, l2, dram = 34.2, 265.5, 650
	for _, w := range []struct {
		preset string
		bytes  int
		want   float64
	}{
		{"h100-pcie-boost", 64 << 10, l1}, {"h100-pcie-boost", 1 << 20, l2}, {"h100-pcie-boost", 256 << 20, dram},
		{"h100-pcie", 64 << 10, l1}, {"h100-pcie", 1 << 20, l2}, {"h100-pcie", 256 << 20, l2 + (dram-l2)*1095/1755},
	} {
		cfg, err := hardware.Preset(w.preset)
		if err != nil {
			t.Fatal(err)
		}
		cfg.L2.CopiesWarm = false // the whole ring is brought by the chase itself
		steps := min(8192, max(2048, w.bytes/128))
		var took [2]float64
		for i := range took {
			var sum durations
			r := samplestest.Trace(t, "chase", fmt.Sprint("bytes=", w.bytes), "stride=128", "order=random",
				fmt.Sprint("steps=", (i+1)*steps))
			if _, err := simulate(t.Context(), r, cfg, "serial", &sum); err != nil {
				t.Fatal(err)
			}
			took[i] = float64(sum.cycles)
		}
		if got := (took[1] - took[0]) / float64(steps); math.Abs(got-w.want) > 1 {
			t.Errorf("%s, %d bytes: %.1f cycles a step, measured %.1f", w.preset, w.bytes, got, w.want)
		}
	}
}
