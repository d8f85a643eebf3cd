package policies

import (
	"testing"

	"gpureplay/model/hardware"
)

// The papers' figures: DTBL's table of 1,024 entries is 20 KB and the rest 1,096
// bytes (section 4.3), SPAWN's table 416 bytes (section IV.B).
func TestCostsOfThePapers(t *testing.T) {
	for _, c := range []struct {
		preset, policy string
		line           int
		want           float64
	}{
		{"k20c", "dtbl", 0, 20480},
		{"k20c", "dtbl", 1, 1096},
		{"k20c", "dtbl", 2, 7 * 28},
		{"k20c", "dtbl", 3, 21576 + 7*28},
		{"k20c", "dtbl,ahead=1", 2, 21576},
		{"k20c", "dtbl,agt=4096", 0, 81920},
		{"k20c", "dtbl,kde=1024", 0, 992},
		{"k20m-spawn", "spawn", 0, 416},
		{"k20m-spawn", "spawn", 4, 418},
		{"k20m-spawn", "spawn+dtbl", 5, 20480},
	} {
		cfg, err := hardware.Preset(c.preset)
		if err != nil {
			t.Fatal(err)
		}
		cs, err := Parse(c.policy, nil)
		if err != nil {
			t.Fatal(err)
		}
		lines := cs[0].Cost(cfg)
		if len(lines) <= c.line || lines[c.line].Value != c.want {
			t.Errorf("%s on %s: %+v, want %v in line %d", c.policy, c.preset, lines, c.want, c.line)
		}
	}
}
