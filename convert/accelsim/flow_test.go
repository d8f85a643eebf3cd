package accelsim

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// irregular converts one warp and returns the verdict on its kernel.
func irregular(t *testing.T, opt Options, lines ...string) bool {
	t.Helper()
	r := &tracetest.Recording{}
	if err := ConvertKernel(context.Background(), strings.NewReader(oneWarp(lines...)), "k", r, opt); err != nil {
		t.Fatal(err)
	}
	return r.Kernels[0].Flags&trace.KernelIrregular != 0
}

func TestIrregular(t *testing.T) {
	const index = "0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0"
	for _, c := range []struct {
		name  string
		want  bool
		lines []string
	}{
		{"by thread index", false, []string{"0000 ffffffff 1 R2 S2R 0 0 0", index,
			"0020 ffffffff 0 STG.E 2 R2 R4 4 1 0x2000 4 0"}},
		{"loaded value is the address", true, []string{index, "0020 ffffffff 1 R6 LDG.E 1 R4 4 1 0x2000 4 0"}},
		{"in register 0", true, []string{"0010 ffffffff 1 R0 LDG.E 1 R2 4 1 0x1000 4 0",
			"0020 ffffffff 1 R6 LDG.E 1 R0 4 1 0x2000 4 0"}},
		{"through arithmetic", true, []string{index, "0020 ffffffff 1 R6 IMAD.WIDE 2 R4 R9 0 0",
			"0030 ffffffff 0 STG.E 2 R6 R9 4 1 0x2000 4 0"}},
		{"only stored", false, []string{index, "0020 ffffffff 0 STG.E 2 R8 R4 4 1 0x2000 4 0"}},
		{"overwritten", false, []string{index, "0020 ffffffff 1 R4 MOV 0 0 0",
			"0030 ffffffff 1 R6 LDG.E 1 R4 4 1 0x2000 4 0"}},
		{"overwritten in other lanes", true, []string{index, "0020 0000ffff 1 R4 MOV 0 0 0",
			"0030 ffffffff 1 R6 LDG.E 1 R4 4 1 0x2000 4 0"}},
		{"overwritten in the lanes used", false, []string{index, "0020 0000ffff 1 R4 MOV 0 0 0",
			"0030 0000ffff 1 R6 LDG.E 1 R4 4 1 0x2000 4 0"}},
		{"second word of a wide load", true, []string{"0010 ffffffff 1 R4 LDG.E.64 1 R2 8 1 0x1000 8 0",
			"0020 ffffffff 1 R6 LDG.E 1 R5 4 1 0x2000 4 0"}},
		{"predicated off", false, []string{"0010 00000000 1 R4 LDG.E 1 R2 4 1 0x0 0 0",
			"0020 ffffffff 1 R6 LDG.E 1 R4 4 1 0x2000 4 0"}},
		{"from another lane", true, []string{"0010 00000001 1 R4 LDG.E 1 R2 4 1 0x1000 4 0",
			"0020 ffffffff 1 R5 SHFL.IDX 1 R4 0 0", "0030 00000002 1 R6 LDG.E 1 R5 4 1 0x2000 4 0"}},
		{"through a uniform register", true, []string{index, "0020 ffffffff 1 UR4 R2UR 1 R4 0 0",
			"0030 ffffffff 1 R6 LDG.E 2 R8 UR4 4 1 0x2000 4 0"}},
		{"an atomic's answer", true, []string{"0010 ffffffff 1 R4 ATOMG.E.ADD 2 R2 R3 4 1 0x1000 4 0",
			"0030 ffffffff 0 STG.E 2 R4 R9 4 1 0x2000 4 0"}},
		{"constants", false, []string{"0010 ffffffff 1 R4 LDC 0 0 0", "0030 ffffffff 1 R6 LDG.E 1 R4 4 1 0x2000 4 0"}},
		{"through shared memory", true, []string{index, "0020 ffffffff 0 STS 2 R8 R4 4 1 0x0 4 0",
			"0030 ffffffff 1 R5 LDS 1 R9 4 1 0x80 4 0", "0040 ffffffff 1 R6 LDG.E 1 R5 4 1 0x2000 4 0"}},
		{"shared memory of computed values", false, []string{index, "0020 ffffffff 0 STS 2 R8 R9 4 1 0x0 4 0",
			"0030 ffffffff 1 R5 LDS 1 R9 4 1 0x0 4 0", "0040 ffffffff 1 R6 LDG.E 1 R5 4 1 0x2000 4 0"}},
		{"copied into shared memory", true, []string{"0020 ffffffff 0 LDGSTS.E 2 R8 R4 4 1 0x1000 4 0",
			"0030 ffffffff 1 R5 LDS 1 R9 4 1 0x0 4 0", "0040 ffffffff 1 R6 LDG.E 1 R5 4 1 0x2000 4 0"}},
		{"the copy's own addresses", true, []string{index, "0020 ffffffff 0 LDGSTS.E 2 R8 R4 4 1 0x1000 4 0"}},
		{"spilled and filled", true, []string{index, "0020 ffffffff 0 STL 2 R1 R4 4 1 0xfff0 0 0",
			"0030 ffffffff 1 R5 LDL 1 R1 4 1 0xfff0 0 0", "0040 ffffffff 1 R6 LDG.E 1 R5 4 1 0x2000 4 0"}},
		{"filled from another place", false, []string{index, "0020 ffffffff 0 STL 2 R1 R4 4 1 0xfff0 0 0",
			"0030 ffffffff 1 R5 LDL 1 R1 4 1 0xfff8 0 0", "0040 ffffffff 1 R6 LDG.E 1 R5 4 1 0x2000 4 0"}},
	} {
		if got := irregular(t, Options{}, c.lines...); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestIrregularByName(t *testing.T) {
	indirect := []string{"0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0", "0020 ffffffff 1 R6 LDG.E 1 R4 4 1 0x2000 4 0"}
	yes, no := regexp.MustCompile("_Z1k"), regexp.MustCompile("other")
	for _, c := range []struct {
		opt  Options
		line []string
		want bool
	}{
		{Options{Regular: yes}, indirect, false}, {Options{Regular: no}, indirect, true},
		{Options{Irregular: yes}, indirect[:1], true}, {Options{Irregular: no}, indirect[:1], false},
		{Options{Irregular: yes, Regular: yes}, indirect[:1], true},
	} {
		if got := irregular(t, c.opt, c.line...); got != c.want {
			t.Errorf("%+v: %v", c.opt, got)
		}
	}
}

// Later kernels of a function that was seen to be irregular are so as well.
func TestIrregularFunction(t *testing.T) {
	direct := oneWarp("0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0")
	indirect := oneWarp("0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0", "0020 ffffffff 1 R6 LDG.E 1 R4 4 1 0x2000 4 0")
	r := &tracetest.Recording{}
	folder := mapFolder{"kernelslist.g": "kernel-1.traceg\nkernel-2.traceg\nkernel-1.traceg\n",
		"kernel-1.traceg": direct, "kernel-2.traceg": indirect}
	if err := Convert(context.Background(), folder, "kernelslist.g", r, Options{}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []trace.KernelFlags{0, trace.KernelIrregular, trace.KernelIrregular} {
		if r.Kernels[i].Flags != want {
			t.Errorf("kernel %d: flags %d, want %d", i, r.Kernels[i].Flags, want)
		}
	}
}
