package hardware

import (
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func mustPreset(t testing.TB, name string) *Config {
	t.Helper()
	c, err := Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPresetsLoad(t *testing.T) {
	names := Presets()
	if !slices.IsSorted(names) {
		t.Errorf("not sorted: %v", names)
	}
	for _, want := range []string{"k20c", "k20m-spawn", "gk110-ppcs", "titanx-maxwell", "qv100", "rtx3070",
		"kepler-titan", "a100", "h100", "h200"} {
		if !slices.Contains(names, want) {
			t.Errorf("no preset %s", want)
		}
	}
	for _, name := range names {
		c := mustPreset(t, name)
		if c.Name != name || len(c.Description) < 20 || len(c.Description) > 90 {
			t.Errorf("%s: name %q, want that of its file; description %q, want 20 to 90 letters", name, c.Name, c.Description)
		}
		c.SM.Count = 1
		if mustPreset(t, name).SM.Count == 1 {
			t.Errorf("%s: presets share memory", name)
		}
	}
}

// Every value of a preset has its source on its own line, and an estimate names its basis.
func TestPresetsHaveSources(t *testing.T) {
	for _, name := range Presets() {
		values := 0
		for i, line := range strings.Split(string(presetSource(name)), "\n") {
			key, rest, ok := strings.Cut(line, "=")
			if !ok || strings.HasPrefix(line, "#") || slices.Contains([]string{"name", "description", "base"},
				strings.TrimSpace(key)) {
				continue
			}
			values++
			_, source, ok := strings.Cut(rest, "# source: ")
			if !ok || len(source) < 8 {
				t.Errorf("%s.toml:%d: no source: %s", name, i+1, line)
			}
			if strings.Contains(source, "estimated") && !strings.Contains(source, "estimated from ") {
				t.Errorf("%s.toml:%d: estimated from what? %s", name, i+1, line)
			}
		}
		based := strings.Contains(string(presetSource(name)), "\nbase = ")
		if want := len(Keys()) - 2; !based && values != want { // name and description aside
			t.Errorf("%s: %d values, want all %d", name, values, want)
		}
	}
}

// tflops is the peak of the single-precision lanes: a warp of fused
// multiply-adds per scheduler and initiation interval.
func tflops(c *Config) float64 {
	perCycle := float64(c.SM.Count*c.SM.Schedulers*32*2) / float64(c.Exec.FP32.Initiation)
	return perCycle * c.Clock.CoreMHz / 1e6
}

// Peak rates against published ones: bandwidth from the configurations' tables
// or data sheets; single precision from lanes x 2 x clock.
func TestPeakRates(t *testing.T) {
	for _, w := range []struct {
		name         string
		gbs, tflops  float64
		l1Sets, l2KB int
	}{
		{"k20c", 208, 13 * 128 * 2 * .706e-3, 4, 1280},         // of 192 lanes an SMX, 128 have a scheduler's unit
		{"k20m-spawn", 177.4, 13 * 64 * 2 * 1.4e-3, 32, 1536},  // two schedulers
		{"gk110-ppcs", 307.2, 64 * 32 * 2 * .7e-3, 64, 1536},   // GK110: 288 GB/s
		{"titanx-maxwell", 336.6, 3072 * 2 * 1e-3, 4, 3072},    // 3072 cores at 1000 MHz
		{"qv100", 870, 80 * 64 * 2 * 1.132e-3, 4, 6144},        //
		{"rtx3070", 448, 46 * 128 * 2 * 1.132e-3, 4, 4096},     //
		{"kepler-titan", 288, 14 * 128 * 2 * .837e-3, 4, 1536}, //
		{"a100", 1935, 19.5, 4, 40960},                         // data sheet
		{"h100", 1990, 67, 4, 51200},                           // data sheet
		{"h200", 2390, 67, 4, 61440},                           // data sheet
		{"b200", 7672, 148 * 128 * 2 * 1.965e-3, 4, 129600},    // driver; 128 lanes
		{"rtx4090", 1008, 82.6, 4, 73728},                      // data sheet
		{"l40s", 864, 91.6, 4, 98304},                          // data sheet
		{"rtx3090", 936, 35.6, 4, 6144},                        // data sheet
		{"a10", 600, 31.2, 4, 6144},                            // data sheet
		{"t4", 320, 40 * 64 * 2 * 1.59e-3, 4, 4096},            // data sheet: 8.1
		{"v100", 898, 15.7, 4, 6144},                           // data sheet
		{"mi250x", 1638, 110 * 64 * 2 * 1.7e-3, 2, 8192},       // one die, without packed operations
		{"mi300x", 5325, 163.4, 4, 32768},                      // data sheet
	} {
		c := mustPreset(t, w.name)
		if got := c.DRAMGBs(); math.Abs(got/w.gbs-1) > 0.005 {
			t.Errorf("%s: %.1f GB/s, want %.1f", w.name, got, w.gbs)
		}
		if got := tflops(c); math.Abs(got/w.tflops-1) > 0.005 {
			t.Errorf("%s: %.2f TFLOPS, want %.2f", w.name, got, w.tflops)
		}
		l1, l2 := c.L1, c.L2
		if sets := l1.Bytes / (l1.LineBytes * l1.Ways); sets != w.l1Sets {
			t.Errorf("%s: L1 has %d sets, want %d", w.name, sets, w.l1Sets)
		}
		sets := l2.Bytes / (l2.LineBytes * l2.Ways * l2.Slices)
		if sets*l2.Ways*l2.LineBytes*l2.Slices != w.l2KB<<10 {
			t.Errorf("%s: L2: %d sets x %d ways x %d B x %d slices is not %d KB", w.name, sets, l2.Ways, l2.LineBytes,
				l2.Slices, w.l2KB)
		}
	}
}

// The rates of caches and units a cycle: an L1 bank and an L2 slice a sector of 32 B, a scheduler's unit a warp an
// interval. The L2's rate is its slices' at its clock and no less than the DRAM's; no unit is faster than its
// scheduler.
func TestCacheRates(t *testing.T) {
	for name, want := range map[string]struct{ l1, l2 float64 }{ // bytes a core cycle of an SM; GB/s
		"k20c": {32, 20 * 32 * .706}, "k20m-spawn": {32, 12 * 32 * 1.4}, "gk110-ppcs": {32, 6 * 32 * .924},
		"titanx-maxwell": {64, 24 * 32 * 1.},
		"qv100":          {128, 64 * 32 * 1.132}, "rtx3070": {128, 32 * 32 * 1.132}, "kepler-titan": {32, 24 * 32 * .837},
		"a100": {128, 80 * 32 * 1.41},
		"h100": {128, 80 * 32 * 3.106}, "h200": {128, 96 * 32 * 3.106},
		"h100-pcie": {128, 80 * 32 * 3.106}, "h100-pcie-boost": {128, 80 * 32 * 3.106},
		"b200": {128, 21000}, "rtx4090": {64, 5000}, "l40s": {64, 5400},
		"rtx3090": {64, 2480}, "a10": {64, 2480}, "t4": {128, 1628}, "v100": {128, 2716},
		// measured by RRZE and Chips and Cheese, AMD's 128 B a channel
		"mi250x": {64, 32 * 128 * 1.7}, "mi300x": {64, 128 * 128 * 2.1},
	} {
		c := mustPreset(t, name)
		l1, l2 := float64(c.L1.Banks*32), float64(c.L2.Slices*32)*c.Clock.L2MHz/1e3
		if l1 != want.l1 || math.Abs(l2-want.l2) > 1e-3*want.l2 {
			t.Errorf("%s: L1 %g B a cycle, L2 %g GB/s, want %g, %g", name, l1, l2, want.l1, want.l2)
		}
		if l2 < c.DRAMGBs() && name != "gk110-ppcs" { // the paper's six slices at 924 MHz: 177 GB/s, below its memory's 307
			t.Errorf("%s: L2 %.0f GB/s, DRAM %.0f", name, l2, c.DRAMGBs())
		}
		e := c.Exec
		for class, u := range map[string]UnitConfig{"int": e.Int, "fp16": e.FP16, "fp32": e.FP32, "fp64": e.FP64,
			"sfu":    e.SFU,
			"tensor": e.Tensor, "uniform": e.Uniform, "control": e.Control, "texture": e.Texture} {
			if u.Initiation < 1 || u.Latency < 1 {
				t.Errorf("%s: %s takes %+v", name, class, u)
			}
		}
	}
}

// The device launch path: SPAWN's 20210 + 1721x is the sum of the two linear
// terms that DTBL measured.
func TestLaunchLatency(t *testing.T) {
	for _, name := range []string{"k20c", "k20m-spawn"} {
		l := mustPreset(t, name).Launch
		if base, lane := l.ParamBase+l.DeviceBase, l.ParamPerLane+l.DevicePerLane; base != 20210 || lane != 1721 {
			t.Errorf("%s: %d + %dx, want 20210 + 1721x", name, base, lane)
		}
	}
	k20c, spawn := mustPreset(t, "k20c"), mustPreset(t, "k20m-spawn")
	if l := k20c.Launch; !l.BlocksWarp || !l.StreamPerChild || l.StreamCreate != 7165 || l.ParamBase != 8023 ||
		l.ParamPerLane != 129 {
		t.Errorf("k20c: %+v", l)
	}
	if k20c.KMU.DispatchLatency != 283 {
		t.Errorf("k20c dispatches in %d cycles", k20c.KMU.DispatchLatency)
	}
	if l := spawn.Launch; !l.BlocksWarp || l.StreamPerChild {
		t.Errorf("k20m-spawn: %+v", l)
	}
	for name, want := range map[string]int{"qv100": 5000, "rtx3070": 5000, "kepler-titan": 0, "a100": 13475,
		"gk110-ppcs": 0, "h100": 3614,
		"h200": 3614, "h100-pcie": 3614, "h100-pcie-boost": 1578} {
		if c := mustPreset(t, name); c.Host.LaunchLatency+c.KMU.DispatchLatency != want { // of a single kernel
			t.Errorf("%s: host launch latency %d, dispatch %d, want %d", name, c.Host.LaunchLatency, c.KMU.DispatchLatency, want)
		}
	}
}

// Occupancy figures that the papers print for their machines.
func TestPaperOccupancy(t *testing.T) {
	k20c := mustPreset(t, "k20c")
	warps := k20c.SM.Count * k20c.SM.MaxWarps
	if warps != 832 {
		t.Fatalf("k20c holds %d warps, want 832", warps)
	}
	if resident := k20c.KMU.Entries * 64 / 32; warps != 13*resident { // DTBL section 3.1
		t.Errorf("32 kernels of 64 threads: %d of %d warps, want 1/13", resident, warps)
	}
	titan := mustPreset(t, "titanx-maxwell")
	all := float64(titan.SM.Count * titan.SM.MaxWarps)
	one := 256. / 32 / all * 100 // Pagoda section 2: one task of 256 threads
	if got := fmt.Sprintf("%.2f %.2f", one, float64(titan.KMU.HWQs)*one); got != "0.52 16.67" {
		t.Errorf("occupancy of one task and of 32: %s %%, want 0.52 16.67", got)
	}
}

// CRCS/PPCS Table 1, value by value.
func TestPPCSTable1(t *testing.T) {
	c := mustPreset(t, "gk110-ppcs")
	got := fmt.Sprint(c.SM.Count, c.SM.MaxThreads, c.SM.MaxCTAs, c.SM.Registers, c.SM.SharedBytes, c.Clock, c.L1.Bytes,
		c.L1.Ways, c.L1.LineBytes, c.L2.Bytes, c.L2.Ways, c.DRAM.Channels, c.DRAM.TRP, c.DRAM.TCCD, c.DRAM.TRCD,
		c.DRAM.TCL, c.DRAM.TWR,
		c.DRAM.TRAS, c.DRAM.Banks, c.Host.StorageMBs, c.Host.PCIeGBs, c.Host.PageBytes)
	want := fmt.Sprint(64, 1024, 8, 32768, 16384, ClockConfig{700, 700, 924, 1600}, 32768, 4, 128,
		1572864, 8, 6, 12, 2, 12, 12, 12, 28, 16, 500., 15.75, 4096)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestUnknownPreset(t *testing.T) {
	for name, want := range map[string]string{
		"k20":    `unknown GPU preset "k20": did you mean k20c`,
		"v101":   `unknown GPU preset "v101": did you mean v100`,
		"zz":     "there are a10, a100, b200, gk110-ppcs, h100",
		"":       "there are a10, a100",
		"../a":   "unknown GPU preset",
		"nvidia": "there are",
	} {
		if _, err := Preset(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
}

func TestFindConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.toml")
	if err := os.WriteFile(file, []byte("base = \"a100\"\nsm.count = 26\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := FindConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	if c.SM.Count != 26 || c.Name != "my" || c.Host.LaunchLatency != mustPreset(t, "a100").Host.LaunchLatency {
		t.Errorf("got %s with %d SMs", c.Name, c.SM.Count)
	}
	if c, err := FindConfig("h100"); err != nil || c.Name != "h100" {
		t.Errorf("h100: %v", err)
	}
	if _, err := FindConfig("not-there.toml"); !os.IsNotExist(err) {
		t.Errorf("a missing file: %v", err)
	}
}

// A machine written as TOML reads back the same, and equal machines give equal
// text.
func TestTOMLRoundTrip(t *testing.T) {
	for _, name := range Presets() {
		c := mustPreset(t, name)
		text := c.TOML()
		back, err := ReadConfig(name, []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if fmt.Sprint(back) != fmt.Sprint(c) || back.TOML() != text {
			t.Errorf("%s reads back differently:\n%s", name, text)
		}
	}
}

func TestReadConfigErrors(t *testing.T) {
	for _, w := range []struct{ text, want string }{
		{"base = \"a100\"\n[sm]\ncuont = 3\n", "my.toml:3: unknown key sm.cuont: did you mean sm.count"},
		{"base = \"a100\"\nsm.count = 0\n", "my.toml:2: sm.count = 0: must be an integer from 1 to 4096"},
		{"base = \"a100\"\nsm.count = \"x\"\n", "my.toml:2: sm.count: got a value of type string, want a whole number, " +
			"without quotes"},
		{"base = \"a1000\"\n", `my.toml:1: base: unknown GPU preset "a1000": did you mean a100`},
		{"base = \"a100\"\nsm.warp_scheduler = \"rr\"\n",
			`my.toml:2: sm.warp_scheduler = "rr": must be one of gto, gty, lrr`},
		{"base = \"a100\"\n[l1]\nways = 7\n", "l1.bytes = 196608: must be a multiple of l1.line_bytes x l1.ways = 896"},
		{"[sm]\ncount = 3\n", `my.toml: there is no clock.core_mhz: give it, or begin the file with base = "a100"`},
		{"[sm\n", "my.toml: line "},
		{"[[sm]]\ncount = 3\n", "my.toml: "},
	} {
		_, err := ReadConfig("my.toml", []byte(w.text))
		if err == nil || !strings.Contains(err.Error(), w.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q:\n got %v\nwant %s", w.text, err, w.want)
		}
	}
}

// Files made to be slow or large are refused at once.
func TestReadConfigLimits(t *testing.T) {
	for name, text := range map[string]string{
		"size":   strings.Repeat("# nothing\n", maxConfigBytes/10+1),
		"line 1": strings.Repeat("a.", maxConfigLine/2) + "a = 1",
		"nested": "a = " + strings.Repeat("{a = ", maxInlineTables+1),
		"head":   strings.Repeat("["+strings.Repeat("a.", 2000)+"a]\n", 16),
		"array":  strings.Repeat("a = "+strings.Repeat("[", 4000)+"\n", 15),
	} {
		if _, err := ReadConfig("big.toml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), "big.toml") ||
			len(err.Error()) > 9000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzReadConfig(f *testing.F) {
	f.Add("base = \"a100\"\n[sm]\ncount = 3\n")
	f.Add(string(presetSource("h200")))
	f.Add(string(presetSource("k20c")))
	f.Add("sm.count = 1e400")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ReadConfig("fuzz", []byte(text))
		if err != nil {
			return
		}
		back, err := ReadConfig("fuzz", []byte(c.TOML()))
		if err != nil || back.TOML() != c.TOML() {
			t.Errorf("does not read back: %v", err)
		}
	})
}

// A key of an earlier version gives one line that names the key which replaces it, in a file and in Set.
func TestReplacedKeys(t *testing.T) {
	c, err := Preset("a100")
	if err != nil {
		t.Fatal(err)
	}
	for key, word := range replaced {
		if _, known := findKey(key); known {
			t.Errorf("%s is a key", key)
		}
		if err := c.Set(key, "true"); err == nil || !strings.Contains(err.Error(), key+" is no longer a key: set "+word+
			" to ") {
			t.Errorf("Set(%s): %v", key, err)
		}
		table, name, _ := strings.Cut(key, ".")
		_, err := ReadConfig("my.toml", []byte("base = \"a100\"\n["+table+"]\n"+name+" = true\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "my.toml:3: "+key+" is no longer a key") {
			t.Errorf("a file with %s: %v", key, err)
		}
	}
}

// presetSource returns the TOML file of a preset, with the source of every
// number beside it; nil if there is no such preset.
func presetSource(name string) []byte {
	data, err := presetFiles.ReadFile(path.Join("presets", name+".toml"))
	if err != nil {
		return nil
	}
	return data
}
