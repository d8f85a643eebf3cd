package table

import (
	"math"
	"strconv"
)

// SettingKind is the owner of a setting.
type SettingKind uint8

const (
	OfMachine SettingKind = iota
	OfPolicy
	OfRun
)

// Setting is one parameter of a replay.
type Setting struct {
	Kind    SettingKind
	Key     string
	Value   string
	Default string // of the preset, or of the policy; "": there is none
}

func init() {
	register(table[Setting]{
		Name: "settings", Row: "one parameter of a replay: of its machine, of its policy, or of the run",
		Order: "of the machine, of the policy, of the run", Place: 14, Small: true,
		Columns: func() []column[Setting] {
			return []column[Setting]{
				enum("of", "Its owner: the machine (its key in a preset), the policy, or the run (launch: the constant of "+
					"--sensitivity).", []string{"machine", "policy", "run"},
					func(r *Setting) int { return int(r.Kind) }),
				text("key", "Its name.", false, func(r *Setting) string { return r.Key }),
				text("value", "Its value.", false, func(r *Setting) string { return r.Value }),
				f64("number", "The value, where it is a number.", func(r *Setting) float64 {
					if x, err := strconv.ParseFloat(r.Value, 64); err == nil {
						return x
					}
					return math.NaN()
				}),
				text("preset", "Default of the machine's preset or of the policy; of a machine from a "+
					"file NULL.", true, func(r *Setting) string {
					return r.Default
				}),
				boolean("changed", "The value differs from the default.", func(r *Setting) bool {
					return r.Default != "" && r.Value != r.Default
				}),
			}
		},
		From: func(f *feed, add func(*Setting)) { f.settings.to(add) },
	})
}
