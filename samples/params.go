package samples

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpureplay/internal/nearest"
	"gpureplay/trace"
)

// Param is one parameter of a generator: a whole number with limits ([Int]), one
// of some words ([Choice]), or any text ([Text]).
type Param struct {
	Name    string
	Default string
	Help    string // with the unit

	kind     paramKind
	min, max int64
	choices  []string
}

type paramKind uint8

const (
	kindInt paramKind = iota
	kindChoice
	kindText
)

// Int declares a whole number from min to max.
func Int(name string, value, min, max int64, help string) Param {
	return Param{Name: name, Default: strconv.FormatInt(value, 10), Help: help, kind: kindInt, min: min, max: max}
}

// Choice declares one of several words; the first is the default.
func Choice(name, help string, words ...string) Param {
	return Param{Name: name, Default: words[0], Help: help, kind: kindChoice, choices: words}
}

// Text declares any text, for example the name of a file.
func Text(name, value, help string) Param {
	return Param{Name: name, Default: value, Help: help, kind: kindText}
}

// Seed declares the seed of the generated input.
func Seed() Param {
	return Int("seed", 1, 0, 1<<62, "seed of the generated input")
}

// Allowed says which values the parameter takes.
func (p *Param) Allowed() string {
	switch p.kind {
	case kindInt:
		return fmt.Sprintf("%d to %d", p.min, p.max)
	case kindChoice:
		return strings.Join(p.choices, ", ")
	}
	return "any text"
}

func (p *Param) check(value string) error {
	switch p.kind {
	case kindInt:
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < p.min || n > p.max {
			return fmt.Errorf("%s=%s: want a whole number, %s", p.Name, value, p.Allowed())
		}
	case kindChoice:
		if !slices.Contains(p.choices, value) {
			return fmt.Errorf("%s=%s: want one of %s", p.Name, value, p.Allowed())
		}
	}
	return nil
}

// Params are the values of a generator's parameters, checked against their
// declarations. Asking for a parameter that was not declared panics.
type Params struct {
	names  []string // as declared
	values map[string]string
}

// Parse checks settings of the form name=value and fills in the defaults. It returns an error for an unknown name or
// a value that is not allowed.
func (g *Generator) Parse(settings ...string) (Params, error) {
	p := Params{values: map[string]string{}}
	for _, decl := range g.Params {
		p.names = append(p.names, decl.Name)
		p.values[decl.Name] = decl.Default
	}
	given := map[string]bool{}
	for _, s := range settings {
		name, value, found := strings.Cut(s, "=")
		i := slices.Index(p.names, name)
		switch {
		case !found:
			return Params{}, fmt.Errorf("sample %s: parameter %q: want name=value", g.Name, s)
		case i < 0:
			return Params{}, fmt.Errorf("sample %s: %w", g.Name, nearest.Unknown("parameter", name, p.names))
		case given[name]:
			return Params{}, fmt.Errorf("sample %s: parameter %q is given twice", g.Name, name)
		}
		if err := g.Params[i].check(value); err != nil {
			return Params{}, fmt.Errorf("sample %s: %w", g.Name, err)
		}
		given[name] = true
		p.values[name] = value
	}
	return p, nil
}

// Int returns a parameter declared with [Int].
func (p Params) Int(name string) int {
	n, err := strconv.ParseInt(p.Text(name), 10, 64)
	if err != nil {
		panic(fmt.Sprintf("samples: parameter %q is not a number", name))
	}
	return int(n)
}

// Seed returns the parameter declared with [Seed].
func (p Params) Seed() uint64 { return uint64(p.Int("seed")) }

// Text returns a parameter of any kind as text.
func (p Params) Text(name string) string {
	value, ok := p.values[name]
	if !ok {
		panic(fmt.Sprintf("samples: parameter %q is not declared", name))
	}
	return value
}

// attrs returns the parameters as metadata, sorted by key.
func (p Params) attrs() []trace.Attr {
	names := slices.Sorted(slices.Values(p.names))
	attrs := make([]trace.Attr, len(names))
	for i, name := range names {
		attrs[i] = trace.Attr{Key: "param." + name, Value: p.values[name]}
	}
	return attrs
}
