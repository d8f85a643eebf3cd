package tasks

import (
	"fmt"
	"math/rand/v2"

	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(sludGenerator) }

func sludGenerator() samples.Generator {
	return samples.Generator{Name: "tasks-slud", Machine: "titanx-maxwell",
		Title:  "sparse LU factorisation, one operation on 32x32 tiles per task, known as the factorisation goes",
		Source: "Pagoda tables 3 and 4; Barcelona OpenMP Task Suite, SparseLU",
		Params: []samples.Param{
			samples.Int("tiles", 10, 2, 160, "tiles along each side of the matrix; 146 make 270173 tasks, nearest to the "+
				"273 thousand of table 3"),
			samples.Int("threads", 128, 32, 512, "threads of an update, a multiple of 32; the other operations have 32"),
			samples.Seed(),
		},
		Generate: generateSLUD}
}

// sludRegisters is the register count of table 3.
const sludRegisters = 17

// slud holds the four kernels, recorded on the first three tiles of the matrix: a task's instructions do not depend
// on its values. Nothing synchronises (table 3): in an update every warp has rows of its own, and the other three
// have one warp, a column to a lane.
//
// A task is spawned with the tasks that it must wait for: the one that wrote each tile that it touches. The matrix
// is copied in before the first task and back after the last.
type slud struct {
	matrix samples.Array
	bodies [4]body
	last   []int64 // per tile: kernel of the task that wrote it; -1: none
}

func generateSLUD(w samples.Writer, p samples.Params) error {
	if err := checkThreads(p); err != nil {
		return err
	}
	n := p.Int("tiles")
	pattern := newSparseLU(n)
	held := pattern.tiles
	if err := pattern.factor(func(luTask) error { return nil }); err != nil {
		return err
	}
	rec := newRecorder(w)
	program := samples.NewProgram(rec)
	const tileBytes = 4 * luSide * luSide
	s := slud{matrix: program.Array("matrix", pattern.tiles, tileBytes, trace.ArrayInput|trace.ArrayOutput)}
	s.record(program, rec, p.Int("threads"))
	s.last = make([]int64, pattern.tiles)
	for i := range s.last {
		s.last[i] = -1
	}
	ops := []trace.HostOp{
		{Kind: trace.OpCopyH2D, Array: s.matrix.Index, Addr: s.matrix.Base, Bytes: uint64(held) * tileBytes},
	}
	if fresh := pattern.tiles - held; fresh > 0 {
		ops = append(ops, trace.HostOp{Kind: trace.OpMemset, Array: s.matrix.Index, Addr: s.matrix.At(held),
			Bytes: uint64(fresh) * tileBytes})
	}
	if err := host(w, ops...); err != nil {
		return err
	}
	e := emitter{w: w}
	m := newSparseLU(n)
	m.fill(rand.New(rand.NewPCG(p.Seed(), 0)))
	count := 0
	err := m.factor(func(t luTask) error {
		count++
		return s.spawn(&e, t, uint64(1+count%streams))
	})
	if err != nil {
		return err
	}
	return host(w, trace.HostOp{Kind: trace.OpSyncDevice, Array: trace.NoArray},
		trace.HostOp{Kind: trace.OpCopyD2H, Array: s.matrix.Index, Addr: s.matrix.Base, Bytes: s.matrix.Bytes()})
}

func host(w samples.Writer, ops ...trace.HostOp) error {
	for i := range ops {
		if err := w.Host(&ops[i]); err != nil {
			return err
		}
	}
	return nil
}

// spawn writes a task after those that wrote its tiles.
func (s *slud) spawn(e *emitter, t luTask, stream uint64) error {
	op := trace.HostOp{Stream: stream}
	shift := make([]uint64, 3)
	for i, tile := range [3]int{t.a, t.b, t.c} {
		if tile < 0 {
			continue
		}
		shift[i] = s.matrix.At(tile) - s.matrix.At(i)
		if by := s.last[tile]; by >= 0 {
			op.Deps = append(op.Deps, uint32(by))
		}
	}
	id, err := e.spawn(&s.bodies[t.op], shift, op)
	s.last[t.c] = int64(id)
	return err
}

// record records the four kernels; tiles a, b and c are the first three.
func (s *slud) record(p *samples.Program, rec *recorder, threads int) {
	var tiles [3]buffer
	for i := range tiles {
		tiles[i] = buffer{Array: samples.Array{Base: s.matrix.At(i), Elem: 4, Len: luSide * luSide}, perSlot: luSide * luSide}
	}
	kernels := [4]func(a, b, c buffer, code *samples.Code) func(*samples.Block){luFactor: factorKernel, luRow: rowKernel,
		luColumn: columnKernel, luUpdate: updateKernel}
	for op, name := range [4]string{"lu0", "fwd", "bdiv", "bmod"} {
		code, n := p.Code(name), luSide
		if luOp(op) == luUpdate {
			n = threads
		}
		p.Launch(trace.Kernel{Function: code.Function, Fidelity: trace.FidelityWarp, Grid: trace.Dim3{1, 1, 1},
			Block: trace.Dim3{uint32(n), 1, 1}, Registers: sludRegisters}, kernels[op](tiles[0], tiles[1], tiles[2], code))
		s.bodies[op] = rec.take(tiles[:])
	}
	if err := p.Err(); err != nil {
		panic(fmt.Sprintf("tasks: recording in memory failed: %v", err))
	}
}

// from returns the mask of lanes from k on.
func from(k int) uint32 { return ^uint32(0) << k }

// element returns the address of row i, column j of a tile.
func element(t buffer, i, j int) uint64 { return t.At(i*luSide + j) }

// factorKernel: lane j holds column j. For each row below the pivot lane k
// divides, and the lanes to its right subtract.
func factorKernel(_, _, c buffer, code *samples.Code) func(*samples.Block) {
	e, r := newEntry(code), code.Regs(3)
	u, inv, at, p := r[0], r[1], r[2], code.Pred()
	address := code.Op("LEA", at, e.thread)
	pivotRow, pivot, rcp := code.Load("LDG", 4, u, at), code.Load("LDG", 4, inv, at), code.Op("MUFU.RCP", inv, inv)
	right := code.Op("ISETP", p, e.thread)
	var load, scale, keep, get, fuse, put [unroll]samples.Op
	for x := range unroll {
		l, v := code.Reg(), code.Reg()
		load[x], scale[x], keep[x] = code.Load("LDG", 4, l, at), code.Op("FMUL", l, l, inv), code.Store("STG", 4, at, l, p)
		get[x], fuse[x], put[x] = code.Load("LDG", 4, v, at), code.Op("FFMA", v, l, u, v, p), code.Store("STG", 4, at, v, p)
	}
	inner, outer, exit := newLoop(code), newLoop(code), code.Exit()
	return func(blk *samples.Block) {
		w := &blk.Warps()[0]
		e.do(w)
		w.Do(address)
		for k := range luSide - 1 {
			w.Affine(pivotRow, element(c, k, 0), 4)
			w.Same(pivot, element(c, k, k))
			w.Do(rcp, right)
			byFour(luSide-1-k, func(first, n int) {
				below := k + 1 + first
				for x := range n {
					w.Same(load[x], element(c, below+x, k))
					w.Predicated(from(k+1), func() { w.Affine(get[x], element(c, below+x, 0), 4) })
				}
				for x := range n {
					w.Do(scale[x])
					w.Predicated(1<<k, func() { w.Affine(keep[x], element(c, below+x, 0), 4) })
					w.Predicated(from(k+1), func() {
						w.Do(fuse[x])
						w.Affine(put[x], element(c, below+x, 0), 4)
					})
				}
				inner.next(w)
			})
			outer.next(w)
		}
		w.Exit(exit)
	}
}

// rowKernel: lane j holds column j of tile c; a is the factored diagonal tile.
func rowKernel(a, _, c buffer, code *samples.Code) func(*samples.Block) {
	e, r := newEntry(code), code.Regs(3)
	u, at, ap := r[0], r[1], r[2]
	address := []samples.Op{code.Op("LEA", at, e.thread), code.Op("MOV", ap)}
	top := code.Load("LDG", 4, u, at)
	var load, get, fuse, put [unroll]samples.Op
	for x := range unroll {
		l, v := code.Reg(), code.Reg()
		load[x], get[x] = code.Load("LDG", 4, l, ap), code.Load("LDG", 4, v, at)
		fuse[x], put[x] = code.Op("FFMA", v, l, u, v), code.Store("STG", 4, at, v)
	}
	inner, outer, exit := newLoop(code), newLoop(code), code.Exit()
	return func(blk *samples.Block) {
		w := &blk.Warps()[0]
		e.do(w)
		w.Do(address...)
		for k := range luSide - 1 {
			w.Affine(top, element(c, k, 0), 4)
			byFour(luSide-1-k, func(first, n int) {
				below := k + 1 + first
				for x := range n {
					w.Same(load[x], element(a, below+x, k))
					w.Affine(get[x], element(c, below+x, 0), 4)
				}
				for x := range n {
					w.Do(fuse[x])
					w.Affine(put[x], element(c, below+x, 0), 4)
				}
				inner.next(w)
			})
			outer.next(w)
		}
		w.Exit(exit)
	}
}

// columnKernel: a row of tile c lies across the lanes; lane k holds the inverse
// of pivot k, finishes its element and hands it to the lanes on its right.
func columnKernel(a, _, c buffer, code *samples.Code) func(*samples.Block) {
	e, r := newEntry(code), code.Regs(5)
	inv, v, t, at, ap, p := r[0], r[1], r[2], r[3], r[4], code.Pred()
	address := []samples.Op{code.Op("LEA", at, e.thread), code.Op("IMAD", ap, e.thread)}
	pivot, rcp := code.Load("LDG", 4, inv, ap), code.Op("MUFU.RCP", inv, inv)
	get, put := code.Load("LDG", 4, v, at), code.Store("STG", 4, at, v)
	scale, hand := code.Op("FMUL", v, v, inv, p), code.Op("SHFL", t, v)
	var load, fuse [unroll]samples.Op
	for x := range unroll {
		u := code.Reg()
		load[x], fuse[x] = code.Load("LDG", 4, u, ap, p), code.Op("FFMA", v, t, u, v, p)
	}
	inner, outer, exit := newLoop(code), newLoop(code), code.Exit()
	return func(blk *samples.Block) {
		w := &blk.Warps()[0]
		e.do(w)
		w.Do(address...)
		w.Affine(pivot, element(a, 0, 0), 4*(luSide+1))
		w.Do(rcp)
		for i := range luSide {
			w.Affine(get, element(c, i, 0), 4)
			byFour(luSide, func(first, n int) {
				for x := range n {
					w.Predicated(from(first+x+1), func() { w.Affine(load[x], element(a, first+x, 0), 4) })
				}
				for x := range n {
					w.Predicated(1<<(first+x), func() { w.Do(scale) })
					w.Do(hand)
					w.Predicated(from(first+x+1), func() { w.Do(fuse[x]) })
				}
				inner.next(w)
			})
			w.Affine(put, element(c, i, 0), 4)
			outer.next(w)
		}
		w.Exit(exit)
	}
}

// updateKernel: warps take rows of tile c in turn, lane j column j.
func updateKernel(a, b, c buffer, code *samples.Code) func(*samples.Block) {
	e, r := newEntry(code), code.Regs(5)
	v, av, at, ap, bp := r[0], r[1], r[2], r[3], r[4]
	address := []samples.Op{code.Op("LEA", at, e.thread), code.Op("MOV", ap), code.Op("LEA", bp, e.thread)}
	get, put := code.Load("LDG", 4, v, at), code.Store("STG", 4, at, v)
	four := code.Load("LDG.128", 16, av, ap)
	var one, fuse [unroll]samples.Op
	for j := range unroll {
		bv := code.Reg()
		one[j], fuse[j] = code.Load("LDG", 4, bv, bp), code.Op("FFMA", v, av, bv, v)
	}
	inner, outer, exit := newLoop(code), newLoop(code), code.Exit()
	return func(blk *samples.Block) {
		blk.EachWarp(func(w *samples.Warp) {
			e.do(w)
			strided(blk, w, luSide, func(i int) {
				w.Do(address...)
				w.Affine(get, element(c, i, 0), 4)
				for k := 0; k < luSide; k += unroll {
					w.Same(four, element(a, i, k))
					for j := range unroll {
						w.Affine(one[j], element(b, k+j, 0), 4)
					}
					w.Do(fuse[:]...)
					inner.next(w)
				}
				w.Affine(put, element(c, i, 0), 4)
				outer.next(w)
			})
			w.Exit(exit)
		})
	}
}
