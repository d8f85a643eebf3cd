package crcs

import (
	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// pageTable is the GPU page table with CRCS's reference counters (CRCS/PPCS paper, section 4.1 and figure 6). For
// each page it has whether it is ready, which kernel owns it, and how many CTAs of the owner may still read and
// write it. Behind that are the counts of later kernels.
type pageTable struct {
	u         *unit
	board     *Board
	prog      *trace.Program
	shift     uint
	spans     []pageSpan
	pages     []page
	refs      []pageRef // arena of all reference counts
	freeRefs  int32
	limit     uint32 // largest count that an entry holds
	overflows uint64
	owned     []share // by program order of kernels
	available share
	stamp     uint32
	faulted   bool // SkipRelease has happened
	scratch   []touch
	spare     []*[]touch
	functions [][]access // of each function, nil until one of it is launched
	hulls     []hull
	rec       model.PageRecord
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

// touch is a page that a CTA may touch, and how.
type touch struct {
	page int32
	mode trace.Mode
}

// maxPages is the largest page table that is made: 64 GiB in pages of 4 KiB.
const maxPages = 1 << 24

func newPageTable(u *unit) (*pageTable, error) {
	b := u.board
	p := &pageTable{u: u, board: b, prog: u.prog, freeRefs: -1, limit: ^uint32(0),
		functions: make([][]access, len(u.prog.Functions))}
	if b.CounterBits > 0 && b.CounterBits < 32 {
		p.limit = 1<<b.CounterBits - 1
	}
	p.shift = b.Grain(u.cfg)
	return p, p.cover()
}

// blocked returns the page that keeps a kernel's access back, and why; -1: none.
func (p *pageTable) blocked(order uint64, sectors []uint64) (int32, exec.Stall) {
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
			return i, exec.StallPageNotReady
		}
		if pg.head >= 0 && p.refs[pg.head].order != order && !p.u.kernels[order].irregular() && p.board.Fault != IgnoreOwner {
			return i, exec.StallPageNotOwned
		}
	}
	return -1, 0
}

// wakeUp lets the warps that wait for a page look again from cycle t on.
func (p *pageTable) wakeUp(i int32, t model.Time) { p.u.m.Wake(i, t) }

// setReady notes that a page has been transferred.
func (p *pageTable) setReady(i int32, t model.Time) {
	pg := &p.pages[i]
	p.move(pg, -1)
	pg.ready = true
	p.available.add(pg, 1)
	p.move(pg, 1)
	owner := p.ownerID(pg)
	p.tell(pg, owner, owner, t)
	if pg.head < 0 {
		p.u.sendBack(i, t)
	}
	p.wakeUp(i, t)
	p.u.m.Look(t)
}

// share counts pages whose ready bit is set, and how many of them the prelude has transferred.
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

// begin counts the pages that are ready from the start: the ones that are not copied in.
func (p *pageTable) begin() {
	for i := range p.pages {
		p.available.add(&p.pages[i], 1)
	}
}

// move adds a page to its owner's count, or takes it off.
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
		return model.NoKernel
	}
	return p.refs[pg.head].kernel
}

func (p *pageTable) tell(pg *page, from, to uint32, t model.Time) {
	p.rec = model.PageRecord{Time: t, Page: pg.number, Array: pg.array, From: from, To: to, Ready: pg.ready}
	if pg.head >= 0 {
		p.rec.Readers, p.rec.Writers = p.refs[pg.head].readers, p.refs[pg.head].writers
	}
	p.u.m.Page(&p.rec)
}

// count adds one CTA of a kernel to the counts of a page.
func (p *pageTable) count(k *kernel, x touch, t model.Time) {
	pg := &p.pages[x.page]
	r := pg.tail
	if r < 0 || p.refs[r].order != k.Order {
		r = p.newRef(k)
		if pg.tail < 0 {
			pg.head = r
			p.move(pg, 1)
			p.tell(pg, model.NoKernel, k.ID, t)
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
// is held until the kernel ends (docs/policies, CRCS choice 2).
func (p *pageTable) up(k *kernel, i int32, r *pageRef, n *uint32) {
	if *n < p.limit {
		*n++
		return
	}
	p.overflows++
	p.u.m.Set("crcs_counter_overflows", float64(p.overflows))
	if !r.saturated {
		r.saturated = true
		k.saturated = append(k.saturated, i)
	}
}

func (p *pageTable) newRef(k *kernel) int32 {
	r := pageRef{order: k.Order, kernel: k.ID, next: -1}
	if i := p.freeRefs; i >= 0 {
		p.freeRefs = p.refs[i].next
		p.refs[i] = r
		return i
	}
	p.refs = append(p.refs, r)
	return int32(len(p.refs) - 1)
}

// release takes one CTA of a kernel off the counts of a page: the remaining counts if the kernel owns it, the
// reference count table if not.
func (p *pageTable) release(k *kernel, x touch, t model.Time) {
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
		if p.board.Fault == SkipRelease && !p.faulted {
			p.faulted = true
			return
		}
		p.handOver(x.page, t, t+1)
	}
}

// handOver gives a page that its owner has done with to the next kernel that
// has a count on it, or to the host. The other units see it in cycle next.
func (p *pageTable) handOver(i int32, t, next model.Time) {
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
		p.u.sendBack(i, next)
	}
	p.wakeUp(i, t)
	p.u.m.Look(next)
}

// leave finds the pages that a CTA gives back, and returns how long its post-profiler
// takes.
func (p *pageTable) leave(k *kernel, c *trace.CTA) model.Time {
	var list *[]touch
	if n := len(p.spare); n > 0 {
		list, p.spare = p.spare[n-1], p.spare[:n-1]
	} else {
		list = new([]touch)
	}
	*list = p.footprint(c, k, *list)
	if k.leaving == nil {
		k.leaving = make(map[uint32]*[]touch)
	}
	k.leaving[c.ID] = list
	return p.postCycles(c, len(*list))
}

// giveBack releases the pages that a CTA gives back, if it has not yet.
func (p *pageTable) giveBack(k *kernel, cta uint32, t model.Time) {
	list := k.leaving[cta]
	if list == nil {
		return
	}
	delete(k.leaving, cta)
	for _, x := range *list {
		p.release(k, x, t)
	}
	p.spare = append(p.spare, list)
}

// kernelEnded hands over the pages whose counts had overflowed.
func (p *pageTable) kernelEnded(k *kernel, t model.Time) {
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
