package hyfiss_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/convert/hyfiss"
	"gpureplay/trace"
)

func TestHyfiss(t *testing.T) {
	r := converttest.Read(t, converttest.HyfissFolder(t), converttest.AnyDevice)
	r.Check(t)
	k := r.Kernels[0]
	if k.Grid != (trace.Dim3{2, 1, 1}) || k.Block != (trace.Dim3{64, 1, 1}) || k.Registers != 20 || k.SharedBytes != 512 ||
		k.Stream != 5 || k.SharedBase != 0x7f0000000000 {
		t.Errorf("%+v", k)
	}
	code := r.Functions[k.Function].Insts
	var got []string
	for _, c := range r.CTAs[0] {
		for _, w := range c.Warps {
			line := fmt.Sprintf("CTA %d SM %d warp %d:", c.ID, c.SM, w.ID)
			mem := 0
			for _, i := range w.Path {
				line += fmt.Sprintf(" %x", code[i].PC)
				if code[i].Mem() {
					a := w.Mem[mem]
					mem++
					line += fmt.Sprintf("(%x%+d x%d", a.Base, a.Stride, a.Count)
					if a.List != 0 {
						line += fmt.Sprintf(" last %x", w.Lists[a.List-1:][a.Count-1])
					}
					line += ")"
				}
			}
			got = append(got, line)
		}
	}
	// CTA 0 executes PC 20 three times: by warp 0, warp 1, warp 0 again.
	want := []string{
		"CTA 0 SM 7 warp 0: 0 20(2000+8 x32) 10 20(0+0 x32 last 4007)",
		"CTA 0 SM 7 warp 1: 20(3000-4 x2)",
		"CTA 1 SM 4 warp 0: 20(1000+4 x4) 30(0+0 x0)",
		"CTA 1 SM 4 warp 1: 40 50",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for name, n := range map[string]uint64{
		"access_without_addresses": 1, "addresses_without_access": 1, "unknown_instruction": 1, "record_outside_grid": 1,
		"kernel_not_traced": 1, "cta_issue_clock": 2,
	} {
		if r.Diag(name) != n {
			t.Errorf("%s: %d, want %d", name, r.Diag(name), n)
		}
	}
	if r.Kernels[1].Fidelity != trace.FidelityKernel || r.Meta.Fidelity != trace.FidelityKernel ||
		r.Kernels[1].Grid[0] != 9 {
		t.Errorf("%+v", r.Kernels[1])
	}
}

func TestHyfissOperands(t *testing.T) {
	for text, want := range map[string]string{
		"MOV R1 c[0x0][0x28]":                    "MOV [R1] []",
		"ISETP.GE.AND P0 PT R0 c[0x0][0x168] PT": "ISETP.GE.AND [P0 P7] [R0 P7]",
		"@!P0 IMAD.WIDE R2 -R0.reuse R3 c[0][1]": "IMAD.WIDE [R2] [R0 R3]",
		"LDG.E R4, [R2.64+0x10]":                 "LDG.E [R4] [R2]",
		"S2R R0 SR_TID.X":                        "S2R [R0] []",
		"R2UR UR4 RZ":                            "R2UR [UR4] [R255]",
		"":                                       " [] []",
	} {
		name, dst, src := hyfiss.Operands(text, false)
		if got := fmt.Sprint(name, " ", dst, " ", src); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestHyfissMalformed(t *testing.T) {
	for name, c := range map[string]struct{ file, content, err string }{
		"no kernels":    {"configs/app.config", "# nothing\n", "no -app_kernels_id"},
		"no number":     {"configs/app.config", "-app_kernels_id 1,x\n", `"x" is no list`},
		"not described": {"configs/app.config", "-app_kernels_id 7\n", "kernel 7 is listed but not described"},
		"bad number": {"configs/app.config", "-app_kernels_id 1\n-kernel_1_grid_dim_x 99999999999\n",
			"no number that fits"},
		"no grid":    {"configs/app.config", "-app_kernels_id 1\n-kernel_1_grid_dim_x 0\n", "a grid of"},
		"cut short":  {"configs/issue.config", "-trace_issued_sm_id_3 1,3,(1,0", "cut short"},
		"words":      {"configs/issue.config", "-trace_issued_sm_id_3 1,3,(one,0,1)\n", "(one,0,1)"},
		"few fields": {"sass_traces/kernel_1.sass", "0 !\n", "sass: line 1: 2 fields"},
		"bad mask":   {"sass_traces/kernel_1.sass", "0 fffffffff 1\n", "hexadecimal"},
		"too many runs": {"memory_traces/kernel_1.mem", "0 20 LDG f 1 1 0x1 5 4:31\n",
			"5 runs of addresses announced, 1 there"},
		"too many lanes":  {"memory_traces/kernel_1.mem", "0 20 LDG f 1 1 0x1 1 4:99\n", "fits 32 lanes"},
		"bad instruction": {"configs/instn.config", "1 0\n", "where kernel, PC and instruction belong"},
	} {
		dir := converttest.HyfissFolder(t)
		converttest.Put(t, dir, c.file, c.content)
		if _, err := converttest.Try(t, dir, "hyfiss", converttest.AnyDevice); err == nil || !strings.Contains(err.Error(),
			c.err) {
			t.Errorf("%s: %v, want %s", name, err, c.err)
		}
	}
	if _, err := converttest.Try(t, filepath.Join(converttest.HyfissFolder(t), "configs", "app.config"), "hyfiss",
		converttest.AnyDevice); err == nil {
		t.Error("a file was taken for the folder")
	}
}

func FuzzHyfiss(f *testing.F) {
	f.Add("0 20 LDG f 1 1 0x1000 1 4:31\n", "0 ! 0\n",
		"-trace_issued_sm_id_3 1,3,(1,0,5f)\n-app_kernels_id 1\n-kernel_1_grid_dim_x 4\n1 0 MOV R1 R2\n")
	f.Fuzz(func(t *testing.T, mem, execs, config string) {
		_ = hyfiss.ReadRefs(strings.NewReader(mem), func(r *hyfiss.Ref) error {
			if len(r.Addrs) > 32 {
				t.Fatalf("%+v", r)
			}
			return nil
		})
		_ = hyfiss.ReadExecs(strings.NewReader(execs), func(hyfiss.Exec) error { return nil })
		_, _ = hyfiss.ReadCode(strings.NewReader(config))
		if kernels, err := hyfiss.ReadApp(strings.NewReader(config)); err == nil {
			_ = hyfiss.ReadIssue(strings.NewReader(config), kernels)
		}
		hyfiss.Operands(config, false)
	})
}
