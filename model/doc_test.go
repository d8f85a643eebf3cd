package model

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// presetTable is MODEL.md's table of presets, made from the presets.
func presetTable() string {
	var b strings.Builder
	b.WriteString("| preset | SMs | MHz | warps, CTAs an SM | L1, shared KB | L2 KB | GB/s | host launch | dispatch | child launch |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, name := range Presets() {
		c, err := Preset(name)
		if err != nil {
			panic(err)
		}
		l := c.Launch
		fmt.Fprintf(&b, "| `%s` | %d | %g | %d, %d | %d, %d | %d | %.0f | %d | %d | %d + %dx%s |\n", name, c.SM.Count, c.Clock.CoreMHz, c.SM.MaxWarps, c.SM.MaxCTAs,
			c.L1.Bytes>>10, c.SM.SharedBytes>>10, c.L2.Bytes>>10, gbs(c), c.Host.LaunchLatency, c.KMU.DispatchLatency, l.ParamBase+l.DeviceBase, l.ParamPerLane+l.DevicePerLane,
			map[bool]string{true: ", holds the warp", false: ", asynchronous"}[l.BlocksWarp])
	}
	return b.String()
}

// capabilityTable is MODEL.md's table of occupancy limits.
func capabilityTable() string {
	var b strings.Builder
	b.WriteString("| capability | | warps | CTAs | registers | a warp's unit | sub-partitions | shared KiB | unit | reserved |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, k := range capabilities {
		fmt.Fprintf(&b, "| %d.%d | %s | %d | %d | %d | %d | %d | %d | %d | %d |\n", k.cc/10, k.cc%10, k.description, k.warps, k.ctas, k.registers, registerUnit,
			k.warpUnit, k.sharedKiB, k.sharedUnit, k.reserved)
	}
	return b.String()
}

// The tables of MODEL.md that repeat facts of the code are those facts.
func TestModelDocTables(t *testing.T) {
	data, err := os.ReadFile("MODEL.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{presetTable(), capabilityTable()} {
		if !strings.Contains(string(data), table) {
			t.Errorf("MODEL.md does not have this table:\n%s", table)
		}
	}
}
