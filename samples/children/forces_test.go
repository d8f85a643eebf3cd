package children

import (
	"math"
	"os"
	"testing"

	"gpureplay/samples/samplestest"
)

func TestRecommend(t *testing.T) {
	r := generateRatings(60, 50, 8, 1)
	rec := &samplestest.Recording{}
	m, err := runRecommend(rec, r, dragonli(shape{32, 32}))
	if err != nil {
		t.Fatal(err)
	}
	dense := make([][]int, r.users)
	for u := range dense {
		dense[u] = make([]int, r.items)
		for i := r.byUser.Row[u]; i < r.byUser.Row[u+1]; i++ {
			dense[u][r.byUser.Col[i]] = int(r.byUser.Weight[i])
		}
	}
	dot := func(i, j int) (sum int) {
		for u := range dense {
			sum += dense[u][i] * dense[u][j]
		}
		return sum
	}
	for i := range r.items {
		best := 0.0
		for j := range r.items {
			if got := int(m.sum[i*r.items+j]); got != dot(i, j) {
				t.Fatalf("items %d and %d: %d, want %d", i, j, got, dot(i, j))
			}
			if d := dot(j, j); i != j && d > 0 {
				best = max(best, float64(dot(i, j))/math.Sqrt(float64(d)))
			}
		}
		got := 0.0
		if j := int(m.best[i]); j >= 0 {
			got = float64(dot(i, j)) / math.Sqrt(float64(dot(j, j)))
		}
		if math.Abs(got-best) > 1e-12 {
			t.Errorf("item %d: best %v, want %v", i, got, best)
		}
	}
	all, _ := sums(requests(t, rec))
	if all != r.byItem.Arcs() || threadsOf(rec, "similar_child") != all || all == 0 {
		t.Errorf("%d ratings asked for of %d", all, r.byItem.Arcs())
	}
}

func TestOpenRatings(t *testing.T) {
	path := t.TempDir() + "/u.data"
	if err := os.WriteFile(path, []byte("196 242 3\n186 302 3\n196 302 5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := openRatings(path)
	if err != nil || r.users != 2 || r.items != 2 || r.byItem.Arcs() != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := os.WriteFile(path, []byte("1 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openRatings(path); err == nil {
		t.Error("ratings without ratings were read")
	}
}

// The forces equal a recursion over the tree's definition, and are near the sum over all pairs.
func TestBarnesHut(t *testing.T) {
	for _, plummer := range []bool{false, true} {
		s := &barnesHut{theta: 0.5, bodies: randomBodies(200, plummer, 1)}
		before := append([]body(nil), s.bodies...)
		rec := &samplestest.Recording{}
		if err := s.run(rec, 1, dragonli(shape{64, 64})); err != nil {
			t.Fatal(err)
		}
		items := 0
		worst := 0.0
		for i, b := range before {
			var want, direct [3]float64
			items += treeForce(before, b, 0, 0, 0, 1, 0, &want)
			for _, o := range before {
				addForce(&direct, b, o.x, o.y, o.z, o.mass)
			}
			size := math.Hypot(math.Hypot(direct[0], direct[1]), direct[2])
			for axis := range 3 {
				if math.Abs(s.forces[i][axis]-want[axis]) > 1e-9*(1+size) {
					t.Fatalf("body %d: force %v, want %v", i, s.forces[i], want)
				}
				worst = max(worst, math.Abs(s.forces[i][axis]-direct[axis])/size)
			}
		}
		if worst > 0.1 {
			t.Errorf("plummer %v: %.3f off the sum over all pairs", plummer, worst)
		}
		all, _ := sums(requests(t, rec))
		if all != items || threadsOf(rec, "force") != items {
			t.Errorf("plummer %v: %d interactions, want %d", plummer, all, items)
		}
	}
}

func addForce(f *[3]float64, b body, x, y, z, mass float64) {
	dx, dy, dz := x-b.x, y-b.y, z-b.z
	d := dx*dx + dy*dy + dz*dz + softening
	g := mass / (d * math.Sqrt(d))
	f[0], f[1], f[2] = f[0]+g*dx, f[1]+g*dy, f[2]+g*dz
}

// treeForce walks cubes of space without a tree and counts the interactions.
func treeForce(in []body, b body, x, y, z, size float64, depth int, f *[3]float64) int {
	var cx, cy, cz, mass float64
	for _, o := range in {
		cx, cy, cz, mass = cx+o.mass*o.x, cy+o.mass*o.y, cz+o.mass*o.z, mass+o.mass
	}
	if mass == 0 {
		return 0
	}
	cx, cy, cz = cx/mass, cy/mass, cz/mass
	if d := math.Hypot(math.Hypot(cx-b.x, cy-b.y), cz-b.z); len(in) == 1 || depth == 24 || size < 0.5*d {
		addForce(f, b, cx, cy, cz, mass)
		return 1
	}
	n, h := 0, size/2
	for part := range 8 {
		lo := [3]float64{x + h*float64(part&1), y + h*float64(part/2&1), z + h*float64(part/4)}
		var sub []body
		for _, o := range in {
			if o.x >= lo[0] && o.x < lo[0]+h && o.y >= lo[1] && o.y < lo[1]+h && o.z >= lo[2] && o.z < lo[2]+h {
				sub = append(sub, o)
			}
		}
		n += treeForce(sub, b, lo[0], lo[1], lo[2], h, depth+1, f)
	}
	return n
}

// Bodies that never part share a leaf.
func TestOctreeOfEqualBodies(t *testing.T) {
	nodes := buildOctree([]body{{x: .3, y: .3, z: .3, mass: 1}, {x: .3, y: .3, z: .3, mass: 2}}, 1)
	last := nodes[len(nodes)-1]
	if len(nodes) != deepest+1 || !last.leaf || last.mass != 3 || int(last.skip) != len(nodes) {
		t.Errorf("%d nodes, the last %+v", len(nodes), last)
	}
}
