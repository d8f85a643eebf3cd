package gpucachesim

import (
	"errors"
	"fmt"
	"io"

	"github.com/tinylib/msgp/msgp"

	"gpureplay/trace"
)

// Record is one execution of an instruction by a warp. Reused from one to the
// next.
type Record struct {
	Device, SM  uint32
	Block       trace.Dim3
	Warp        uint32 // in the block
	WarpSize    uint32
	Opcode      string
	PC          uint32
	Space       string // "Global", "Shared", ...
	Memory      bool
	Load, Store bool
	Dst, Src    []trace.Reg
	Mask        uint32
	Addrs       [32]uint64
}

const maxOpcodes = 1 << 14

// The tracer wrote 24 fields at first, then also the device behind the context,
// then also the thread indices at the end.
const (
	fieldsFirst  = 24
	fieldsDevice = 25
)

// reader reads fields in order; the first error stays.
type reader struct {
	m       *msgp.Reader
	err     error
	opcodes map[string]string
	scratch []byte
}

// ReadRecords calls use for each record of a kernel's file.
func ReadRecords(in io.Reader, use func(*Record) error) error {
	m := msgp.NewReaderSize(in, 256<<10)
	m.SetMaxStringLength(1 << 12)
	m.SetMaxRecursionDepth(16)
	r := &reader{m: m, opcodes: map[string]string{}}
	n := r.array()
	var rec Record
	for i := uint32(0); i < n && r.err == nil; i++ {
		r.record(&rec)
		if errors.Is(r.err, io.EOF) || errors.Is(r.err, io.ErrUnexpectedEOF) {
			r.err = errors.New("the file is cut short")
		}
		if r.err != nil {
			return fmt.Errorf("record %d of %d: %w", i+1, n, r.err)
		}
		if err := use(&rec); err != nil {
			return fmt.Errorf("record %d of %d: %w", i+1, n, err)
		}
	}
	return r.err
}

func (r *reader) record(rec *Record) {
	fields := r.array()
	if r.err == nil && (fields < fieldsFirst || fields > fieldsDevice+7) {
		r.err = fmt.Errorf("%d fields, where gpucachesim writes 24 to 26", fields)
	}
	r.skip() // context
	rec.Device = 0
	left := fields - fieldsFirst
	if fields >= fieldsDevice {
		rec.Device, left = r.small(), fields-fieldsDevice
	}
	rec.SM = r.small()
	r.skip() // kernel
	r.dim(&rec.Block)
	r.skip() // warp slot of the SM
	rec.Warp, rec.WarpSize = r.small(), r.small()
	r.skip() // source line
	r.skip() // data width, always 4
	rec.Opcode, rec.PC = r.opcode(), r.small()
	r.skip() // number of the instruction
	r.skip() // predicate: the mask has it
	rec.Space = r.name()
	rec.Memory, rec.Load, rec.Store = r.flag(), r.flag(), r.flag()
	r.skip() // extended
	rec.Dst = r.registers(rec.Dst[:0])
	rec.Src = r.registers(rec.Src[:0])
	rec.Mask = r.small()
	r.addresses(rec)
	for ; left > 0 && r.err == nil; left-- {
		r.skip()
	}
}

func (r *reader) array() (n uint32) {
	if r.err == nil {
		n, r.err = r.m.ReadArrayHeader()
	}
	return n
}

func (r *reader) skip() {
	if r.err == nil {
		r.err = r.m.Skip()
	}
}

func (r *reader) small() (v uint32) {
	if r.err == nil {
		v, r.err = r.m.ReadUint32()
	}
	return v
}

func (r *reader) flag() (v bool) {
	if r.err == nil {
		v, r.err = r.m.ReadBool()
	}
	return v
}

// name reads a text that has few values.
func (r *reader) name() string {
	if r.err != nil {
		return ""
	}
	if r.scratch, r.err = r.m.ReadStringAsBytes(r.scratch[:0]); r.err != nil {
		return ""
	}
	s, ok := r.opcodes[string(r.scratch)]
	if !ok {
		s = string(r.scratch)
		if len(r.opcodes) < maxOpcodes {
			r.opcodes[s] = s
		}
	}
	return s
}

func (r *reader) opcode() string { return r.name() }

func (r *reader) dim(d *trace.Dim3) {
	if n := r.array(); r.err == nil && n != 3 {
		r.err = fmt.Errorf("a block with %d indices", n)
	}
	for i := range d {
		d[i] = r.small()
	}
}

// registers reads a fixed array of registers and then how many of them count.
func (r *reader) registers(to []trace.Reg) []trace.Reg {
	n := r.array()
	if r.err == nil && n > 64 {
		r.err = fmt.Errorf("%d registers", n)
	}
	for i := uint32(0); i < n && r.err == nil; i++ {
		to = append(to, trace.RegGeneral|trace.Reg(min(r.small(), 255)))
	}
	if used := r.small(); r.err == nil && int(used) < len(to) {
		to = to[:used]
	}
	return to
}

func (r *reader) addresses(rec *Record) {
	n := r.array()
	if r.err == nil && n != uint32(len(rec.Addrs)) {
		r.err = fmt.Errorf("%d addresses, where 32 belong", n)
	}
	for i := range rec.Addrs {
		if r.err != nil {
			return
		}
		rec.Addrs[i], r.err = r.m.ReadUint64()
	}
}
