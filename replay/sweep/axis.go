package sweep

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gpureplay/internal/nearest"
	"gpureplay/model/hardware"
	"gpureplay/replay"
	"gpureplay/replay/table"

	"github.com/BurntSushi/toml"
)

// maxValues is the most values of one key.
const maxValues = 10_000

// axis is one key of the machine and its values.
type axis struct {
	key    string // of the file, for errors
	column table.Column
	values []value
}

// value is one point of an axis.
type value struct {
	text  string // as it stands in errors and lists
	cell  any    // in the column
	apply func(*hardware.Config) error
}

// settings reads the axes in the order of the file.
func (f *File) settings(order []toml.Key) ([]axis, error) {
	var axes []axis
	done := "" // the axis whose inner keys follow
	for _, k := range order {
		if k[0] != "set" || len(k) < 2 {
			continue
		}
		key := strings.Join(k[1:], ".")
		if done != "" && strings.HasPrefix(key, done+".") {
			continue
		}
		v := f.lookup(k[1:])
		if m, ok := v.(map[string]any); ok && !isRange(m) {
			continue // a table of keys: they follow
		}
		done = key
		a, err := f.axis(key, v)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(axes, func(b axis) bool { return b.column.Name == a.column.Name }) {
			return nil, f.wrong(a.key, "is given twice")
		}
		axes = append(axes, a)
	}
	if f.Sensitivity != "" {
		if f.Sensitivity != replay.LaunchSensitivity {
			return nil, f.wrong("sensitivity", "is %s, must be %s; for a key of the machine give its values under set",
				f.Sensitivity, replay.LaunchSensitivity)
		}
		variants, _, err := replay.Sensitivity(f.Sensitivity, nil)
		if err != nil {
			return nil, f.wrong("sensitivity", "%w", err)
		}
		axes = append(axes, sensitivity(f.Sensitivity, variants))
	}
	return axes, nil
}

// lookup follows a key into the settings.
func (f *File) lookup(path []string) any {
	var v any = f.Set
	for _, name := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

// isRange tells a range from a table of keys.
func isRange(m map[string]any) bool {
	_, from := m["from"]
	_, to := m["to"]
	return from || to
}

// axis makes the axis of a key of the machine.
func (f *File) axis(key string, v any) (axis, error) {
	a := axis{key: "set." + key}
	var machine hardware.Config
	if _, ok := machine.Value(key); !ok {
		return a, f.wrong(a.key, "%w", machine.Set(key, ""))
	}
	texts, err := points(v)
	if err != nil {
		return a, f.wrong(a.key, "%w", err)
	}
	for _, text := range texts {
		if hardware.IsFactor(text) {
			return a, f.wrong(a.key, "has the value %s, a factor: the machines of a sweep differ, give values", text)
		}
		if err := machine.Set(key, text); err != nil {
			return a, f.wrong(a.key, "%w", err)
		}
		cell, _ := machine.Value(key)
		if slices.ContainsFunc(a.values, func(x value) bool { return x.cell == cell }) {
			return a, f.wrong(a.key, "has the value %s twice", text)
		}
		a.values = append(a.values, value{text, cell, func(c *hardware.Config) error { return c.Set(key, text) }})
	}
	a.column = table.Column{
		Name: "set_" + strings.ReplaceAll(key, ".", "_"), Type: typeOf(a.values[0].cell),
		Doc: "Setting " + key + " of the machine.",
	}
	return a, nil
}

// sensitivity makes the axis of a constant that --sensitivity varies.
func sensitivity(name string, variants []replay.Variant) axis {
	a := axis{key: "sensitivity", column: table.Column{Name: "set_" + name, Type: table.Int64, Doc: "The constant " +
		name + " of --sensitivity."}}
	for _, v := range variants {
		n, _ := strconv.ParseInt(v.Value, 10, 64) // cycles
		a.values = append(a.values, value{v.Value, n, func(c *hardware.Config) error {
			v.Apply(c)
			return nil
		}})
	}
	return a
}

func typeOf(cell any) table.Type {
	switch cell.(type) {
	case int64:
		return table.Int64
	case float64:
		return table.Float64
	case bool:
		return table.Bool
	}
	return table.String
}

// points returns the values that a setting stands for, as texts.
func points(v any) ([]string, error) {
	switch v := v.(type) {
	case map[string]any:
		return span(v)
	case []any:
		if len(v) == 0 || len(v) > maxValues {
			return nil, fmt.Errorf("%d values: want 1 to %d", len(v), maxValues)
		}
		var texts []string
		for _, x := range v {
			text, err := scalar(x)
			if err != nil {
				return nil, err
			}
			texts = append(texts, text)
		}
		return texts, nil
	}
	text, err := scalar(v)
	return []string{text}, err
}

// scalar is one value as [hardware.Config.Set] takes it. A list in a list is the
// value of a key that is a list itself.
func scalar(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case []any:
		var parts []string
		for _, x := range v {
			text, err := scalar(x)
			if err != nil {
				return "", err
			}
			parts = append(parts, text)
		}
		return strings.Join(parts, ","), nil
	}
	return "", fmt.Errorf("%v is no value: want a number, a text, true or false, a list of them, or { from, to, step "+
		"} or { from, to, factor }", v)
}

// span multiplies out { from, to, step } or { from, to, factor }, both ends
// included where they are met.
func span(m map[string]any) ([]string, error) {
	whole := true
	number := map[string]float64{}
	for _, k := range sortedKeys(m) {
		if !slices.Contains([]string{"from", "to", "step", "factor"}, k) {
			return nil, fmt.Errorf("a range has no %q, but from, to, and step or factor%s", k,
				nearest.Hint(k, []string{"from", "to", "step", "factor"}))
		}
		switch n := m[k].(type) {
		case int64:
			number[k] = float64(n)
		case float64:
			number[k], whole = n, false
		default:
			return nil, fmt.Errorf("%s = %v of a range is no number", k, n)
		}
	}
	from, to, step, factor := number["from"], number["to"], number["step"], number["factor"]
	_, hasFrom := m["from"]
	_, hasTo := m["to"]
	switch {
	case !hasFrom || !hasTo:
		return nil, fmt.Errorf("a range wants both from and to")
	case (step > 0) == (factor > 1) || m["step"] != nil && m["factor"] != nil:
		return nil, fmt.Errorf("a range wants a step above 0 or a factor above 1")
	case !(from <= to) || math.IsInf(to-from, 0):
		return nil, fmt.Errorf("a range from %v to %v is empty", from, to)
	case factor > 1 && from <= 0:
		return nil, fmt.Errorf("a range with a factor wants a from above 0, not %v", from)
	}
	var texts []string
	for i := 0; ; i++ {
		x := from + float64(i)*step
		if factor > 1 {
			x = from * math.Pow(factor, float64(i))
		}
		if x > to+(to-from)*1e-12 {
			return texts, nil
		}
		if i == maxValues {
			return nil, fmt.Errorf("a range of more than %d values", maxValues)
		}
		if whole {
			texts = append(texts, strconv.FormatInt(int64(math.Round(x)), 10))
		} else {
			texts = append(texts, strconv.FormatFloat(x, 'g', 12, 64))
		}
	}
}

func sortedKeys(m map[string]any) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}
