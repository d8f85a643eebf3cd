package samples

import (
	"fmt"
	"slices"
	"strings"

	"gpureplay/nearest"
)

// Generator makes one workload.
type Generator struct {
	Name   string  // lower case letters, digits and dashes
	Title  string  // one line: what it computes
	Source string  // paper and suite from which the launch configuration comes
	Params []Param // in the order in which they are shown

	// Machine is the preset of the GPU that the paper, or the measurement, is of; a
	// replay takes it unless its user names another. "": none.
	Machine string

	// Generate runs the algorithm and writes its trace, without metadata.
	Generate func(w Writer, p Params) error
}

var registry = map[string]*Generator{}

// validName reports whether a name is of small letters and digits, in parts with
// dashes between them.
func validName(name string) bool {
	for _, part := range strings.Split(name, "-") {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return true
}

// Register adds a generator. It is called from init, and panics on a name that
// is taken or malformed and on parameters whose defaults are not allowed.
func Register(g Generator) {
	switch {
	case !validName(g.Name):
		panic(fmt.Sprintf("samples: bad generator name %q", g.Name))
	case registry[g.Name] != nil:
		panic(fmt.Sprintf("samples: generator %q registered twice", g.Name))
	case g.Title == "" || g.Source == "" || g.Generate == nil:
		panic(fmt.Sprintf("samples: generator %q lacks a title, a source or a function", g.Name))
	}
	seen := map[string]bool{}
	for _, p := range g.Params {
		if !validName(p.Name) || p.Help == "" || seen[p.Name] {
			panic(fmt.Sprintf("samples: generator %q: bad parameter %q", g.Name, p.Name))
		}
		seen[p.Name] = true
		if err := p.check(p.Default); err != nil {
			panic(fmt.Sprintf("samples: generator %q: default of %v", g.Name, err))
		}
	}
	registry[g.Name] = &g
}

// List returns the registered generators, sorted by name.
func List() []*Generator {
	list := make([]*Generator, 0, len(registry))
	for _, g := range registry {
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b *Generator) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Get returns the generator of that name. The error names the nearest and all.
func Get(name string) (*Generator, error) {
	if g := registry[name]; g != nil {
		return g, nil
	}
	var names []string
	for _, g := range List() {
		names = append(names, g.Name)
	}
	return nil, nearest.Unknown("sample", name, names)
}
