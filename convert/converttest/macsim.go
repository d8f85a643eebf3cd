package converttest

import (
	"bytes"
	"encoding/binary"
	"testing"

	"gpureplay/convert/macsim"

	"github.com/klauspost/compress/gzip"
)

// MacsimRecord is a record as the tracer's C structure lies in memory.
func MacsimRecord(opcode string, pc uint64, mask uint32, addr uint64, size, space byte) []byte {
	b := make([]byte, macsim.RecordBytes)
	for n := range 256 {
		if macsim.Opcode(uint8(n)) == opcode {
			b[0] = byte(n)
		}
	}
	if opcode == "" {
		b[0] = 255
	}
	le := binary.LittleEndian
	b[4], b[5] = 2, 1
	le.PutUint16(b[6:], 4)
	le.PutUint16(b[8:], 700) // beyond any register
	le.PutUint16(b[14:], 9)
	le.PutUint32(b[24:], mask)
	le.PutUint64(b[32:], pc)
	le.PutUint64(b[48:], addr)
	b[56], b[60] = size, space
	return b
}

// MacsimFolder is two kernels: one described by kernel_names.txt, with two CTAs
// of two warps; one that only has its warps.
func MacsimFolder(t testing.TB) string {
	dir := t.TempDir()
	Put(t, dir, "kernel_config.txt", "nvbit\n14\n-1\n./Kernel0/trace.txt\n./Kernel1/trace.txt\n")
	Put(t, dir, "kernel_names.txt", "Kernel0 name: scale(float*)\n  Grid size: (2, 1, 1), Block size: (64, 1, 1), "+
		"maxBlockPerCore: 16, # of regs: 12, static shared mem: 100, dynamic shared mem: 28\n")
	Put(t, dir, "Kernel0/trace.txt", "nvbit\n14\n16\n4\n65537 0\n0 0\n1 0\n65536 0\n")
	Put(t, dir, "Kernel1/trace.txt", "nvbit\n14\n16\n2\n0 0\n131072 0\n")
	const pc = 0x7f0000001000
	lines := [][]byte{ // 32 lanes of 8 bytes touch two lines; the first record has the size of both
		MacsimRecord("MOV", pc, 1<<32-1, 0, 0, 0),
		MacsimRecord("LDG", pc+16, 1<<32-1, 0x1000, 16, 3), MacsimRecord("LDG", pc+16, 1<<32-1, 0x1080, 8, 3),
		MacsimRecord("BAR", pc+32, 1<<32-1, 0, 2, 0),
		MacsimRecord("STS", pc+48, 0b1011, 0x40, 4, 4),
		MacsimRecord("LDC", pc+64, 1, 0x5, 4, 5),
		MacsimRecord("", pc+80, 1, 0, 0, 0),
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(bytes.Join(lines, nil)); err != nil {
		t.Fatal(err)
	}
	z.Close()
	Put(t, dir, "Kernel0/trace_0.raw", packed.String())
	Put(t, dir, "Kernel0/bin_trace_65537.raw", string(bytes.Join(lines[:1], nil))) // not packed, older name
	Put(t, dir, "Kernel0/trace_1.raw", "")
	each := make([][]byte, 0, 32) // one record for each of 32 lanes
	for lane := range 32 {
		each = append(each, MacsimRecord("STG", pc, 1<<32-1, uint64(0x9000+lane*lane*4), byte(4*32), 3))
	}
	Put(t, dir, "Kernel1/trace_0.raw", string(bytes.Join(each, nil)))
	Put(t, dir, "Kernel1/trace_131072.raw", string(lines[0]))
	return dir
}
