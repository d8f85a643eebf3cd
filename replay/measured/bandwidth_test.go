package measured

import (
	"math"
	"testing"
)

// The H100 PCIe, whose latencies were measured: a tenth on the average. The command
// prints the other GPUs, too.
func TestBandwidths(t *testing.T) {
	all := Bandwidths()
	h100 := all[:len(bandwidthBlocks)*len(bandwidthKernels)]
	if err := PredictBandwidths(t.Context(), h100, 0, nil); err != nil {
		t.Fatal(err)
	}
	for _, b := range h100 {
		t.Logf("%s, %s, %d threads an SM: measured %.0f GB/s, predicted %.0f, %+.1f %% (%s)", b.GPU, b.Kernel, 2*b.Block,
			b.Measured, b.Predicted, b.ErrorPct, b.Machine)
		if b.GPU != "NVIDIA H100 PCIe" || math.Abs(b.ErrorPct) > 30 {
			t.Errorf("%s, %s, %d threads an SM: %+.1f %%", b.GPU, b.Kernel, 2*b.Block, b.ErrorPct)
		}
	}
	if s := BandwidthFigures(h100); s.Kernels != 16 || s.MeanPct > 10 {
		t.Errorf("%d rows, a mean error of %.1f %%", s.Kernels, s.MeanPct)
	}
}

// No row is there twice, and the rows say that stores do not keep a CTA.
func TestBandwidthRows(t *testing.T) {
	seen := map[[2]string]map[int]float64{}
	for _, b := range Bandwidths() {
		k := [2]string{b.GPU, b.Kernel}
		if seen[k] == nil {
			seen[k] = map[int]float64{}
		}
		if seen[k][b.Block] > 0 || b.Measured <= 0 {
			t.Errorf("%+v", b)
		}
		seen[k][b.Block] = b.Measured
	}
	if len(seen) != len(bandwidths)*len(bandwidthKernels) {
		t.Errorf("%d GPUs and kernels", len(seen))
	}
	for k, rows := range seen {
		if k[1] != "scale" {
			continue
		}
		// A CTA that also stores takes longer by less than a load from the L2, 110 ns and more:
		// the measurements themselves say that stores do not keep it (docs/model, choice 36).
		sms := map[string]float64{"NVIDIA H100 PCIe": 114, "NVIDIA H200": 132, "NVIDIA A100-SXM4-80GB": 108,
			"NVIDIA A100-SXM4-40GB": 108,
			"Tesla V100-PCIE-16GB":  80, "NVIDIA A40": 84, "NVIDIA L40": 142}[k[0]]
		bytes := 2 * 32 * 8 * sms
		scale, read := 2*bytes/rows[32], bytes/seen[[2]string{k[0], "read"}][32]
		if d := scale - read; d < 0 || d > 80 {
			t.Errorf("%s: a CTA of a warp takes %.0f ns for a load, %.0f with a store", k[0], read, scale)
		}
	}
}
