package hardware

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gpureplay/internal/nearest"
)

// A configKey is one settable value of a [Config]: its TOML path and where it
// lies in the struct.
type configKey struct {
	path  string // "exec.int.latency"
	index []int  // for reflect.Value.FieldByIndex
	kind  reflect.Kind
	bound bound
}

// configKeys holds every key in the order of declaration.
var configKeys = sync.OnceValue(func() []configKey {
	return appendKeys(make([]configKey, 0, 256), reflect.TypeFor[Config](), "", nil)
})

func appendKeys(keys []configKey, t reflect.Type, prefix string, index []int) []configKey {
	for i := range t.NumField() {
		f := t.Field(i)
		path := prefix + f.Tag.Get("toml")
		at := append(slices.Clone(index), i)
		if f.Type.Kind() == reflect.Struct {
			keys = appendKeys(keys, f.Type, path+".", at)
			continue
		}
		keys = append(keys, configKey{path, at, f.Type.Kind(), boundOf(path)})
	}
	return keys
}

func findKey(path string) (configKey, bool) {
	keys := configKeys()
	i := slices.IndexFunc(keys, func(k configKey) bool { return k.path == path })
	if i < 0 {
		return configKey{}, false
	}
	return keys[i], true
}

// Keys returns the TOML path of every value of a [Config], as [Config.Set] takes it, in the order of declaration.
func Keys() []string {
	paths := make([]string, len(configKeys()))
	for i, k := range configKeys() {
		paths[i] = k.path
	}
	return paths
}

// A ValueError is a value that a [Config] cannot have.
type ValueError struct {
	Key     string // TOML path
	Value   string
	Allowed string // the allowed values, as the rest of a sentence
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("%s = %s: must be %s", e.Key, e.Value, e.Allowed)
}

// Set gives the value at a TOML path such as "sm.count". Lists are separated by commas. A number may be a factor of
// the value before (x2), and a size may have a unit (80MiB). The error names the key, the value and the allowed
// ones, and for an unknown key the nearest known ones. Rules between keys are left to [Config.Validate], so that
// several can be set in any order.
func (c *Config) Set(key, value string) error {
	k, ok := findKey(key)
	if !ok {
		return unknownKey(key)
	}
	v := reflect.ValueOf(c).Elem().FieldByIndex(k.index)
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	if !parseInto(v, k.amount(v, strings.TrimSpace(value))) {
		return &ValueError{key, strconv.Quote(value), k.allowed()}
	}
	if err := c.checkKey(k); err != nil {
		v.Set(old)
		return err
	}
	return nil
}

// Value returns the value at a TOML path: an int64, a float64, a bool, a string,
// or a list as text with commas; ok is false if there is no such key.
func (c *Config) Value(key string) (value any, ok bool) {
	k, ok := findKey(key)
	if !ok {
		return nil, false
	}
	v := reflect.ValueOf(c).Elem().FieldByIndex(k.index)
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		return v.Int(), true
	case reflect.Slice:
		words := make([]string, v.Len())
		for i := range words {
			words[i] = strconv.FormatInt(v.Index(i).Int(), 10)
		}
		return strings.Join(words, ","), true
	}
	return v.Interface(), true
}

func parseInto(v reflect.Value, text string) bool {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return false
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 0, v.Type().Bits())
		if err != nil {
			return false
		}
		v.SetInt(n)
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return false
		}
		v.SetFloat(f)
	case reflect.Slice:
		return parseList(v, text)
	default:
		panic("model: a Config field of kind " + v.Kind().String())
	}
	return true
}

func parseList(v reflect.Value, text string) bool {
	list := []int{}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.ParseInt(part, 0, strconv.IntSize)
		if err != nil || len(list) == maxList {
			return false
		}
		list = append(list, int(n))
	}
	v.Set(reflect.ValueOf(list))
	return true
}

func unknownKey(key string) error {
	if err := replacedKey(key); err != nil {
		return err
	}
	near := nearest.Hint(key, Keys())
	if near == "" {
		near = keysBeside(key)
	}
	if near == "" {
		near = ": replay presets PRESET shows all keys"
	}
	return fmt.Errorf("unknown key %s%s", key, near)
}

// keysBeside lists the keys of the table that a key names, if there is such a table.
func keysBeside(key string) string {
	table, _, _ := strings.Cut(key, ".")
	var names []string
	for _, k := range Keys() {
		if rest, ok := strings.CutPrefix(k, table+"."); ok {
			names = append(names, rest)
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf(": %s has %s", table, strings.Join(names, ", "))
}
