package crcs

import (
	"gpureplay/model"
	"gpureplay/trace"
)

// writeBack brings pages back to the host and writes them to a second storage
// device, in the order in which kernels have done with them.
type writeBack struct {
	u       *unit
	link    model.Time
	storage model.Time
	arrays  []outputArray
	holding pageIndex
	swept   bool
}

// outputArray is an array that the host wants back.
type outputArray struct {
	array  uint32
	pages  int32
	count  int32
	here   int32
	file   bool
	stages [2]stageSpan
}

func (w *writeBack) init(u *unit) { w.u = u }

// find returns the entry of an array that is copied back, or nil.
func (w *writeBack) find(array uint32) *outputArray {
	for i := range w.arrays {
		if w.arrays[i].array == array {
			return &w.arrays[i]
		}
	}
	return nil
}

// expect notes that an array is copied back.
func (w *writeBack) expect(array uint32) {
	t := w.u.pages
	first, count := t.span(array)
	if count == 0 || w.find(array) != nil {
		return
	}
	w.arrays = append(w.arrays, outputArray{array: array, pages: first, count: count})
	w.holding.add(first, count)
	t.each(array, func(p *page) { p.d2h = true })
}

// toFile notes that an array that is copied back is written to a file.
func (w *writeBack) toFile(array uint32) {
	if a := w.find(array); a != nil {
		a.file = true
	}
}

// writes reports whether an array is written to its file page by page.
func (w *writeBack) writes(array uint32) bool {
	a := w.find(array)
	return a != nil && a.file
}

// send sends a page back, once.
func (w *writeBack) send(i int32, t model.Time) {
	pg := &w.u.pages.pages[i]
	if !pg.d2h || pg.sent {
		return
	}
	pg.sent = true
	bytes := uint64(1) << w.u.pages.shift
	start := max(t, w.link)
	w.link = start + w.setup(i) + w.u.m.Link(trace.OpCopyD2H, bytes)
	w.holding.each(i, func(n int) { w.arrays[n].stages[0].extend(start, w.link, bytes) })
	w.u.m.At(w.link, pageBack, uint64(i))
}

// setup is the fixed cost of the copies that begin with a page, as prelude.setup has it.
func (w *writeBack) setup(i int32) (d model.Time) {
	w.holding.each(i, func(n int) {
		if !w.arrays[n].stages[0].begun {
			d += w.u.copySetup()
		}
	})
	return d
}

// arrived writes a page that is back to its file.
func (w *writeBack) arrived(i int32) {
	t := w.u.m.Now()
	w.holding.each(i, func(n int) {
		a := &w.arrays[n]
		if a.file {
			bytes := w.u.pages.part(a.array, i)
			start := max(t, w.storage)
			w.storage = start + w.u.m.Storage(bytes)
			a.stages[1].extend(start, w.storage, bytes)
		}
		if a.here++; a.here == a.count {
			a.stages[0].tell(w.u.m, model.StageD2H, a.array)
			a.stages[1].tell(w.u.m, model.StagePostlude, a.array)
		}
	})
}

// sweep sends the pages that no kernel has a count on, once all kernels have been profiled: no kernel will hand
// them over.
func (w *writeBack) sweep(t model.Time) {
	if w.swept {
		return
	}
	w.swept = true
	for i := range w.arrays {
		a := &w.arrays[i]
		for n := a.pages; n < a.pages+a.count; n++ {
			if pg := &w.u.pages.pages[n]; pg.head < 0 && pg.ready {
				w.send(n, t)
			}
		}
	}
}
