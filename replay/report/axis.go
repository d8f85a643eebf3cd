package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gpureplay/model/hardware"
	"gpureplay/replay/table"
)

// axis is a setting that varies, as the horizontal axis of a plot and as an order of rows.
type axis struct {
	name    string
	numeric bool   // all values but the preset's are numbers
	preset  number // the number that the preset has for it; not ok: unknown, or there is none
}

// machineKeys are the keys of a machine for settings that have a name of their own.
var machineKeys = map[string]string{"launch": "host.launch_latency"}

// newAxis looks at all values of a setting. The runs without the setting say which number
// their preset has.
func (s *source) newAxis(name string, at int) axis {
	a := axis{name: name, numeric: true}
	numbers := 0
	for _, r := range s.runs {
		v := r.settings[at]
		if v == table.Unset {
			continue
		}
		numbers++
		_, ok := toNumber(v)
		a.numeric = a.numeric && ok
	}
	a.numeric = a.numeric && numbers > 0
	for _, r := range s.runs {
		if !a.numeric || a.preset.ok || r.settings[at] != table.Unset {
			continue
		}
		if kvs, err := s.about(r); err == nil {
			a.preset = machineNumber(kvs["configuration"], cmp.Or(machineKeys[name], name))
		}
	}
	return a
}

// machineNumber is the number that a configuration has for a key; not ok if it has none.
func machineNumber(configuration, key string) number {
	cfg, err := hardware.ReadConfig("configuration", []byte(configuration))
	if err != nil {
		return number{}
	}
	switch v, _ := cfg.Value(key); v := v.(type) {
	case int64:
		return number{float64(v), true}
	case float64:
		return number{v, true}
	}
	return number{}
}

// toNumber reads a finite number.
func toNumber(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}

// number is the place of a value on the axis; not ok: it has none.
func (a *axis) number(value string) number {
	if value == table.Unset {
		return a.preset
	}
	x, ok := toNumber(value)
	return number{x, ok && a.numeric}
}

// compare orders values: numbers by size, the preset at its number or before all others,
// text by letters.
func (a *axis) compare(v, w string) int {
	x, y := a.number(v), a.number(w)
	switch {
	case v == w:
		return 0
	case x.ok && y.ok && x.x != y.x:
		return cmp.Compare(x.x, y.x)
	case (v == table.Unset) != (w == table.Unset):
		if v == table.Unset {
			return -1
		}
		return 1
	}
	return strings.Compare(v, w)
}

// word is a value as rows of tables have it: the preset with its number.
func (a *axis) word(value string) string {
	if value == table.Unset && a.preset.ok {
		return decimalsOf(a.preset.x) + " (preset)"
	}
	return value
}

// sort orders runs by their settings; those with the same settings keep their order.
func (s *source) sort() {
	slices.SortStableFunc(s.runs, func(a, b *run) int {
		if a.trace != b.trace || a.gpu != b.gpu {
			return cmp.Compare(s.place[a.trace+"\x00"+a.gpu], s.place[b.trace+"\x00"+b.gpu])
		}
		for i := range s.scales {
			if c := s.scales[i].compare(a.settings[i], b.settings[i]); c != 0 {
				return c
			}
		}
		return 0
	})
}
