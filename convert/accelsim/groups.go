package accelsim

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
)

const (
	defaultMemory = 32 << 20 // bytes of lines held before they are spilled
	leastMemory   = 4 << 10
	maxSpilled    = 64 // runs merged at once; more are first merged into one
	groupOverhead = 64 // bytes of memory of a group beside its lines
	headBytes     = 20 // of a spilled group: key, SM, length
)

// groups sorts lines by CTA and warp and keeps their order within a warp. Data beyond the memory limit goes, as
// runs of whole groups in order, to a temporary file.
type groups struct {
	dir    string
	limit  int
	memory int
	lines  uint64
	now    map[uint64]*group
	runs   []run
}

// group is lines of one warp: each its number, its length and itself.
type group struct {
	key  uint64
	sm   int32
	data []byte
}

// run is one spilled file.
type run struct {
	f    *os.File
	size int64
}

func newGroups(dir string, memory int) *groups {
	if memory == 0 {
		memory = defaultMemory
	}
	return &groups{dir: dir, limit: max(memory, leastMemory), now: map[uint64]*group{}}
}

func (g *groups) close() {
	for _, r := range g.runs {
		discard(r.f)
	}
}

// add takes a copy of a line.
func (g *groups) add(at place, number int, line []byte) error {
	key := uint64(at.cta)<<32 | uint64(at.warp)
	group := g.group(key, at.sm)
	before := cap(group.data)
	group.data = binary.AppendUvarint(group.data, uint64(number))
	group.data = binary.AppendUvarint(group.data, uint64(len(line)))
	group.data = append(group.data, line...)
	g.memory += cap(group.data) - before
	g.lines++
	if g.memory < g.limit {
		return nil
	}
	return g.spill()
}

func (g *groups) group(key uint64, sm int32) *group {
	at, ok := g.now[key]
	if !ok {
		at = &group{key: key, sm: sm}
		g.now[key] = at
		g.memory += groupOverhead
	}
	return at
}

// inMemory returns the groups in memory by key.
func (g *groups) inMemory() []*group {
	list := make([]*group, 0, len(g.now))
	for _, at := range g.now {
		list = append(list, at)
	}
	slices.SortFunc(list, func(a, b *group) int { return cmp.Compare(a.key, b.key) })
	return list
}

// spill writes the groups in memory as one run.
func (g *groups) spill() error {
	w, err := g.newRun()
	if err != nil {
		return err
	}
	for _, at := range g.inMemory() {
		_, _ = w.Write(groupHead(at.key, at.sm, int64(len(at.data)))) // Flush tells
		_, _ = w.Write(at.data)
	}
	g.now, g.memory = map[uint64]*group{}, 0
	if err := g.endRun(w); err != nil {
		return err
	}
	if len(g.runs) < maxSpilled {
		return nil
	}
	return g.mergeRuns()
}

// runWriter writes a run.
type runWriter struct {
	*bufio.Writer
	f *os.File
}

func (g *groups) newRun() (*runWriter, error) {
	f, err := tempFile(g.dir)
	if err != nil {
		return nil, err
	}
	g.runs = append(g.runs, run{f: f})
	return &runWriter{bufio.NewWriterSize(f, 256<<10), f}, nil
}

func (g *groups) endRun(w *runWriter) error {
	if err := w.Flush(); err != nil {
		return fmt.Errorf("grouping a raw capture: %w", err)
	}
	size, err := w.f.Seek(0, io.SeekCurrent)
	g.runs[len(g.runs)-1].size = size
	return err
}

// groupHead stands before a group's lines.
func groupHead(key uint64, sm int32, size int64) []byte {
	var head [headBytes]byte
	binary.LittleEndian.PutUint64(head[:], key)
	binary.LittleEndian.PutUint32(head[8:], uint32(sm))
	binary.LittleEndian.PutUint64(head[12:], uint64(size))
	return head[:]
}

// mergeRuns makes one run of all.
func (g *groups) mergeRuns() error {
	old := g.runs
	g.runs = nil
	defer func() {
		for _, r := range old {
			discard(r.f)
		}
	}()
	it, err := iterate(old, nil)
	if err != nil {
		return err
	}
	w, err := g.newRun()
	if err != nil {
		return err
	}
	for {
		at, err := it.next()
		if err == io.EOF {
			return g.endRun(w)
		}
		if err != nil {
			return err
		}
		if err := it.copy(w, at); err != nil {
			return err
		}
	}
}
