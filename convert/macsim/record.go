package macsim

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"gpureplay/trace"
)

// RecordBytes is the size of a record: a C structure, little-endian.
const RecordBytes = 64

// Record is one execution of an instruction by a warp, or a further address of
// the one before.
type Record struct {
	Opcode   uint8
	Dst, Src []trace.Reg // reused
	Mask     uint32
	PC       uint64
	Addr     uint64
	Size     uint8 // bytes, or the number of a barrier
}

// Decode reads a record.
func (r *Record) Decode(b *[RecordBytes]byte) {
	le := binary.LittleEndian
	r.Opcode = b[0]
	r.Src, r.Dst = r.Src[:0], r.Dst[:0]
	for i := range min(int(b[4]), 4) {
		r.Src = append(r.Src, register(le.Uint16(b[6+2*i:])))
	}
	for i := range min(int(b[5]), 4) {
		r.Dst = append(r.Dst, register(le.Uint16(b[14+2*i:])))
	}
	r.Mask, r.PC, r.Addr = le.Uint32(b[24:]), le.Uint64(b[32:]), le.Uint64(b[48:])
	r.Size = b[56]
}

func register(n uint16) trace.Reg { return trace.RegGeneral | trace.Reg(min(n, 255)) }

// Step is one instruction with all its addresses. Reused from one to the next.
type Step struct {
	Record
	Addrs []uint64 // as recorded: one, or one for each 128-byte line or lane
}

// maxAddrs is how many addresses the tracer records for one instruction.
const maxAddrs = 32

// ReadWarp calls use for each instruction of a warp's file. The tracer writes the further addresses of a load or
// store as further records of the same PC and mask, which look like a repeated instruction. The reader relies on
// this: no warp executes one load twice without a branch between.
func ReadWarp(in io.Reader, use func(*Step) error) error {
	var raw [RecordBytes]byte
	var s Step
	var rec Record
	open := false
	for n := 1; ; n++ {
		if k, err := io.ReadFull(in, raw[:]); err == io.EOF {
			break
		} else if err == io.ErrUnexpectedEOF {
			return fmt.Errorf("record %d has %d bytes, where %d belong: the file is cut short", n, k, RecordBytes)
		} else if err != nil {
			return err
		}
		rec.Decode(&raw)
		if open && rec.PC == s.PC && rec.Mask == s.Mask && rec.Opcode == s.Opcode && memory(rec.Opcode) &&
			len(s.Addrs) < maxAddrs {
			s.Addrs = append(s.Addrs, rec.Addr)
			continue
		}
		if open {
			if err := use(&s); err != nil {
				return err
			}
		}
		s.Record, rec = rec, s.Record // each keeps its own slices
		s.Addrs = append(s.Addrs[:0], s.Addr)
		open = true
	}
	if open {
		return use(&s)
	}
	return nil
}

// memory reports whether the tracer gives an opcode more than one address.
func memory(opcode uint8) bool {
	switch Opcode(opcode) {
	case "LD", "LDC", "LDG", "LDL", "LDS", "LDSM", "ST", "STG", "STL", "STS":
		return true
	}
	return false
}

// Width is the access width of a thread: the tracer multiplies it by the number
// of addresses.
func (s *Step) Width() uint32 {
	n := uint32(len(s.Addrs))
	if w := uint32(s.Size); w%n == 0 && trace.ThreadWidth(w/n) {
		return w / n
	}
	return 4
}

// Lanes spreads the recorded addresses over the active lanes: lane by lane if there is one for each; else the lanes
// share the recorded lines evenly, and lanes of one line lie side by side from its address on.
func (s *Step) Lanes(out []uint64) []uint64 {
	lanes := bits.OnesCount32(s.Mask)
	if len(s.Addrs) == lanes {
		return append(out, s.Addrs...)
	}
	width := uint64(s.Width())
	for i := range lanes {
		line := i * len(s.Addrs) / lanes
		first := (line*lanes + len(s.Addrs) - 1) / len(s.Addrs)
		out = append(out, s.Addrs[line]+uint64(i-first)*width)
	}
	return out
}
