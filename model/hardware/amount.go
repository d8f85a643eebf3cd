package hardware

import (
	"math"
	"reflect"
	"strconv"
	"strings"
)

// isSize reports whether a key is a number of bytes.
func (k configKey) isSize() bool {
	return strings.HasSuffix(k.path, "bytes") || k.path == "l1.unified" || k.path == "l1.carveouts" ||
		strings.HasPrefix(k.path, "sm.shared_")
}

// amount writes a value as a plain number. For numbers x2 is twice the value that the
// machine has, and sizes may have a unit: 80MiB, 512 KiB, 1GB. Other texts stay.
func (k configKey) amount(v reflect.Value, text string) string {
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		if factor, ok := times(text); ok {
			return strconv.FormatFloat(math.Round(float64(v.Int())*factor), 'f', -1, 64)
		}
	case reflect.Float64:
		if factor, ok := times(text); ok {
			return strconv.FormatFloat(v.Float()*factor, 'g', -1, 64)
		}
	case reflect.Slice:
		parts := strings.Split(strings.Trim(text, "[]"), ",")
		for i := range parts {
			parts[i] = k.size(parts[i])
		}
		return strings.Join(parts, ",")
	}
	return k.size(text)
}

// IsFactor reports whether a text multiplies a value that is there, as x2 does.
func IsFactor(text string) bool {
	_, ok := times(text)
	return ok
}

// times reads a factor, x2 or x0.5.
func times(text string) (factor float64, ok bool) {
	rest, ok := strings.CutPrefix(text, "x")
	factor, err := strconv.ParseFloat(rest, 64)
	return factor, ok && err == nil && factor >= 0 && !math.IsInf(factor, 0)
}

// units of sizes, in bytes.
var units = map[string]float64{
	"b": 1, "k": 1 << 10, "kib": 1 << 10, "m": 1 << 20, "mib": 1 << 20, "g": 1 << 30, "gib": 1 << 30,
	"kb": 1e3, "mb": 1e6, "gb": 1e9,
}

// size writes a size with a unit as a number of bytes; a text that is none stays.
func (k configKey) size(text string) string {
	text = strings.TrimSpace(text)
	at := strings.IndexFunc(text, func(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' })
	if !k.isSize() || at < 1 {
		return text
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(text[:at]), 64)
	unit, ok := units[strings.ToLower(text[at:])]
	if bytes := n * unit; err == nil && ok && bytes == math.Trunc(bytes) {
		return strconv.FormatFloat(bytes, 'f', -1, 64)
	}
	return text
}
