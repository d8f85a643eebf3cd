package nvprof

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"gpureplay/convert/spill"
	"gpureplay/convert/sqlite"
	"gpureplay/trace"
)

const (
	maxParents  = 1 << 22 // kernels that have children
	maxChildren = 1 << 20 // children of one kernel
)

// Child is a kernel that another kernel launched.
type Child struct {
	Parent      uint64     // grid id
	ParentBlock trace.Dim3 // index of the launching CTA
	GridID      uint64
	StartNs     int64
	DurationNs  int64
	Name        uint32
	Stream      uint64
	Grid, Block trace.Dim3
	Registers   uint32
	SharedBytes uint32
	LocalBytes  uint32
}

const (
	childKey   = 40 // parent, block z, y, x, start, sequence
	childBytes = childKey + 13*8
)

// HasChildren reports whether the file has kernels launched by kernels.
func (f *File) HasChildren() bool { return f.db.Has(childTable) }

// Children holds the children on disk, by parent.
type Children struct {
	file  *os.File
	spans map[uint64]span
	Count uint64
}

type span struct{ first, count uint64 }

// Children sorts the children by parent, block and start, in a file of the
// folder dir. Close removes it.
func (f *File) Children(dir string, memory int) (*Children, error) {
	if memory == 0 {
		memory = spill.DefaultMemory
	}
	s := spill.New(dir, childBytes, memory)
	defer s.Close()
	buf := make([]byte, childBytes)
	cols := columns(append(append([]string{}, shape...), "parentGridId", "parentBlockX", "parentBlockY",
		"parentBlockZ")...)
	err := f.db.Each(childTable, cols, func(v []sqlite.Value) error {
		a, name, ok, err := f.kernel(v)
		if err != nil || !ok {
			return err
		}
		p := v[rest+len(shape):]
		c := Child{
			Parent: uint64(p[0].Int), ParentBlock: dim(p[1:4]), GridID: a.GridID, StartNs: a.StartNs,
			DurationNs: max(a.DurationNs, 0),
			Name:       name, Stream: a.Stream, Grid: a.Grid, Block: a.Block,
			Registers: a.Registers, SharedBytes: a.SharedBytes, LocalBytes: a.LocalBytes,
		}
		c.encode(buf, s.Len())
		return s.Add(buf)
	})
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(dir, "replay-children-*")
	if err != nil {
		return nil, fmt.Errorf("temporary file for child kernels (set TMPDIR to a folder with room): %w", err)
	}
	_ = os.Remove(file.Name()) // it goes with the process, however that ends
	ch := &Children{file: file, spans: map[uint64]span{}, Count: s.Len()}
	if err := ch.fill(s); err != nil {
		ch.Close()
		return nil, err
	}
	return ch, nil
}

func (ch *Children) fill(s *spill.Sorter) error {
	it, err := s.Sorted()
	if err != nil {
		return err
	}
	var out []byte
	for n := uint64(0); ; n++ {
		rec, err := it.Next()
		if err == io.EOF {
			_, err := ch.file.Write(out)
			return err
		}
		if err != nil {
			return err
		}
		parent := binary.BigEndian.Uint64(rec)
		at, ok := ch.spans[parent]
		if !ok {
			if len(ch.spans) == maxParents {
				return fmt.Errorf("more than %d kernels launch others", maxParents)
			}
			at.first = n
		}
		at.count++
		ch.spans[parent] = at
		if out = append(out, rec...); len(out) >= 1<<16 {
			if _, err := ch.file.Write(out); err != nil {
				return err
			}
			out = out[:0]
		}
	}
}

// Of returns the children of a grid in the order of their blocks and starts,
// and drops them, so that no ancestry can go round in a circle.
func (ch *Children) Of(grid uint64) ([]Child, error) {
	at, ok := ch.spans[grid]
	if !ok {
		return nil, nil
	}
	if at.count > maxChildren {
		return nil, fmt.Errorf("grid %d has %d children; at most %d are read", grid, at.count, maxChildren)
	}
	delete(ch.spans, grid)
	out := make([]Child, at.count)
	buf := make([]byte, childBytes)
	r := io.NewSectionReader(ch.file, int64(at.first)*childBytes, int64(at.count)*childBytes)
	for i := range out {
		if _, err := io.ReadFull(r, buf); err != nil {
			return nil, fmt.Errorf("reading back child kernels: %w", err)
		}
		out[i].decode(buf)
	}
	ch.Count -= at.count
	return out, nil
}

// Close removes the file.
func (ch *Children) Close() {
	_ = ch.file.Close()
	_ = os.Remove(ch.file.Name())
}

func (c *Child) encode(buf []byte, seq uint64) {
	be := binary.BigEndian
	be.PutUint64(buf, c.Parent)
	be.PutUint32(buf[8:], c.ParentBlock[2])
	be.PutUint32(buf[12:], c.ParentBlock[1])
	be.PutUint32(buf[16:], c.ParentBlock[0])
	be.PutUint32(buf[20:], 0)
	be.PutUint64(buf[24:], uint64(c.StartNs)^1<<63)
	be.PutUint64(buf[32:], seq)
	for i, w := range []uint64{
		c.GridID, uint64(c.StartNs), uint64(c.DurationNs), c.Stream, uint64(c.Name),
		uint64(c.Grid[0]), uint64(c.Grid[1]), uint64(c.Grid[2]),
		uint64(c.Block[0])<<32 | uint64(c.Block[1]), uint64(c.Block[2]),
		uint64(c.Registers), uint64(c.SharedBytes), uint64(c.LocalBytes),
	} {
		be.PutUint64(buf[childKey+i*8:], w)
	}
}

func (c *Child) decode(buf []byte) {
	be := binary.BigEndian
	word := func(i int) uint64 { return be.Uint64(buf[childKey+i*8:]) }
	*c = Child{
		Parent:      be.Uint64(buf),
		ParentBlock: trace.Dim3{be.Uint32(buf[16:]), be.Uint32(buf[12:]), be.Uint32(buf[8:])},
		GridID:      word(0), StartNs: int64(word(1)), DurationNs: int64(word(2)), Stream: word(3), Name: uint32(word(4)),
		Grid:      trace.Dim3{uint32(word(5)), uint32(word(6)), uint32(word(7))},
		Block:     trace.Dim3{uint32(word(8) >> 32), uint32(word(8)), uint32(word(9))},
		Registers: uint32(word(10)), SharedBytes: uint32(word(11)), LocalBytes: uint32(word(12)),
	}
}

// Has reports whether a grid has children.
func (ch *Children) Has(grid uint64) bool {
	_, ok := ch.spans[grid]
	return ok
}
