package macsim_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/convert/macsim"
	"gpureplay/trace"
)

func TestMacsim(t *testing.T) {
	r := converttest.Read(t, converttest.MacsimFolder(t), converttest.AnyDevice)
	r.Check(t)
	k := r.Kernels[0]
	if r.Functions[k.Function].Name != "scale(float*)" || k.Grid != (trace.Dim3{2, 1, 1}) ||
		k.Block != (trace.Dim3{64, 1, 1}) ||
		k.Registers != 12 || k.SharedBytes != 128 {
		t.Errorf("%q %+v", r.Functions[k.Function].Name, k)
	}
	if len(r.CTAs[0]) != 2 || len(r.CTAs[0][0].Warps) != 1 || r.CTAs[0][1].Warps[0].ID != 1 {
		t.Fatalf("%+v", r.CTAs[0])
	}
	code := r.Functions[k.Function].Insts
	w := r.CTAs[0][0].Warps[0]
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
	second := r.Kernels[1]
	if second.Grid != (trace.Dim3{3, 1, 1}) || second.Block != (trace.Dim3{32, 1, 1}) || len(r.CTAs[1]) != 2 {
		t.Errorf("%+v with %d CTAs", second, len(r.CTAs[1]))
	}
	if s := r.CTAs[1][0].Warps[0]; s.Mem[0].Count != 32 || s.Lists[3] != 0x9000+36 ||
		r.Functions[second.Function].Insts[0].Width != 4 {
		t.Errorf("%+v", s)
	}
	for name, n := range map[string]uint64{"shape_inferred": 1, "warp_without_file": 1, "unknown_opcode": 1,
		"addresses_inferred": 2} {
		if r.Diag(name) != n {
			t.Errorf("%s: %d, want %d", name, r.Diag(name), n)
		}
	}
}

// Where the block in kernel_names.txt has no room for the warps, the warps decide the block.
func TestMacsimBlockOfTooFewWarps(t *testing.T) {
	dir := converttest.MacsimFolder(t)
	converttest.Put(t, dir, "kernel_names.txt", "Kernel0 name: scale(float*)\n  Grid size: (2, 1, 1), Block size: "+
		"(32, 1, 1), maxBlockPerCore: 16, # of regs: 12, static shared mem: 100, dynamic shared mem: 28\n")
	if k := converttest.Read(t, dir, converttest.AnyDevice).Kernels[0]; k.Block != (trace.Dim3{64, 1, 1}) {
		t.Errorf("a block of %v, want 64 for two warps", k.Block)
	}
}

// A list of kernels names a file of warps behind a -1.
func TestIsKernelList(t *testing.T) {
	for head, want := range map[string]bool{
		"nvbit\n14\n-1\n./Kernel0/trace.txt\n": true, "nvbit\n14\n16\n./Kernel0/trace.txt\n": false,
		"other\n14\n-1\n./Kernel0/trace.txt\n": false, "nvbit\n14\n-1\n": false, "nvbit\n14\n-1\n./Kernel0\n": false,
	} {
		if got := macsim.IsKernelList([]byte(head)); got != want {
			t.Errorf("%q is a list: %v", head, got)
		}
	}
}

// A list of warps has five numbers behind its first word. Its first 256 bytes count.
func TestIsWarpList(t *testing.T) {
	for head, want := range map[string]bool{
		"nvbit\n14\n16\n1\n0 0\n": true, "nvbit\n14\n16\n1\n0\n": false, "other\n14\n16\n1\n0 0\n": false,
		"nvbit\n14\n-1\n1\n0 0\n": false, "nvbit\n14\n16\n99\n" + strings.Repeat("0 0\n", 99): true,
		"nvbit\n14\n16\n1\n0" + strings.Repeat(" ", 256) + "0\n": false,
	} {
		if got := macsim.IsWarpList([]byte(head)); got != want {
			t.Errorf("%.30q is a list: %v", head, got)
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
		dir := converttest.MacsimFolder(t)
		converttest.Put(t, dir, c.file, c.content)
		if _, err := converttest.Try(t, dir, "macsim", converttest.AnyDevice); err == nil || !strings.Contains(err.Error(),
			c.err) {
			t.Errorf("%s: %v, want %s", name, err, c.err)
		}
	}
}

func FuzzMacsim(f *testing.F) {
	f.Add([]byte("nvbit\n14\n16\n2\n0 0\n65536 0\n"), converttest.MacsimRecord("LDG", 16, 255, 4096, 4, 3))
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
