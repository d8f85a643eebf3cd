package model

import (
	"math/bits"

	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// footprint is the set of sectors of global memory that a kernel touches.
type footprint struct {
	pages []footprintPage // in the order of first touches
	at    map[uint64]int
	last  int // page that was touched last
}

// footprintPage are the sectors of a page of 64.
type footprintPage struct{ page, touched, written uint64 }

const pageShift = hardware.SectorShift + 6

// footprint reads the accesses of a kernel. It returns an error if the trace is damaged.
func (m *core) footprint(kernel uint32) (*footprint, error) {
	var k trace.Kernel
	if err := m.tr.Kernel(kernel, &k); err != nil {
		return nil, err
	}
	f := &footprint{at: map[uint64]int{}}
	for c, err := range trace.Each(m.tr.CTAsOf(&k, 0)) {
		if err != nil {
			return nil, err
		}
		for i := range c.Warps {
			f.warp(&c.Warps[i], m.prog.Functions[k.Function].Insts)
		}
	}
	return f, nil
}

func (f *footprint) warp(w *trace.Warp, insts []trace.Inst) {
	for in, a := range w.Accesses(insts) {
		if a.Count == 0 || !in.Global() {
			continue
		}
		width, written := uint64(in.Width), in.Mode()&trace.Write != 0
		if a.List == 0 && uint64(a.Stride) <= 1<<hardware.SectorShift { // not of negative ones
			f.touch(a.Base, uint64(a.Stride)*uint64(a.Count-1)+width, written)
			continue
		}
		for addr := range a.Addresses(w.Lists) {
			f.touch(addr, width, written)
		}
	}
}

// touch adds the sectors of some bytes.
func (f *footprint) touch(addr, bytes uint64, written bool) {
	for lo, end := addr>>hardware.SectorShift, (addr+bytes-1)>>hardware.SectorShift+1; lo < end; {
		hi := min(end, (lo>>6+1)<<6)
		sectors := ^uint64(0) >> (64 - (hi - lo)) << (lo & 63)
		p := f.page(lo >> 6)
		p.touched |= sectors
		if written {
			p.written |= sectors
		}
		lo = hi
	}
}

func (f *footprint) page(page uint64) *footprintPage {
	if f.last < len(f.pages) && f.pages[f.last].page == page {
		return &f.pages[f.last]
	}
	i, known := f.at[page]
	if !known {
		i = len(f.pages)
		f.at[page], f.pages = i, append(f.pages, footprintPage{page: page})
	}
	f.last = i
	return &f.pages[i]
}

// bytes are the bytes of the sectors.
func (f *footprint) bytes() (n uint64) {
	for i := range f.pages {
		n += uint64(bits.OnesCount64(f.pages[i].touched)) << hardware.SectorShift
	}
	return n
}

// leave leaves the sectors in the L2.
func (m *core) leave(f *footprint) {
	for i := range f.pages {
		p := &f.pages[i]
		for _, part := range [2]struct {
			sectors uint64
			written bool
		}{{p.touched &^ p.written, false}, {p.written, true}} {
			for x := part.sectors; x != 0; {
				lo := bits.TrailingZeros64(x)
				n := bits.TrailingZeros64(^(x >> lo))
				m.mem.Leave(p.page<<pageShift+uint64(lo)<<hardware.SectorShift, uint64(n)<<hardware.SectorShift,
					part.written, m.now)
				x &^= ^uint64(0) >> (64 - n) << lo
			}
		}
	}
}
