package replay

import (
	"strings"
	"testing"

	"gpureplay/model/hardware"
)

// The launch latency of a variant scales the host's, and the constant part of the device API, in the proportions of
// the preset.
func TestSensitivityOfLaunch(t *testing.T) {
	vs, _, err := Sensitivity("launch", nil)
	if err != nil {
		t.Fatal(err)
	}
	first, last := vs[0], vs[len(vs)-1]
	if first.Key != "launch" || first.Value != "0" || last.Key != "launch" || last.Value != "35000" {
		t.Fatalf("the range goes from %s to %s, want launch from 0 to 35000", first.Value, last.Value)
	}
	c, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	perLane := c.Launch.ParamPerLane
	last.Apply(c)
	// 7165 + 8023 + 12187 = 27375 cycles become 35000: each part times 35000/27375.
	l := c.Launch
	if c.Host.LaunchLatency != 35000 || l.StreamCreate != 9160 || l.ParamBase != 10257 || l.DeviceBase != 15581 {
		t.Errorf("host %d, device %d + %d + %d", c.Host.LaunchLatency, l.StreamCreate, l.ParamBase, l.DeviceBase)
	}
	if l.ParamPerLane != perLane {
		t.Errorf("the part per lane changed to %d", l.ParamPerLane)
	}
	if _, _, err := Sensitivity("lunch", c); err == nil {
		t.Error("an unknown constant is accepted")
	}
}

// A number takes half, once, twice and four times its value, a word and a switch all of
// theirs. Values that cannot be are left out, and named.
func TestSensitivityOfKeys(t *testing.T) {
	for _, c := range []struct {
		what   string
		values string // "": refused
		left   int
		says   string
	}{
		{"l2.bytes", "20971520 41943040 83886080 167772160", 0, ""},
		{"l2.bytes=10MiB,x1,80MiB", "10485760 41943040 83886080", 0, ""},
		{"l2.copies_warm", "false true", 0, ""},
		{"sm.warp_scheduler", "gto gty lrr", 0, ""},
		{"sm.issue_width", "1 2", 1, ""}, // half of 1 is 1 again, and 4 is too many
		{"sm.max_warps", "64", 3, ""},    // the threads need 64, and more is too many
		{"l2", "", 0, "table of keys"}, {"l2.byte", "", 0, "l2.bytes"}, {"l2.byte=1", "", 0, "l2.bytes"}, {"tlb.entries",
			"", 0, "give values"},
		{"dram.mapping", "", 0, "give values"}, {"sm.count=-1", "", 0, "from 1 to 4096"},
	} {
		cfg, err := hardware.Preset("a100")
		if err != nil {
			t.Fatal(err)
		}
		cfg.TLB.Entries = 0
		all, left, err := Sensitivity(c.what, cfg)
		if c.values == "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, want %q", c.what, err, c.says)
			}
			continue
		}
		var values []string
		for _, v := range all {
			values = append(values, v.Value)
			v.Apply(cfg)
			if is, _ := cfg.Value(v.Key); word(is) != v.Value {
				t.Errorf("%s: %v is set, not %s", c.what, is, v.Value)
			}
		}
		if err != nil || strings.Join(values, " ") != c.values || len(left) != c.left {
			t.Errorf("%s: %v, left out %v, %v; want %s", c.what, values, left, err, c.values)
		}
	}
}

// Every key of a machine has a range, or says why it needs values.
func TestEveryKeyHasARange(t *testing.T) {
	cfg, err := hardware.Preset("a100")
	if err != nil {
		t.Fatal(err)
	}
	ranges := 0
	for _, key := range hardware.Keys() {
		all, _, err := Sensitivity(key, cfg)
		switch {
		case err == nil && len(all) > 0:
			ranges++
		case err == nil || !strings.Contains(err.Error(), "give values"):
			t.Errorf("%s: %d variants, %v", key, len(all), err)
		}
	}
	if ranges < 100 {
		t.Errorf("only %d of %d keys have a range", ranges, len(hardware.Keys()))
	}
}
