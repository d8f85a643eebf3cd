// Package spill sorts more records than fit in memory: runs of sorted records
// go to files in a temporary folder and are merged while read.
// Records have one fixed width and are ordered as byte strings, so a key is
// written big-endian at the front of its record.
package spill

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
)

const (
	runBuffer = 64 << 10 // bytes read ahead per run
	maxRuns   = 64       // runs merged at once; more are first merged into one
)

// DefaultMemory is a good bound on the memory of one sorter, in bytes.
const DefaultMemory = 16 << 20

// Sorter takes records in any order and gives them back in ascending order, as
// often as wanted. Close removes its files.
type Sorter struct {
	dir    string
	width  int
	limit  int // records held in memory
	rows   []byte
	order  []entry
	sorted bool
	runs   []*os.File
	count  uint64
}

type entry struct {
	prefix uint64
	row    uint32
}

// New returns a sorter of records of width bytes (8 or more) that holds about
// memory bytes and puts its files in dir ("": the system's temporary folder).
func New(dir string, width, memory int) *Sorter {
	if width < 8 {
		panic("spill: a record has 8 bytes or more")
	}
	return &Sorter{dir: dir, width: width, limit: max(memory/(width+16), 16)}
}

// Len returns how many records were added.
func (s *Sorter) Len() uint64 { return s.count }

// Add takes a copy of rec.
func (s *Sorter) Add(rec []byte) error {
	if len(rec) != s.width {
		panic(fmt.Sprintf("spill: a record of %d bytes, not %d", len(rec), s.width))
	}
	if len(s.order) == s.limit {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.order = append(s.order, entry{binary.BigEndian.Uint64(rec), uint32(len(s.order))})
	s.rows = append(s.rows, rec...)
	s.sorted = false
	s.count++
	return nil
}

func (s *Sorter) row(i uint32) []byte {
	return s.rows[int(i)*s.width : (int(i)+1)*s.width]
}

func (s *Sorter) sort() {
	if s.sorted {
		return
	}
	slices.SortFunc(s.order, func(a, b entry) int {
		if c := cmp.Compare(a.prefix, b.prefix); c != 0 {
			return c
		}
		if c := bytes.Compare(s.row(a.row), s.row(b.row)); c != 0 {
			return c
		}
		return cmp.Compare(a.row, b.row)
	})
	s.sorted = true
}

// flush writes the records in memory as one run.
func (s *Sorter) flush() error {
	s.sort()
	err := s.write(func(w *run) error {
		for _, e := range s.order {
			if err := w.add(s.row(e.row)); err != nil {
				return err
			}
		}
		return nil
	})
	s.rows, s.order = s.rows[:0], s.order[:0]
	if err == nil && len(s.runs) == maxRuns {
		err = s.mergeRuns()
	}
	return err
}

// run buffers the writing of a run.
type run struct {
	f   *os.File
	buf []byte
}

func (w *run) add(rec []byte) error {
	if len(w.buf)+len(rec) > cap(w.buf) {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, rec...)
	return nil
}

func (w *run) flush() error {
	_, err := w.f.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

func (s *Sorter) write(fill func(*run) error) error {
	f, err := os.CreateTemp(s.dir, "replay-sort-*")
	if err != nil {
		return fmt.Errorf("temporary file to sort in (set TMPDIR to a folder with room): %w", err)
	}
	// Without a name the file goes with the process, however that ends; where
	// an open file cannot be removed, Close does it.
	_ = os.Remove(f.Name())
	s.runs = append(s.runs, f)
	w := &run{f: f, buf: make([]byte, 0, max(runBuffer, s.width))}
	if err := fill(w); err != nil {
		return err
	}
	return w.flush()
}

// mergeRuns replaces all runs by one.
func (s *Sorter) mergeRuns() error {
	old := s.runs
	s.runs = nil
	it, err := s.iterate(old, false)
	if err != nil {
		s.runs = old
		return err
	}
	err = s.write(func(w *run) error {
		for {
			rec, err := it.Next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if err := w.add(rec); err != nil {
				return err
			}
		}
	})
	discard(old)
	return err
}

func discard(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}
}

// Close frees the memory and removes the files.
func (s *Sorter) Close() {
	discard(s.runs)
	s.runs, s.rows, s.order = nil, nil, nil
}
