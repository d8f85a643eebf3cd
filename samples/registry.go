package samples

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"gpureplay/internal/nearest"
)

// Generator makes one workload.
type Generator struct {
	Name   string  // lower case letters, digits and dashes
	Title  string  // one line: its computation
	Source string  // paper and suite from which the launch configuration comes
	Params []Param // in the order in which they are shown

	// Machine is the preset of the GPU that the paper, or the measurement, is of; a
	// replay takes it unless its user names another. "": none.
	Machine string

	// Generate runs the algorithm and writes its trace, without metadata.
	Generate func(w Writer, p Params) error
}

// declared are the constructors of the generators. They are made when one is first requested: most commands ask for
// none.
var declared []func() Generator

// registry are the generators by name.
var registry = sync.OnceValue(func() map[string]*Generator { return collect(declared) })

// Register adds a generator. It is called from init.
func Register(g func() Generator) { declared = append(declared, g) }

// collect makes the generators, by name. It panics on a name that is taken or malformed
// and on parameters whose defaults are not allowed.
func collect(declared []func() Generator) map[string]*Generator {
	all := map[string]*Generator{}
	for _, make := range declared {
		g := make()
		if all[g.Name] != nil {
			panic(fmt.Sprintf("samples: generator %q registered twice", g.Name))
		}
		g.check()
		all[g.Name] = &g
	}
	return all
}

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

// check panics on an invalid generator.
func (g *Generator) check() {
	switch {
	case !validName(g.Name):
		panic(fmt.Sprintf("samples: bad generator name %q", g.Name))
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
}

// List returns the registered generators, sorted by name.
func List() []*Generator {
	return slices.SortedFunc(maps.Values(registry()), func(a, b *Generator) int { return strings.Compare(a.Name, b.Name) })
}

// Get returns the generator of that name. The error names the nearest and all.
func Get(name string) (*Generator, error) {
	if g := registry()[name]; g != nil {
		return g, nil
	}
	var names []string
	for _, g := range List() {
		names = append(names, g.Name)
	}
	return nil, nearest.Unknown("sample", name, names)
}
