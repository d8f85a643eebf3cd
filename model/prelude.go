package model

import "math/rand/v2"

// prelude reads the input files page by page and sends each page to the device
// when all of its words are written, which the data availability tracker sees
// (CRCS/PPCS paper, section 3.2): a write counter per page, which triggers the
// transfer when it reaches the words of the page that arrays lie in. The storage
// writes a page's part of an array in one go, so that the tracker's counter is
// kept in arrays: page.missing.
type prelude struct {
	u       *overlap
	order   PageOrder
	random  *rand.Rand
	arrays  []inputArray
	holding pageIndex
	pending int32 // input pages that are not on the device
	next    int   // array whose page is read next
	posted  bool  // the storage looks for work in this cycle
	reading bool
	current int // array of the page that is being read
	link    Time
	wants   []chunk // for a random order: all pages that are to be read
}

// inputArray is an array that the host fills.
type inputArray struct {
	array  uint32
	pages  int32 // index of its first page
	count  int32
	read   int32  // pages read
	files  int32  // pages that its file fills; the others are there from the start
	here   int32  // pages on the device
	left   uint64 // bytes of the file not yet read
	sent   bool   // it is copied to the device
	stages [2]stageSpan
}

type stageSpan struct {
	start, end Time
	bytes      uint64
	begun      bool
}

// chunk is one page of one array.
type chunk struct {
	array int
	page  int32
}

func (p *prelude) init(u *overlap, b Scoreboard) {
	p.u, p.order = u, b.Order
	if b.Order == OrderRandom {
		p.random = rand.New(rand.NewPCG(b.Seed, 0))
	}
}

func (p *prelude) find(array uint32) *inputArray {
	for i := range p.arrays {
		if p.arrays[i].array == array {
			return &p.arrays[i]
		}
	}
	return nil
}

func (p *prelude) add(array uint32) *inputArray {
	first, count := p.u.pages.span(array)
	p.arrays = append(p.arrays, inputArray{array: array, pages: first, count: count})
	p.holding.add(first, count)
	return &p.arrays[len(p.arrays)-1]
}

// expect makes an entry of the tracker for every page of an array that will be
// copied to the device.
func (p *prelude) expect(array uint32) {
	if p.find(array) != nil {
		return
	}
	p.add(array).sent = true
	p.u.pages.each(array, func(pg *page) {
		if pg.missing++; !pg.input {
			pg.input, pg.ready = true, false
			p.pending++
		}
	})
}

// read starts reading the file of an array; what the program reads of it in
// several calls is read in one.
func (p *prelude) read(array uint32, t Time) {
	a := p.find(array)
	if a == nil {
		a = p.add(array) // the host keeps it for itself
	}
	if a.files > 0 {
		return
	}
	a.left = p.u.files[array]
	for left := a.left; left > 0 && a.files < a.count; a.files++ {
		left -= min(left, p.u.pages.part(array, a.pages+a.files))
	}
	if p.order == OrderRandom {
		for i := range a.files {
			p.wants = append(p.wants, chunk{p.index(a), a.pages + i})
		}
	}
	if p.u.copied[array] {
		p.fill(a, t)
	}
	if !p.posted && !p.reading {
		p.posted = true
		p.u.m.queue.post(t, evOverlap, overlapStart, 0)
	}
}

func (p *prelude) index(a *inputArray) int {
	for i := range p.arrays {
		if &p.arrays[i] == a {
			return i
		}
	}
	panic("model: an input array that is none")
}

// copy sends an array to the device, once.
func (p *prelude) copy(array uint32, t Time) {
	if p.u.copied[array] {
		return
	}
	p.u.copied[array] = true
	if a := p.find(array); a.files > 0 || p.u.files[array] == 0 {
		p.fill(a, t)
	}
}

// fill sends the pages that no file fills: they are on the host already.
func (p *prelude) fill(a *inputArray, t Time) {
	for i := a.files; i < a.count; i++ {
		p.written(a.pages+i, t)
	}
}

// running reports whether the prelude still reads or sends.
func (p *prelude) running() bool { return p.pending > 0 }

// start reads the next page, if the storage is idle.
func (p *prelude) start(t Time) {
	p.posted = false
	if p.reading {
		return
	}
	i, page := p.pick()
	if i < 0 {
		return
	}
	a := &p.arrays[i]
	bytes := min(a.left, p.u.pages.part(a.array, page))
	if a.read == a.files-1 {
		bytes = a.left
	}
	a.left -= bytes
	a.read++
	p.reading, p.current = true, i
	end := t + p.u.m.host.storage.cycles(bytes)
	a.stages[0].extend(t, end, bytes)
	p.u.m.queue.post(end, evOverlap, overlapRead, uint64(page))
	p.next = i + 1
}

// pick returns the array and the page that are read next: one page of each array
// in turn, an array after the other, or any.
func (p *prelude) pick() (int, int32) {
	switch p.order {
	case OrderRandom:
		if len(p.wants) == 0 {
			return -1, 0
		}
		i := p.random.IntN(len(p.wants))
		c := p.wants[i]
		p.wants[i] = p.wants[len(p.wants)-1]
		p.wants = p.wants[:len(p.wants)-1]
		return c.array, c.page
	case OrderSequential:
		p.next = 0
	}
	for n := range p.arrays {
		i := (p.next + n) % len(p.arrays)
		if a := &p.arrays[i]; a.read < a.files {
			return i, a.pages + a.read
		}
	}
	return -1, 0
}

// pageRead notes that the page under way has been read.
func (p *prelude) pageRead(page int32, t Time) {
	p.reading = false
	a := &p.arrays[p.current]
	if a.sent {
		p.written(page, t)
		if p.u.m.fault == FaultEarlyReady {
			p.u.pages.pages[page].ready = true
			p.u.pages.wakeUp(page, t)
		}
	}
	if a.read == a.files {
		p.u.m.stageSpan(StagePrelude, a.array, &a.stages[0])
	}
	p.start(t)
}

// written notes that an array has written its part of a page; the page is sent
// when all of them have.
func (p *prelude) written(i int32, t Time) {
	pg := &p.u.pages.pages[i]
	if pg.missing--; pg.missing > 0 {
		return
	}
	bytes := uint64(1) << p.u.pages.shift
	start := max(t, p.link)
	p.link = start + p.u.m.host.link[0].cycles(bytes)
	if a := p.find(pg.array); a != nil {
		a.stages[1].extend(start, p.link, bytes)
	}
	p.u.m.queue.post(p.link, evOverlap, overlapReady, uint64(i))
}

// arrived notes that a page is on the device.
func (p *prelude) arrived(i int32) {
	p.pending--
	p.holding.each(i, func(n int) {
		a := &p.arrays[n]
		if a.here++; a.here == a.count {
			p.u.m.stageSpan(StageH2D, a.array, &a.stages[1])
		}
	})
}

func (s *stageSpan) extend(start, end Time, bytes uint64) {
	if !s.begun {
		s.start, s.begun = start, true
	}
	s.end = max(s.end, end)
	s.bytes += bytes
}

// stage tells of an interval of the host's program.
func (m *Machine) stage(kind StageKind, array uint32, start, end Time, bytes uint64) {
	m.sum.Cycles = max(m.sum.Cycles, end)
	m.obs.Stage(&StageRecord{Stage: kind, Kernel: NoKernel, Array: array, Start: start, End: end, Bytes: bytes})
}

func (m *Machine) stageSpan(kind StageKind, array uint32, s *stageSpan) {
	if s.begun {
		m.stage(kind, array, s.start, s.end, s.bytes)
	}
}
