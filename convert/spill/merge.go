package spill

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// Iterator hands out records in ascending order.
type Iterator struct {
	s       *Sorter
	mem     int // next entry of the records in memory
	memory  bool
	sources []*source // a heap by current record
	rec     []byte
}

type source struct {
	f      *os.File
	off    int64
	buf    []byte
	pos    int
	end    int
	cur    []byte
	number int // of the run: ties go to the earlier one
}

// Sorted starts over from the least record. Nothing may be added while the
// iterator is in use.
func (s *Sorter) Sorted() (*Iterator, error) {
	s.sort()
	return s.iterate(s.runs, true)
}

func (s *Sorter) iterate(runs []*os.File, memory bool) (*Iterator, error) {
	it := &Iterator{s: s, memory: memory, rec: make([]byte, s.width)}
	for i, f := range runs {
		src := &source{f: f, number: i, buf: make([]byte, max(runBuffer/s.width, 1)*s.width)}
		ok, err := src.advance(s.width)
		if err != nil {
			return nil, err
		}
		if ok {
			it.sources = append(it.sources, src)
		}
	}
	for i := len(it.sources)/2 - 1; i >= 0; i-- {
		it.down(i)
	}
	return it, nil
}

// advance moves to the next record of the run.
func (r *source) advance(width int) (bool, error) {
	if r.pos == r.end {
		n, err := r.f.ReadAt(r.buf, r.off)
		if err != nil && err != io.EOF {
			return false, fmt.Errorf("reading back a sorted run: %w", err)
		}
		if n == 0 {
			return false, nil
		}
		r.off += int64(n)
		r.pos, r.end = 0, n
	}
	if r.end-r.pos < width {
		return false, fmt.Errorf("reading back a sorted run: %w", io.ErrUnexpectedEOF)
	}
	r.cur = r.buf[r.pos : r.pos+width]
	r.pos += width
	return true, nil
}

func (it *Iterator) less(i, j int) bool {
	a, b := it.sources[i], it.sources[j]
	if c := bytes.Compare(a.cur, b.cur); c != 0 {
		return c < 0
	}
	return a.number < b.number
}

func (it *Iterator) down(i int) {
	h := it.sources
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h); c++ {
			if it.less(c, least) {
				least = c
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

// Next returns the next record, valid until the call after, or io.EOF.
func (it *Iterator) Next() ([]byte, error) {
	var inMemory []byte
	if it.memory && it.mem < len(it.s.order) {
		inMemory = it.s.row(it.s.order[it.mem].row)
	}
	if len(it.sources) == 0 || inMemory != nil && bytes.Compare(inMemory, it.sources[0].cur) < 0 {
		if inMemory == nil {
			return nil, io.EOF
		}
		it.mem++
		return inMemory, nil
	}
	copy(it.rec, it.sources[0].cur)
	ok, err := it.sources[0].advance(it.s.width)
	if err != nil {
		return nil, err
	}
	if !ok {
		last := len(it.sources) - 1
		it.sources[0] = it.sources[last]
		it.sources = it.sources[:last]
	}
	if len(it.sources) > 0 {
		it.down(0)
	}
	return it.rec, nil
}
