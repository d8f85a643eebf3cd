package accelsim

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"gpureplay/trace"
)

// header is the text before the CTAs of a kernel.
type header struct {
	name        string
	kernel      trace.Kernel
	smVersion   uint32
	nvbit       string
	tracer      string
	version     float64 // of the tracer; 0: none given
	lineInfo    bool
	seen        map[string]bool
	ended       bool // by the end of the file
	unknownKeys uint64
}

// maxThreads bounds the threads of a CTA; GPUs take 1,024.
const maxThreads = 1 << 16

// parseHeader reads key lines up to the first that begins with '#', which it
// takes as well, or to the end.
func parseHeader(l *lines) (*header, error) {
	h := &header{seen: map[string]bool{}}
	for {
		line, err := l.text()
		if err == io.EOF {
			if len(h.seen) == 0 {
				return nil, &Error{File: l.file, What: "the file is empty", Err: io.ErrUnexpectedEOF}
			}
			h.ended = true
			break
		}
		if err != nil {
			return nil, err
		}
		if line[0] == '#' {
			if bytes.HasPrefix(line, []byte("#BEGIN_TB")) {
				l.unread()
			}
			break
		}
		if err := h.line(l, line); err != nil {
			return nil, err
		}
	}
	return h, h.check(l)
}

// line reads one "-key = value".
func (h *header) line(l *lines, line []byte) error {
	key, value, ok := strings.Cut(string(line), "=")
	if !ok || line[0] != '-' {
		return l.errorf("%q is not a header line (-key = value): not an Accel-Sim kernel trace, or a damaged one", clip(line))
	}
	key, value = strings.TrimSpace(strings.TrimPrefix(key, "-")), strings.TrimSpace(value)
	if h.seen[key] {
		return l.errorf("-%s is given twice", key)
	}
	ok, known := h.set(key, value)
	if !ok {
		return l.errorf("-%s = %q: not a value of that key", key, clip([]byte(value)))
	}
	if !known {
		h.unknownKeys++
	}
	if len(h.seen) < 64 {
		h.seen[key] = true
	}
	return nil
}

// set takes a value; known is false for keys of newer tracers.
func (h *header) set(key, value string) (ok, known bool) {
	k := &h.kernel
	switch key {
	case "kernel name":
		h.name, ok = value, value != ""
	case "kernel id":
		_, err := strconv.ParseUint(value, 10, 64)
		ok = err == nil
	case "grid dim":
		k.Grid, ok = dim3(value)
		ok = ok && k.Grid.Valid()
	case "block dim":
		k.Block, ok = dim3(value)
		ok = ok && k.Block.Valid() && k.Block.Count() <= maxThreads
	case "shmem":
		k.SharedBytes, ok = unsigned(value)
	case "nregs":
		k.Registers, ok = unsigned(value)
	case "binary version":
		h.smVersion, ok = unsigned(value)
	case "cuda stream id":
		v, err := strconv.ParseUint(value, 10, 64)
		k.Stream, ok = v, err == nil
	case "shmem base_addr":
		k.SharedBase, ok = address(value)
	case "local mem base_addr":
		k.LocalBase, ok = address(value)
	case "nvbit version":
		h.nvbit, ok = value, len(value) <= 64
	case "accelsim tracer version":
		v, err := strconv.ParseFloat(value, 64)
		h.tracer, h.version, ok = value, v, err == nil && v >= 0 && len(value) <= 64
	case "enable lineinfo":
		h.lineInfo, ok = value == "1", value == "0" || value == "1"
	default:
		return true, false
	}
	return ok, true
}

// check finds keys without which nothing can be made of the kernel.
func (h *header) check(l *lines) error {
	for _, key := range []string{"kernel name", "grid dim", "block dim"} {
		if !h.seen[key] {
			return l.errorf("the header has no -%s", key)
		}
	}
	return nil
}

// warps is the number of warps of a full CTA.
func (h *header) warps() uint32 { return (uint32(h.kernel.Block.Count()) + 31) / 32 }

// dim3 reads "(x,y,z)" or "x,y,z".
func dim3(s string) (d trace.Dim3, ok bool) {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "("), ")")
	for i := range d {
		var field string
		field, s, ok = strings.Cut(s, ",")
		if ok != (i < 2) {
			return d, false
		}
		v, err := strconv.ParseUint(strings.TrimSpace(field), 10, 31)
		if err != nil {
			return d, false
		}
		d[i] = uint32(v)
	}
	return d, true
}

func unsigned(s string) (uint32, bool) {
	v, err := strconv.ParseUint(s, 10, 32)
	return uint32(v), err == nil
}

func address(s string) (uint64, bool) {
	v, err := strconv.ParseUint(strings.TrimPrefix(s, "0x"), 16, 64)
	return v, err == nil
}

// clip shortens a file's text for an error message.
func clip(b []byte) string {
	const most = 60
	if len(b) > most {
		return string(b[:most]) + "..."
	}
	return string(b)
}
