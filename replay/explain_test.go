package replay

import (
	"testing"

	"gpureplay/model/hardware"
)

// Every switch can be turned on every machine that we ship, and changes it.
func TestSwitchesTurn(t *testing.T) {
	for _, name := range hardware.Presets() {
		cfg, err := hardware.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range Switches() {
			changed, err := s.turn(cfg)
			if err != nil {
				t.Errorf("%s: switch %s: %v", name, s.Name, err)
				continue
			}
			if err := changed.Validate(); err != nil {
				t.Errorf("%s: switch %s: %v", name, s.Name, err)
			}
		}
	}
}

// The launch latency of a variant is that of the host, and of the constant part
// of the device API, in the proportions of the preset.
func TestSensitivityOfLaunch(t *testing.T) {
	vs, err := Sensitivity("launch")
	if err != nil {
		t.Fatal(err)
	}
	first, last := vs[0], vs[len(vs)-1]
	if first.Key != "launch" || first.Value != 0 || last.Key != "launch" || last.Value != 35000 {
		t.Fatalf("the range goes from %d to %d, want launch from 0 to 35000", first.Value, last.Value)
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
	if _, err := Sensitivity("lunch"); err == nil {
		t.Error("an unknown constant is accepted")
	}
}
