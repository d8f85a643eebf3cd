package children

import (
	"maps"
	"math"
	"slices"
	"testing"

	"gpureplay/samples/graph"
	"gpureplay/samples/samplestest"
)

// The mesh has the cells of a recursion that only knows the field.
func TestAMR(t *testing.T) {
	for _, block := range []int{32, 64, 256} {
		m := newMesh(6, 3, block, 100, 5)
		rec := &samplestest.Recording{}
		if err := m.run(rec, rule{threshold: 1, block: block, bytes: 56}); err != nil {
			t.Fatal(err)
		}
		split := map[int][3]float64{32: {4, 4, 2}, 64: {4, 4, 4}, 256: {8, 8, 4}}[block]
		var want []float64
		refined := [3]int{}
		var walk func(x, y, z, hx, hy, hz float64, level int)
		walk = func(x, y, z, hx, hy, hz float64, level int) {
			dx, dy, dz := x+hx/2-m.centre[0], y+hy/2-m.centre[1], z+hz/2-m.centre[2]
			d := math.Sqrt(dx*dx+dy*dy+dz*dz) - 0.3 - 0.03*math.Sin(m.wrinkles*math.Atan2(dy, dx))
			v := 6000 * math.Exp(-math.Pow(d*6*math.Pow(4, float64(level)), 2))
			want = append(want, v)
			if v < 100 || level == 2 {
				return
			}
			refined[level]++
			for i := 0.0; i < split[0]; i++ {
				for j := 0.0; j < split[1]; j++ {
					for k := 0.0; k < split[2]; k++ {
						walk(x+i*hx/split[0], y+j*hy/split[1], z+k*hz/split[2], hx/split[0], hy/split[1], hz/split[2], level+1)
					}
				}
			}
		}
		for i := range 6 * 6 * 3 {
			walk(float64(i%6)/6, float64(i/6%6)/6, float64(i/36)/3, 1./6, 1./6, 1./3, 0)
		}
		got := slices.Sorted(slices.Values(m.values))
		slices.Sort(want)
		if len(got) != len(want) || refined[0] == 0 || refined[1] == 0 {
			t.Fatalf("block %d: %d cells, want %d; refined %v", block, len(got), len(want), refined)
		}
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-6*(1+want[i]) {
				t.Fatalf("block %d: value %d is %v, want %v", block, i, got[i], want[i])
			}
		}
		list := requests(t, rec)
		nested := 0
		for _, l := range list {
			if !l.Marked || int(l.Workload) != block {
				t.Fatalf("request %+v", l)
			}
			if l.parent != 0 {
				nested++
			}
		}
		if len(list) != refined[0]+refined[1] || nested != refined[1] {
			t.Errorf("block %d: %d requests, %d of children, want %v", block, len(list), nested, refined)
		}
	}
}

func TestJoin(t *testing.T) {
	for _, gauss := range []bool{false, true} {
		left, right := joinKeys(500, 9, gauss, 1, 1), joinKeys(700, 9, gauss, 1, 2)
		slices.Sort(right)
		if !gauss { // the left relation in either order
			slices.Sort(left)
		}
		rec := &samplestest.Recording{}
		places := map[int][2]int32{}
		err := runJoin(rec, left, right, dragonli(shape{64, 64}), func(at int, pair [2]int32) { places[at] = pair })
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Collect(maps.Values(places))
		var want [][2]int32
		for i, l := range left {
			for j, r := range right {
				if l == r {
					want = append(want, [2]int32{int32(i), int32(j)})
				}
			}
		}
		slices.SortFunc(got, func(a, b [2]int32) int { return int(a[0]-b[0])<<20 + int(a[1]-b[1]) })
		if !slices.Equal(got, want) {
			t.Errorf("gauss %v: %d pairs, want %d", gauss, len(got), len(want))
		}
		all, marked := sums(requests(t, rec))
		wantMarked := 0
		for _, l := range left {
			n := 0
			for _, r := range right {
				if l == r {
					n++
				}
			}
			m, _ := expected(n, 64, 64, true)
			wantMarked += m
		}
		if all != len(want) || marked != wantMarked || threadsOf(rec, "join_child") != len(want) {
			t.Errorf("gauss %v: %d items, %d marked, want %d and %d", gauss, all, marked, len(want), wantMarked)
		}
	}
}

func TestProduct(t *testing.T) {
	for _, g := range []*graph.Graph{graph.Kronecker(6, 8, 2), realGraph(t, "graphs-small-bench", "dragon_li-sample.gr")} {
		const columns = 48
		rec := &samplestest.Recording{}
		m, err := runProduct(rec, g, columns, 3, rule{threshold: 5, block: 32, bytes: 56})
		if err != nil {
			t.Fatal(err)
		}
		rows, marked := 0, 0
		for v := range g.Vertices() {
			if g.Degree(v) > 0 {
				rows++
			}
			if g.Degree(v) >= 5 {
				marked++
			}
			for c := range columns {
				sum := 0.0
				for i := g.Row[v]; i < g.Row[v+1]; i++ {
					sum += float64(m.value[i]) * float64(m.b[int(g.Col[i])*columns+c])
				}
				if got := float64(m.c[v*columns+c]); math.Abs(got-sum) > 1e-4*(1+sum) {
					t.Fatalf("element %d, %d is %v, want %v", v, c, got, sum)
				}
			}
		}
		all, gotMarked := sums(requests(t, rec))
		if all != rows*columns || gotMarked != marked*columns {
			t.Errorf("%d items, %d marked, want %d and %d rows of %d", all, gotMarked, rows, marked, columns)
		}
	}
}

// Each pixel equals its computation alone, but for filled regions, and those only where the border says so.
func TestMandel(t *testing.T) {
	m := &mandel{size: 64, regions: 2, subdivide: 2, minSize: 4, maxDepth: 4, iterations: 64}
	rec := &samplestest.Recording{}
	if err := m.run(rec, rule{threshold: 1, block: 64, bytes: 48}); err != nil {
		t.Fatal(err)
	}
	if m.fills == 0 || m.splits == 0 || m.eachs == 0 {
		t.Fatalf("%d fills, %d subdivisions, %d computed", m.fills, m.splits, m.eachs)
	}
	wrong := 0
	for y := range m.size {
		for x := range m.size {
			c := complex(-2+3*float64(x)/64, -1.5+3*float64(y)/64)
			z, n := complex(0, 0), int32(0)
			for ; n < 64 && real(z)*real(z)+imag(z)*imag(z) < 4; n++ {
				z = z*z + c
			}
			if n != m.pixels[y*m.size+x] {
				wrong++
			}
		}
	}
	if wrong > m.size*m.size/200 {
		t.Errorf("%d pixels differ from those computed one by one", wrong)
	}
	list := requests(t, rec)
	if len(list) != m.fills+m.splits+m.eachs {
		t.Errorf("%d requests, want %d", len(list), m.fills+m.splits+m.eachs)
	}
	// Every pixel is written once, by a fill or by its own thread.
	if n := threadsOf(rec, "fill") + threadsOf(rec, "pixel"); n != m.size*m.size {
		t.Errorf("%d pixels written of %d", n, m.size*m.size)
	}
}
