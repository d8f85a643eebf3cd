package convert

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"gpureplay/convert/macsim"
	"gpureplay/trace"
)

// macsimRecord is a record as the tracer's C structure lies in memory.
func macsimRecord(opcode string, pc uint64, mask uint32, addr uint64, size, space byte) []byte {
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

// macsimFolder is two kernels: one described by kernel_names.txt, with two CTAs
// of two warps; one that only has its warps.
func macsimFolder(t testing.TB) string {
	dir := t.TempDir()
	put(t, dir, "kernel_config.txt", "nvbit\n14\n-1\n./Kernel0/trace.txt\n./Kernel1/trace.txt\n")
	put(t, dir, "kernel_names.txt", "Kernel0 name: scale(float*)\n  Grid size: (2, 1, 1), Block size: (64, 1, 1), "+
		"maxBlockPerCore: 16, # of regs: 12, static shared mem: 100, dynamic shared mem: 28\n")
	put(t, dir, "Kernel0/trace.txt", "nvbit\n14\n16\n4\n65537 0\n0 0\n1 0\n65536 0\n")
	put(t, dir, "Kernel1/trace.txt", "nvbit\n14\n16\n2\n0 0\n131072 0\n")
	const pc = 0x7f0000001000
	lines := [][]byte{ // 32 lanes of 8 bytes touch two lines; the first record has the size of both
		macsimRecord("MOV", pc, 1<<32-1, 0, 0, 0),
		macsimRecord("LDG", pc+16, 1<<32-1, 0x1000, 16, 3), macsimRecord("LDG", pc+16, 1<<32-1, 0x1080, 8, 3),
		macsimRecord("BAR", pc+32, 1<<32-1, 0, 2, 0),
		macsimRecord("STS", pc+48, 0b1011, 0x40, 4, 4),
		macsimRecord("LDC", pc+64, 1, 0x5, 4, 5),
		macsimRecord("", pc+80, 1, 0, 0, 0),
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(bytes.Join(lines, nil)); err != nil {
		t.Fatal(err)
	}
	z.Close()
	put(t, dir, "Kernel0/trace_0.raw", packed.String())
	put(t, dir, "Kernel0/bin_trace_65537.raw", string(bytes.Join(lines[:1], nil))) // not packed, older name
	put(t, dir, "Kernel0/trace_1.raw", "")
	each := make([][]byte, 0, 32) // one record for each of 32 lanes
	for lane := range 32 {
		each = append(each, macsimRecord("STG", pc, 1<<32-1, uint64(0x9000+lane*lane*4), byte(4*32), 3))
	}
	put(t, dir, "Kernel1/trace_0.raw", string(bytes.Join(each, nil)))
	put(t, dir, "Kernel1/trace_131072.raw", string(lines[0]))
	return dir
}

func TestMacsim(t *testing.T) {
	r := capture(t, macsimFolder(t), anyDevice)
	r.check(t)
	k := r.kernels[0]
	if r.functions[k.Function].Name != "scale(float*)" || k.Grid != (trace.Dim3{2, 1, 1}) ||
		k.Block != (trace.Dim3{64, 1, 1}) ||
		k.Registers != 12 || k.SharedBytes != 128 {
		t.Errorf("%q %+v", r.functions[k.Function].Name, k)
	}
	if len(r.ctas[0]) != 2 || len(r.ctas[0][0].Warps) != 1 || r.ctas[0][1].Warps[0].ID != 1 {
		t.Fatalf("%+v", r.ctas[0])
	}
	code := r.functions[k.Function].Insts
	w := r.ctas[0][0].Warps[0]
	var got []string
	for _, i := range w.Path {
		in := code[i]
		got = append(got, fmt.Sprintf("%d %s width %d imm %d dst %v src %v", in.PC, in.Opcode, in.Width, in.Imm, in.Dst,
			in.Src))
	}
	want := []string{
		"0 MOV width 0 imm 0 dst [R9] src [R4 R255]", "16 LDG width 8 imm 0 dst [R9] src [R4 R255]",
		"32 BAR width 0 imm 2 dst [R9] src [R4 R255]",
		"48 STS width 4 imm 0 dst [R9] src [R4 R255]", "64 LDC width 4 imm 0 dst [R9] src [R4 R255]",
		"80 ?255 width 0 imm 0 dst [R9] src [R4 R255]",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// 16 lanes of 8 bytes fill a line: the two lines make one stride.
	if fmt.Sprint(w.Mem) != "[{4096 8 0 32} {64 4 0 3} {0 0 0 0}]" {
		t.Errorf("%+v", w.Mem)
	}
	second := r.kernels[1]
	if second.Grid != (trace.Dim3{3, 1, 1}) || second.Block != (trace.Dim3{32, 1, 1}) || len(r.ctas[1]) != 2 {
		t.Errorf("%+v with %d CTAs", second, len(r.ctas[1]))
	}
	if s := r.ctas[1][0].Warps[0]; s.Mem[0].Count != 32 || s.Lists[3] != 0x9000+36 ||
		r.functions[second.Function].Insts[0].Width != 4 {
		t.Errorf("%+v", s)
	}
	for name, n := range map[string]uint64{"shape_inferred": 1, "warp_without_file": 1, "unknown_opcode": 1,
		"addresses_inferred": 2} {
		if r.diag(name) != n {
			t.Errorf("%s: %d, want %d", name, r.diag(name), n)
		}
	}
}

func TestMacsimMalformed(t *testing.T) {
	for name, c := range map[string]struct{ file, content, err string }{
		"wrong count":   {"Kernel0/trace.txt", "nvbit\n14\n16\n5\n0 0\n", "1 warps listed, where 5 are announced"},
		"no number":     {"Kernel0/trace.txt", "nvbit\n14\n16\n1\nx 0\n", "line 5"},
		"huge CTA":      {"Kernel0/trace.txt", "nvbit\n14\n16\n1\n18446744073709551615 0\n", "beyond 2^32"},
		"cut short":     {"Kernel0/trace_0.raw", "abc", "the file is cut short"},
		"not a list":    {"kernel_config.txt", "hello\n", "where a MacSim list says nvbit"},
		"missing":       {"kernel_config.txt", "nvbit\n14\n-1\n./Kernel9/trace.txt\n", "Kernel9/trace.txt"},
		"out of folder": {"kernel_config.txt", "nvbit\n14\n-1\n../../../etc/passwd\n", "file does not exist"},
		"no warps":      {"Kernel0/trace.txt", "nvbit\n14\n16\n0\n", "no warp is listed"},
	} {
		dir := macsimFolder(t)
		put(t, dir, c.file, c.content)
		if _, err := tryConvert(t, dir, "macsim", anyDevice); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %s", name, err, c.err)
		}
	}
}

func FuzzMacsim(f *testing.F) {
	f.Add([]byte("nvbit\n14\n16\n2\n0 0\n65536 0\n"), macsimRecord("LDG", 16, 255, 4096, 4, 3))
	f.Fuzz(func(t *testing.T, list, records []byte) {
		warps, err := macsim.ReadWarpList(bytes.NewReader(list))
		if err == nil && len(warps) == 0 && len(bytes.Fields(list)) > 4 {
			t.Fatal("rows were lost")
		}
		_, _ = macsim.ReadNames(bytes.NewReader(list))
		_, _ = macsim.ReadKernelList(bytes.NewReader(list))
		_ = macsim.ReadWarp(bytes.NewReader(records), func(s *macsim.Step) error {
			if s.Width() == 0 || len(s.Lanes(nil)) > 32 {
				t.Fatalf("%+v", s)
			}
			return nil
		})
	})
}
