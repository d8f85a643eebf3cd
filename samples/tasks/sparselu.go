package tasks

import "math/rand/v2"

// luSide is the side of a tile: table 3.
const luSide = 32

// luOp is the kind of a task of the factorisation.
type luOp uint8

const (
	luFactor luOp = iota // lu0: the diagonal tile (k,k) into L and U
	luRow                // fwd: tile (k,j) becomes inverse(L)·tile
	luColumn             // bdiv: tile (i,k) becomes tile·inverse(U)
	luUpdate             // bmod: tile (i,j) loses tile (i,k)·tile (k,j)
)

// luTask is one task: its kind, the tiles that it reads and the one that it
// changes, as places in the store of tiles.
type luTask struct {
	op      luOp
	i, j, k int
	a, b    int  // read; -1: none
	c       int  // changed
	fresh   bool // c is a tile that was empty so far
}

// sparseLU is the matrix of the OpenMP task suite's SparseLU: n x n tiles, many
// of them empty. Tiles that a task fills in are stored behind the others.
type sparseLU struct {
	n     int
	place [][]int32 // of each tile in the store; -1: empty
	tiles int       // places given
	data  []*luTile // nil: only the pattern is followed
}

type luTile [luSide * luSide]float32

// newSparseLU returns the suite's pattern of empty tiles.
func newSparseLU(n int) *sparseLU {
	m := &sparseLU{n: n, place: make([][]int32, n)}
	for i := range n {
		m.place[i] = make([]int32, n)
		for j := range n {
			m.place[i][j] = -1
			if !luEmpty(i, j) {
				m.place[i][j] = int32(m.tiles)
				m.tiles++
			}
		}
	}
	return m
}

func luEmpty(i, j int) bool {
	if i-j >= -1 && i-j <= 1 {
		return false
	}
	return i < j && i%3 != 0 || i > j && j%3 != 0 || i%2 == 1 || j%2 == 1
}

// fill gives the tiles pseudo-random values, those on the matrix's diagonal
// large enough that no pivoting is needed.
func (m *sparseLU) fill(rng *rand.Rand) {
	m.data = make([]*luTile, m.tiles)
	for i := range m.n {
		for j := range m.n {
			if p := m.place[i][j]; p >= 0 {
				t := &luTile{}
				for e := range t {
					t[e] = 2*rng.Float32() - 1
				}
				for d := 0; i == j && d < luSide; d++ {
					t[d*luSide+d] += float32(m.n * luSide)
				}
				m.data[p] = t
			}
		}
	}
}

// factor goes through the factorisation in the suite's order, and hands each task to f as it becomes known. The
// tiles that a step updates depend on the tiles that earlier steps filled in. If the matrix has values the task is
// performed.
func (m *sparseLU) factor(f func(t luTask) error) error {
	for k := range m.n {
		if err := m.step(k, f); err != nil {
			return err
		}
	}
	return nil
}

func (m *sparseLU) step(k int, f func(t luTask) error) error {
	diagonal := int(m.place[k][k])
	tasks := []luTask{{op: luFactor, i: k, j: k, k: k, a: -1, b: -1, c: diagonal}}
	var rows, columns []int
	for j := k + 1; j < m.n; j++ {
		if p := m.place[k][j]; p >= 0 {
			columns = append(columns, j)
			tasks = append(tasks, luTask{op: luRow, i: k, j: j, k: k, a: diagonal, b: -1, c: int(p)})
		}
	}
	for i := k + 1; i < m.n; i++ {
		if p := m.place[i][k]; p >= 0 {
			rows = append(rows, i)
			tasks = append(tasks, luTask{op: luColumn, i: i, j: k, k: k, a: diagonal, b: -1, c: int(p)})
		}
	}
	for _, i := range rows {
		for _, j := range columns {
			t := luTask{op: luUpdate, i: i, j: j, k: k, a: int(m.place[i][k]), b: int(m.place[k][j])}
			if m.place[i][j] < 0 {
				t.fresh = true
				m.place[i][j] = int32(m.tiles)
				m.tiles++
			}
			t.c = int(m.place[i][j])
			tasks = append(tasks, t)
		}
	}
	for _, t := range tasks {
		if m.data != nil {
			m.perform(t)
		}
		if err := f(t); err != nil {
			return err
		}
	}
	return nil
}

func (m *sparseLU) perform(t luTask) {
	if t.fresh {
		m.data = append(m.data, &luTile{})
	}
	c := m.data[t.c]
	switch t.op {
	case luFactor:
		c.factor()
	case luRow:
		c.solveRows(m.data[t.a])
	case luColumn:
		c.solveColumns(m.data[t.a])
	case luUpdate:
		c.update(m.data[t.a], m.data[t.b])
	}
}

// row returns row i of a tile.
func (t *luTile) row(i int) []float32 { return t[i*luSide:][:luSide] }

func (t *luTile) factor() {
	for k := range luSide {
		for i := k + 1; i < luSide; i++ {
			t.row(i)[k] /= t.row(k)[k]
			for j := k + 1; j < luSide; j++ {
				t.row(i)[j] -= t.row(i)[k] * t.row(k)[j]
			}
		}
	}
}

func (t *luTile) solveRows(diagonal *luTile) {
	for k := range luSide {
		for i := k + 1; i < luSide; i++ {
			for j := range luSide {
				t.row(i)[j] -= diagonal.row(i)[k] * t.row(k)[j]
			}
		}
	}
}

func (t *luTile) solveColumns(diagonal *luTile) {
	for i := range luSide {
		for k := range luSide {
			t.row(i)[k] /= diagonal.row(k)[k]
			for j := k + 1; j < luSide; j++ {
				t.row(i)[j] -= t.row(i)[k] * diagonal.row(k)[j]
			}
		}
	}
}

func (t *luTile) update(a, b *luTile) {
	for i := range luSide {
		to := t.row(i)
		for k, x := range a.row(i) {
			for j, y := range b.row(k) {
				to[j] -= x * y
			}
		}
	}
}
