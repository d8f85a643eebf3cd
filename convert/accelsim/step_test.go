package accelsim

import (
	"context"
	"slices"
	"strings"
	"testing"

	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// warpOf converts lines of one warp and returns its executed instructions.
func warpOf(t *testing.T, lines ...string) ([]execution, *tracetest.Recording) {
	t.Helper()
	r := mustConvert(t, oneWarp(lines...))
	return executions(r, 0, &r.CTAs[0][0].Warps[0]), r
}

func TestAddressModes(t *testing.T) {
	for _, c := range []struct {
		line string
		want []uint64
	}{
		{"0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x1000 4 0", seq(0x1000, 4, 32)},
		{"0000 000000f0 1 R1 LDG.E 1 R2 4 1 1000 -8 0", seq(0x1000, -8, 4)},
		{"0000 00000001 1 R1 LDG.E 1 R2 4 1 0x1000 0", []uint64{0x1000}},
		{"0000 0000000f 1 R1 LDG.E 1 R2 4 2 0x1000 4 -16 100 0", []uint64{0x1000, 0x1004, 0xff4, 0x1058}},
		{"0000 0000000f 1 R1 LDG.E 1 R2 4 0 0x10 0x20 30 0x5 0", []uint64{0x10, 0x20, 0x30, 0x5}},
		{"0000 00000007 1 R1 LDG.E 1 R2 4 2 0xffffffffffffff00 4294967296 -8589934592 0",
			[]uint64{0xffffffffffffff00, 0xffffff00, 0xfffffffeffffff00}},
		{"0000 00000000 1 R1 LDG.E 1 R2 4 1 0x0 -77777777777777777777 0", nil},
		{"0000 00000000 1 R1 LDG.E 1 R2 4 2 0x0 0", nil},
		{"0000 ffffffff 1 R1 LDG.E 1 R2 0 0", nil},
		{"0000 00000001 0 UBLKCP 2 UR4 UR6 512 0x400 0 512 0 3 2 0x7000 0x7800 0 0", []uint64{0x7000, 0x7800}},
		{"0000 00000001 0 UTMALDG.2D 2 UR4 UR6 512 0x400 1 f 512 0 4 0x7000 3 128 -64 0 0", []uint64{0x7000, 0x7080, 0x7040}},
		{"0000 00000001 0 UTMALDG.2D 2 UR4 UR6 16 0x0 0 0 0 4 0x0 0 0 0", nil},
		{"0000 00000000 0 UTMALDG.2D 2 UR4 UR6 512 0x400 0 512 0 3 1 0x7000 0 0", nil},
	} {
		got, _ := warpOf(t, c.line)
		if len(got) != 1 || !slices.Equal(got[0].addresses, c.want) {
			t.Errorf("%s: %+v, want %#x", c.line, got, c.want)
		}
	}
}

func seq(base uint64, stride int64, n int) (list []uint64) {
	for i := range n {
		list = append(list, base+uint64(stride*int64(i)))
	}
	return list
}

func TestGenericAccesses(t *testing.T) {
	got, r := warpOf(t,
		"0000 ffffffff 1 R1 LD.E 1 R2 4 1 0x7f0000000100 4 0", // the header's shared window
		"0000 ffffffff 1 R1 LD.E 1 R2 4 1 0x7f0002000100 4 0", // its local window
		"0000 ffffffff 1 R1 LD.E 1 R2 4 1 0x7f0001000000 4 0", // just behind the shared one
		"0010 ffffffff 0 ST.E 2 R2 R3 4 1 0x7f0000ffff80 4 0",
		"0020 00000003 0 ST.E 2 R2 R3 4 2 0x7f0000000000 -8 0",
		"0030 00000001 0 SYNCS.ARRIVE.TRANS64 1 R3 8 1 0x400 0 0")
	want := []trace.Space{trace.SpaceShared, trace.SpaceLocal, trace.SpaceGlobal, trace.SpaceShared, trace.SpaceShared,
		trace.SpaceShared}
	for i := range want {
		if got[i].inst.Space != want[i] || got[i].inst.Class != trace.ClassMemory {
			t.Errorf("%d: %+v, want space %d", i, got[i].inst, want[i])
		}
	}
	if r.Diag("mixed_generic_access") != 1 {
		t.Errorf("diagnostics %+v", r.Diags)
	}
	if len(r.Arrays) != 1 || r.Arrays[0].Base != 0x7f0001000000 {
		t.Errorf("arrays %+v", r.Arrays)
	}
}

// Kernels of several tracers, as when runs are put together by hand.
func TestVersions(t *testing.T) {
	older := strings.NewReplacer("= 1.7", "= 1.5.3", "tracer version = 5", "tracer version = 3", "= 80",
		"= 70").Replace(oneWarp(good))
	r := &tracetest.Recording{}
	folder := mapFolder{"kernelslist.g": "kernel-1.traceg\nkernel-2.traceg\nkernel-1.traceg\n",
		"kernel-1.traceg": oneWarp(good), "kernel-2.traceg": older}
	if err := Convert(context.Background(), folder, "kernelslist.g", r, Options{}); err != nil {
		t.Fatal(err)
	}
	want := []trace.Attr{{Key: "nvbit_version", Value: "1.7, 1.5.3"}, {Key: "tracer_version", Value: "5, 3"}}
	if m := r.Meta; m.SourceVersion != "tracer 5, NVBit 1.7" || m.SMVersion != 80 || !slices.Equal(m.Attrs, want) ||
		r.Diag("mixed_binary_version") != 1 {
		t.Errorf("%+v, %+v", m, r.Diags)
	}
}

func TestOddInstructions(t *testing.T) {
	got, r := warpOf(t,
		"0000 ffffffff 1 R1 FROB.X 0 0 0",
		"0000 ffffffff 1 R1 FROB.X 0 0 0",
		"0010 ffffffff 1 R1 FROB.LD 1 R2 8 1 0x9000 8 0",
		"0020 ffffffff 0 REPLAY_START 0 0",
		"0030 ffffffff 2 R1 B3 MOV 1 SR7 0 5",
		"0040 ffffffff 0 HGMMA.64x8 1 R4 1 0 3 9",
		"0040 ffffffff 0 HGMMA.64x8 1 R4 0 7",
		"0050 ffffffff 0 BAR.SYNC 0 0 3 0",
		"0060 ffffffff 1 R1 MOV 1 R2 0 1 2 Val 1 0x5 1 0x6",
		"0060 ffffffff 1 R1 MOV 1 R2 0 1 2 Val 1 0x7 1 0x8",
		"0060 ffffffff 1 R1 MOV 1 R2 0 4 2 Val 1 0x7 1 0x8",
		"0070 ffffffff 1 R1 MOV 1 R2 0 x")
	classes := []trace.Class{trace.ClassOther, trace.ClassOther, trace.ClassMemory, trace.ClassInt, trace.ClassTensor,
		trace.ClassTensor,
		trace.ClassBarrier, trace.ClassInt, trace.ClassInt, trace.ClassInt, trace.ClassInt}
	imms := []uint64{0, 0, 0, 5, 3, 7, 3, 1, 1, 4, 0}
	if len(got) != len(classes) {
		t.Fatalf("%d instructions, want %d: the mark is none", len(got), len(classes))
	}
	for i := range got {
		if got[i].inst.Class != classes[i] || got[i].inst.Imm != imms[i] {
			t.Errorf("%d: %+v, want class %d, immediate %d", i, got[i].inst, classes[i], imms[i])
		}
	}
	for name, want := range map[string]uint64{"unknown_opcode": 3, "spin_loop_marker": 1, "unknown_register": 1,
		"register_values":  3,
		"second_immediate": 5, "unknown_trailing_token": 1} {
		if n := r.Diag(name); n != want {
			t.Errorf("%s = %d, want %d", name, n, want)
		}
	}
	if n := len(r.Functions[0].Insts); n != 9 {
		t.Errorf("%d static instructions, want 9: values of registers are none", n)
	}
}

func TestSourceLinesAndOldTracers(t *testing.T) {
	withLines := strings.Replace(oneWarp("17 0000 ffffffff 1 R1 MOV 0 0 0", "18 0010 ffffffff 0 EXIT 0 0 0"),
		"lineinfo = 0", "lineinfo = 1", 1)
	r := mustConvert(t, withLines)
	if w := r.CTAs[0][0].Warps[0]; len(w.Path) != 2 || r.Functions[0].Insts[1].PC != 0x10 || r.Diag("source_lines") != 2 {
		t.Errorf("with source lines: %+v, %+v", w, r.Diags)
	}
	old := strings.Replace(oneWarp("0 0 0 0 0000 ffffffff 1 R1 MOV 0 0",
		"0 0 0 0 0010 ffffffff 1 R1 LDG 1 R2 4 1 0x10 4"), "tracer version = 5", "tracer version = 1.2", 1)
	r = mustConvert(t, old)
	if w := r.CTAs[0][0].Warps[0]; len(w.Path) != 2 || len(w.Mem) != 1 || w.Mem[0].Base != 0x10 {
		t.Errorf("tracer 1.2: %+v", w)
	}
}

func TestHeaderAndDiagnostics(t *testing.T) {
	text := strings.Replace(oneWarp("0000 ffffffff 1 R1 MOV 0 0 0"), "-shmem = 48", "-shmem = 48\n-new key = 1", 1)
	r := mustConvert(t, strings.ReplaceAll(text, "\n", "\r\n"))
	k := r.Kernels[0]
	if k.Grid != (trace.Dim3{2, 1, 1}) || k.Block != (trace.Dim3{64, 1, 1}) || k.SharedBytes != 48 ||
		k.Registers != 12 || k.Stream != 7 ||
		k.SharedBase != 0x7f0000000000 || k.LocalBase != 0x7f0002000000 || k.Fidelity != trace.FidelityWarp ||
		r.Functions[0].Name != "_Z1kv" {
		t.Errorf("kernel %+v", k)
	}
	if r.Ops[0].Stream != 7 || r.Ops[0].Kind != trace.OpLaunch {
		t.Errorf("operation %+v", r.Ops[0])
	}
	for name, want := range map[string]uint64{"unknown_header_key": 1, "missing_cta": 1, "missing_warp": 1} {
		if n := r.Diag(name); n != want {
			t.Errorf("%s = %d, want %d", name, n, want)
		}
	}
	for _, d := range diagnostics {
		if d.Name == "" || d.Help == "" {
			t.Errorf("a counter without name or help: %+v", d)
		}
	}
	empty := mustConvert(t, testHeader)
	if len(empty.Kernels) != 1 || empty.Kernels[0].Fidelity != trace.FidelityKernel ||
		empty.Diag("kernel_without_ctas") != 1 {
		t.Errorf("no CTAs: %+v, %+v", empty.Kernels, empty.Diags)
	}
}

// Clusters are found from the CTAs behind the first.
func TestGroupedClusters(t *testing.T) {
	for _, c := range []struct {
		per  uint32
		want trace.Dim3
	}{{1, trace.Dim3{}}, {4, trace.Dim3{4, 1, 1}}, {8, trace.Dim3{8, 1, 1}}} {
		var b strings.Builder
		b.WriteString(strings.Replace(testHeader, "(2,1,1)", "(8,1,1)", 1))
		for x := range uint32(8) {
			b.WriteString("#BEGIN_TB\nthread block = " + itoa(int(x)) + ",0,0\ncluster id = " + itoa(int(x/c.per)) +
				",0,0\ncluster cta = " +
				itoa(int(x%c.per)) + ",0,0\ncluster rank = " + itoa(int(x%c.per)) +
				"\nwarp = 0\ninsts = 1\n0000 ffffffff 0 EXIT 0 0 0 0\n#END_TB\n")
		}
		r := mustConvert(t, b.String())
		if r.Kernels[0].Cluster != c.want || len(r.CTAs[0]) != 8 || r.Diag("cluster_cta") != 0 {
			t.Errorf("%d per cluster: %v, %d CTAs, %+v", c.per, r.Kernels[0].Cluster, len(r.CTAs[0]), r.Diags)
		}
	}
}

// An operand in memory makes an access of an opcode that is none: a load with a destination, a store without.
func TestUnknownAccesses(t *testing.T) {
	got, _ := warpOf(t, "0000 ffffffff 1 R1 FROB.LD 1 R2 8 1 0x9000 8 0", "0010 ffffffff 0 FROB.ST 2 R2 R3 8 1 0x9000 8 0")
	for i, want := range []trace.InstFlags{trace.InstLoad, trace.InstStore} {
		if got[i].inst.Flags != want {
			t.Errorf("%s: flags %b, want %b", got[i].inst.Opcode, got[i].inst.Flags, want)
		}
	}
}
