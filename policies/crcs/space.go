package crcs

import (
	"fmt"
	"sort"

	"gpureplay/trace"
)

// cover makes an entry for every page that an array lies in.
func (p *pageTable) cover() error {
	type run struct{ first, last uint64 }
	var runs []run
	for i := range p.prog.Arrays {
		if a := &p.prog.Arrays[i]; a.Bytes > 0 {
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
			return fmt.Errorf("the arrays of the trace have more than %d pages of %d bytes: raise host.page_bytes with "+
				"--set, or give the arrays the size that the program uses (replay inspect lists them)", maxPages, 1<<p.shift)
		}
		room -= s.count
		s.index = int32(len(p.pages))
		for n := range s.count {
			p.pages = append(p.pages, page{number: s.first + n, head: -1, tail: -1, ready: true, array: trace.NoArray})
		}
	}
	for i := range p.prog.Arrays {
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
	a := &p.prog.Arrays[array]
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
	a := &p.prog.Arrays[array]
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
