package graph

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// Generated graphs are equal for equal seeds, undirected, and of their kind.
func TestGenerated(t *testing.T) {
	for _, c := range []struct {
		name          string
		make          func(seed uint64) *Graph
		vertices      int
		meanLo        float64 // arcs per vertex
		meanHi        float64
		mostLo, mostH int // highest degree
	}{
		{"kronecker", func(s uint64) *Graph { return Kronecker(12, 16, s) }, 4096, 15, 32, 400, 2000},
		{"preferential", func(s uint64) *Graph { return Preferential(5000, 7, s) }, 5000, 12, 14, 150, 1500},
		{"configuration", func(s uint64) *Graph { return Configuration(8192, 8.6, 230, s) }, 8192, 8.2, 8.8, 200, 230},
		{"road", func(s uint64) *Graph { return Road(80, 60, s) }, 4800, 2.4, 2.8, 4, 4},
		{"banded", func(s uint64) *Graph { return Banded(4000, 0, 200, s) }, 4000, 17.8, 18.5, 40, 47},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := c.make(1)
			if !reflect.DeepEqual(g, c.make(1)) || reflect.DeepEqual(g, c.make(2)) {
				t.Error("the seed does not decide the graph")
			}
			mean := float64(g.Arcs()) / float64(g.Vertices())
			if most := g.Degree(g.Hub()); g.Vertices() != c.vertices || mean < c.meanLo || mean > c.meanHi ||
				most < c.mostLo || most > c.mostH {
				t.Errorf("%d vertices, mean degree %.2f, highest %d", g.Vertices(), mean, most)
			}
			for v := range g.Vertices() {
				row := g.Neighbours(v)
				for i, u := range row {
					if c.name == "banded" && max(int(u)-v, v-int(u)) > 200 {
						t.Fatalf("%d and %d are beyond the band", v, u)
					}
					if !slices.Contains(g.Neighbours(int(u)), uint32(v)) || slices.Contains(row[:i], u) {
						t.Fatalf("arc %d to %d repeats or has no reverse", v, u)
					}
				}
			}
		})
	}
}

// The configuration model meets the three numbers of citationCiteseer.
func TestConfigurationOfCitations(t *testing.T) {
	g := Configuration(268495, 2*1156647./268495, 1318, 1)
	edges, most := g.Arcs()/2, g.Degree(g.Hub())
	if edges < 1156647*98/100 || edges > 1156647*102/100 || most < 1318*98/100 || most > 1318 {
		t.Errorf("%d edges and a highest degree of %d, want 1156647 and 1318 within 2 %%", edges, most)
	}
}

// A road network mostly hangs together, and the others' hubs reach nearly all.
func TestGeneratedReach(t *testing.T) {
	for _, g := range []*Graph{Road(80, 60, 3), Preferential(5000, 3, 3), Banded(4000, 9, 100, 3), Kronecker(10, 16, 3)} {
		reached := 0
		for _, level := range g.Levels(g.Hub()) {
			if level >= 0 {
				reached++
			}
		}
		if reached < g.Vertices()/2 {
			t.Errorf("%s: %d of %d vertices reached", g.Name, reached, g.Vertices())
		}
	}
}

// Both arcs of an edge have one weight, and given weights stay.
func TestWeigh(t *testing.T) {
	g := Preferential(300, 3, 1)
	g.Weigh(9, 1)
	weights := map[string]float64{}
	for v := range g.Vertices() {
		for i, u := range g.Neighbours(v) {
			w := g.Weight[int(g.Row[v])+i]
			if w < 1 || w > 9 || w != float64(int(w)) {
				t.Fatalf("weight %v", w)
			}
			key := fmt.Sprint(min(v, int(u)), max(v, int(u)))
			if old, ok := weights[key]; ok && old != w {
				t.Fatalf("edge %s weighs %v and %v", key, old, w)
			}
			weights[key] = w
		}
	}
	before := slices.Clone(g.Weight)
	g.Weigh(9, 2)
	if !slices.Equal(before, g.Weight) {
		t.Error("weights were replaced")
	}
}

func ExampleDetect() {
	fmt.Println(Detect([]byte("%%MatrixMarket matrix coordinate pattern general\n"), true))
	fmt.Println(Detect([]byte("# FromNodeId\tToNodeId\n30\t1412\n"), true))
	// Output:
	// mtx
	// edges
}
