package children

import (
	"container/heap"
	"slices"
	"testing"

	"gpureplay/samples/graph"
	"gpureplay/samples/samplestest"
	"gpureplay/trace/tracetest"
)

func dragonli(s shape) rule {
	return rule{threshold: s.threshold, block: s.block, whole: true, bytes: 8}
}

// smallGraphs are graphs of every kind, real ones among them where they are.
func smallGraphs(t *testing.T) map[string]*graph.Graph {
	all := map[string]*graph.Graph{
		"kronecker": graph.Kronecker(8, 16, 1),
		"citation":  graph.Preferential(700, 5, 1),
		"road":      graph.Road(20, 20, 1),
		"banded":    graph.Banded(300, 19, 30, 1),
		"lonely":    graph.Preferential(1, 1, 1),
	}
	return all
}

func realGraph(t *testing.T, elem ...string) *graph.Graph {
	g, err := graph.Open(tracetest.Data(t, elem...), graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// expected returns the requests that a rule must make for a vertex of a degree.
func expected(degree, threshold, block int, whole bool) (marked, left int) {
	if degree < threshold {
		return 0, degree
	}
	if whole {
		return degree - degree%block, degree % block
	}
	return degree, 0
}

func checkBFS(t *testing.T, name string, g *graph.Graph, r rule) {
	rec := &samplestest.Recording{}
	labels, err := runBFS(rec, g, 240, []uint32{uint32(g.Hub())}, r, false)
	if err != nil {
		t.Fatal(err)
	}
	if want := g.Levels(g.Hub()); !slices.Equal(labels, want) {
		t.Errorf("%s: levels differ", name)
	}
	wantAll, wantMarked := 0, 0
	for v, label := range labels {
		if label >= 0 {
			marked, left := expected(g.Degree(v), r.threshold, r.block, r.whole)
			wantAll += marked + left
			wantMarked += marked
		}
	}
	all, marked := sums(requests(t, rec))
	if all != wantAll || marked != wantMarked {
		t.Errorf("%s: %d items of which %d marked, want %d and %d", name, all, marked, wantAll, wantMarked)
	}
	for id := range rec.Kernels { // children copy consecutive edges
		if rec.Functions[rec.Kernels[id].Function].Name != "expand_child" {
			continue
		}
		for _, c := range rec.CTAs[id] {
			for _, w := range c.Warps {
				for _, a := range w.Mem {
					if a.List != 0 || a.Count > 1 && a.Stride != 4 {
						t.Fatalf("%s: child %d accesses %+v", name, id, a)
					}
				}
			}
		}
	}
	if n := threadsOf(rec, "expand_child"); n != wantAll {
		t.Errorf("%s: children copy %d edges, want %d", name, n, wantAll)
	}
}

func TestBFS(t *testing.T) {
	for name, g := range smallGraphs(t) {
		checkBFS(t, name, g, dragonli(shape{128, 128}))
		checkBFS(t, name, g, rule{threshold: 1, block: 32})
		checkBFS(t, name, g, rule{threshold: 64, block: 64})
	}
}

func TestBFSReal(t *testing.T) {
	g := realGraph(t, "graphs-small-bench", "snap-as20graph.txt")
	checkBFS(t, "as20", g, dragonli(shape{32, 32}))
}

func dijkstra(g *graph.Graph, length []uint32, source int) []int64 {
	dist := make([]int64, g.Vertices())
	for v := range dist {
		dist[v] = unreached
	}
	q := &byDistance{{0, source}}
	for q.Len() > 0 {
		top := heap.Pop(q).([2]int)
		d, v := int64(top[0]), top[1]
		if d >= dist[v] {
			continue
		}
		dist[v] = d
		for i := g.Row[v]; i < g.Row[v+1]; i++ {
			heap.Push(q, [2]int{top[0] + int(length[i]), int(g.Col[i])})
		}
	}
	return dist
}

type byDistance [][2]int

func (q byDistance) Len() int           { return len(q) }
func (q byDistance) Less(i, j int) bool { return q[i][0] < q[j][0] }
func (q byDistance) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *byDistance) Push(x any)        { *q = append(*q, x.([2]int)) }
func (q *byDistance) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func checkSSSP(t *testing.T, name string, g *graph.Graph) {
	rec := &samplestest.Recording{}
	length := lengths(g, 1)
	got, err := runSSSP(rec, g, length, g.Hub(), dragonli(shape{32, 32}))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, dijkstra(g, length, g.Hub())) {
		t.Errorf("%s: distances are not Dijkstra's", name)
	}
	list := requests(t, rec)
	all, _ := sums(list)
	if n := threadsOf(rec, "relax_child"); n != all {
		t.Errorf("%s: %d arcs relaxed of %d asked for", name, n, all)
	}
	for _, l := range list {
		if l.Marked && l.Workload%32 != 0 || !l.Marked && l.Workload >= 32 {
			t.Fatalf("%s: request %+v", name, l)
		}
	}
}

func TestSSSP(t *testing.T) {
	for name, g := range smallGraphs(t) {
		checkSSSP(t, name, g)
	}
}

func TestSSSPReal(t *testing.T) {
	checkSSSP(t, "rmat12", realGraph(t, "graphs-klap-inputs", "rmat12.sym.gr"))
	checkSSSP(t, "dragon_li", realGraph(t, "graphs-small-bench", "dragon_li-sample.gr"))
}

func checkColouring(t *testing.T, name string, g *graph.Graph) {
	g = g.Undirected()
	rec := &samplestest.Recording{}
	colour, err := runColour(rec, g, 1, dragonli(shape{32, 32}))
	if err != nil {
		t.Fatal(err)
	}
	rounds := int32(0)
	for v := range g.Vertices() {
		if colour[v] < 0 {
			t.Fatalf("%s: vertex %d has no colour", name, v)
		}
		rounds = max(rounds, colour[v]+1)
		for _, u := range g.Neighbours(v) {
			if colour[u] == colour[v] {
				t.Fatalf("%s: neighbours %d and %d have one colour", name, u, v)
			}
		}
	}
	// A vertex asks once in each round up to the one that colours it.
	want := 0
	for v := range g.Vertices() {
		want += g.Degree(v) * int(colour[v]+1)
	}
	all, _ := sums(requests(t, rec))
	if n := threadsOf(rec, "highest_child"); all != want || n != want {
		t.Errorf("%s: %d neighbours asked for, %d compared, want %d", name, all, n, want)
	}
	if n := len(rec.Ops); n != 7+4*int(rounds)+2 {
		t.Errorf("%s: %d host operations in %d rounds", name, n, rounds)
	}
}

func TestColouring(t *testing.T) {
	for name, g := range smallGraphs(t) {
		checkColouring(t, name, g)
	}
	checkColouring(t, "celegans", realGraph(t, "graphs-networkit", "celegans_metabolic.graph"))
}
