package graph

import (
	"fmt"
	"slices"
)

// The cage model of DNA electrophoresis (van Heukelum, Barkema and Bisseling, Journal of
// Computational Physics 180, 2002), whose transition matrices are the cage matrices of the
// SuiteSparse collection. A polymer of n monomers is a walk of n-1 bonds on a cubic lattice, in a
// field along a diagonal of it: at each monomer three bonds lead up the field and three down. A
// monomer moves where its bonds allow: one at an end to any other place beside its neighbour, and
// one between two that are in the same place (a kink) likewise. Only the tree of the walk matters:
// walks are one state if a map of the tree that keeps up and down takes one to the other, or to
// the other's reverse. The matrix has an entry for each pair of states that a move connects.
//
// [Cage] has the rows, the entries and the longest row of the collection's matrices. The order of
// its rows is another: that of the codes below.

// ports is how many bonds lead from a monomer's place up the field, and as many down.
const ports = 3

// cageWalk is a polymer: the places of its monomers in the tree of its walk.
type cageWalk struct {
	n     int
	at    [maxMonomers]int8 // place of each monomer
	rises [maxMonomers]bool // the bond behind each monomer leads up

	bonds [maxMonomers][maxMonomers]int8 // of a code: rank of a bond among its place's, up or down, 0: not seen
	seen  [maxMonomers][2]int8
}

// maxMonomers bounds a polymer; a code has three bits a bond.
const maxMonomers = 16

// code names the state of a walk, read forwards or backwards: a letter a bond, whether it leads up
// and which of its place's bonds of that direction it is, in the order in which the walk comes to them.
func (w *cageWalk) code(backwards bool) (code uint64) {
	for i := range w.n + 1 { // places: as many as monomers, and a fresh one
		w.seen[i] = [2]int8{}
		clear(w.bonds[i][:w.n+1])
	}
	for i := range w.n - 1 {
		a, b, up := w.at[i], w.at[i+1], w.rises[i]
		if backwards {
			j := w.n - 1 - i
			a, b, up = w.at[j], w.at[j-1], !w.rises[j-1]
		}
		d := 0
		if up {
			d = 1
		}
		if w.bonds[a][b] == 0 {
			w.seen[a][d]++
			w.bonds[a][b] = w.seen[a][d]
		}
		if w.bonds[b][a] == 0 {
			w.seen[b][1-d]++
			w.bonds[b][a] = w.seen[b][1-d]
		}
		code = code<<3 | uint64(d)<<2 | uint64(w.bonds[a][b]-1)
	}
	return code
}

// state is the code of a walk or of its reverse, whichever is less.
func (w *cageWalk) state() uint64 { return min(w.code(false), w.code(true)) }

// read makes the walk of a code.
func (w *cageWalk) read(n int, code uint64) {
	w.n = n
	var next [maxMonomers][2 * 4]int8 // place by the letter, plus 1
	var seen [maxMonomers][2]int8
	places := int8(1)
	w.at[0] = 0
	for i := range n - 1 {
		letter := code >> (3 * (n - 2 - i)) & 7
		a, d := w.at[i], int(letter>>2)
		if next[a][letter] == 0 {
			b := places
			places++
			next[a][letter] = b + 1
			seen[a][d]++
			back := uint64(1-d)<<2 | uint64(seen[b][1-d])
			next[b][back] = a + 1
			seen[b][1-d]++
		}
		w.at[i+1], w.rises[i] = next[a][letter]-1, d == 1
	}
}

// cageRows are the rows of the matrices of 3 monomers and more.
var cageRows = []int{5, 9, 37, 93, 340, 1015, 3534, 11397, 39082, 130228, 445315, 1505785, 5154859}

// Cage returns the graph of the largest cage matrix of at most so many rows, without its diagonal.
// It returns an error if that is none.
func Cage(vertices int) (*Graph, error) {
	n := 2
	for _, rows := range cageRows {
		if rows <= vertices {
			n++
		}
	}
	if n == 2 {
		return nil, fmt.Errorf("a cage matrix has %d rows at least, not %d", cageRows[0], vertices)
	}
	states := cageStates(n)
	g := &Graph{Name: fmt.Sprintf("cage%d", n), Row: make([]uint32, 1, len(states)+1)}
	var w cageWalk
	for i, code := range states {
		from := len(g.Col)
		w.read(n, code)
		w.moves(func(state uint64) {
			if u, _ := slices.BinarySearch(states, state); u != i {
				g.Col = append(g.Col, uint32(u))
			}
		})
		slices.Sort(g.Col[from:])
		g.Col = g.Col[:from+len(slices.Compact(g.Col[from:]))]
		g.Row = append(g.Row, uint32(len(g.Col)))
	}
	return g, nil
}

// cageStates lists the codes of all states of n monomers, in their order.
func cageStates(n int) (all []uint64) {
	var w cageWalk
	var grow func(code uint64, bonds int)
	grow = func(code uint64, bonds int) {
		if bonds == n-1 {
			if w.read(n, code); w.code(true) >= code {
				all = append(all, code)
			}
			return
		}
		var used [2]int8 // bonds of the last place that the walk has come to
		if bonds > 0 {
			w.read(bonds+1, code)
			w.code(false)
			used = w.seen[w.at[bonds]]
		}
		for d := range 2 {
			for p := range min(int(used[d])+1, ports) {
				grow(code<<3|uint64(d)<<2|uint64(p), bonds+1)
			}
		}
	}
	grow(0, 0)
	return all
}

// moves calls do with the state that each move of a monomer leads to, its own among them.
func (w *cageWalk) moves(do func(state uint64)) {
	w.code(false) // the bonds of each place
	bonds, seen, was, rises := w.bonds, w.seen, w.at, w.rises
	for i := range w.n {
		beside := i - 1
		switch {
		case i == 0:
			beside = 1
		case i < w.n-1 && was[i-1] != was[i+1]:
			continue
		}
		to := func(place int8, up bool) { // the bond to it leads up
			w.at[i] = place
			if i > 0 {
				w.rises[i-1] = up
			}
			if i < w.n-1 {
				w.rises[i] = !up
			}
			do(w.state())
			w.at, w.rises = was, rises
		}
		a := was[beside]
		for b := range int8(w.n) {
			if bonds[a][b] != 0 {
				to(b, w.up(a, b))
			}
		}
		for d := range 2 {
			if seen[a][d] < ports {
				to(w.fresh(), d == 1)
			}
		}
	}
}

// up reports whether the bond from one place to another leads up.
func (w *cageWalk) up(a, b int8) bool {
	for i := range w.n - 1 {
		switch [2]int8{w.at[i], w.at[i+1]} {
		case [2]int8{a, b}:
			return w.rises[i]
		case [2]int8{b, a}:
			return !w.rises[i]
		}
	}
	panic("graph: no such bond")
}

// fresh is a place that the walk does not come to.
func (w *cageWalk) fresh() (place int8) {
	for slices.Contains(w.at[:w.n], place) {
		place++
	}
	return place
}
