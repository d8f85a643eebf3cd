package nvprof

import (
	"bytes"
	"fmt"
	"io"

	"gpureplay/convert/decimal"
	"gpureplay/convert/delimited"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// Info has a file's facts apart from its events.
type Info struct {
	GPUs       map[uint32]trace.Machine
	Version    string
	Migrations uint64 // records of unified memory, left out
	BadValues  uint64 // fields that are no numbers, taken as absent
	Untimed    uint64 // rows without a start, left out
	Orphans    uint64 // children whose parent is not in the capture
	Misplaced  uint64 // children whose parent block is outside the grid
	Parents    uint64 // kernels that launched others
}

const (
	maxGPUs     = 1 << 12
	maxContexts = 1 << 20
	// lastDefaultStream is the highest number that the default stream of a
	// context has had in versions of the profiler; other streams have higher
	// ones.
	lastDefaultStream = 7
)

// header is how the line of column names begins.
const header = "Start,Duration"

// IsCSV reports whether head is from the output of nvprof --print-gpu-trace
// --csv.
func IsCSV(head []byte) bool {
	for line := range bytes.Lines(head) {
		if isHeader(line) {
			return bytes.Contains(line, []byte("Grid X"))
		}
	}
	return false
}

func isHeader(line []byte) bool { return bytes.Contains(delimited.Header(line), []byte(header)) }

type table struct {
	r        *delimited.Reader
	b        *timeline.Builder
	info     Info
	cols     delimited.Columns
	units    [][]byte
	contexts map[string]uint64
	fields   [][]byte
}

// ReadCSV adds the events of a table printed by nvprof --print-gpu-trace --csv
// to b. Lines before the header, and banner lines ("==pid== ..."), are passed
// over.
func ReadCSV(in io.Reader, b *timeline.Builder) (*Info, error) {
	t := &table{r: delimited.NewReader(in), b: b, info: Info{GPUs: map[uint32]trace.Machine{}},
		contexts: map[string]uint64{}}
	return &t.info, t.read()
}

func (t *table) read() error {
	for {
		line, err := t.r.Next()
		if err == io.EOF {
			if t.cols == nil {
				return fmt.Errorf("no line has the columns %s: not the output of nvprof --print-gpu-trace --csv", header)
			}
			return nil
		}
		if err != nil {
			return err
		}
		if bytes.HasPrefix(line, []byte("==")) || t.cols == nil && !isHeader(line) {
			continue
		}
		fields, err := t.r.Fields(line)
		if err != nil {
			return err
		}
		if isHeader(line) {
			t.cols = delimited.NewColumns(fields)
			if err := t.unitsRow(); err != nil {
				return err
			}
			continue
		}
		if err := t.row(fields); err != nil {
			return fmt.Errorf("line %d: %w", t.r.Line(), err)
		}
	}
}

// unitsRow reads the line under the header.
func (t *table) unitsRow() error {
	line, err := t.r.Next()
	if err != nil && err != io.EOF {
		return err
	}
	fields, err := t.r.Fields(line)
	if err != nil {
		return err
	}
	t.units = nil
	for _, f := range fields {
		t.units = append(t.units, bytes.Clone(f))
	}
	for _, name := range []string{"Start", "Duration"} {
		if scales[string(delimited.Get(t.units, t.cols.Index(name)))] == 0 {
			return fmt.Errorf("line %d: the row under the header does not name the unit of %s (s, ms, us or ns)", t.r.Line(),
				name)
		}
	}
	return nil
}

// scales are the units in nanoseconds and bytes.
var scales = map[string]uint64{
	"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1,
	"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40,
}

// scaled reads a column in its unit.
func (t *table) scaled(names ...string) (int64, bool) {
	i := t.cols.Index(names...)
	text := delimited.Get(t.fields, i)
	if len(text) == 0 {
		return 0, false
	}
	unit := scales[string(delimited.Get(t.units, i))]
	if unit == 0 {
		unit = 1
	}
	v, ok := decimal.Scale(text, unit)
	if !ok || v < 0 {
		t.info.BadValues++
		return 0, false
	}
	return v, true
}

func (t *table) small(names ...string) uint32 {
	v, ok := t.scaled(names...)
	if ok && v > 1<<32-1 {
		t.info.BadValues++
		return 0
	}
	return uint32(v)
}

func (t *table) dim(x, y, z string) trace.Dim3 {
	return trace.Dim3{t.small(x), t.small(y), t.small(z)}
}

func (t *table) row(fields [][]byte) error {
	t.fields = fields
	name := delimited.Get(fields, t.cols.Index("Name"))
	if bytes.HasPrefix(name, []byte("[Unified Memory")) {
		t.info.Migrations++
		return nil
	}
	start, ok := t.scaled("Start")
	if !ok {
		t.info.Untimed++
		return nil
	}
	a := timeline.Activity{StartNs: start, Device: t.device(), Stream: t.stream()}
	a.DurationNs, _ = t.scaled("Duration")
	switch {
	case bytes.HasPrefix(name, []byte("[CUDA memcpy")):
		a.Kind = timeline.Copy
		a.Copy, ok = copyOf(name)
		if !ok {
			t.b.HostCopy()
			return nil
		}
	case bytes.HasPrefix(name, []byte("[CUDA memset")):
		a.Kind = timeline.Memset
	default:
		return t.kernel(&a, name)
	}
	size, _ := t.scaled("Size")
	a.Bytes = uint64(size)
	a.Blocking = (a.Copy == trace.OpCopyH2D || a.Copy == trace.OpCopyD2H) && uint32(a.Stream) <= lastDefaultStream
	return t.b.ActivityNamed(&a, 0)
}

var copyMarks = []struct {
	mark string
	op   trace.OpKind
}{
	{"HtoD", trace.OpCopyH2D}, {"HtoA", trace.OpCopyH2D},
	{"DtoH", trace.OpCopyD2H}, {"AtoH", trace.OpCopyD2H}, {"PtoP", trace.OpCopyP2P},
}

// copyOf tells the direction of "[CUDA memcpy HtoD]"; false: within the host.
// Arrays count as device memory.
func copyOf(name []byte) (trace.OpKind, bool) {
	for _, c := range copyMarks {
		if bytes.Contains(name, []byte(c.mark)) {
			return c.op, true
		}
	}
	return trace.OpCopyD2D, !bytes.Contains(name, []byte("HtoH"))
}

func (t *table) kernel(a *timeline.Activity, name []byte) error {
	// The correlation id stands in brackets behind the name.
	if i := bytes.LastIndex(name, []byte(" [")); i > 0 && bytes.HasSuffix(name, []byte("]")) {
		name = name[:i]
	}
	a.Kind = timeline.Kernel
	a.Grid, a.Block = t.dim("Grid X", "Grid Y", "Grid Z"), t.dim("Block X", "Block Y", "Block Z")
	a.Sized = timeline.Sized(a.Grid, a.Block)
	a.Registers = t.small("Registers Per Thread")
	static, dynamic := t.small("Static SMem"), t.small("Dynamic SMem")
	a.SharedBytes = uint32(min(uint64(static)+uint64(dynamic), 1<<32-1))
	id, err := t.b.Name(name)
	if err != nil {
		return err
	}
	return t.b.ActivityNamed(a, id)
}

// device reads "GeForce GTX 1080 Ti (0)".
func (t *table) device() uint32 {
	text := delimited.Get(t.fields, t.cols.Index("Device"))
	open := bytes.LastIndexByte(text, '(')
	if open < 0 || !bytes.HasSuffix(text, []byte(")")) {
		return 0
	}
	id, ok := decimal.Scale(text[open+1:len(text)-1], 1)
	if !ok || id < 0 || id > 1<<32-1 {
		t.info.BadValues++
		return 0
	}
	if _, known := t.info.GPUs[uint32(id)]; !known && len(t.info.GPUs) < maxGPUs {
		name := bytes.TrimSpace(text[:open])
		t.info.GPUs[uint32(id)] = trace.Machine{Name: string(name[:min(len(name), 256)])}
	}
	return uint32(id)
}

// stream keeps streams of different contexts apart: the first context keeps its numbers, the n-th after it has
// n<<32 added.
func (t *table) stream() uint64 {
	context := delimited.Get(t.fields, t.cols.Index("Context"))
	index, ok := t.contexts[string(context)]
	if !ok {
		index = uint64(len(t.contexts))
		if len(t.contexts) < maxContexts {
			t.contexts[string(context)] = index
		}
	}
	return index<<32 | uint64(t.small("Stream"))
}
