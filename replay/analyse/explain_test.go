package analyse

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
