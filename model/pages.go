package model

import (
	"fmt"
	"math/bits"
	"sort"

	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// pageTable is the GPU page table with CRCS's reference counters (CRCS/PPCS
// paper, section 4.1 and figure 6): for each page whether it is ready, which
// kernel owns it, how many CTAs of the owner may still read and write it, and
// behind it the counts of the kernels that come after.
type pageTable struct {
	m         *Machine
	board     Scoreboard
	shift     uint
	spans     []pageSpan
	pages     []page
	refs      []pageRef // arena of all reference counts
	freeRefs  int32
	waiting   map[int32][]waiter
	limit     uint32 // largest count that an entry holds
	overflows uint64
	owned     []share // by program order of kernels
	available share
	stamp     uint32
	faulted   bool // FaultSkipRelease has happened
	scratch   []touched
	hulls     []hull
	rec       PageRecord
}

// pageSpan is a run of pages that arrays lie in.
type pageSpan struct {
	first uint64 // page number
	count uint64
	index int32 // of the first in pageTable.pages
}

// page is one entry.
type page struct {
	number  uint64
	head    int32 // first reference: the owner's; -1: no owner
	tail    int32
	stamp   uint32 // CTA that is being walked
	mark    int32  // its entry there
	ready   bool
	input   bool // it comes through the prelude or a copy
	d2h     bool
	sent    bool // on its way back to the host, or there
	array   uint32
	missing uint32 // arrays whose part of it the prelude has not written
}

// pageRef counts the CTAs of one kernel that may read and write a page.
type pageRef struct {
	order            uint64
	kernel           uint32
	readers, writers uint32
	saturated        bool // counts overflowed: the page is held until the kernel ends
	next             int32
}

// touched is a page that a CTA may touch, and how.
type touched struct {
	page int32
	mode trace.Mode
}

// waiter is a warp that stalls on a page.
type waiter struct {
	sm  *sm
	w   *warp
	why Stall
}

// maxPages is the largest page table that is made: 64 GiB in pages of 4 KiB.
const maxPages = 1 << 24

func newPageTable(m *Machine, b Scoreboard) (*pageTable, error) {
	p := &pageTable{m: m, board: b, waiting: make(map[int32][]waiter), freeRefs: -1, limit: ^uint32(0)}
	if b.CounterBits > 0 && b.CounterBits < 32 {
		p.limit = 1<<b.CounterBits - 1
	}
	p.shift = b.PageShift(m.cfg)
	return p, p.cover()
}

// PageShift is the logarithm of the bytes of a page on a machine.
func (b *Scoreboard) PageShift(c *hardware.Config) uint {
	if b.Sectors {
		return hardware.SectorShift
	}
	return uint(bits.Len(uint(c.Host.PageBytes - 1)))
}

// cover makes an entry for every page that an array lies in.
func (p *pageTable) cover() error {
	type run struct{ first, last uint64 }
	var runs []run
	for i := range p.m.prog.Arrays {
		if a := &p.m.prog.Arrays[i]; a.Bytes > 0 {
			runs = append(runs, run{a.Base >> p.shift, (a.Base + a.Bytes - 1) >> p.shift})
		}
	}
	sort.Slice(runs, func(i, j int) bool { return runs[i].first < runs[j].first })
	for _, r := range runs {
		if n := len(p.spans); n > 0 {
			s := &p.spans[n-1]
			if end := s.first + s.count; r.first <= end {
				s.count = max(s.count, r.last+1-s.first)
				continue
			}
		}
		p.spans = append(p.spans, pageSpan{first: r.first, count: r.last - r.first + 1})
	}
	room := uint64(maxPages)
	for i := range p.spans {
		s := &p.spans[i]
		if s.count > room {
			return fmt.Errorf("the arrays of the trace have more than %d pages of %d bytes: raise host.page_bytes with --set, or give the arrays the size that the program uses (replay inspect lists them)", maxPages, 1<<p.shift)
		}
		room -= s.count
		s.index = int32(len(p.pages))
		for n := range s.count {
			p.pages = append(p.pages, page{number: s.first + n, head: -1, tail: -1, ready: true, array: trace.NoArray})
		}
	}
	for i := range p.m.prog.Arrays {
		p.each(uint32(i), func(pg *page) {
			if pg.array == trace.NoArray {
				pg.array = uint32(i)
			}
		})
	}
	return nil
}

// span returns the index of an array's first page, and how many it has.
func (p *pageTable) span(array uint32) (first, count int32) {
	a := &p.m.prog.Arrays[array]
	if a.Bytes == 0 {
		return 0, 0
	}
	n := a.Base >> p.shift
	return p.find(n), int32((a.Base+a.Bytes-1)>>p.shift-n) + 1
}

// each calls f for every page of an array.
func (p *pageTable) each(array uint32, f func(*page)) {
	first, count := p.span(array)
	for i := range count {
		f(&p.pages[first+i])
	}
}

// part returns how many bytes of an array lie in page i.
func (p *pageTable) part(array uint32, i int32) uint64 {
	a := &p.m.prog.Arrays[array]
	lo := p.pages[i].number << p.shift
	return min(lo+1<<p.shift, a.Base+a.Bytes) - max(lo, a.Base)
}

// find returns the index of a page number, or -1 if no array lies there.
func (p *pageTable) find(number uint64) int32 {
	lo, hi := 0, len(p.spans)
	for lo < hi {
		if mid := (lo + hi) / 2; p.spans[mid].first <= number {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return -1
	}
	if s := &p.spans[lo-1]; number-s.first < s.count {
		return s.index + int32(number-s.first)
	}
	return -1
}

// blocked returns the page that keeps a kernel's access back, and why; -1: none.
func (p *pageTable) blocked(k *kernelRun, sectors []uint64) (int32, Stall) {
	last := ^uint64(0)
	for _, s := range sectors {
		number := s >> (p.shift - hardware.SectorShift)
		if number == last {
			continue
		}
		last = number
		i := p.find(number)
		if i < 0 {
			continue
		}
		pg := &p.pages[i]
		if !pg.ready {
			return i, StallPageNotReady
		}
		if pg.head >= 0 && p.refs[pg.head].order != k.Order && !k.irregular() && p.m.fault != FaultIgnoreOwner {
			return i, StallPageNotOwned
		}
	}
	return -1, 0
}

func (k *kernelRun) irregular() bool { return k.tk.Flags&trace.KernelIrregular != 0 }

// wait parks a warp until a page changes.
func (p *pageTable) wait(i int32, s *sm, w *warp, why Stall) {
	p.waiting[i] = append(p.waiting[i], waiter{s, w, why})
}

// wakeUp lets the warps that wait for a page look again from cycle t on.
func (p *pageTable) wakeUp(i int32, t Time) {
	ws := p.waiting[i]
	if len(ws) == 0 {
		return
	}
	delete(p.waiting, i)
	for _, x := range ws {
		x.w.reason = x.why
		x.sm.schedule(x.w, max(t, p.m.now+1))
	}
}

// setReady notes that a page has been transferred.
func (p *pageTable) setReady(i int32, t Time) {
	pg := &p.pages[i]
	p.move(pg, -1)
	pg.ready = true
	p.available.add(pg, 1)
	p.move(pg, 1)
	owner := p.ownerID(pg)
	p.tell(pg, owner, owner, t)
	if pg.head < 0 {
		p.m.overlap.sendBack(i, t)
	}
	p.wakeUp(i, t)
	p.m.ctas.wake(t)
}

// share counts pages whose ready bit is set, and those of them that the prelude has
// transferred.
type share struct{ ready, input int32 }

// add counts a page in, or out, as far as it counts.
func (s *share) add(pg *page, by int32) {
	if !pg.ready {
		return
	}
	s.ready += by
	if pg.input {
		s.input += by
	}
}

// begin counts the pages that are ready from the start: those that nobody copies in.
func (p *pageTable) begin() {
	for i := range p.pages {
		p.available.add(&p.pages[i], 1)
	}
}

// move counts a page among those of its owner, or no longer.
func (p *pageTable) move(pg *page, by int32) {
	if pg.head < 0 {
		return
	}
	order := p.refs[pg.head].order
	for uint64(len(p.owned)) <= order {
		p.owned = append(p.owned, share{})
	}
	p.owned[order].add(pg, by)
}

func (p *pageTable) ownedBy(order uint64) share {
	if order < uint64(len(p.owned)) {
		return p.owned[order]
	}
	return share{}
}

func (p *pageTable) ownerID(pg *page) uint32 {
	if pg.head < 0 {
		return NoKernel
	}
	return p.refs[pg.head].kernel
}

func (p *pageTable) tell(pg *page, from, to uint32, t Time) {
	p.rec = PageRecord{Time: t, Page: pg.number, Array: pg.array, From: from, To: to, Ready: pg.ready}
	if pg.head >= 0 {
		p.rec.Readers, p.rec.Writers = p.refs[pg.head].readers, p.refs[pg.head].writers
	}
	p.m.obs.Page(&p.rec)
}

// count adds one CTA of a kernel to the counts of a page.
func (p *pageTable) count(k *kernelRun, x touched, t Time) {
	pg := &p.pages[x.page]
	r := pg.tail
	if r < 0 || p.refs[r].order != k.Order {
		r = p.newRef(k)
		if pg.tail < 0 {
			pg.head = r
			p.move(pg, 1)
			p.tell(pg, NoKernel, k.ID, t)
		} else {
			p.refs[pg.tail].next = r
		}
		pg.tail = r
	}
	ref := &p.refs[r]
	if x.mode&trace.Read != 0 {
		p.up(k, x.page, ref, &ref.readers)
	}
	if x.mode&trace.Write != 0 {
		p.up(k, x.page, ref, &ref.writers)
	}
}

// up raises a counter. One that would overflow stays where it is, and the page
// is held until the kernel ends (POLICIES.md, CRCS choice 2).
func (p *pageTable) up(k *kernelRun, i int32, r *pageRef, n *uint32) {
	if *n < p.limit {
		*n++
		return
	}
	p.overflows++
	if !r.saturated {
		r.saturated = true
		k.saturated = append(k.saturated, i)
	}
}

func (p *pageTable) newRef(k *kernelRun) int32 {
	r := pageRef{order: k.Order, kernel: k.ID, next: -1}
	if i := p.freeRefs; i >= 0 {
		p.freeRefs = p.refs[i].next
		p.refs[i] = r
		return i
	}
	p.refs = append(p.refs, r)
	return int32(len(p.refs) - 1)
}

// release takes one CTA of a kernel off the counts of a page: the remaining ones
// if the kernel owns it, those of the reference count table if not.
func (p *pageTable) release(k *kernelRun, x touched, t Time) {
	pg := &p.pages[x.page]
	r := pg.head
	for r >= 0 && p.refs[r].order != k.Order {
		r = p.refs[r].next
	}
	if r < 0 {
		return
	}
	ref := &p.refs[r]
	if ref.saturated {
		return
	}
	if x.mode&trace.Read != 0 && ref.readers > 0 {
		ref.readers--
	}
	if x.mode&trace.Write != 0 && ref.writers > 0 {
		ref.writers--
	}
	if r == pg.head && ref.readers == 0 && ref.writers == 0 {
		if p.m.fault == FaultSkipRelease && !p.faulted {
			p.faulted = true
			return
		}
		p.handOver(x.page, t, t+1)
	}
}

// handOver gives a page that its owner has done with to the next kernel that
// has a count on it, or to the host. The other units see it in cycle next.
func (p *pageTable) handOver(i int32, t, next Time) {
	pg := &p.pages[i]
	from := p.refs[pg.head]
	p.move(pg, -1)
	for pg.head >= 0 {
		r := &p.refs[pg.head]
		if r.order != from.order && (r.readers > 0 || r.writers > 0) {
			break
		}
		next := r.next
		r.next, p.freeRefs = p.freeRefs, pg.head
		if pg.head = next; next < 0 {
			pg.tail = -1
		}
	}
	p.move(pg, 1)
	p.tell(pg, from.kernel, p.ownerID(pg), t)
	if pg.head < 0 {
		p.m.overlap.sendBack(i, next)
	}
	p.wakeUp(i, t)
	p.m.ctas.wake(next)
}

// kernelEnded hands over the pages whose counts had overflowed.
func (p *pageTable) kernelEnded(k *kernelRun, t Time) {
	for _, i := range k.saturated {
		pg := &p.pages[i]
		for r := pg.head; r >= 0; r = p.refs[r].next {
			if ref := &p.refs[r]; ref.order == k.Order {
				ref.readers, ref.writers, ref.saturated = 0, 0, false
				if r == pg.head {
					p.handOver(i, t, t)
				}
				break
			}
		}
	}
	k.saturated = k.saturated[:0]
}
