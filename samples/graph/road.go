package graph

import "math/rand/v2"

// Road generates a road network: the crossings of a width x height grid, each
// street between neighbours kept with a probability of 65 %, but for the first
// column and all rows' first streets from it, so that most of it hangs together.
// The mean degree is about 2.6 and the highest 4, as in the USA road networks
// (2.4 and 9). Every street has a length from 1 to 1000, the same both ways.
func Road(width, height int, seed uint64) *Graph {
	r := rand.New(rand.NewPCG(seed, 66))
	var a arcs
	street := func(u, v int, keep bool) {
		length := float64(1 + r.IntN(1000))
		if keep = r.Float64() < 0.65 || keep; keep {
			a.add(uint32(u), uint32(v))
			a.weight = append(a.weight, length)
		}
	}
	for y := range height {
		for x := range width {
			v := y*width + x
			if x+1 < width {
				street(v, v+1, x == 0)
			}
			if y+1 < height {
				street(v, v+width, x == 0)
			}
		}
	}
	a.mirror()
	return a.csr("road", width*height)
}
