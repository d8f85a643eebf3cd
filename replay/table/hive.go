package table

import (
	"fmt"
	"net/url"
	"strings"
)

// maxSegment is the longest name of a folder that common file systems take.
const maxSegment = 255

// segment returns the folder name key=value with the value percent-encoded, as
// DuckDB and pyarrow decode it. Everything but letters, digits and - _ . is
// encoded, so that no value holds a separator, a wildcard or a second =.
func segment(key, value string) (string, error) {
	if value == "" {
		return "", fmt.Errorf("tables: the %s has no name: a folder cannot be made for it", key)
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
		return "", fmt.Errorf("tables: the name of %s %.40q… is too long for a folder: %d bytes encoded, at most %d", key, value, b.Len(), maxSegment)
	}
	return b.String(), nil
}

// unsegment is the inverse of segment; ok is false if s is no key=value.
func unsegment(s string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(s, "=")
	if !ok {
		return "", "", false
	}
	value, err := url.PathUnescape(value)
	return key, value, err == nil
}
