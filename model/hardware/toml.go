package hardware

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
)

// A configuration file with its sources is 12 kilobytes in lines of under 300.
// The decoder's time grows with the cube of nested keys (64 KB of them take a
// minute), which these limits keep under a second.
const (
	maxConfigBytes  = 1 << 16
	maxConfigLine   = 1 << 12
	maxInlineTables = 64
)

// ReadTOML reads a configuration file, and no more of it than [CheckTOML] allows. It returns an error for a larger
// or deeper file.
func ReadTOML(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfigBytes+1))
	if err == nil {
		err = CheckTOML(file, data)
	}
	return data, err
}

// CheckTOML returns an error, with the name and where it can the line, for a
// file that is larger than a configuration written by people ever is: no
// decoder is to see it.
func CheckTOML(name string, data []byte) error {
	if len(data) > maxConfigBytes {
		return fmt.Errorf("%s: more than %d bytes: not a configuration", name, maxConfigBytes)
	}
	if bytes.Count(data, []byte("{")) > maxInlineTables {
		return fmt.Errorf("%s: more than %d inline tables: not a configuration", name, maxInlineTables)
	}
	n := 0
	for line := range bytes.Lines(data) {
		if n++; len(line) > maxConfigLine {
			return fmt.Errorf("%s:%d: a line of more than %d bytes: not a configuration", name, n, maxConfigLine)
		}
	}
	return nil
}

// mismatch is the decoder's way to say that a value is of another kind than its key's.
var mismatch = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`line (\d+) \(last key "([^"]*)"\): incompatible types: TOML value has type (\w+); ` +
		`destination has type (\w+)`)
})

// TOMLError makes one line of a decoder's error, with the file's name in front.
func TOMLError(name string, err error) error {
	if m := mismatch().FindStringSubmatch(err.Error()); m != nil {
		remedy := map[string]string{"integer": "a whole number, without quotes", "float": "a number, without quotes",
			"boolean": "true or false, without quotes", "string": "a text in quotes"}[m[4]]
		if remedy == "" {
			remedy = m[4]
		}
		return fmt.Errorf("%s:%s: %s: got a value of type %s, want %s", name, m[1], m[2], m[3], remedy)
	}
	return fmt.Errorf("%s: %s", name, strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\n", " "), "toml: "))
}

// TOMLPosition returns "name:line" of the line that sets a key such as
// sm.count, or name alone if no line is seen to.
func TOMLPosition(name string, data []byte, key string) string {
	if line := lineOf(data, key); line > 0 {
		return fmt.Sprintf("%s:%d", name, line)
	}
	return name
}

func lineOf(data []byte, key string) int {
	table, n := "", 0
	for line := range bytes.Lines(data) {
		n++
		text := strings.TrimSpace(string(line))
		if rest, ok := strings.CutPrefix(text, "["); ok {
			table, _, _ = strings.Cut(rest, "]")
			if table = bare(table); table == key {
				return n
			}
			table += "."
			continue
		}
		left, _, ok := strings.Cut(text, "=")
		if ok && table+bare(left) == key {
			return n
		}
	}
	return 0
}

// bare is a key without quotes and blanks.
func bare(key string) string {
	return strings.NewReplacer(`"`, "", "'", "", " ", "", "\t", "").Replace(key)
}
