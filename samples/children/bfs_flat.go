package children

import (
	"math/bits"

	"gpureplay/samples"
	"gpureplay/trace"
)

// flatExpand is the expanding kernel of the flat program, after Merrill, Garland and Grimshaw's search (PPoPP
// 2012). The DTBL paper names it as its baseline (5.2 A). A CTA takes the rows of at least as many neighbours as it
// has threads one after another, a warp rows of at least 32. A scan over the CTA deals the rest to the threads. In
// the nested program a child stands for the first two.
//
//  1. Threads vie for the CTA through shared memory and for a warp by a vote and shuffles. Of several the last
//     thread of a CTA, the first lane of a warp wins.
//  2. The place of a row's neighbours is found as in the nested program.
type flatExpand struct {
	*loopCode
	address []samples.Op
	vertex  samples.Op
	rows    rowsCode
	scan    []samples.Op
	claim   samples.Op
	place   []samples.Op

	large, small, left flatTest
	vie, tell, hear    samples.Op // for the CTA: its winner and the winner's row
	sync               samples.Op
	broadcast          []samples.Op // in a warp
	deal               flatDeal
	copy               flatCopy
}

// flatTest is a comparison, a vote of the warp or a barrier of the CTA, and a branch.
type flatTest struct{ compare, vote, branch samples.Op }

// flatCopy copies one neighbour a thread. Per step of the loop: a comparison and a
// branch; an addition and an address for each of load and store; the step.
type flatCopy struct {
	test        []samples.Op
	from        []samples.Op
	load, store samples.Op
	to          []samples.Op
	step        samples.Op
}

// flatDeal gives neighbours to threads: a scan over the warp (five shuffles, five additions), over the warps'
// totals in shared memory (a store, a barrier, a load, three additions). Then for every neighbour in reach a
// comparison, a branch, a store of where it is and goes, and two additions.
type flatDeal struct {
	scan        []samples.Op
	total, sums samples.Op
	add         []samples.Op
	test        []samples.Op
	put         samples.Op
	next        []samples.Op
	take        samples.Op
}

// Shared memory: the CTA's winner and its row, the warps' totals, the dealt neighbours.
const (
	flatTotals = 16
	flatDealt  = 32
	dealtBytes = 8
)

func newFlatExpand(p *samples.Program) flatExpand {
	c := flatExpand{loopCode: newLoop(p, "expand_flat")}
	none, addr, v := samples.NoReg, c.Reg(), c.Reg()
	c.address = []samples.Op{c.Op("IMAD.WIDE", addr, c.item)}
	c.vertex = c.Load("LDG.E", 4, v, addr)
	c.rows = newRows(c.Code, v)
	degree, sum, part, place := c.rows.degree, c.Reg(), c.Reg(), c.Reg()
	for range 5 {
		c.scan = append(c.scan, c.Op("SHFL.UP", part, sum, degree), c.Op("IADD3", sum, sum, part))
	}
	c.claim = c.Atomic("ATOMG.E.ADD", 4, place, sum)
	c.place = []samples.Op{c.Op("SHFL.IDX", place, place), c.Op("IADD3", place, place, sum)}

	at, count, to := c.Reg(), c.Reg(), c.Reg()
	test := func(vote func(p trace.Reg) samples.Op) flatTest {
		many := c.Pred()
		return flatTest{c.Op("ISETP.GE", many, degree), vote(many), c.Op("BRA", none, many)}
	}
	barrier := func(trace.Reg) samples.Op { return c.Barrier(0) }
	c.large = test(barrier)
	c.vie, c.sync = c.Store("STS", 4, at), c.Barrier(0)
	c.tell, c.hear = c.Store("STS", 16, at, count, to), c.Load("LDS", 16, at)
	c.small = test(func(p trace.Reg) samples.Op { return c.Op("VOTE.ANY", part, p) })
	c.broadcast = []samples.Op{c.Op("FLO", part, part), c.Op("SHFL.IDX", at, v, part),
		c.Op("SHFL.IDX", count, degree, part),
		c.Op("SHFL.IDX", to, place, part), c.Op("SEL", degree, degree, part)}
	for range 5 {
		c.deal.scan = append(c.deal.scan, c.Op("SHFL.UP", part, sum, degree), c.Op("IADD3", sum, sum, part))
	}
	c.deal.total, c.deal.sums = c.Store("STS", 4, addr, sum), c.Load("LDS", 16, part, addr)
	c.deal.add = []samples.Op{c.Op("IADD3", sum, sum, part), c.Op("IADD3", sum, sum, part), c.Op("IADD3", sum, sum, part)}
	c.left = test(barrier)
	more := c.Pred()
	c.deal.test = []samples.Op{c.Op("ISETP.LT", more, sum, count), c.Op("BRA", none, more)}
	c.deal.put = c.Store("STS", 8, sum, at, to)
	c.deal.next = []samples.Op{c.Op("IADD3", sum, sum), c.Op("IADD3", at, at)}
	c.deal.take = c.Load("LDS", 8, at, c.item)

	from, into, u := c.Reg(), c.Reg(), c.Reg()
	c.copy.test = []samples.Op{c.Op("ISETP.LT", more, at, count), c.Op("BRA", none, more)}
	c.copy.from = []samples.Op{c.Op("IADD3", from, at), c.Op("IMAD.WIDE", from, from)}
	c.copy.load = c.Load("LDG.E", 4, u, from)
	c.copy.to = []samples.Op{c.Op("IADD3", into, to), c.Op("IMAD.WIDE", into, into)}
	c.copy.store = c.Store("STG.E", 4, into, u)
	c.copy.step = c.Op("IADD3", at, at)
	c.end()
	return c
}

// row is the part of a row that a thread has not expanded.
type row struct{ from, to, count int }

func (s *bfs) flatCTA(b *samples.Block, in samples.Array) {
	c := &s.flat
	threads := int(b.Dim[0])
	warps := b.Warps()
	for i := range warps {
		warps[i].Do(c.index...)
	}
	for base := b.X() * threads; ; base += threads * int(b.Grid[0]) {
		for i := range warps {
			warps[i].Do(c.test...)
		}
		if base >= len(s.current) {
			break
		}
		rows := make([]row, threads)
		b.EachWarp(func(w *samples.Warp) { s.flatRows(w, in, base, rows) })
		s.flatLarge(b, rows)
		b.EachWarp(func(w *samples.Warp) { s.flatSmall(w, rows[w.ID*samples.WarpSize:]) })
		s.flatLeft(b, rows)
		for i := range warps {
			warps[i].Do(c.step)
		}
	}
	for i := range warps {
		warps[i].Exit(c.exit)
	}
}

// flatRows loads the rows of a warp's vertices and takes places for their neighbours.
func (s *bfs) flatRows(w *samples.Warp, in samples.Array, base int, rows []row) {
	c, first := &s.flat, w.ID*samples.WarpSize
	w.Under(w.Where(func(lane int) bool { return base+first+lane < len(s.current) }), func() {
		w.Do(c.address...)
		w.Affine(c.vertex, in.At(base+first), 4)
		vertex := func(lane int) int { return int(s.current[base+first+lane]) }
		degrees := c.rows.load(w, &s.g, vertex)
		w.Do(c.scan...)
		last := w.Mask() &^ (w.Mask() >> 1)
		w.Under(last, func() { w.Same(c.claim, s.counts.At(0)) })
		w.Do(c.place...)
		w.Lanes(func(lane int) {
			v := vertex(lane)
			rows[first+lane] = row{int(s.g.Row[v]), len(s.all), degrees[lane]}
			s.all = append(s.all, s.g.Neighbours(v)...)
		})
	})
}

// flatLarge lets the CTA expand rows of at least as many neighbours as it has threads.
func (s *bfs) flatLarge(b *samples.Block, rows []row) {
	c, warps := &s.flat, b.Warps()
	for {
		winner := -1
		for i := range rows {
			if rows[i].count >= len(rows) {
				winner = i
			}
		}
		for i := range warps {
			warps[i].Do(c.large.compare, c.large.vote, c.large.branch)
		}
		if winner < 0 {
			return
		}
		r := rows[winner]
		for i := range warps {
			w := &warps[i]
			first := i * samples.WarpSize
			w.Under(w.Where(func(lane int) bool { return rows[first+lane].count >= len(rows) }), func() { w.Same(c.vie, 0) })
			w.Do(c.sync)
			w.Under(w.Where(func(lane int) bool { return first+lane == winner }), func() { w.Same(c.tell, 0) })
			w.Do(c.sync)
			w.Same(c.hear, 0)
			s.flatCopy(w, r, first, len(rows))
		}
		rows[winner].count = 0
	}
}

// flatSmall lets a warp expand rows of at least 32 neighbours.
func (s *bfs) flatSmall(w *samples.Warp, rows []row) {
	c := &s.flat
	for {
		many := w.Where(func(lane int) bool { return rows[lane].count >= samples.WarpSize })
		w.Do(c.small.compare, c.small.vote, c.small.branch)
		if many == 0 {
			return
		}
		w.Do(c.broadcast...)
		first := bits.TrailingZeros32(many)
		s.flatCopy(w, rows[first], 0, samples.WarpSize)
		rows[first].count = 0
	}
}

// flatCopy copies a row with so many threads; the warp's threads begin at first.
func (s *bfs) flatCopy(w *samples.Warp, r row, first, threads int) {
	c := &s.flat.copy
	for in, at := w.Mask(), first; in != 0; at += threads {
		w.Under(in, func() {
			w.Do(c.test...)
			in = w.Where(func(lane int) bool { return at+lane < r.count })
		})
		w.Under(in, func() {
			w.Do(c.from...)
			w.Affine(c.load, s.g.col.At(r.from+at), 4)
			w.Do(c.to...)
			w.Affine(c.store, s.expanded.At(r.to+at), 4)
			w.Do(c.step)
		})
	}
}

// flatLeft deals the rest of the rows to the threads, as many neighbours at a time as there are threads.
func (s *bfs) flatLeft(b *samples.Block, rows []row) {
	c, warps := &s.flat, b.Warps()
	ranks := make([]int, len(rows))
	var dealt [][2]int // where each neighbour is and goes
	for i := range rows {
		ranks[i] = len(dealt)
		for k := range rows[i].count {
			dealt = append(dealt, [2]int{rows[i].from + k, rows[i].to + k})
		}
	}
	for i := range warps {
		w := &warps[i]
		w.Do(c.deal.scan...)
		last := w.Mask() &^ (w.Mask() >> 1)
		w.Under(last, func() { w.Same(c.deal.total, flatTotals+4*uint64(i)) })
		w.Do(c.sync)
		w.Same(c.deal.sums, flatTotals)
		w.Do(c.deal.add...)
	}
	for done := 0; ; done += len(rows) {
		for i := range warps {
			warps[i].Do(c.left.compare, c.left.vote, c.left.branch)
		}
		if done >= len(dealt) {
			return
		}
		for i := range warps {
			first := i * samples.WarpSize
			s.flatDeal(&warps[i], rows[first:], ranks[first:], done, done+len(rows))
			s.flatTake(&warps[i], dealt[done:], first)
		}
	}
}

// flatDeal writes to shared memory where the neighbours of a warp's lanes are whose
// ranks lie from low to below high.
func (s *bfs) flatDeal(w *samples.Warp, rows []row, ranks []int, low, high int) {
	c := &s.flat.deal
	rank := func(lane, i int) int { return max(ranks[lane], low) + i }
	for i, in := 0, w.Mask(); in != 0; i++ {
		w.Under(in, func() {
			w.Do(c.test...)
			in = w.Where(func(lane int) bool { return rank(lane, i) < min(ranks[lane]+rows[lane].count, high) })
		})
		w.Under(in, func() {
			w.Mem(c.put, func(lane int) uint64 { return flatDealt + dealtBytes*uint64(rank(lane, i)-low) })
			w.Do(c.next...)
		})
	}
}

// flatTake lets each thread copy the neighbour that it has been dealt.
func (s *bfs) flatTake(w *samples.Warp, dealt [][2]int, first int) {
	c := &s.flat
	w.Do(c.sync)
	w.Under(w.Where(func(lane int) bool { return first+lane < len(dealt) }), func() {
		w.Affine(c.deal.take, flatDealt+dealtBytes*uint64(first), dealtBytes)
		w.Do(c.copy.from...)
		w.Mem(c.copy.load, func(lane int) uint64 { return s.g.col.At(dealt[first+lane][0]) })
		w.Do(c.copy.to...)
		w.Mem(c.copy.store, func(lane int) uint64 { return s.expanded.At(dealt[first+lane][1]) })
	})
}
