package pipelines

import (
	"gpureplay/samples"
	"gpureplay/trace"
)

// bfsCommit is the second kernel of a level: updating nodes become the mask of the next, and are seen. Per thread:
// five operations for the node's number and its check and the exit, three for the address of its flag, a load, a
// comparison and an exit. In an updating node five operations for addresses and values and four stores.
type bfsCommit struct {
	*samples.Code
	index                    []samples.Op
	beyond                   samples.Op
	flagAddress              []samples.Op
	loadFlag, testFlag, out  samples.Op
	addresses                []samples.Op
	storeMask, storeVisited  samples.Op
	storeOver, storeUpdating samples.Op
	exit                     samples.Op
}

func newBFSCommit(p *samples.Program) *bfsCommit {
	c := &bfsCommit{Code: p.Code("Kernel2")}
	cta, tid, node, ptr, flag := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	maskPtr, seenPtr, overPtr, one := c.Reg(), c.Reg(), c.Reg(), c.Reg()
	outside, unset, none := c.Pred(), c.Pred(), samples.NoReg
	c.index = []samples.Op{
		c.Op("MOV", one), c.Op("S2R", cta), c.Op("S2R", tid), c.Op("IMAD", node, cta, tid),
		c.Op("ISETP.GE.AND", outside, node),
	}
	c.beyond = c.Op("EXIT", none, outside)
	c.flagAddress = []samples.Op{c.Op("SHF", ptr, node), c.Op("IADD3", ptr, node, ptr), c.Op("IADD3.X", ptr, ptr)}
	c.loadFlag = c.Load("LDG.E.U8", 1, flag, ptr)
	c.testFlag = c.Op("ISETP.NE.AND", unset, flag)
	c.out = c.Op("EXIT", none, unset)
	c.addresses = []samples.Op{
		c.Op("IADD3", maskPtr, node), c.Op("IADD3.X", maskPtr, maskPtr),
		c.Op("IADD3", seenPtr, node), c.Op("IADD3.X", seenPtr, seenPtr), c.Op("MOV", overPtr),
	}
	c.storeMask = c.Store("STG.E.U8", 1, maskPtr, one)
	c.storeVisited = c.Store("STG.E.U8", 1, seenPtr, one)
	c.storeOver = c.Store("STG.E.U8", 1, overPtr, one)
	c.storeUpdating = c.Store("STG.E.U8", 1, ptr)
	c.exit = c.Exit()
	return c
}

func (s *bfs) commitCTA(b *samples.Block) {
	node := func(x, _, _ int) int { return b.X()*int(b.Dim[0]) + x }
	b.Range(s.updating, trace.ReadWrite, node)
	b.Range(s.mask, trace.Write, node)
	b.Range(s.visited, trace.Write, node)
	b.Range(s.over, trace.Write, func(_, _, _ int) int { return 0 })
	b.EachWarp(func(w *samples.Warp) { s.commitWarp(w, s.node(b, w)) })
}

func (s *bfs) commitWarp(w *samples.Warp, first int) {
	c := s.commit
	w.Do(c.index...)
	if w.ExitIf(c.beyond, w.Where(func(lane int) bool { return first+lane >= len(s.cost) })) {
		return
	}
	w.Do(c.flagAddress...)
	w.Affine(c.loadFlag, s.updating.At(first), 1)
	w.Do(c.testFlag)
	if w.ExitIf(c.out, w.Where(func(lane int) bool { return !s.inUpdate[first+lane] })) {
		return
	}
	w.Do(c.addresses...)
	w.Affine(c.storeMask, s.mask.At(first), 1)
	w.Affine(c.storeVisited, s.visited.At(first), 1)
	w.Same(c.storeOver, s.over.At(0))
	w.Affine(c.storeUpdating, s.updating.At(first), 1)
	w.Lanes(func(lane int) {
		v := first + lane
		s.inMask[v], s.seen[v], s.inUpdate[v], s.again = true, true, false, true
	})
	w.Exit(c.exit)
}
