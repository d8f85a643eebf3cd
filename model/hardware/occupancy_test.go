package hardware

import (
	"fmt"
	"testing"

	"gpureplay/trace"

	"pgregory.net/rapid"
)

func kernelOf(threads, registers, shared uint32) *trace.Kernel {
	return &trace.Kernel{Grid: trace.Dim3{1, 1, 1}, Block: trace.Dim3{threads, 1, 1}, Registers: registers,
		SharedBytes: shared}
}

// machineOf is an SM of a compute capability, for GPUs that have no preset.
func machineOf(t testing.TB, cc int) *Config {
	t.Helper()
	c := mustPreset(t, "a100")
	s, ok := c.SM.WithCapability(cc)
	if !ok {
		t.Fatalf("compute capability %d is not known", cc)
	}
	c.SM = s
	return c
}

// Rows worked out by hand by the rules of the occupancy calculator.
func TestResidency(t *testing.T) {
	for _, w := range []struct {
		cc                         int
		threads, registers, shared uint32
		ctas                       int
		limit                      string
	}{
		{35, 64, 0, 0, 16, LimitCTAs},
		{35, 256, 32, 0, 8, LimitWarps},
		{35, 256, 37, 0, 6, LimitRegisters},       // 1280 a warp: 12 of each quarter, 48 warps
		{35, 96, 40, 0, 16, LimitCTAs},            // 48 warps / 3 = 16, not 51 / 3 = 17
		{52, 96, 40, 0, 16, LimitRegisters},       // the same where 32 CTAs are allowed
		{52, 33, 16, 0, 32, LimitCTAs},            // two warps each
		{70, 1024, 64, 0, 1, LimitRegisters},      // all of the registers
		{70, 1024, 65, 0, 0, LimitRegisters},      // does not launch
		{70, 128, 16, 16384, 6, LimitShared},      // 96 KiB
		{70, 128, 16, 16385, 5, LimitShared},      // 256 B units
		{80, 128, 16, 16384, 9, LimitShared},      // 164 KiB / (16 + 1) KiB
		{80, 32, 16, 0, 32, LimitCTAs},            // the reserve alone: 32 of 164 KiB
		{80, 32, 16, 4096, 32, LimitCTAs},         // 32 x 5 KiB = 160 KiB
		{80, 32, 16, 4097, 32, LimitCTAs},         // 5.125 KiB each in units of 128 B: all of 164 KiB
		{80, 32, 16, 4225, 31, LimitShared},       // 5.25 KiB each
		{86, 512, 32, 0, 3, LimitWarps},           // 48 warps
		{86, 64, 32, 0, 16, LimitCTAs},            //
		{90, 384, 168, 231424, 1, LimitRegisters}, // 5376 a warp: 12 warps; shared memory allows one too
		{100, 128, 32, 0, 16, LimitWarps},         //
		{60, 96, 40, 0, 16, LimitRegisters},       // halves: 25 each, 50 warps / 3
		{90, 2048, 16, 0, 1, LimitWarps},          // 64 warps, were it allowed
		{90, 2049, 16, 0, 0, LimitWarps},          //
		{90, 128, 16, 1 << 31, 0, LimitShared},    //
		{90, 128, 1 << 31, 0, 0, LimitRegisters},  //
	} {
		ctas, limit := machineOf(t, w.cc).Residency(kernelOf(w.threads, w.registers, w.shared))
		if ctas != w.ctas || limit != w.limit {
			t.Errorf("cc %d, %d threads, %d registers, %d B: %d CTAs by %s, want %d by %s",
				w.cc, w.threads, w.registers, w.shared, ctas, limit, w.ctas, w.limit)
		}
	}
}

// Presets that model a real GPU have the limits of its compute capability.
func TestPresetsHaveTheirCapability(t *testing.T) {
	own := map[string]string{
		"gk110-ppcs": "the paper's machine, with GPGPU-Sim's allocation",
		"rtx3070":    "Accel-Sim allows 32 CTAs and reserves no shared memory; the vendor 16, and 1 KB",
	}
	for _, name := range Presets() {
		c := mustPreset(t, name)
		if c.SM.ComputeCapability == 0 { // of AMD
			continue
		}
		want, ok := c.SM.WithCapability(c.SM.ComputeCapability)
		if !ok {
			t.Errorf("%s: compute capability %d is not known", name, c.SM.ComputeCapability)
		}
		if same := c.SM == want; same == (own[name] != "") {
			t.Errorf("%s (%s):\n got %+v\nwant %+v", name, own[name], c.SM, want)
		}
	}
	c := mustPreset(t, "rtx3070")
	c.SM.MaxCTAs, c.SM.SharedReserved = 16, 1024
	if want, _ := c.SM.WithCapability(86); c.SM != want {
		t.Errorf("rtx3070 differs from its capability in more than CTAs and reserved shared memory: %+v", c.SM)
	}
	if _, ok := c.SM.WithCapability(42); ok {
		t.Error("compute capability 4.2 is known")
	}
}

// Placing CTAs one by one until none fits gives the residency, on any machine; they never hold more than the SM
// has; taking them away leaves it empty.
func TestFitsIsResidency(t *testing.T) {
	base := mustPreset(t, "a100")
	rapid.Check(t, func(t *rapid.T) {
		c := *base
		cc := rapid.SampledFrom(capabilities).Draw(t, "capability").cc
		c.SM, _ = c.SM.WithCapability(cc)
		if rapid.Bool().Draw(t, "gpgpu-sim") {
			c.SM.RegisterUnit, c.SM.WarpUnit, c.SM.SharedUnit, c.SM.SharedReserved = 128, 1, 1, 0
		}
		k := kernelOf(rapid.Uint32Range(1, 1024).Draw(t, "threads"), rapid.Uint32Range(0, 255).Draw(t, "registers"),
			rapid.Uint32Range(0, 100<<10).Draw(t, "shared"))
		cta, used, n := c.CTAResources(k), Resources{}, 0
		for c.Fits(used, cta) {
			used = used.Plus(cta)
			n++
		}
		if want, limit := c.Residency(k); n != want {
			t.Fatalf("%d CTAs fit, want %d by %s", n, want, limit)
		}
		if used.Warps > c.SM.MaxWarps || used.Registers > c.SM.Registers || used.SharedBytes > c.SM.SharedBytes {
			t.Fatalf("too much: %+v", used)
		}
		if perWarp := roundUp(int(k.Registers)*WarpSize, c.SM.RegisterUnit); perWarp > 0 {
			part := c.SM.Registers / c.SM.WarpUnit / perWarp * c.SM.WarpUnit // the calculator's own way
			if most := part / cta.Warps; n > most {
				t.Fatalf("%d CTAs of %d warps, the sub-partitions hold %d", n, cta.Warps, most)
			}
		}
		for range n {
			used = used.Minus(cta)
		}
		if used != (Resources{}) {
			t.Fatalf("left over: %+v", used)
		}
	})
}

func ExampleConfig_Residency() {
	c, err := Preset("a100")
	if err != nil {
		panic(err)
	}
	k := &trace.Kernel{Block: trace.Dim3{256, 1, 1}, Registers: 40, SharedBytes: 24 << 10}
	ctas, limit := c.Residency(k)
	fmt.Printf("%d CTAs, limited by %s: %.1f %% of the warps\n", ctas, limit, 100*c.Occupancy(k))
	// Output: 6 CTAs, limited by registers: 75.0 % of the warps
}
