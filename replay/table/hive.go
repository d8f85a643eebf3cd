package table

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Key identifies a run: trace, machine, settings and policy. The same run replaces itself, another never.
type Key struct {
	Trace  string // its name
	GPU    string // name of the machine
	Set    string // differences from that machine and from the whole trace, words with commas; "": none
	Policy string // as it was requested, with its parameters
}

// Unset names the settings of a run without any: engines demand the same keys of every file, so that the folder is
// always there.
const Unset = "preset"

// Words are the settings of a run for people: without the hash of a machine that is no preset, since the name of the
// GPU stands beside it. A run without any has none.
func Words(set string) string {
	words := slices.DeleteFunc(strings.Split(set, ","), func(w string) bool {
		return w == Unset || strings.HasPrefix(w, "file.")
	})
	return strings.Join(words, ",")
}

// hiveKeys are the keys of a path, in its order.
var hiveKeys = []string{"trace", "gpu", "set", "policy"}

// values are the values of hiveKeys.
func (k Key) values() []string {
	set := k.Set
	if set == "" {
		set = Unset
	}
	return []string{k.Trace, k.GPU, set, k.Policy}
}

// path returns the folders of a run under a table's folder, with slashes.
func (k Key) path() (string, error) {
	var parts []string
	for i, value := range k.values() {
		part, err := segment(hiveKeys[i], value)
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "/"), nil
}

// keyOf is the inverse of path.
func keyOf(path string) (k Key, ok bool) {
	parts := strings.Split(path, "/")
	if len(parts) != len(hiveKeys) {
		return k, false
	}
	for i, to := range []*string{&k.Trace, &k.GPU, &k.Set, &k.Policy} {
		name, value, ok := unsegment(parts[i])
		if !ok || name != hiveKeys[i] {
			return k, false
		}
		*to = value
	}
	if k.Set == Unset {
		k.Set = ""
	}
	return k, true
}

// maxSegment is the longest name of a folder that common file systems take.
const maxSegment = 255

// misread reports whether engines take a text for a number, a date, a truth value or NULL
// where it is a hive key, so that 007 and 7 would be one trace; with underscores
// before it, which [segment] adds one of.
func misread(value string) bool {
	text := strings.TrimLeft(value, "_")
	if text == "" {
		return false
	}
	switch word := strings.ToLower(text); strings.TrimPrefix(word, "-") {
	case "inf", "infinity":
		return true
	case "true", "false", "null", "none", "nan":
		return word[0] != '-'
	case "hive_default_partition__":
		return len(value)-len(text) >= 2 && word[0] != '-'
	}
	digits := strings.TrimPrefix(strings.TrimLeft(text[:1], "-+")+text[1:], ".")
	return digits != "" && '0' <= digits[0] && digits[0] <= '9' && strings.Trim(digits, "-+0123456789._eE:TZ/ ") == ""
}

// segment returns the folder name key=value with the value percent-encoded, as DuckDB and pyarrow decode it.
// Everything but letters, digits and - _ . is encoded, so that no value holds a separator, a wildcard or a second
// =. A value that engines would not read as text has an underscore in front.
func segment(key, value string) (string, error) {
	if value == "" {
		return "", fmt.Errorf("tables: the %s has no name: a folder cannot be made for it", key)
	}
	if misread(value) {
		value = "_" + value
	}
	var b strings.Builder
	b.WriteString(key + "=")
	for i := range len(value) {
		c := value[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if b.Len() > maxSegment {
		return "", fmt.Errorf("tables: the name of %s %.40q… is too long for a folder: %d bytes encoded, at most %d", key,
			value, b.Len(), maxSegment)
	}
	return b.String(), nil
}

// CheckTraceName returns an error if a trace's name cannot name a folder of tables.
func CheckTraceName(name string) error {
	_, err := segment("trace", name)
	return err
}

// unsegment is the inverse of segment; ok is false if s is no key=value.
func unsegment(s string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(s, "=")
	if !ok {
		return "", "", false
	}
	value, err := url.PathUnescape(value)
	if strings.HasPrefix(value, "_") && misread(value) {
		value = value[1:]
	}
	return key, value, err == nil
}
