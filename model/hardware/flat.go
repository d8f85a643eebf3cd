package hardware

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// readFlat reads a preset: sections, and keys with a value on their line. A preset says nothing else, and a TOML
// decoder would take a fifth of the instructions of a short run. It returns nil for anything else, or a wrong value.
func readFlat(data []byte, depth int) *Config {
	c := &Config{}
	if base := flatBase(data); base != "" {
		var err error
		if c, err = preset(base, depth+1); err != nil {
			return nil
		}
		c.Name = ""
	}
	v, keys, next, section := reflect.ValueOf(c).Elem(), configKeys(), 0, ""
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		if text == "" {
			continue
		}
		if name, ok := strings.CutPrefix(text, "["); ok {
			if section, ok = strings.CutSuffix(name, "]"); !ok || strings.ContainsAny(section, `[]"'# `) {
				return nil
			}
			section += "."
			continue
		}
		key, value, _ := strings.Cut(text, "=")
		path := section + strings.TrimSpace(key)
		if path == "base" {
			continue
		}
		if next < len(keys) && keys[next].path != path || next == len(keys) { // presets keep the order as a rule
			next = slices.IndexFunc(keys, func(k configKey) bool { return k.path == path })
		}
		if next < 0 || !setFlat(v.FieldByIndex(keys[next].index), strings.TrimSpace(value)) {
			return nil
		}
		next++
	}
	return c
}

// flatBase returns the preset that one builds on, if it names one.
func flatBase(data []byte) string {
	for line := range bytes.Lines(data) {
		if key, value, _ := strings.Cut(string(line), "="); strings.TrimSpace(key) == "base" {
			base, _ := unquoted(strings.TrimSpace(value))
			return base
		}
	}
	return ""
}

// setFlat sets a field to the value of a text, and reports whether it can.
func setFlat(v reflect.Value, text string) bool {
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 0)
		v.SetInt(n)
		return err == nil
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		v.SetFloat(f)
		return err == nil
	case reflect.Bool:
		v.SetBool(text == "true")
		return text == "true" || text == "false"
	case reflect.String:
		s, ok := unquoted(text)
		v.SetString(s)
		return ok
	case reflect.Slice:
		list, ok := strings.CutPrefix(text, "[")
		if list, ok = strings.CutSuffix(list, "]"); !ok || v.Type() != reflect.TypeFor[[]int]() {
			return false
		}
		all := []int{}
		for each := range strings.SplitSeq(list, ",") {
			if strings.TrimSpace(list) == "" {
				break
			}
			n, err := strconv.Atoi(strings.TrimSpace(each))
			if err != nil {
				return false
			}
			all = append(all, n)
		}
		v.Set(reflect.ValueOf(all))
		return true
	}
	return false
}

// unquoted returns the text between quotes, without escapes in it.
func unquoted(text string) (s string, ok bool) {
	s, first := strings.CutPrefix(text, `"`)
	s, last := strings.CutSuffix(s, `"`)
	return s, first && last && !strings.ContainsAny(s, "\"\\")
}

// flat is [Config.TOML] for values that need no escapes, exponents or other odd forms; nil: some do.
func (c *Config) flat() []byte {
	b := make([]byte, 0, 8<<10)
	v, section := reflect.ValueOf(c).Elem(), ""
	for _, k := range configKeys() {
		name := k.path
		if i := strings.LastIndexByte(k.path, '.'); i >= 0 {
			if name = k.path[i+1:]; k.path[:i] != section {
				b = appendSection(b, section, k.path[:i])
				section = k.path[:i]
			}
		}
		if f := v.FieldByIndex(k.index); f.Kind() == reflect.Slice && f.IsNil() {
			continue
		}
		var ok bool
		b = append(append(b, name...), " = "...)
		if b, ok = appendFlat(b, v.FieldByIndex(k.index)); !ok {
			return nil
		}
		b = append(b, '\n')
	}
	return b
}

// appendSection appends the heads of a section and of the one that it is in, behind another one.
func appendSection(b []byte, before, section string) []byte {
	outer, _, inner := strings.Cut(section, ".")
	if was, _, _ := strings.Cut(before, "."); was != outer {
		b = append(append(append(b, "\n["...), outer...), "]\n"...)
	}
	if inner {
		b = append(append(append(b, '['), section...), "]\n"...)
	}
	return b
}

func appendFlat(b []byte, v reflect.Value) (all []byte, ok bool) {
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10), true
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool()), true
	case reflect.Float64:
		from := len(b)
		b = strconv.AppendFloat(b, v.Float(), 'g', -1, 64)
		if bytes.IndexByte(b[from:], '.') < 0 {
			b = append(b, ".0"...)
		}
		return b, !bytes.ContainsAny(b[from:], "eEIN") // an exponent, Inf or NaN
	case reflect.String:
		b = append(append(append(b, '"'), v.String()...), '"')
		return b, !strings.ContainsFunc(v.String(), func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r > '~' })
	case reflect.Slice:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ", "...)
			}
			if b, ok = appendFlat(b, v.Index(i)); !ok {
				return nil, false
			}
		}
		return append(b, ']'), true
	}
	return nil, false
}
