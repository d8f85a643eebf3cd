package accelsim

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// groupIterator hands out groups in order, and the lines of each.
type groupIterator struct {
	cursors []*groupCursor
	current []*groupCursor // those that have lines of the present group, the oldest first
	buf     []byte
}

// groupCursor is where a run is.
type groupCursor struct {
	r    *bufio.Reader
	key  uint64
	sm   int32
	left int64 // bytes of the group not yet read
}

// noKey is the key of a cursor at its end.
const noKey = math.MaxUint64

// sorted returns all groups in order.
func (g *groups) sorted() (*groupIterator, error) { return iterate(g.runs, g.inMemory()) }

func iterate(runs []run, memory []*group) (*groupIterator, error) {
	it := &groupIterator{}
	for _, r := range runs {
		it.cursors = append(it.cursors, &groupCursor{r: bufio.NewReaderSize(io.NewSectionReader(r.f, 0, r.size), 64<<10)})
	}
	it.cursors = append(it.cursors, &groupCursor{r: bufio.NewReaderSize(&memoryRun{groups: memory}, 64<<10)})
	for _, c := range it.cursors {
		if err := c.advance(); err != nil {
			return nil, err
		}
	}
	return it, nil
}

// memoryRun reads groups in memory as if they had been spilled.
type memoryRun struct {
	groups  []*group
	headed  bool
	pending []byte
}

func (m *memoryRun) Read(p []byte) (int, error) {
	for len(m.pending) == 0 {
		if len(m.groups) == 0 {
			return 0, io.EOF
		}
		if at := m.groups[0]; m.headed {
			m.pending, m.headed, m.groups = at.data, false, m.groups[1:]
		} else {
			m.pending, m.headed = groupHead(at.key, at.sm, int64(len(at.data))), true
		}
	}
	n := copy(p, m.pending)
	m.pending = m.pending[n:]
	return n, nil
}

// advance moves to the head of the next group.
func (c *groupCursor) advance() error {
	var head [headBytes]byte
	_, err := io.ReadFull(c.r, head[:])
	if err == io.EOF {
		c.key = noKey
		return nil
	}
	if err != nil {
		return ungroup(err)
	}
	c.key = binary.LittleEndian.Uint64(head[:])
	c.sm = int32(binary.LittleEndian.Uint32(head[8:]))
	c.left = int64(binary.LittleEndian.Uint64(head[12:]))
	return nil
}

// next moves to the next group, whose lines must have been read; io.EOF at the
// end.
func (it *groupIterator) next() (place, error) {
	for _, c := range it.current {
		if err := c.advance(); err != nil {
			return place{}, err
		}
	}
	it.current = it.current[:0]
	least := uint64(noKey)
	for _, c := range it.cursors {
		least = min(least, c.key)
	}
	if least == noKey {
		return place{}, io.EOF
	}
	at := place{cta: uint32(least >> 32), warp: uint32(least), sm: -1}
	for _, c := range it.cursors {
		if c.key == least {
			it.current = append(it.current, c)
			at.sm = max(at.sm, c.sm)
		}
	}
	return at, nil
}

// line returns the next line of the group and its number, valid until the next
// call; io.EOF behind the last.
func (it *groupIterator) line() (number int, line []byte, err error) {
	for _, c := range it.current {
		if c.left == 0 {
			continue
		}
		n, err := c.uvarint()
		if err != nil {
			return 0, nil, err
		}
		size, err := c.uvarint()
		if err != nil {
			return 0, nil, err
		}
		if uint64(cap(it.buf)) < size {
			it.buf = make([]byte, size)
		}
		it.buf = it.buf[:size]
		if _, err := io.ReadFull(c.r, it.buf); err != nil {
			return 0, nil, ungroup(err)
		}
		c.left -= int64(size)
		return int(n), it.buf, nil
	}
	return 0, nil, io.EOF
}

func (c *groupCursor) uvarint() (uint64, error) {
	v, err := binary.ReadUvarint(c.r)
	if err != nil {
		return 0, ungroup(err)
	}
	for x := v; ; x >>= 7 {
		c.left--
		if x < 0x80 {
			return v, nil
		}
	}
}

// copy writes the present group as one.
func (it *groupIterator) copy(w io.Writer, at place) error {
	var size int64
	for _, c := range it.current {
		size += c.left
	}
	if _, err := w.Write(groupHead(uint64(at.cta)<<32|uint64(at.warp), at.sm, size)); err != nil {
		return ungroup(err)
	}
	for _, c := range it.current {
		if _, err := io.CopyN(w, c.r, c.left); err != nil {
			return ungroup(err)
		}
		c.left = 0
	}
	return nil
}

func ungroup(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("reading back grouped lines of a raw capture: %w", err)
}
