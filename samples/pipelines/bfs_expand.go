package pipelines

import "gpureplay/samples"

// bfsExpand is the first kernel of a level: nodes in the mask give their unseen neighbours a cost and put them into
// the updating mask. Per thread: five operations for the node's number and its check and the exit, two for the
// address of its flag, a load, a comparison and an exit. In a node of the mask a store, the address of the node and
// loads of its two words with a check, three for pointers. Per edge: the load of the neighbour, three operations
// for the address of its flag, a load, a comparison. Guarded by the flag, the load of the own cost, five operations
// for the addition and the addresses, two stores. Then the loads of the node's two words again, which the stores
// may alias. Then six operations for pointer, counter, bound, comparison and branch.
//
//  1. Which words a thread loads again, and that the guarded part is predicated rather than branched around, follow
//     a capture of the kernel on an A100.
type bfsExpand struct {
	*samples.Code
	index                    []samples.Op
	beyond                   samples.Op
	flagAddress              []samples.Op
	loadFlag, testFlag, out  samples.Op
	clear, nodeAddress       samples.Op
	loadCount, testCount     samples.Op
	empty, loadStart         samples.Op
	pointers                 []samples.Op
	loadEdge                 samples.Op
	seenAddress              []samples.Op
	loadSeen, testSeen       samples.Op
	loadCost                 samples.Op
	addresses                []samples.Op
	storeCost, storeUpdating samples.Op
	reloadCount, reloadStart samples.Op
	loop                     []samples.Op
	exit                     samples.Op
}

func newBFSExpand(p *samples.Program) *bfsExpand {
	c := &bfsExpand{Code: p.Code("Kernel")}
	cta, tid, node, flagPtr, flag, nodePtr := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	count, start, edgePtr, costPtr, id, seenPtr := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	seen, cost, toCost, toMask, i, end := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	outside, unset, isEmpty, isSeen, more := c.Pred(), c.Pred(), c.Pred(), c.Pred(), c.Pred()
	none := samples.NoReg
	c.index = []samples.Op{
		c.Op("MOV", i), c.Op("S2R", cta), c.Op("S2R", tid), c.Op("IMAD", node, cta, tid), c.Op("ISETP.GE.AND", outside, node),
	}
	c.beyond = c.Op("EXIT", none, outside)
	c.flagAddress = []samples.Op{c.Op("IADD3", flagPtr, node), c.Op("LEA.HI.X", flagPtr, node, flagPtr)}
	c.loadFlag = c.Load("LDG.E.U8", 1, flag, flagPtr)
	c.testFlag = c.Op("ISETP.NE.AND", unset, flag)
	c.out = c.Op("EXIT", none, unset)
	c.clear = c.Store("STG.E.U8", 1, flagPtr)
	c.nodeAddress = c.Op("IMAD.WIDE", nodePtr, node)
	c.loadCount = c.Load("LDG.E", 4, count, nodePtr)
	c.testCount = c.Op("ISETP.GE.AND", isEmpty, count)
	c.empty = c.Op("EXIT", none, isEmpty)
	c.loadStart = c.Load("LDG.E", 4, start, nodePtr)
	c.pointers = []samples.Op{c.Op("IMAD.WIDE", edgePtr, start), c.Op("IMAD.WIDE", costPtr, node), c.Op("MOV", i, start)}
	c.loadEdge = c.Load("LDG.E", 4, id, edgePtr)
	c.seenAddress = []samples.Op{c.Op("SHF", seenPtr, id), c.Op("IADD3", seenPtr, id, seenPtr),
		c.Op("IADD3.X", seenPtr, seenPtr)}
	c.loadSeen = c.Load("LDG.E.U8", 1, seen, seenPtr)
	c.testSeen = c.Op("ISETP.NE.AND", isSeen, seen)
	c.loadCost = c.Load("LDG.E", 4, cost, costPtr, isSeen)
	c.addresses = []samples.Op{
		c.Op("IADD3", toMask, id, isSeen), c.Op("IMAD.WIDE", toCost, id, isSeen), c.Op("IADD3", cost, cost, isSeen),
		c.Op("IADD3.X", toMask, toMask, isSeen), c.Op("PRMT", flag, isSeen),
	}
	c.storeCost = c.Store("STG.E", 4, toCost, cost, isSeen)
	c.storeUpdating = c.Store("STG.E.U8", 1, toMask, flag, isSeen)
	c.reloadCount = c.Load("LDG.E", 4, count, nodePtr, isSeen)
	c.reloadStart = c.Load("LDG.E", 4, start, nodePtr, isSeen)
	c.loop = []samples.Op{
		c.Op("IADD3", i, i), c.Op("IADD3", edgePtr, edgePtr), c.Op("IMAD.X", edgePtr, edgePtr),
		c.Op("IADD3", end, count, start), c.Op("ISETP.GE.AND", more, i, end), c.Op("BRA", none, more),
	}
	c.exit = c.Exit()
	return c
}

func (s *bfs) expandCTA(b *samples.Block) {
	b.EachWarp(func(w *samples.Warp) { s.expandWarp(w, s.node(b, w)) })
}

func (s *bfs) expandWarp(w *samples.Warp, first int) {
	c := s.expand
	w.Do(c.index...)
	if w.ExitIf(c.beyond, w.Where(func(lane int) bool { return first+lane >= len(s.cost) })) {
		return
	}
	w.Do(c.flagAddress...)
	w.Affine(c.loadFlag, s.mask.At(first), 1)
	w.Do(c.testFlag)
	if w.ExitIf(c.out, w.Where(func(lane int) bool { return !s.inMask[first+lane] })) {
		return
	}
	w.Affine(c.clear, s.mask.At(first), 1)
	w.Lanes(func(lane int) { s.inMask[first+lane] = false })
	w.Do(c.nodeAddress)
	w.Affine(c.loadCount, s.nodes.At(first)+4, 8)
	w.Do(c.testCount)
	degree := func(lane int) int { return int(s.graph.start[first+lane+1] - s.graph.start[first+lane]) }
	if w.ExitIf(c.empty, w.Where(func(lane int) bool { return degree(lane) == 0 })) {
		return
	}
	w.Affine(c.loadStart, s.nodes.At(first), 8)
	w.Do(c.pointers...)
	for edge := 0; ; edge++ {
		active := w.Where(func(lane int) bool { return edge < degree(lane) })
		if active == 0 {
			break
		}
		w.Under(active, func() { s.expandEdge(w, first, edge) })
	}
	w.Exit(c.exit)
}

// expandEdge follows one edge of every active lane.
func (s *bfs) expandEdge(w *samples.Warp, first, edge int) {
	c := s.expand
	var id [samples.WarpSize]int
	at := func(lane int) int { return int(s.graph.start[first+lane]) + edge }
	w.Lanes(func(lane int) { id[lane] = int(s.graph.edges[at(lane)]) })
	w.Mem(c.loadEdge, func(lane int) uint64 { return s.edges.At(at(lane)) })
	w.Do(c.seenAddress...)
	w.Mem(c.loadSeen, func(lane int) uint64 { return s.visited.At(id[lane]) })
	w.Do(c.testSeen)
	w.Predicated(w.Where(func(lane int) bool { return !s.seen[id[lane]] }), func() {
		w.Affine(c.loadCost, s.costs.At(first), 4)
		w.Do(c.addresses...)
		w.Mem(c.storeCost, func(lane int) uint64 { return s.costs.At(id[lane]) })
		w.Mem(c.storeUpdating, func(lane int) uint64 { return s.updating.At(id[lane]) })
		w.Lanes(func(lane int) {
			s.cost[id[lane]] = s.cost[first+lane] + 1
			s.inUpdate[id[lane]] = true
		})
		w.Affine(c.reloadCount, s.nodes.At(first)+4, 8)
		w.Affine(c.reloadStart, s.nodes.At(first), 8)
	})
	w.Do(c.loop...)
}
