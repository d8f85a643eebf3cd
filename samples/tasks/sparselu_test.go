package tasks

import (
	"math"
	"math/rand/v2"
	"testing"

	"gpureplay/samples/samplestest"
	"gpureplay/trace"
)

// L·U, with the tiles as they are after the factorisation, is the matrix.
func TestFactorsMultiplyBack(t *testing.T) {
	const n = 7
	before, m := newSparseLU(n), newSparseLU(n)
	before.fill(rand.New(rand.NewPCG(4, 0)))
	m.fill(rand.New(rand.NewPCG(4, 0)))
	if err := m.factor(func(luTask) error { return nil }); err != nil {
		t.Fatal(err)
	}
	at := func(m *sparseLU, i, j int) float64 {
		p := m.place[i/luSide][j/luSide]
		if p < 0 {
			return 0
		}
		return float64(m.data[p][i%luSide*luSide+j%luSide])
	}
	const side = n * luSide
	for i := 0; i < side; i += 3 {
		for j := range side {
			sum := 0.0
			for k := 0; k <= min(i, j); k++ {
				l := 1.0
				if k < i {
					l = at(m, i, k)
				}
				sum += l * at(m, k, j)
			}
			if want := at(before, i, j); math.Abs(sum-want) > 1e-3 {
				t.Fatalf("(L·U)[%d][%d] = %g, the matrix has %g", i, j, sum, want)
			}
		}
	}
}

// The suite's own count for 10 x 10 tiles, by a model of the pattern that knows no places: 145 tasks. 146 make the
// 273 thousand of table 3, within 2 %.
func TestTaskCounts(t *testing.T) {
	for n, want := range map[int]int{1: 1, 2: 5, 7: 80, 10: 145, 16: 488, 27: 2250, 146: 270173} {
		count := 0
		m := newSparseLU(n)
		if err := m.factor(func(luTask) error { count++; return nil }); err != nil || count != want {
			t.Errorf("%d x %d tiles make %d tasks, want %d", n, n, count, want)
		}
	}
}

// Every task waits for exactly those before it that wrote a tile which it
// touches last: found again here from the addresses alone.
func TestDependencesCoverEveryConflict(t *testing.T) {
	r := samplestest.Generate(t, "tasks-slud", "tiles=8", "threads=64")
	const tile = 4 * luSide * luSide
	writer := map[uint64]uint32{}
	tasks := 0
	for _, op := range r.Ops {
		if op.Kind != trace.OpSpawn {
			continue
		}
		tasks++
		deps := map[uint32]bool{}
		for _, d := range op.Deps {
			if d >= op.Kernel || deps[d] {
				t.Fatalf("task %d depends on %v", op.Kernel, op.Deps)
			}
			deps[d] = true
		}
		touched, written := map[uint64]bool{}, map[uint64]bool{}
		insts := r.Functions[r.Kernels[op.Kernel].Function].Insts
		for _, c := range r.CTAs[op.Kernel] {
			for wi := range c.Warps {
				w := &c.Warps[wi]
				for in, access := range w.Accesses(insts) {
					for a := range access.Addresses(w.Lists) {
						touched[a/tile] = true
						written[a/tile] = written[a/tile] || in.Flags&trace.InstStore != 0
					}
				}
			}
		}
		for at := range touched {
			if by, ok := writer[at]; ok && !deps[by] {
				t.Fatalf("task %d touches what task %d wrote and does not wait for it", op.Kernel, by)
			} else if ok {
				delete(deps, by)
			}
		}
		if len(deps) > 0 {
			t.Fatalf("task %d waits for %v, whose results it does not touch", op.Kernel, deps)
		}
		for at, yes := range written {
			if yes {
				writer[at] = op.Kernel
			}
		}
	}
	if tasks < 50 {
		t.Errorf("only %d tasks", tasks)
	}
}
