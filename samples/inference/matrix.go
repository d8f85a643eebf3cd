package inference

import (
	"fmt"

	"gpureplay/samples"
	"gpureplay/trace"
)

// matrix is the weights of a projection, which may lie in several parts.
type matrix struct {
	rows, columns int
	at            func(row, line int) uint64 // address of 512 bytes of a row
	route         *samples.Array             // each warp loads it before weights: it says which ones; nil: none
	after         bool                       // the kernel before writes the route
	equal         bool                       // blocks are dealt to as many CTAs as get equal parts
	norm          *samples.Array             // weights of the RMSNorm of its vector; nil: none
	rope          *samples.Array             // angles by which its results are turned (RoPE); nil: none
	gated         bool                       // SiLU of its results
	adds          bool                       // its results are added to the hidden state
}

// normed has the vector normalised before (RMSNorm).
func (g *decoder) normed(m matrix) matrix {
	g.norms++
	a := g.p.Array(fmt.Sprint("norm", g.norms-1), m.columns, 2, trace.ArrayInput)
	m.norm = &a
	return m
}

// added has the results added to the hidden state.
func added(m matrix) matrix {
	m.adds = true
	return m
}

// copyVector copies lines of the vector to shared memory, a warp's in turn. With a norm all warps add up their squares
// first.
func (g *decoder) copyVector(w *samples.Warp, warp int, in samples.Array, from, to int, m *matrix) {
	k := g.code
	lines := func(do func(line int)) {
		for line := from + warp; line < to; line += g.warps {
			do(line)
		}
	}
	put := func(line int) { w.Affine(k.put, uint64(line*lineBytes), 16) }
	if m.norm == nil {
		lines(func(line int) {
			w.Affine(k.vector, in.At(0)+uint64(line*lineBytes), 16)
			put(line)
		})
		return
	}
	some := false
	lines(func(line int) {
		some = true
		w.Affine(k.vector, in.At(0)+uint64(line*lineBytes), 16)
		w.Do(k.square...)
	})
	if some {
		w.Do(k.sum...)
		w.Affine(k.put4, uint64(warp*4), 4)
	}
	w.Do(k.bar)
	if some {
		w.Affine(k.get4, 0, 4)
		w.Do(k.sum...)
		w.Do(k.root)
	}
	lines(func(line int) {
		w.Do(k.scale...)
		put(line)
	})
}

// loadNorm loads the weights of the norm, which need nothing of the kernel before.
func (g *decoder) loadNorm(w *samples.Warp, warp, from, to int, m *matrix) {
	for line := from + warp; m.norm != nil && line < to; line += g.warps {
		w.Affine(g.code.norm, m.norm.At(0)+uint64(line*lineBytes), 16)
	}
}

// even has blocks dealt in equal parts: as measured, O and up/gate have 128 active CTAs of 132.
func (g *decoder) even(m matrix) matrix {
	m.equal = true
	return m
}

// lines is how many loads of a warp a row takes.
func (m *matrix) lines() int { return 2 * m.columns / lineBytes }

// memory allocates the weights of some matrices.
func (g *decoder) memory(elements int) samples.Array {
	g.matrices++
	return g.p.Array(fmt.Sprint("weights", g.matrices-1), elements, 2, trace.ArrayInput)
}

// dense is a new matrix whose rows lie one after another.
func (g *decoder) dense(columns, rows int) matrix {
	m := matrix{rows: rows, columns: columns}
	a := g.memory(rows * columns)
	m.at = func(row, line int) uint64 { return a.At(row*columns) + uint64(line*lineBytes) }
	return m
}

// above is the matrices of the chosen experts one above the other: each has rows of its own for the same vector.
func (g *decoder) above(columns, rows int, chosen []int) matrix {
	m := matrix{rows: rows * len(chosen), columns: columns, route: &g.route, after: true}
	a := g.memory(rows * columns * g.experts)
	m.at = func(row, line int) uint64 {
		return a.At((chosen[row/rows]*rows+row%rows)*columns) + uint64(line*lineBytes)
	}
	return m
}

// beside is the matrices of the chosen experts side by side: each has a part of the vector, and the results are added.
// Two kernels lie between it and the router, so that the router has completed when it begins.
func (g *decoder) beside(columns, rows int, chosen []int) matrix {
	m := matrix{rows: rows, columns: columns * len(chosen), route: &g.route}
	a, each := g.memory(rows*columns*g.experts), 2*columns/lineBytes
	m.at = func(row, line int) uint64 {
		return a.At((chosen[line/each]*rows+row)*columns) + uint64(line%each*lineBytes)
	}
	return m
}

// feedForward launches the end of a layer: up and gate, and down, of the chosen experts if there are several.
func (g *decoder) feedForward(state, inner samples.Array, hidden, wide int) {
	if g.experts == 1 {
		up := g.even(g.normed(g.dense(hidden, 2*wide)))
		up.gated = true
		g.project(state, inner, up)
		g.project(inner, state, added(g.dense(wide, hidden)))
		return
	}
	g.project(state, g.route, g.normed(g.dense(hidden, g.experts)))
	chosen := g.choose.Perm(g.experts)[:g.active]
	up := g.normed(g.above(hidden, 2*wide, chosen))
	up.gated = true
	g.project(state, inner, up)
	g.project(inner, state, added(g.beside(wide, hidden, chosen)))
}
