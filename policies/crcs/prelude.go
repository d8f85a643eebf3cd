package crcs

import (
	"math/rand/v2"

	"gpureplay/model"
	"gpureplay/trace"
)

// prelude reads the input files page by page. It sends each page to the device when all of its words are written,
// as the data availability tracker sees (CRCS/PPCS paper, section 3.2). The tracker is a write counter per page. It
// triggers the transfer when it reaches the number of the page's words that arrays lie in. The storage writes a
// page's part of an array in one go, so the counter here counts arrays: page.missing.
type prelude struct {
	u       *unit
	order   Order
	random  *rand.Rand
	arrays  []inputArray
	holding pageIndex
	pending int32 // input pages that are not on the device
	next    int   // array whose page is read next
	posted  bool  // the storage looks for work in this cycle
	reading bool
	current int // array of the page that is being read
	link    model.Time
	wants   []chunk // for a random order: all pages that are to be read
	call    int     // that reads files now
}

// inputArray is an array that the host fills.
type inputArray struct {
	array  uint32
	pages  int32 // index of its first page
	count  int32
	read   int32   // pages read
	files  int32   // pages that its file fills; the others are there from the start
	here   int32   // pages on the device
	left   uint64  // bytes of the file not yet read
	sent   bool    // it is copied to the device
	begun  bool    // a page of it has been on the link
	call   int     // that reads it: arrays of one call are read side by side
	wants  []int32 // for a random order of its own: its pages that are to be read
	stages [2]stageSpan
}

type stageSpan struct {
	start, end model.Time
	bytes      uint64
	begun      bool
}

// chunk is one page of one array.
type chunk struct {
	array int
	page  int32
}

func (p *prelude) init(u *unit, b *Board) {
	p.u, p.order = u, b.Order
	if b.Order == Random || b.Order == RandomArrays {
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

// read starts reading the file of an array; several calls of the program become one.
func (p *prelude) read(array uint32, t model.Time) {
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
	a.call = p.call
	for i := range a.files {
		switch p.order {
		case Random:
			p.wants = append(p.wants, chunk{p.index(a), a.pages + i})
		case RandomArrays:
			a.wants = append(a.wants, a.pages+i)
		}
	}
	if p.u.copied[array] {
		p.fill(a, t)
	}
	if !p.posted && !p.reading {
		p.posted = true
		p.u.m.At(t, storageIdle, 0)
	}
}

func (p *prelude) index(a *inputArray) int {
	for i := range p.arrays {
		if &p.arrays[i] == a {
			return i
		}
	}
	panic("crcs: an input array that is none")
}

// copy sends an array to the device, once.
func (p *prelude) copy(array uint32, t model.Time) {
	if p.u.copied[array] {
		return
	}
	p.u.copied[array] = true
	if a := p.find(array); a.files > 0 || p.u.files[array] == 0 {
		p.fill(a, t)
	}
}

// fill sends the pages that no file fills: they are on the host already.
func (p *prelude) fill(a *inputArray, t model.Time) {
	for i := a.files; i < a.count; i++ {
		p.written(a.pages+i, t)
	}
}

// running reports whether the prelude still reads or sends.
func (p *prelude) running() bool { return p.pending > 0 }

// start reads the next page, if the storage is idle.
func (p *prelude) start(t model.Time) {
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
	end := t + p.u.m.Storage(bytes)
	a.stages[0].extend(t, end, bytes)
	p.u.m.At(end, pageRead, uint64(page))
	p.next = i + 1
	if end := (p.u.pages.pages[page].number + 1) << p.u.pages.shift; end&uint64(p.u.cfg.Host.PageBytes-1) != 0 &&
		a.read < a.files {
		p.next = i // the rest of its page of the host first
	}
}

// apart ends a call that reads files. Files read behind another operation of the host wait for the files before it.
func (p *prelude) apart() { p.call++ }

// pick returns the array and the page that are read next: one page of each array of
// a call in turn, an array after the other, or any.
func (p *prelude) pick() (int, int32) {
	switch p.order {
	case Random:
		if len(p.wants) == 0 {
			return -1, 0
		}
		i := p.random.IntN(len(p.wants))
		c := p.wants[i]
		p.wants[i] = p.wants[len(p.wants)-1]
		p.wants = p.wants[:len(p.wants)-1]
		return c.array, c.page
	case RandomArrays:
		for n := range p.arrays {
			if a := &p.arrays[n]; len(a.wants) > 0 {
				i := p.random.IntN(len(a.wants))
				page := a.wants[i]
				a.wants[i] = a.wants[len(a.wants)-1]
				a.wants = a.wants[:len(a.wants)-1]
				return n, page
			}
		}
		return -1, 0
	case Sequential:
		p.next = 0
	}
	best := -1
	for n := range p.arrays {
		i := (p.next + n) % len(p.arrays)
		if a := &p.arrays[i]; a.read < a.files && (best < 0 || a.call < p.arrays[best].call) {
			best = i
		}
	}
	if best < 0 {
		return -1, 0
	}
	return best, p.arrays[best].pages + p.arrays[best].read
}

// pageRead notes that the page under way has been read.
func (p *prelude) pageRead(page int32, t model.Time) {
	p.reading = false
	a := &p.arrays[p.current]
	if a.sent {
		p.written(page, t)
		if p.u.board.Fault == EarlyReady {
			p.u.pages.pages[page].ready = true
			p.u.pages.wakeUp(page, t)
		}
	}
	if a.read == a.files {
		a.stages[0].tell(p.u.m, model.StagePrelude, a.array)
	}
	p.start(t)
}

// written notes that an array has written its part of a page; the page is sent
// when all of them have.
func (p *prelude) written(i int32, t model.Time) {
	pg := &p.u.pages.pages[i]
	if pg.missing--; pg.missing > 0 {
		return
	}
	bytes := uint64(1) << p.u.pages.shift
	start := max(t, p.link)
	p.link = start + p.setup(i) + p.u.m.Link(trace.OpCopyH2D, bytes)
	if a := p.find(pg.array); a != nil {
		a.stages[1].extend(start, p.link, bytes)
	}
	p.u.m.At(p.link, pageReady, uint64(i))
}

// setup is the fixed cost of the copies that begin with a page: one an array, as under serial,
// where the program copies each array in one call. Pages behind the first are sent by the
// tracker without a call (paper, section 3.2).
func (p *prelude) setup(i int32) (d model.Time) {
	p.holding.each(i, func(n int) {
		if a := &p.arrays[n]; a.sent && !a.begun {
			a.begun = true
			d += p.u.copySetup()
		}
	})
	return d
}

// arrived notes that a page is on the device.
func (p *prelude) arrived(i int32, t model.Time) {
	p.pending--
	first := p.u.pages.pages[i].number << p.u.pages.shift
	lo, hi := ^uint64(0), uint64(0) // the bytes of the page that arrays have
	p.holding.each(i, func(n int) {
		a := &p.arrays[n]
		if a.here++; a.here == a.count {
			a.stages[1].tell(p.u.m, model.StageH2D, a.array)
		}
		if of := &p.u.prog.Arrays[a.array]; a.sent {
			lo, hi = min(lo, max(first, of.Base)), max(hi, min(first+1<<p.u.pages.shift, of.Base+of.Bytes))
		}
	})
	if lo < hi && p.u.cfg.L2.CopiesWarm {
		p.u.m.Warm(lo, hi-lo, t)
	}
}

func (s *stageSpan) extend(start, end model.Time, bytes uint64) {
	if !s.begun {
		s.start, s.begun = start, true
	}
	s.end = max(s.end, end)
	s.bytes += bytes
}

// tell reports an interval of the host's program, if it was.
func (s *stageSpan) tell(m *model.AccessMachine, kind model.StageKind, array uint32) {
	if s.begun {
		m.Stage(&model.StageRecord{Stage: kind, Kernel: model.NoKernel, Array: array, Start: s.start, End: s.end,
			Bytes: s.bytes})
	}
}
