package ncu

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"gpureplay/convert/delimited"
	"gpureplay/trace"
)

// Kernel is one profiled launch. Values absent from the tables are zero.
type Kernel struct {
	Name       []byte
	Stream     uint64
	Device     uint32
	SMVersion  uint32
	Grid       trace.Dim3
	Block      trace.Dim3
	Cluster    trace.Dim3
	Registers  uint32
	Shared     uint32
	DurationNs int64
	Cycles     int64 // of the SMs, at the clock that the tool held

	dram, read, written int64 // bytes of DRAM
	perSecond           int64
}

// DRAMBytes are those read from DRAM and written to it: as counted, or from their rate; 0:
// the tables do not say.
func (k *Kernel) DRAMBytes() int64 {
	switch {
	case k.dram > 0:
		return k.dram
	case k.read+k.written > 0:
		return k.read + k.written
	}
	return int64(math.Round(float64(k.perSecond) * float64(k.DurationNs) / 1e9))
}

// Info has the tables' facts beside the launches.
type Info struct {
	GPU       string
	SMs       uint32
	BadValues uint64
	LeftOut   uint64 // metrics that no trace has
	OddLines  uint64 // lines that are no rows
}

// header begins the header of either page.
var header = []byte("ID,Process ID,Process Name")

// IsCSV reports whether head is from such a table, perhaps with lines of the tool and
// of the program before it.
func IsCSV(head []byte) bool {
	for line := range bytes.Lines(head) {
		if isHeader(line) {
			return true
		}
	}
	return false
}

func isHeader(line []byte) bool { return bytes.HasPrefix(delimited.Header(line), header) }

// reader gathers the rows of a launch.
type reader struct {
	lines   *delimited.Reader
	info    Info
	kernel  Kernel
	open    bool
	id      string // process and number of the open launch
	columns delimited.Columns
	metrics []setter // of the columns of the raw page; nil: none
	units   []string
}

// Read calls each for every launch of the tables. The kernel is reused.
func Read(in io.Reader, each func(*Kernel) error) (*Info, error) {
	r := &reader{lines: delimited.NewReaderOfThrees(in)}
	if err := r.header(); err != nil {
		return nil, err
	}
	for {
		line, err := r.lines.Next()
		if errors.Is(err, io.EOF) {
			return &r.info, r.flush(each)
		}
		if err != nil {
			return nil, err
		}
		if bytes.HasPrefix(line, []byte("==")) {
			continue
		}
		fields, err := r.lines.Fields(line)
		if err != nil || len(fields) <= r.columns.Index("Kernel Name") {
			r.info.OddLines++
			continue
		}
		if err := r.row(fields, each); err != nil {
			return nil, fmt.Errorf("line %d: %w", r.lines.Line(), err)
		}
	}
}

func (r *reader) header() error {
	for {
		line, err := r.lines.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("there is no header; print the table with ncu --csv")
			}
			return err
		}
		if !isHeader(line) {
			continue
		}
		fields, err := r.lines.Fields(line)
		if err != nil {
			return err
		}
		r.columns = delimited.NewColumns(fields)
		if r.columns.Index("Kernel Name") < 0 {
			return errors.New("the table has no column Kernel Name; print it with ncu --csv")
		}
		if r.columns.Index("Metric Name") >= 0 {
			return nil
		}
		r.metrics = make([]setter, len(fields))
		for i, f := range fields {
			r.metrics[i] = setterOf(string(f))
			if r.metrics[i] == nil && bytes.Contains(f, []byte("__")) {
				r.metrics[i] = leftOut
			}
		}
		return nil
	}
}

// row takes a row of either page.
func (r *reader) row(fields [][]byte, each func(*Kernel) error) error {
	get := func(name string) []byte { return delimited.Get(fields, r.columns.Index(name)) }
	if len(get("ID")) == 0 { // the units
		r.units = nil
		for _, f := range fields {
			r.units = append(r.units, string(f))
		}
		return nil
	}
	if id := string(get("Process ID")) + " " + string(get("ID")); !r.open || id != r.id || r.metrics != nil {
		if err := r.flush(each); err != nil {
			return err
		}
		r.begin(id, get)
	}
	if r.metrics == nil {
		set := setterOf(string(get("Metric Name")))
		if set == nil {
			if len(get("Metric Name")) > 0 {
				r.info.LeftOut++
			}
			return nil
		}
		r.set(set, get("Metric Value"), string(get("Metric Unit")))
		return nil
	}
	for i, set := range r.metrics {
		if set != nil && i < len(fields) {
			unit := ""
			if i < len(r.units) {
				unit = r.units[i]
			}
			r.set(set, fields[i], unit)
		}
	}
	return nil
}

// begin opens a launch.
func (r *reader) begin(id string, get func(string) []byte) {
	r.id, r.open = id, true
	r.kernel = Kernel{Name: append(r.kernel.Name[:0], get("Kernel Name")...)}
	r.dim("Block Size", get, &r.kernel.Block)
	r.dim("Grid Size", get, &r.kernel.Grid)
	for name, to := range map[string]func(uint64){
		"Stream": func(n uint64) { r.kernel.Stream = n }, "Device": func(n uint64) { r.kernel.Device = uint32(n) },
	} {
		if n, ok := whole(get(name)); ok {
			to(n)
		} else if len(get(name)) > 0 {
			r.info.BadValues++
		}
	}
	if major, minor, ok := strings.Cut(string(get("CC")), "."); ok {
		a, okA := whole([]byte(major))
		b, okB := whole([]byte(minor))
		if okA && okB && a < 1000 && b < 10 {
			r.kernel.SMVersion = uint32(10*a + b)
		}
	}
}

// dim reads "(256, 1, 1)".
func (r *reader) dim(name string, get func(string) []byte, to *trace.Dim3) {
	text := string(get(name))
	if text == "" {
		return
	}
	parts := strings.Split(strings.Trim(text, "()"), ",")
	var d trace.Dim3
	ok := len(parts) == 3
	for i := 0; ok && i < 3; i++ {
		var n uint64
		n, ok = whole([]byte(strings.TrimSpace(parts[i])))
		d[i] = uint32(n)
	}
	if !ok {
		r.info.BadValues++
		return
	}
	*to = d
}

// set takes a metric.
func (r *reader) set(to setter, value []byte, unit string) {
	switch strings.ToLower(string(value)) {
	case "", "n/a", "nan":
		return
	}
	if !to(r, value, unit) {
		r.info.BadValues++
	}
}

// flush hands over the open launch.
func (r *reader) flush(each func(*Kernel) error) error {
	if !r.open {
		return nil
	}
	r.open = false
	return each(&r.kernel)
}
