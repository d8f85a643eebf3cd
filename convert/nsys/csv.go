package nsys

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"gpureplay/convert/decimal"
	"gpureplay/convert/delimited"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// IsCSV reports whether head has the columns of nsys stats --report
// cuda_gpu_trace (before 2023: gputrace) as CSV; lines may stand before it.
func IsCSV(head []byte) bool {
	for line := range bytes.Lines(head) {
		if isHeader(line) {
			return true
		}
	}
	return false
}

func isHeader(line []byte) bool {
	names := delimited.Header(line)
	return bytes.Contains(names, []byte("Start")) && bytes.Contains(names, []byte("CorrId,GrdX,GrdY")) &&
		bytes.Contains(names, []byte("Strm"))
}

// stats reads the table of the device's activities.
type stats struct {
	r      *delimited.Reader
	b      *timeline.Builder
	info   Info
	column map[string]int    // by name without its unit
	unit   map[string]uint64 // in ns and bytes
	fields [][]byte
	places map[string]uint64 // contexts
}

// ReadCSV adds the activities of the table to b. It has no calls: an activity is
// issued when it began.
func ReadCSV(in io.Reader, b *timeline.Builder) (*Info, error) {
	s := &stats{r: delimited.NewReader(in), b: b, info: Info{GPUs: map[uint32]trace.Machine{}},
		places: map[string]uint64{}}
	for {
		line, err := s.r.Next()
		if err == io.EOF {
			return &s.info, nil
		}
		if err != nil {
			return &s.info, err
		}
		head := s.column == nil
		if head && !isHeader(line) || len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if s.fields, err = s.r.Fields(line); err == nil {
			if head {
				err = s.header()
			} else {
				err = s.row()
			}
		}
		if err != nil {
			return &s.info, fmt.Errorf("line %d: %w", s.r.Line(), err)
		}
	}
}

// units are those in the names of columns: "Start (ns)", "StcSMem(MB)".
var units = map[string]uint64{
	"": 1, "s": 1e9, "ms": 1e6, "us": 1e3, "μs": 1e3, "ns": 1, "nsec": 1, "usec": 1e3, "msec": 1e6, "sec": 1e9,
	"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
}

func (s *stats) header() error {
	s.column, s.unit = map[string]int{}, map[string]uint64{}
	for i, f := range s.fields {
		name, unit, _ := strings.Cut(strings.TrimSuffix(string(f), ")"), "(")
		name = strings.TrimSpace(name)
		scale, ok := units[unit]
		if !ok && (name == "Start" || name == "Duration") {
			return fmt.Errorf("the unit of %s is %q; want ns, us, ms or s", name, unit)
		}
		s.column[name], s.unit[name] = i, scale
	}
	return nil
}

func (s *stats) text(name string) []byte {
	i, ok := s.column[name]
	if !ok {
		return nil
	}
	return delimited.Get(s.fields, i)
}

func (s *stats) number(name string) (int64, bool) {
	text := s.text(name)
	if len(text) == 0 || string(text) == "-" {
		return 0, false
	}
	v, ok := decimal.Scale(text, max(s.unit[name], 1))
	if !ok || v < 0 {
		s.info.BadRows++
		return 0, false
	}
	return v, true
}

func (s *stats) small(name string) uint32 {
	v, _ := s.number(name)
	return uint32(min(v, 1<<32-1))
}

func (s *stats) row() error {
	a := timeline.Activity{Device: s.device(), Stream: s.stream()}
	var started, ran bool
	if a.StartNs, started = s.number("Start"); started {
		a.DurationNs, ran = s.number("Duration")
	}
	if !ran {
		s.info.BadRows++
		return nil
	}
	bytesMoved, _ := s.number("Bytes")
	name := s.text("Name")
	switch copied, direction := bytes.CutPrefix(name, []byte("[CUDA memcpy ")); {
	case direction:
		if a.Kind, a.Copy = timeline.Copy, copyKind(string(copied)); a.Copy == trace.NumOpKinds {
			s.b.HostCopy()
			return nil
		}
		if bytes.HasPrefix(copied, []byte("Unified")) {
			s.info.Migrations++
			return nil
		}
	case bytes.HasPrefix(name, []byte("[CUDA Unified Memory")):
		s.info.Migrations++
		return nil
	case bytes.HasPrefix(name, []byte("[CUDA memset")):
		a.Kind = timeline.Memset
	default:
		return s.kernel(&a, name)
	}
	a.Bytes = uint64(bytesMoved)
	return s.b.ActivityNamed(&a, 0)
}

// copyKind tells the direction from "HtoD]" or "Host-to-Device]"; NumOpKinds:
// within the host.
func copyKind(text string) trace.OpKind {
	for _, c := range []struct {
		begins string
		kind   trace.OpKind
	}{
		{"HtoD", trace.OpCopyH2D}, {"Host-to-Device", trace.OpCopyH2D}, {"HtoA", trace.OpCopyH2D},
		{"Host-to-Array", trace.OpCopyH2D},
		{"DtoH", trace.OpCopyD2H}, {"Device-to-Host", trace.OpCopyD2H}, {"AtoH", trace.OpCopyD2H},
		{"Array-to-Host", trace.OpCopyD2H},
		{"PtoP", trace.OpCopyP2P}, {"Peer-to-Peer", trace.OpCopyP2P}, {"HtoH", trace.NumOpKinds},
		{"Host-to-Host", trace.NumOpKinds},
	} {
		if strings.HasPrefix(text, c.begins) {
			return c.kind
		}
	}
	return trace.OpCopyD2D
}

func (s *stats) kernel(a *timeline.Activity, name []byte) error {
	a.Kind, a.Registers = timeline.Kernel, s.small("Reg/Trd")
	a.Grid = trace.Dim3{s.small("GrdX"), s.small("GrdY"), s.small("GrdZ")}
	a.Block = trace.Dim3{s.small("BlkX"), s.small("BlkY"), s.small("BlkZ")}
	a.Sized = timeline.Sized(a.Grid, a.Block)
	a.SharedBytes = uint32(min(uint64(s.small("StcSMem"))+uint64(s.small("DymSMem")), 1<<32-1))
	id, err := s.b.Name(name)
	if err != nil {
		return err
	}
	return s.b.ActivityNamed(a, id)
}

// device reads "NVIDIA A100-SXM4-40GB (0)".
func (s *stats) device() uint32 {
	text := s.text("Device")
	open := bytes.LastIndexByte(text, '(')
	if open < 0 || !bytes.HasSuffix(text, []byte(")")) {
		return 0
	}
	id, ok := decimal.Scale(text[open+1:len(text)-1], 1)
	if !ok || id < 0 || id >= unknown32 {
		return 0
	}
	if _, known := s.info.GPUs[uint32(id)]; !known && len(s.info.GPUs) < maxGPUs {
		name := bytes.TrimSpace(text[:open])
		s.info.GPUs[uint32(id)] = trace.Machine{Name: string(name[:min(len(name), 256)])}
	}
	return uint32(id)
}

// stream keeps streams of different contexts apart, as in the database.
func (s *stats) stream() uint64 {
	context := s.text("Ctx")
	index, ok := s.places[string(context)]
	if !ok {
		index = uint64(len(s.places))
		if len(s.places) < maxContexts {
			s.places[string(context)] = index
		}
	}
	return index<<32 | uint64(s.small("Strm"))
}
