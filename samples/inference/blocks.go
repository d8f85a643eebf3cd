package inference

import "gpureplay/samples"

// blockRows is the rows of a block of weights (Hazy Research, matvec_pipeline.cuh).
const blockRows = 16

// blockOf is a block: 16 rows of a matrix and as many columns as the hidden state has.
type blockOf struct{ row, part int }

// blocksOf are the blocks of a CTA: consecutive ones, by column, then row, in parts as equal as they can be.
func (g *decoder) blocksOf(m *matrix, cta int) (list []blockOf) {
	rows := (m.rows + blockRows - 1) / blockRows
	all, ctas := rows*max(1, m.columns/g.hidden), g.ctas
	for m.equal && ctas > 1 && all%ctas > 0 {
		ctas--
	}
	for i := cta * all / ctas; cta < ctas && i < (cta+1)*all/ctas; i++ {
		list = append(list, blockOf{row: i % rows * blockRows, part: i / rows})
	}
	return list
}

// weight is a load of a warp: a line of 256 columns of a row.
type weight struct{ block, row, line int }

// weightsOf are the loads of a warp: a line of each block and a part of its rows, so that warps share the columns. Of
// 20 warps 16 multiply (Hazy Research, config.cuh).
func (g *decoder) weightsOf(m *matrix, blocks []blockOf, warp int) (list []weight) {
	multiply, lines := max(1, g.warps*4/5), 2*min(m.columns, g.hidden)/lineBytes
	each := max(1, multiply/lines) // warps of a line
	for b := range blocks {
		for line := warp % lines; warp < multiply && warp/lines < each && line < lines; line += multiply {
			for row := warp / lines; row < blockRows && blocks[b].row+row < m.rows; row += each {
				list = append(list, weight{b, blocks[b].row + row, blocks[b].part*lines + line})
			}
		}
	}
	return list
}

// vectorOf is the lines of the vector that blocks multiply with, without to.
func (g *decoder) vectorOf(m *matrix, blocks []blockOf) (from, to int) {
	if len(blocks) == 0 {
		return 0, 0
	}
	each := min(m.lines(), 2*g.hidden/lineBytes)
	return blocks[0].part * each, (blocks[len(blocks)-1].part + 1) * each
}

// projectBlocks launches out = W·in by blocks of rows. Sums of a block come together in shared memory, in one place
// for all blocks. Several parts of the columns are added at the L2.
func (g *decoder) projectBlocks(in, out samples.Array, m matrix) {
	k := g.code
	g.kernel(k.code, g.ctas, func(b *samples.Block) {
		blocks := g.blocksOf(&m, b.X())
		b.EachWarp(func(w *samples.Warp) {
			list := g.weightsOf(&m, blocks, w.ID)
			w.Do(k.index...)
			g.at("begin", w, k.trigger)
			load := func(n int) {
				w.Affine(k.weights[n%g.loads], m.at(list[n].row, list[n].line), 16)
				if n == len(list)-1 {
					g.at("loads", w, k.trigger)
				}
			}
			if len(list) == 0 {
				g.at("loads", w, k.trigger)
			}
			if m.after {
				w.Do(k.wait)
			}
			if m.route != nil {
				w.Same(k.route, m.route.Base)
			}
			for n := range min(g.loads, len(list)) {
				load(n)
			}
			from, to := g.vectorOf(&m, blocks)
			g.loadNorm(w, w.ID, from, to, &m)
			if !m.after {
				w.Do(k.wait)
			}
			g.copyVector(w, w.ID, in, from, to, &m)
			w.Do(k.bar)
			for n, x := range list {
				w.Affine(k.get, uint64(x.line*lineBytes), 16)
				w.Do(k.dot[n%g.loads]...)
				if next := n + g.loads; next < len(list) {
					load(next)
				}
				if n == len(list)-1 || list[n+1].block != x.block {
					w.Do(k.sum...)
					w.Affine(k.part, uint64(w.ID*blockRows*4), 4)
				}
			}
			w.Do(k.bar)
			g.results(w, w.ID, &m, blocks, out)
			g.at("end", w, k.trigger)
			w.Exit(k.exit)
		})
	})
}

// results has a warp add up the sums of its blocks and write them.
func (g *decoder) results(w *samples.Warp, warp int, m *matrix, blocks []blockOf, out samples.Array) {
	for n := warp; n < len(blocks); n += g.warps {
		for range 4 { // two halves of a warp take the parts of 16 rows from eight warps each
			w.Affine(g.code.get, 0, 16)
		}
		w.Do(g.code.sum...)
		g.finish(w, m)
		w.Predicated(1<<min(blockRows, m.rows-blocks[n].row)-1, func() {
			w.Affine(g.stored(m), out.At(blocks[n].row), 2)
		})
	}
}
