package pdl

import "gpureplay/trace"

// footprint is the global memory that a kernel touches, in sectors. A large one is kept in pages.
type footprint struct {
	written map[uint64]bool // per block: the kernel writes it, or else reads it alone
	shift   uint            // of an address, to the number of a block
}

const (
	sectorShift = 5
	pageShift   = 12
	mostSectors = 1 << 20
)

func newFootprint() *footprint { return &footprint{written: map[uint64]bool{}, shift: sectorShift} }

// writes reports whether an instruction writes memory.
func writes(in *trace.Inst) bool { return in.Mode()&trace.Write != 0 }

// add adds the accesses of a CTA's warps.
func (p *footprint) add(f *trace.Function, c *trace.CTA) {
	for i := range c.Warps {
		w := &c.Warps[i]
		for in, a := range w.Accesses(f.Insts) {
			if in.Space != trace.SpaceGlobal {
				continue
			}
			p.each(a, w.Lists, in.Width, func(block uint64) bool {
				p.written[block] = p.written[block] || writes(in)
				return false
			})
		}
	}
	if p.shift == sectorShift && len(p.written) > mostSectors {
		pages := map[uint64]bool{}
		for s, written := range p.written {
			page := s >> (pageShift - sectorShift)
			pages[page] = pages[page] || written
		}
		p.written, p.shift = pages, pageShift
	}
}

// each calls do with the blocks of an access until it returns true, and returns whether it did.
func (p *footprint) each(a *trace.Access, lists []uint64, width uint32, do func(block uint64) bool) bool {
	for at := range a.Addresses(lists) {
		for b := at >> p.shift; b <= (at+uint64(max(width, 1))-1)>>p.shift; b++ {
			if do(b) {
				return true
			}
		}
	}
	return false
}

// conflicts reports whether an access reads or writes a block that the kernel writes, or writes one that it reads.
func (p *footprint) conflicts(in *trace.Inst, a *trace.Access, lists []uint64) bool {
	return p.each(a, lists, in.Width, func(block uint64) bool {
		written, touched := p.written[block]
		return written || touched && writes(in)
	})
}
