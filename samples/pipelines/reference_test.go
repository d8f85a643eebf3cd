package pipelines

import (
	"maps"
	"math"
	"slices"
	"testing"

	"gpureplay/samples"
	"gpureplay/samples/samplestest"
)

// Each test compares a generator's results, CTA by CTA, with a sequential implementation written from the problem's
// definition, in double precision.

func close32(t *testing.T, name string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	for i := range want {
		if d := math.Abs(float64(got[i]) - want[i]); !(d <= tolerance*(1+math.Abs(want[i]))) {
			t.Fatalf("%s: value %d is %v, want %v", name, i, got[i], want[i])
		}
	}
}

func widen(v []float32) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = float64(v[i])
	}
	return out
}

func TestVecAddAddsTwice(t *testing.T) {
	for _, n := range []int{1, 31, 1000} {
		got, err := vecAdd(&samplestest.Recording{}, n, 64, 5)
		if err != nil {
			t.Fatal(err)
		}
		a, b := samples.Uniform(n, 5, 0), samples.Uniform(n, 5, 1)
		want := make([]float64, n)
		for i := range want {
			want[i] = 2*float64(a[i]) + float64(b[i])
		}
		close32(t, "D", got, want, 1e-6)
	}
}

func product(n int, a, b []float64) []float64 {
	c := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for k := range n {
				c[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
	return c
}

func TestThreeMMIsTheProductOfProducts(t *testing.T) {
	for _, n := range []int{1, 33, 64} {
		got, err := threeMM(&samplestest.Recording{}, n, n%2 == 0, 3)
		if err != nil {
			t.Fatal(err)
		}
		in := func(stream uint64) []float64 { return widen(samples.Uniform(n*n, 3, stream)) }
		want := product(n, product(n, in(0), in(1)), product(n, in(2), in(3)))
		close32(t, "G", got, want, 1e-5)
	}
}

func TestStencilMatchesTheGridEquation(t *testing.T) {
	for _, s := range []stencil{{nx: 70, ny: 9, nz: 5}, {nx: 64, ny: 8, nz: 4}, {nx: 3, ny: 3, nz: 3},
		{nx: 70, ny: 9, nz: 5, rows: true}} {
		const steps = 4
		got, err := s.run(&samplestest.Recording{}, steps, 2)
		if err != nil {
			t.Fatal(err)
		}
		u := widen(s.input(2))
		for range steps {
			next := make([]float64, len(u))
			for k := 1; k < s.nz-1; k++ {
				for j := 1; j < s.ny-1; j++ {
					for i := 1; i < s.nx-1; i++ {
						at := func(dx, dy, dz int) float64 { return u[((k+dz)*s.ny+j+dy)*s.nx+i+dx] }
						sum := at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) + at(0, 1, 0) + at(0, 0, -1) + at(0, 0, 1)
						next[(k*s.ny+j)*s.nx+i] = sum/36 - at(0, 0, 0)/6
					}
				}
			}
			u = next
		}
		close32(t, "stencil", got, u, 1e-5)
	}
}

func TestHotspotMatchesTheHeatEquation(t *testing.T) {
	for _, c := range []struct{ n, pyramid, kernels int }{{40, 1, 3}, {45, 2, 3}, {30, 7, 1}, {5, 3, 2}} {
		h := newHotspot(c.n, c.pyramid)
		got, err := h.run(&samplestest.Recording{}, c.kernels, 4)
		if err != nil {
			t.Fatal(err)
		}
		u, power := widen(hotspotTemperature(c.n*c.n, 4)), hotspotPower(c.n*c.n, 4)
		for range c.kernels * c.pyramid {
			next := make([]float64, len(u))
			for y := range c.n {
				for x := range c.n {
					at := func(dx, dy int) float64 {
						return u[min(max(y+dy, 0), c.n-1)*c.n+min(max(x+dx, 0), c.n-1)]
					}
					flow := (at(0, 1)+at(0, -1)-2*at(0, 0))*float64(h.ryInv) +
						(at(1, 0)+at(-1, 0)-2*at(0, 0))*float64(h.rxInv) + (80-at(0, 0))*float64(h.rzInv)
					next[y*c.n+x] = at(0, 0) + float64(h.stepDivCap)*(float64(power[y*c.n+x])+flow)
				}
			}
			u = next
		}
		close32(t, "temperature", got, u, 1e-5)
	}
}

// TestHotspotConstants checks the chip's constants against the physics that they
// stand for, at the suite's size of 512 cells.
func TestHotspotConstants(t *testing.T) {
	h := newHotspot(512, 1)
	cell := 0.016 / 512
	capacity := 0.5 * 1.75e6 * 0.0005 * cell * cell
	step := 0.001 / (3.0e6 / (0.5 * 0.0005 * 1.75e6))
	close32(t, "constants", []float32{h.stepDivCap, h.rxInv, h.ryInv, h.rzInv},
		[]float64{step / capacity, 2 * 100 * 0.0005, 2 * 100 * 0.0005, 100 * cell * cell / 0.0005}, 1e-5)
}

// Numbered by the search, costs grow with a node's number, levels are as large as they were, and every
// edge is there once.
func TestNumberingBySearchKeepsTheGraph(t *testing.T) {
	g := rodiniaGraph(700, 9)
	h := numberedBySearch(g)
	before, err := newBFS(g).run(&samplestest.Recording{})
	if err != nil {
		t.Fatal(err)
	}
	after, err := newBFS(h).run(&samplestest.Recording{})
	if err != nil {
		t.Fatal(err)
	}
	reached := 0
	for ; reached < len(after) && after[reached] >= 0; reached++ {
		if reached > 0 && after[reached] < after[reached-1] {
			t.Fatalf("node %d has cost %d, the one before it %d", reached, after[reached], after[reached-1])
		}
	}
	slices.Sort(before)
	slices.Sort(after)
	if !slices.Equal(before, after) || reached < 500 {
		t.Errorf("costs differ as a whole, or only %d nodes are reached", reached)
	}
	degrees := func(g csr) []int {
		all := map[[2]int]int{}
		for v := range len(g.start) - 1 {
			for _, u := range g.edges[g.start[v]:g.start[v+1]] {
				all[[2]int{int(g.start[v+1] - g.start[v]), int(g.start[u+1] - g.start[u])}]++ // the same, whatever nodes are called
			}
		}
		return slices.Sorted(maps.Values(all))
	}
	if !slices.Equal(degrees(g), degrees(h)) {
		t.Error("edges join nodes of other degrees")
	}
}

func TestBFSCostsAreTheLevels(t *testing.T) {
	for _, n := range []int{20, 700, 3000} {
		g := rodiniaGraph(n, 9)
		got, err := newBFS(g).run(&samplestest.Recording{})
		if err != nil {
			t.Fatal(err)
		}
		level := make([]int32, n)
		for v := range level {
			level[v] = -1
		}
		level[0] = 0
		for queue := []int32{0}; len(queue) > 0; queue = queue[1:] {
			v := queue[0]
			for _, u := range g.edges[g.start[v]:g.start[v+1]] {
				if level[u] < 0 {
					level[u] = level[v] + 1
					queue = append(queue, u)
				}
			}
		}
		for v := range level {
			if got[v] != level[v] {
				t.Fatalf("%d nodes: node %d has cost %d, is at level %d", n, v, got[v], level[v])
			}
		}
	}
}

// TestRodiniaGraphIsSymmetric checks the promise of the suite's generator: every edge both ways, two to four of its
// own from each node.
func TestRodiniaGraphIsSymmetric(t *testing.T) {
	const n = 500
	g := rodiniaGraph(n, 1)
	count := map[[2]int32]int{}
	for v := range int32(n) {
		for _, u := range g.edges[g.start[v]:g.start[v+1]] {
			if u < 0 || u >= n {
				t.Fatalf("edge to %d", u)
			}
			count[[2]int32{v, u}]++
		}
	}
	for e, k := range count {
		if count[[2]int32{e[1], e[0]}] != k {
			t.Fatalf("edge %v %d times, its reverse %d", e, k, count[[2]int32{e[1], e[0]}])
		}
	}
	if edges := len(g.edges); edges < 2*2*n || edges > 2*4*n {
		t.Fatalf("%d entries for %d nodes", edges, n)
	}
}

func TestPathfinderFindsTheCheapestPaths(t *testing.T) {
	for _, f := range []pathfinder{{cols: 1000, rows: 23, pyramid: 5}, {cols: 10, rows: 4, pyramid: 1},
		{cols: 600, rows: 12, pyramid: 40}} {
		got, err := f.run(&samplestest.Recording{}, 6)
		if err != nil {
			t.Fatal(err)
		}
		wall := f.costs(6)
		cost := wall[:f.cols]
		for row := 1; row < f.rows; row++ {
			next := make([]int32, f.cols)
			for x := range next {
				best := cost[x]
				if x > 0 {
					best = min(best, cost[x-1])
				}
				if x < f.cols-1 {
					best = min(best, cost[x+1])
				}
				next[x] = best + wall[row*f.cols+x]
			}
			cost = next
		}
		for x := range cost {
			if got[x] != cost[x] {
				t.Fatalf("%+v: column %d costs %d, want %d", f, x, got[x], cost[x])
			}
		}
	}
}

func TestLaplaceIsTheMeanOfNeighbours(t *testing.T) {
	for _, n := range []int{3, 16, 50} {
		const steps = 3
		got, err := laplace{n: n}.run(&samplestest.Recording{}, steps, 8)
		if err != nil {
			t.Fatal(err)
		}
		u := widen(samples.Uniform(n*n, 8, 0))
		for range steps {
			next := append([]float64(nil), u...)
			for j := 1; j < n-1; j++ {
				for i := 1; i < n-1; i++ {
					next[j*n+i] = (u[j*n+i-1] + u[j*n+i+1] + u[(j-1)*n+i] + u[(j+1)*n+i]) / 4
				}
			}
			u = next
		}
		close32(t, "laplace", got, u, 1e-5)
	}
}

func TestConvolutionIsTheOuterProductFilter(t *testing.T) {
	c := convolution{width: 256, height: 64}
	got, err := c.run(&samplestest.Recording{}, 2, 7)
	if err != nil {
		t.Fatal(err)
	}
	image := samples.Uniform(c.width*c.height, 7, 1)
	want := make([]float64, len(image))
	for y := range c.height {
		for x := range c.width {
			for dy := -convRadius; dy <= convRadius; dy++ {
				for dx := -convRadius; dx <= convRadius; dx++ {
					if v, u := y+dy, x+dx; v >= 0 && v < c.height && u >= 0 && u < c.width {
						want[y*c.width+x] += float64(c.taps[convRadius-dy]) * float64(c.taps[convRadius-dx]) * float64(image[v*c.width+u])
					}
				}
			}
		}
	}
	close32(t, "output", got, want, 1e-5)
}
