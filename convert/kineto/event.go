package kineto

import (
	"bytes"
	"hash/fnv"
	"strconv"

	"gpureplay/convert/decimal"
	"gpureplay/convert/jsonscan"
	"gpureplay/trace"
)

// category is the meaning of an event's "cat".
type category uint8

const (
	catOther category = iota
	catKernel
	catCopy
	catMemset
	catCall
	catSync
	catRange
)

var categories = map[string]category{
	"kernel": catKernel, "Kernel": catKernel,
	"gpu_memcpy": catCopy, "Memcpy": catCopy, "memcpy": catCopy,
	"gpu_memset": catMemset, "Memset": catMemset, "memset": catMemset,
	"cuda_runtime": catCall, "cuda_driver": catCall, "hip_runtime": catCall, "Runtime": catCall,
	"cuda_sync": catSync, "user_annotation": catRange,
	"Api": catCall, // of ONNX Runtime
}

// event is one event, reused from one to the next.
type event struct {
	phase    byte
	cat      category
	other    bool // the category is known and not read
	name     []byte
	start    int64 // ns
	duration int64 // ns
	lasts    bool  // the duration is known
	timed    bool
	pid, tid id

	correlation                 uint64
	device, stream              int64
	hasDevice, hasStream        bool
	grid, block, cluster        trace.Dim3
	hasGrid, hasBlock           bool
	registers, shared           uint32
	bytes                       uint64
	graph                       bool
	kind                        []byte // of a copy (AMD) or a synchronisation
	waitStream, waitEvent       int64
	waitRecord                  int64
	hasWaitEvent, hasWaitStream bool
}

// id is a process or thread: a number, or a text with or without one.
type id struct {
	number int64
	valid  bool
	hash   uint64
}

func (e *event) reset() {
	*e = event{name: e.name[:0], kind: e.kind[:0]}
}

// Phases of events that are read.
const (
	phaseComplete = 'X'
	phaseBegin    = 'B'
	phaseEnd      = 'E'
)

// read reads the members of an event whose brace was taken. It reports false,
// having skipped the rest, as soon as the event turns out not to matter.
func (r *reader) read() (bool, error) {
	e, s := &r.event, r.s
	e.reset()
	for {
		kind, err := s.Next()
		if err != nil {
			return false, err
		}
		if kind == jsonscan.EndObject {
			return e.phase != 0 && (e.cat != catOther || e.phase != phaseComplete), nil
		}
		switch string(s.Raw()) {
		case "ph":
			err = r.text(func(v []byte) { e.phase = phaseOf(v) })
			if err == nil && (e.phase == 0 || e.phase == phaseComplete && e.other) {
				return false, s.SkipRest()
			}
		case "cat":
			err = r.text(r.category)
			e.other = e.cat == catOther
			if err == nil && e.other && e.phase == phaseComplete {
				return false, s.SkipRest()
			}
		case "name":
			err = r.text(func(v []byte) { e.name = append(e.name[:0], v...) })
		case "ts":
			e.start, e.timed, err = r.number(1000)
		case "dur":
			e.duration, e.lasts, err = r.number(1000)
		case "pid":
			e.pid, err = r.id()
		case "tid":
			e.tid, err = r.id()
		case "args":
			err = r.args()
		default:
			err = s.Skip()
		}
		if err != nil {
			return false, err
		}
	}
}

// phaseOf is the phase of an event that is read; 0: of others.
func phaseOf(v []byte) byte {
	if len(v) == 1 && (v[0] == phaseComplete || v[0] == phaseBegin || v[0] == phaseEnd) {
		return v[0]
	}
	return 0
}

// category takes the value of "cat".
func (r *reader) category(v []byte) {
	r.event.cat = categories[string(v)]
	if r.event.cat != catOther || len(v) > maxCategory {
		return
	}
	if _, ok := r.info.Skipped[string(v)]; ok || len(r.info.Skipped) < maxSkipped {
		r.info.Skipped[string(v)]++
	}
}

// args reads the members of "args".
func (r *reader) args() error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.BeginObject {
		return r.wrongType(kind)
	}
	for {
		kind, err := r.s.Next()
		if err != nil || kind == jsonscan.EndObject {
			return err
		}
		if err := r.arg(); err != nil {
			return err
		}
	}
}

func (r *reader) arg() (err error) {
	e := &r.event
	switch string(r.normal(r.s.Raw())) {
	case "correlation":
		err = r.wide(&e.correlation)
	case "device":
		e.device, e.hasDevice, err = r.number(1)
	case "stream":
		e.stream, e.hasStream, err = r.number(1)
	case "grid":
		e.grid, e.hasGrid, err = r.dim()
	case "block":
		e.block, e.hasBlock, err = r.dim()
	case "grid x", "grid y", "grid z":
		err = r.extent(&e.grid, &e.hasGrid)
	case "block x", "block y", "block z":
		err = r.extent(&e.block, &e.hasBlock)
	case "cluster":
		e.cluster, _, err = r.dim()
	case "registers per thread":
		err = r.small(&e.registers)
	case "shared memory":
		err = r.small(&e.shared)
	case "bytes", "size":
		err = r.unsigned(&e.bytes)
	case "graph id", "graph node id":
		var id uint64
		err = r.unsigned(&id)
		e.graph = e.graph || id != 0
	case "kind", "cuda sync kind":
		err = r.text(func(v []byte) { e.kind = append(e.kind[:0], v...) })
	case "wait on stream":
		e.waitStream, e.hasWaitStream, err = r.number(1)
	case "wait on cuda event id":
		e.waitEvent, e.hasWaitEvent, err = r.number(1)
	case "wait on cuda event record corr id":
		e.waitRecord, _, err = r.number(1)
	default:
		err = r.s.Skip()
	}
	return err
}

// extent reads one extent of a grid or a block, whose axis ends the key.
func (r *reader) extent(d *trace.Dim3, stated *bool) error {
	axis := r.key[len(r.key)-1] - 'x'
	err := r.small(&d[axis])
	*stated = true
	return err
}

// normal returns a key in lower case, with blanks for underscores.
func (r *reader) normal(key []byte) []byte {
	r.key = r.key[:0]
	for _, c := range key {
		switch {
		case c == '_':
			c = ' '
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		r.key = append(r.key, c)
	}
	return r.key
}

// text hands a string to use; other values count as wrong.
func (r *reader) text(use func([]byte)) error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	if kind == jsonscan.String {
		use(r.s.Text())
		return nil
	}
	if kind == jsonscan.Number {
		use(r.s.Raw())
		return nil
	}
	return r.wrongType(kind)
}

// number reads a number, or text that holds one (decimal or 0x hexadecimal),
// times mul.
func (r *reader) number(mul uint64) (int64, bool, error) {
	kind, err := r.s.Next()
	if err != nil {
		return 0, false, err
	}
	if kind != jsonscan.Number && kind != jsonscan.String {
		return 0, false, r.wrongType(kind)
	}
	v, ok := parse(r.s.Raw(), mul)
	if !ok {
		r.info.BadValues++
	}
	return v, ok, nil
}

func parse(text []byte, mul uint64) (int64, bool) {
	if hex, ok := bytes.CutPrefix(text, []byte("0x")); ok {
		v := uint64(0)
		for _, c := range hex {
			d := hexDigit(c)
			if d > 15 || v>>59 != 0 {
				return 0, false
			}
			v = v<<4 | uint64(d)
		}
		return int64(v), len(hex) > 0
	}
	return decimal.Scale(text, mul)
}

func hexDigit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}

func (r *reader) unsigned(to *uint64) error {
	v, ok, err := r.number(1)
	if ok && v < 0 {
		r.info.BadValues++
		return err
	}
	*to = uint64(v)
	return err
}

// wide reads an id of 64 bits, which some profilers write with a sign.
func (r *reader) wide(to *uint64) error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.Number && kind != jsonscan.String {
		return r.wrongType(kind)
	}
	if v, ok := parse(r.s.Raw(), 1); ok {
		*to = uint64(v)
	} else if *to, err = strconv.ParseUint(string(r.s.Raw()), 10, 64); err != nil {
		r.info.BadValues++
	}
	return nil
}

func (r *reader) small(to *uint32) error {
	v, ok, err := r.number(1)
	if ok && (v < 0 || v > 1<<32-1) {
		r.info.BadValues++
		return err
	}
	*to = uint32(v)
	return err
}

// dim reads up to three extents; those that are missing are 1.
func (r *reader) dim() (d trace.Dim3, ok bool, err error) {
	kind, err := r.s.Next()
	if err != nil {
		return d, false, err
	}
	if kind != jsonscan.BeginArray {
		return d, false, r.wrongType(kind)
	}
	d, ok = trace.Dim3{1, 1, 1}, false
	for i := 0; ; i++ {
		kind, err := r.s.Next()
		if err != nil {
			return d, false, err
		}
		if kind == jsonscan.EndArray {
			return d, ok, nil
		}
		v, good := int64(0), false
		if kind == jsonscan.Number {
			v, good = decimal.Scale(r.s.Raw(), 1)
		} else if err := r.drop(kind); err != nil {
			return d, false, err
		}
		if ok = good && v > 0 && v < 1<<32 && i < 3 && (ok || i == 0); !ok {
			r.info.BadValues++
			return d, false, r.s.SkipRest()
		}
		d[i] = uint32(v)
	}
}

// wrongType counts a value of the wrong type, and skips its rest.
func (r *reader) wrongType(kind jsonscan.Kind) error {
	if kind != jsonscan.Null {
		r.info.BadValues++
	}
	return r.drop(kind)
}

func (r *reader) drop(kind jsonscan.Kind) error {
	if kind == jsonscan.BeginObject || kind == jsonscan.BeginArray {
		return r.s.SkipRest()
	}
	return nil
}

// id reads a process or thread id: 7, "7", "stream 7", "Spans".
func (r *reader) id() (out id, err error) {
	err = r.text(func(v []byte) {
		i := len(v)
		for i > 0 && '0' <= v[i-1] && v[i-1] <= '9' {
			i--
		}
		if i > 0 && v[i-1] == '-' {
			i--
		}
		out.number, out.valid = decimal.Scale(v[i:], 1)
		if out.valid && i == 0 {
			out.hash = uint64(out.number)
			return
		}
		h := fnv.New64a()
		h.Write(v)
		out.hash = h.Sum64()
	})
	return out, err
}
