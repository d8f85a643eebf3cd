package model

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
)

// presetTable is docs/model's table of presets, made from the presets.
func presetTable() string {
	var b strings.Builder
	b.WriteString("| preset | SMs | MHz | warps, CTAs an SM | L1, shared KB | L2 KB | GB/s | host launch | dispatch " +
		"| child launch |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, name := range hardware.Presets() {
		c, err := hardware.Preset(name)
		if err != nil {
			panic(err)
		}
		l := c.Launch
		fmt.Fprintf(&b, "| `%s` | %d | %g | %d, %d | %d, %d | %d | %.0f | %d | %d | %d + %dx%s |\n", name, c.SM.Count,
			c.Clock.CoreMHz, c.SM.MaxWarps, c.SM.MaxCTAs,
			c.L1.Bytes>>10, c.SM.SharedBytes>>10, c.L2.Bytes>>10, c.DRAMGBs(), c.Host.LaunchLatency, c.KMU.DispatchLatency,
			l.ParamBase+l.DeviceBase, l.ParamPerLane+l.DevicePerLane,
			map[bool]string{true: ", holds the warp", false: ", asynchronous"}[l.BlocksWarp])
	}
	return b.String()
}

var update = flag.Bool("update", false, "write the table of presets in docs/model")

// The tables of docs/model that repeat facts of the code are those facts.
func TestModelDocTables(t *testing.T) {
	const path = "../docs/model/presets.md"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- presets -->\n", "<!-- /presets -->\n"
	before, rest, found := strings.Cut(string(data), begin)
	_, after, closed := strings.Cut(rest, end)
	want := before + begin + presetTable() + end + after
	switch {
	case !found || !closed:
		t.Errorf("docs/model has no place for the table of presets")
	case want == string(data):
	case !*update:
		t.Error("the table of presets in docs/model is not that of the presets; write it with: go test ./model -run " +
			"ModelDoc -update")
	default:
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// saysMODEL checks that docs/model has a text, however its lines are broken.
func saysMODEL(t *testing.T, want string) {
	t.Helper()
	pages, err := filepath.Glob("../docs/model/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages (%v)", err)
	}
	var text strings.Builder
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(data)
	}
	if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), want) {
		t.Errorf("docs/model does not say: %s", want)
	}
}

// The numbers of docs/model without a key equal the code's.
func TestModelDocNumbers(t *testing.T) {
	var h host.Host
	for _, want := range []string{
		fmt.Sprintf("one of %s engines", []string{"no", "one", "two", "three"}[len(h.Engine)]),
		fmt.Sprintf("at most %s operations ahead of the device", grouped(host.MaxOpen)),
		fmt.Sprintf("The host reads up to %s unfinished tasks ahead", grouped(taskWindow)),
		fmt.Sprintf("gives task n to stream n mod %d", taskStreamCount),
		fmt.Sprintf("lies at 105 x 2^56 + %#x + ", uint64(exec.LocalWindow-105<<56)),
	} {
		saysMODEL(t, want)
	}
	for _, name := range []string{"qv100", "rtx3070", "kepler-titan"} {
		if c := mustPreset(t, name); 2*c.Icnt.Latency+1 != 13 {
			t.Errorf("%s: an L2 hit takes the L1's and the L2's latency and %d, docs/model says 13", name, 2*c.Icnt.Latency+1)
		}
	}
	// The DRAM efficiency of a bus that never rests.
	var full []string
	for _, name := range []string{"k20c", "a100", "h100-pcie"} {
		c := mustPreset(t, name)
		perCycle := c.DRAM.BusBytes * c.DRAM.DataRate
		bursts := (32 + perCycle - 1) / perCycle
		full = append(full, fmt.Sprintf("%.2f on `%s`", c.Clock.DRAMMHz/c.Clock.CoreMHz/float64(bursts), name))
	}
	saysMODEL(t, strings.Join(full, ", "))
	// Known deviation 2 of the presets: data sheet rates.
	for name, want := range map[string]struct{ mhz, gbs float64 }{"h100": {5234, 3350}, "h200": {6250, 4800}} {
		c := mustPreset(t, name)
		c.Clock.DRAMMHz = want.mhz
		if got := c.DRAMGBs(); got < want.gbs*0.999 || got > want.gbs*1.001 {
			t.Errorf("%s at %g MHz: %g GB/s, docs/model says %g", name, want.mhz, got, want.gbs)
		}
	}
}

// Choices and deviations are numbered one after another, each list from 1.
func TestModelDocLists(t *testing.T) {
	choices, err := os.ReadFile("../docs/model/choices.md")
	if err != nil {
		t.Fatal(err)
	}
	deviations, err := os.ReadFile("../docs/model/deviations.md")
	if err != nil {
		t.Fatal(err)
	}
	last, lists := 0, 0
	for i, line := range strings.Split(string(choices)+"\n"+string(deviations), "\n") {
		if strings.HasPrefix(line, "#") {
			last = 0
		}
		var n int
		if _, err := fmt.Sscanf(strings.TrimPrefix(line, "P"), "%d. ", &n); err != nil {
			continue
		}
		if n != last+1 {
			t.Errorf("docs/model:%d: number %d follows %d", i+1, n, last)
		}
		if last = n; n == 1 {
			lists++
		}
	}
	if lists < 4 {
		t.Errorf("%d numbered lists", lists)
	}
}

func mustPreset(t testing.TB, name string) *hardware.Config {
	t.Helper()
	c, err := hardware.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
