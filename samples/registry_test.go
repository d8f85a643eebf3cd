package samples

import (
	"strings"
	"testing"
)

func nothing(Writer, Params) error { return nil }

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}

// withRegistry runs a test on a registry of its own.
func withRegistry(t *testing.T, generators ...Generator) {
	old := registry
	registry = func() map[string]*Generator { return collect(made(generators...)) }
	t.Cleanup(func() { registry = old })
}

// made are functions that return the generators.
func made(generators ...Generator) (all []func() Generator) {
	for _, g := range generators {
		all = append(all, func() Generator { return g })
	}
	return all
}

func TestRegisterRefusesMistakes(t *testing.T) {
	good := Generator{Name: "stencil", Title: "t", Source: "s", Generate: nothing}
	collect(made(good))
	mustPanic(t, "taken name", func() { collect(made(good, good)) })
	for what, change := range map[string]func(g *Generator){
		"upper case":      func(g *Generator) { g.Name = "Big" },
		"no name":         func(g *Generator) { g.Name = "" },
		"no title":        func(g *Generator) { g.Title = "" },
		"no source":       func(g *Generator) { g.Source = "" },
		"no function":     func(g *Generator) { g.Generate = nil },
		"bad default":     func(g *Generator) { g.Params = []Param{Int("n", 0, 1, 9, "h")} },
		"no help":         func(g *Generator) { g.Params = []Param{Int("n", 1, 1, 9, "")} },
		"same name twice": func(g *Generator) { g.Params = []Param{Seed(), Seed()} },
	} {
		g := good
		g.Name = "other"
		change(&g)
		mustPanic(t, what, func() { collect(made(good, g)) })
	}
}

func TestGetNamesTheNearest(t *testing.T) {
	withRegistry(t,
		Generator{Name: "stn", Title: "t", Source: "s", Generate: nothing},
		Generator{Name: "bfs-citation", Title: "t", Source: "s", Generate: nothing})
	if g, err := Get("stn"); err != nil || g.Name != "stn" {
		t.Fatal(g, err)
	}
	for name, want := range map[string]string{
		"bfs-citatoin": `no sample "bfs-citatoin": did you mean bfs-citation? There are bfs-citation, stn`,
		"quicksort":    `no sample "quicksort": there are bfs-citation, stn`,
	} {
		if _, err := Get(name); err == nil || err.Error() != want {
			t.Errorf("Get(%q): %v, want %s", name, err, want)
		}
	}
	if l := List(); len(l) != 2 || l[0].Name != "bfs-citation" {
		t.Errorf("List: %v", l)
	}
}

func TestParseChecksSettings(t *testing.T) {
	g := Generator{Name: "g", Params: []Param{
		Int("nodes", 16, 1, 100, "h"), Choice("graph", "h", "kron", "grid"), Text("file", "", "h"), Seed(),
	}}
	p, err := g.Parse("graph=grid", "nodes=100", "file=a=b")
	if err != nil {
		t.Fatal(err)
	}
	if p.Int("nodes") != 100 || p.Text("graph") != "grid" || p.Text("file") != "a=b" || p.Seed() != 1 {
		t.Errorf("parsed %+v", p)
	}
	var keys []string
	for _, a := range p.attrs() {
		keys = append(keys, a.Key+"="+a.Value)
	}
	if got := strings.Join(keys, " "); got != "param.file=a=b param.graph=grid param.nodes=100 param.seed=1" {
		t.Errorf("attributes %s", got)
	}
	mustPanic(t, "undeclared", func() { p.Int("edges") })
	mustPanic(t, "not a number", func() { p.Int("graph") })
	for setting, want := range map[string]string{
		"nodes=0":   "sample g: nodes=0: want a whole number, 1 to 100",
		"nodes=101": "sample g: nodes=101: want a whole number, 1 to 100",
		"nodes=1e3": "sample g: nodes=1e3: want a whole number, 1 to 100",
		"graph=tor": "sample g: graph=tor: want one of kron, grid",
		"node=3":    `sample g: no parameter "node": did you mean nodes? There are nodes, graph, file, seed`,
		"nodes":     `sample g: parameter "nodes": want name=value`,
	} {
		if _, err := g.Parse(setting); err == nil || err.Error() != want {
			t.Errorf("Parse(%q): %v, want %s", setting, err, want)
		}
	}
	if _, err := g.Parse("nodes=1", "nodes=1"); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a parameter twice: %v", err)
	}
}
