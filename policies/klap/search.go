package klap

import (
	"math/bits"

	"gpureplay/model"
	"gpureplay/model/hardware"
)

// Parents is a CTA's knowledge of the threads that requested its aggregate: the sum of the grid sizes up to each
// thread, itself included.
type Parents struct {
	Scan  []uint32
	Slots Slots
	Kind  Kind
}

// Kind is how a CTA looks for its parent where the first guess is wrong.
type Kind uint8

const (
	EachThread Kind = iota // each of its threads tests one parent
	WarpSearch             // one of its warps looks at 32 at a time: the parents are more than its threads
	Binary                 // every thread halves the list
)

// Guess is the parent that CTA b tries first, and whether it is b's: b over the
// parents' mean grid size, or a bit more.
func (p *Parents) Guess(b uint32) (parent int, right bool) {
	n := uint32(len(p.Scan))
	parent = int(b / ((p.Scan[n-1]-1)/n + 1))
	return parent, p.has(parent, b)
}

func (p *Parents) has(parent int, b uint32) bool {
	return b < p.Scan[parent] && (parent == 0 || b >= p.Scan[parent-1])
}

// Find is the parent of CTA b.
func (p *Parents) Find(b uint32) int {
	for i := range p.Scan {
		if b < p.Scan[i] {
			return i
		}
	}
	return -1
}

// Search is the code of a warp of CTA b before the child's own.
func (c *Code) Search(p *Parents, b, warp, threads uint32) *model.AddedCode {
	c.begin(threads)
	c.do(addInst)
	c.divide()
	c.do(addInst)
	c.divide()
	guess, right := p.Guess(b)
	c.bounds(p, guess)
	c.do(setInst, setInst, braInst)
	parent := p.Find(b)
	if !right {
		switch p.Kind {
		case EachThread:
			c.each(p, parent, warp)
		case WarpSearch:
			c.wide(p, parent, warp)
		case Binary:
			c.halve(p, parent)
		}
		c.bounds(p, parent)
	}
	for i := range p.Slots.Words {
		c.access(loadInst, p.Slots.word(i, uint64(parent)), 0)
	}
	c.do(addInst, addInst, setInst, braInst) // its grid, its own CTA; threads beyond the parent's block are off
	return c.end()
}

// divide is a division of whole numbers.
func (c *Code) divide() { c.do(rcpInst, addInst, addInst, addInst) }

// bounds loads the sums before a parent and with it.
func (c *Code) bounds(p *Parents, parent int) {
	c.access(loadInst, p.Slots.scan(uint64(max(parent, 1)-1)), 0)
	c.access(loadInst, p.Slots.scan(uint64(parent)), 0)
}

// each has every thread of the CTA test the parent of its own index.
func (c *Code) each(p *Parents, parent int, warp uint32) {
	first, all := int(warp)*hardware.WarpSize, c.all
	if n := len(p.Scan) - first; n > 0 {
		c.lanes(all & uint32(1<<min(n, hardware.WarpSize)-1))
		c.do(addInst)
		c.access(loadInst, p.Slots.scan(uint64(max(first, 1)-1)), 4)
		c.access(loadInst, p.Slots.scan(uint64(first)), 4)
		c.do(setInst, setInst, braInst)
		if parent >= first && parent < first+hardware.WarpSize {
			c.lanes(1 << (parent - first))
			c.access(putInst, 0, 0)
		}
		c.lanes(all)
	}
	c.found()
}

// wide has the first warp find the run of 32 parents, then the parent in it.
func (c *Code) wide(p *Parents, parent int, warp uint32) {
	if warp == 0 {
		all, n := c.all, len(p.Scan)
		runs := min((n+hardware.WarpSize-1)/hardware.WarpSize, hardware.WarpSize)
		c.lanes(all & uint32(1<<runs-1))
		c.do(addInst)
		c.access(loadInst, p.Slots.scan(hardware.WarpSize-1), 4*hardware.WarpSize)
		c.do(setInst, vote)
		first := parent / hardware.WarpSize * hardware.WarpSize
		c.lanes(all & uint32(1<<min(n-first, hardware.WarpSize)-1))
		c.do(addInst)
		c.access(loadInst, p.Slots.scan(uint64(first)), 4)
		c.do(setInst, vote)
		c.lanes(1)
		c.access(putInst, 0, 0)
		c.lanes(all)
	}
	c.found()
}

// found gives all threads of the CTA the result of the one that found it.
func (c *Code) found() {
	c.do(barInst)
	c.access(getInst, 0, 0)
}

// halve has every thread look at the middle of the rest of the list.
func (c *Code) halve(p *Parents, parent int) {
	lo, hi := 0, len(p.Scan)
	for range bits.Len(uint(len(p.Scan) - 1)) {
		mid := (lo + hi) / 2
		c.do(addInst, addInst)
		c.access(loadInst, p.Slots.scan(uint64(mid)), 0)
		c.do(setInst, braInst)
		if parent < mid {
			hi = mid
		} else {
			lo = mid
		}
	}
}
