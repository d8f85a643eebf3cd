package policies

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Args are the values of parameters; one that is not set has its default.
type Args struct {
	params []Param
	values map[string]string
}

// Text returns the value of a parameter; requesting one that no record declares
// is our bug.
func (a Args) Text(name string) string {
	if v, ok := a.values[name]; ok {
		return v
	}
	for _, p := range a.params {
		if p.Name == name {
			return p.Default
		}
	}
	panic("policies: parameter " + name + " is not declared")
}

// Integer returns a whole number within limits. It returns an error for another text or a number outside of them.
func (a Args) Integer(name string, low, high int64) (int64, error) {
	s := a.Text(name)
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("%s=%s: want a whole number from %d to %d", name, s, low, high)
	}
	return n, nil
}

// OneOf is a parameter that is one of some words. It returns an error for another.
func (a Args) OneOf(name string, words ...string) (string, error) {
	text := a.Text(name)
	if !slices.Contains(words, text) {
		return "", fmt.Errorf("%s=%s: want %s", name, text, strings.Join(words, ", "))
	}
	return text, nil
}

// Either reports whether a parameter that has one of two words has the second. It returns an error for any other
// word.
func (a Args) Either(name, first, second string) (bool, error) {
	switch s := a.Text(name); s {
	case first, second:
		return s == second, nil
	default:
		return false, fmt.Errorf("%s=%s: want %s or %s", name, s, first, second)
	}
}

// Flag returns on or off. It returns an error for any other word.
func (a Args) Flag(name string) (bool, error) {
	switch s := a.Text(name); s {
	case "on", "true", "1":
		return true, nil
	case "off", "false", "0":
		return false, nil
	default:
		return false, fmt.Errorf("%s=%s: want on or off", name, s)
	}
}
