package replay

import (
	"slices"
	"strings"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// A capture is replayed on the machine that it was made on: its own facts, and latencies of that GPU or, marked as
// such, of the nearest.
func TestMachineFor(t *testing.T) {
	rtx3090 := trace.Machine{Name: "NVIDIA GeForce RTX 3090", SMVersion: 86, SMs: 82, ClockHz: 1695e6, WarpSize: 32,
		WarpsPerSM: 48, CTAsPerSM: 16,
		RegistersPerSM: 65536, SharedBytesPerSM: 102400, L2Bytes: 6 << 20, MemoryBytes: 25438126080,
		MemoryBytesPerSecond: 936e9}
	other := rtx3090
	other.Name, other.SMs, other.ClockHz, other.MemoryBytesPerSecond = "NVIDIA RTX A4500", 56, 1650e6, 640e9
	for _, w := range []struct {
		gpu     trace.Machine
		name    string // of the machine
		says    string
		standIn string
		sms     int
		mhz     float64
	}{
		{rtx3090, "rtx-3090", "RTX 3090: 82 SMs at 1,695 MHz from the capture, latencies as rtx3090", "", 82, 1695},
		{other, "rtx-a4500", "RTX A4500: 56 SMs at 1,650 MHz from the capture, latencies as rtx3090",
			"no preset of RTX A4500", 56, 1650},
		{trace.Machine{Name: "GeForce RTX 3060"}, "rtx-3060",
			"RTX 3060: 28 SMs at 1,777 MHz by its name, latencies as rtx3090", "no preset of RTX 3060", 28, 1777},
		{trace.Machine{Name: "GeForce RTX 3060 Ti"}, "rtx-3060-ti", "38 SMs at 1,665 MHz by its name",
			"no preset of RTX 3060 Ti", 38, 1665},
		{trace.Machine{Name: "NVIDIA GeForce RTX 3090 Ti"}, "rtx-3090-ti", "84 SMs at 1,860 MHz by its name", "", 84, 1860},
		{trace.Machine{Name: "NVIDIA GeForce RTX 3090"}, "rtx3090", "RTX 3090: 82 SMs, 1,695 MHz and latencies as rtx3090",
			"", 82, 1695},
		{trace.Machine{Name: "NVIDIA GeForce RTX 4090", SMs: 128, ClockHz: 2.1e9}, "rtx-4090",
			"128 SMs at 2,100 MHz from the capture", "", 128, 2100},
		{trace.Machine{Name: "AMD Instinct MI455"}, "mi300x", "MI455: 304 SMs, 2,100 MHz and latencies as mi300x",
			"no preset of MI455", 304, 2100},
		{trace.Machine{Name: "NVIDIA H100 PCIe", SMVersion: 90, SMs: 114}, "h100-pcie-boost",
			"H100 PCIe: 114 SMs from the capture, 1,755 MHz and latencies as h100-pcie-boost", "", 114, 1755},
		{trace.Machine{Name: "AMD Instinct MI300X OAM", SMs: 304, WarpSize: 64, WarpsPerSM: 32}, "mi300x",
			"MI300X OAM: 304 SMs from the capture, 2,100 MHz and", "", 304, 2100},
		{trace.Machine{Name: "AMD Radeon Graphics", Architecture: "gfx90a", SMs: 104}, "amd-radeon-graphics",
			"latencies as mi250x", "no preset of", 104, 1700},
		{trace.Machine{SMs: 304, WarpSize: 64}, "mi300x", "304 SMs from the capture, 2,100 MHz and",
			"no preset of the captured GPU", 304, 2100},
		{trace.Machine{SMVersion: 86}, "rtx3070", "captured on compute capability 8.6", "", 46, 1132},
		{trace.Machine{SMVersion: 70}, "qv100", "captured on compute capability 7.0", "", 80, 1132},
		{trace.Machine{Name: "k20c"}, "k20c", "made for", "", 13, 706},
		{trace.Machine{}, "a100", "does not name its GPU", "", 108, 1410},
	} {
		var m trace.Meta
		m.SetMachine(w.gpu)
		c := MachineFor(&m)
		cfg := c.Config
		if cfg.Name != w.name || !strings.Contains(c.Says, w.says) || cfg.SM.Count != w.sms || cfg.Clock.CoreMHz != w.mhz {
			t.Errorf("%+v:\n%s (%s), %d SMs at %g MHz", w.gpu, cfg.Name, c.Says, cfg.SM.Count, cfg.Clock.CoreMHz)
		}
		if (c.StandIn == "") != (w.standIn == "") || !strings.Contains(c.StandIn, w.standIn) ||
			len(c.Diagnostics()) != min(1, len(w.standIn)) {
			t.Errorf("%s stands in: %q", cfg.Name, c.StandIn)
		}
		if err := cfg.Validate(); err != nil {
			t.Errorf("%s: %v", cfg.Name, err)
		}
	}
}

// Of a capture of AMD's profiler that names no GPU its maker is known.
func TestMachineOfAMD(t *testing.T) {
	c := MachineFor(&trace.Meta{Source: "rocprof"})
	if c.Config.Name != "mi250x" || !strings.Contains(c.Says, "one of AMD") || c.StandIn == "" {
		t.Errorf("%s (%s) %s", c.Config.Name, c.Says, c.StandIn)
	}
}

// Impossible facts are left out, and the rest is taken.
func TestImpossibleFacts(t *testing.T) {
	base, err := hardware.Preset("a100")
	if err != nil {
		t.Fatal(err)
	}
	got := base.AsGPU(&trace.Machine{SMs: 1 << 20, ClockHz: 1e6, WarpSize: 64, WarpsPerSM: 63, RegistersPerSM: 7,
		SharedBytesPerSM: 1 << 40, L2Bytes: 3, MemoryBytesPerSecond: 1})
	if err := got.Validate(); err != nil {
		t.Fatal(err)
	}
	want := *base
	want.Clock.CoreMHz, want.Clock.IcntMHz, want.Clock.L2MHz = 1, 1, 1
	if got.TOML() != want.TOML() {
		t.Errorf("got\n%s", got.TOML())
	}
	// Half the bandwidth, at the same latencies; a smaller shared memory leaves the L1 as it is.
	got = base.AsGPU(&trace.Machine{MemoryBytesPerSecond: 967680e6, SharedBytesPerSM: 100 << 10})
	if got.Clock.DRAMMHz != 756 || got.DRAM.TRCD != 11 || got.DRAM.TCCD != 1 {
		t.Errorf("%g MHz, %+v", got.Clock.DRAMMHz, got.DRAM)
	}
	if l1 := got.L1; l1.Unified != 128<<10 || l1.Bytes != 128<<10 || l1.Ways != 256 || got.SM.SharedBytes != 100<<10 ||
		l1.Carveouts[len(l1.Carveouts)-1] != 100<<10 {
		t.Errorf("%+v", l1)
	}
	if base.Clock.DRAMMHz != 1512 || len(base.L1.Carveouts) != 8 {
		t.Error("the machine that it was made of has changed")
	}
}

// The time between kernels comes from the capture: 30 between a and b, and 50 between d and e, as the median of 30,
// 50 and 40; c was launched when b had long ended. The latency of a launch into an idle GPU stays.
func TestBoundaryOfTheCapture(t *testing.T) {
	r := tracetest.FromText(t, `meta fidelity=kernel sms=108 sm=80 gpu="NVIDIA A100-SXM4-80GB"
launch a grid=1 block=32 fidelity=kernel host=0 start=100 duration=1000
launch b grid=1 block=32 fidelity=kernel host=10 start=1130 duration=100
launch c grid=1 block=32 fidelity=kernel host=5000 start=5100 duration=1000
launch d grid=1 block=32 fidelity=kernel host=5010 start=6140 duration=1000
launch e grid=1 block=32 fidelity=kernel host=5020 start=7190 duration=1000
`)
	c, err := MachineOf(r)
	if err != nil {
		t.Fatal(err)
	}
	base, err := hardware.Preset("a100")
	if err != nil {
		t.Fatal(err)
	}
	cfg := c.Config
	if want := 56; cfg.KMU.DispatchLatency != want ||
		cfg.KMU.DispatchLatency+cfg.Host.LaunchLatency != base.KMU.DispatchLatency+base.Host.LaunchLatency ||
		!strings.Contains(c.Says, "0.04 µs between kernels") {
		t.Errorf("%d cycles and %d before, want %d (%s)", cfg.KMU.DispatchLatency, cfg.Host.LaunchLatency, want, c.Says)
	}
	if presets := hardware.Presets(); slices.Contains(presets, cfg.Name) {
		t.Errorf("it is called %s, as a preset is", cfg.Name)
	}
}

// Kernels that follow each other without a pause have a boundary of 0, which is one.
func TestNoTimeBetweenKernels(t *testing.T) {
	r := tracetest.FromText(t, `meta fidelity=kernel sms=108 sm=80 gpu="NVIDIA A100-SXM4-80GB"
launch a grid=1 block=32 fidelity=kernel host=0 start=100 duration=1000
launch b grid=1 block=32 fidelity=kernel host=10 start=1100 duration=100
`)
	c, err := MachineOf(r)
	if err != nil {
		t.Fatal(err)
	}
	if c.Config.KMU.DispatchLatency != 0 || !strings.Contains(c.Says, "0.00 µs between kernels") {
		t.Errorf("%d cycles between kernels (%s), want 0", c.Config.KMU.DispatchLatency, c.Says)
	}
}
