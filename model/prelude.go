package model

import "math/rand/v2"

// prelude reads the input files page by page and sends each page to the device
// when all of its words are written, which the data availability tracker sees
// (CRCS/PPCS paper, section 3.2): a write counter per page, which triggers the
// transfer when it reaches the words of the page that arrays lie in.
type prelude struct {
	u       *overlap
	order   PageOrder
	random  *rand.Rand
	arrays  []inputArray
	next    int // array whose page is read next
	reading bool
	current int // array of the page that is being read
	link    Time
	wants   []chunk // for a random order: all pages
}

// inputArray is an array that the host fills.
type inputArray struct {
	array  uint32
	pages  int32 // index of its first page
	count  int32
	read   int32  // pages read
	here   int32  // pages on the device
	left   uint64 // bytes of the file not yet read
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

// add makes an entry of the tracker for every page of an array.
func (p *prelude) add(array uint32) *inputArray {
	for i := range p.arrays {
		if p.arrays[i].array == array {
			return &p.arrays[i]
		}
	}
	a := &p.u.m.prog.Arrays[array]
	t := p.u.pages
	first, last := a.Base>>t.shift, (a.Base+max(1, a.Bytes)-1)>>t.shift
	p.arrays = append(p.arrays, inputArray{array: array, pages: t.find(first), count: int32(last-first) + 1})
	t.each(array, func(pg *page) { pg.missing++ })
	return &p.arrays[len(p.arrays)-1]
}

// read starts reading the file of an array.
func (p *prelude) read(array uint32, bytes uint64, t Time) {
	a := p.add(array)
	a.left += bytes
	if p.order == OrderRandom {
		n := len(p.arrays) - 1
		for i := range a.count {
			p.wants = append(p.wants, chunk{n, a.pages + i})
		}
	}
	p.start(t)
}

// copy sends an array to the device. One that no file fills is there already:
// its pages are sent at once.
func (p *prelude) copy(array uint32, whole bool, t Time) {
	if !whole {
		return
	}
	a := p.add(array)
	for i := range a.count {
		p.written(a.pages+i, t)
	}
}

// running reports whether the prelude still reads or sends.
func (p *prelude) running() bool {
	for i := range p.arrays {
		if p.arrays[i].here < p.arrays[i].count {
			return true
		}
	}
	return false
}

// start reads the next page, if the storage is idle.
func (p *prelude) start(t Time) {
	if p.reading {
		return
	}
	i, page := p.pick()
	if i < 0 {
		return
	}
	a := &p.arrays[i]
	pageBytes := uint64(1) << p.u.pages.shift
	bytes := min(a.left, pageBytes)
	if a.read == a.count-1 {
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
		if a := &p.arrays[i]; a.read < a.count && a.left > 0 {
			return i, a.pages + a.read
		}
	}
	return -1, 0
}

// pageRead notes that the page under way has been read.
func (p *prelude) pageRead(page int32, t Time) {
	p.reading = false
	a := &p.arrays[p.current]
	p.written(page, t)
	if a.read == a.count {
		p.u.m.stageSpan(StagePrelude, a.array, &a.stages[0])
	}
	p.start(t)
}

// written notes that an array has written its part of a page; the page is sent
// when all of them have.
func (p *prelude) written(i int32, t Time) {
	pg := &p.u.pages.pages[i]
	if pg.missing > 0 {
		pg.missing--
	}
	if pg.missing > 0 {
		return
	}
	bytes := uint64(1) << p.u.pages.shift
	start := max(t, p.link)
	p.link = start + p.u.m.host.link[0].cycles(bytes)
	if a := p.of(pg.array); a != nil {
		a.stages[1].extend(start, p.link, bytes)
	}
	p.u.m.queue.post(p.link, evOverlap, overlapReady, uint64(i))
}

func (p *prelude) of(array uint32) *inputArray {
	for i := range p.arrays {
		if p.arrays[i].array == array {
			return &p.arrays[i]
		}
	}
	return nil
}

// arrived notes that a page is on the device.
func (p *prelude) arrived(i int32, t Time) {
	for n := range p.arrays {
		a := &p.arrays[n]
		if i >= a.pages && i < a.pages+a.count {
			if a.here++; a.here == a.count {
				p.u.m.stageSpan(StageH2D, a.array, &a.stages[1])
			}
		}
	}
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
