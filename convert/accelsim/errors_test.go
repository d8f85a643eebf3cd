package accelsim

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"gpureplay/trace/tracetest"
)

const good = "0000 ffffffff 1 R1 MOV 0 0 0"

// Each is one error with the file, the line and the fault.
func TestErrors(t *testing.T) {
	one := oneWarp(good)
	for _, c := range []struct{ text, want string }{
		{"", "kernel-1.traceg: the file is empty"},
		{"\n\n", "kernel-1.traceg: the file is empty"},
		{"=\n", `kernel-1.traceg:1: "=" is not a header line`},
		{"hello\n", `kernel-1.traceg:1: "hello" is not a header line`},
		{testHeader[:strings.Index(testHeader, "-nvbit")], "kernel-1.traceg:10: the file ends in its header: it was cut"},
		{strings.Replace(one, "-grid dim = (2,1,1)\n", "", 1), "the header has no -grid dim"},
		{strings.Replace(one, "(2,1,1)", "(2,1)", 1), `:3: -grid dim = "(2,1)": not a value of that key`},
		{strings.Replace(one, "(2,1,1)", "(0,1,1)", 1), "-grid dim"},
		{strings.Replace(one, "(2,1,1)", "(2147483647,2147483647,2147483647)", 1), "-grid dim"},
		{strings.Replace(one, "(64,1,1)", "(99999,99999,1)", 1), "-block dim"},
		{strings.Replace(one, "-nregs = 12", "-nregs = -12", 1), `-nregs = "-12"`},
		{strings.Replace(one, "-nregs = 12", "-nregs = 12\n-nregs = 12", 1), "-nregs is given twice"},
		{strings.Replace(one, "0,0,0", "2,0,0", 1), "CTA (2,0,0) is not in the grid (2,1,1)"},
		{strings.Replace(one, "0,0,0", "0,0", 1), `"thread block = 0,0": not a value of that key`},
		{strings.Replace(one, "thread block = 0,0,0\n", "", 1), "a warp before the thread block line"},
		{strings.Replace(one, "warp = 0", "warp = 2", 1), "warp 2 of a CTA of 2 warps"},
		{strings.Replace(one, "insts = 1", "insts = 18446744073709551615", 1),
			"after 1 of 18446744073709551615 instructions of a warp"},
		{strings.Replace(one, "insts = 1", "insts = 2", 1), `"#END_TB" after 1 of 2 instructions of a warp`},
		{strings.Replace(one, "insts = 1", "insts = -1", 1), `"insts = -1" where insts = N is expected`},
		{strings.Replace(one, "#END_TB", "", 1), "the file ends within a CTA: it was cut"},
		{one + "#BEGIN_TB\nthread block = 0,0,0\n#END_TB\n", "CTA (0,0,0) comes a second time or out of order"},
		{one + "#BEGIN_TB\n#END_TB\n", "a CTA without its thread block line"},
		{one + "junk\n", `"junk" where #BEGIN_TB is expected`},
		{strings.Replace(one, "#END_TB", "warp = 0\ninsts = 0\n#END_TB", 1), "warp 0 comes a second time in one CTA"},
		{oneWarp("0000 ffffffff 1 R1 M", good), "sources: their number is missing"},
		{oneWarp("0000 ffffffff 1 R1"), "no opcode"},
		{oneWarp("0000 ffffffff 1"), "fewer registers than their number says"},
		{oneWarp("0000 ffffffff"), "destinations: their number is missing"},
		{oneWarp("0000"), "no mask behind the PC"},
		{oneWarp("0000 fffffffff 0 EXIT 0 0"), "no mask behind the PC"},
		{oneWarp("00000000f ffffffff 0 EXIT 0 0"), "no PC"},
		{oneWarp("0000 ffffffff 999999999 R1 EXIT 0 0"), "destinations: their number"},
		{oneWarp("0000 ffffffff 0 EXIT 256 0"), "sources: their number"},
		{oneWarp("0000 ffffffff 0 LDG 0 99999999999"), "no memory width"},
		{oneWarp("0000 ffffffff 0 LDG 0 -4"), "no memory width"},
		{oneWarp("0000 ffffffff 1 R1 LDG 1 R2 4"), "no address mode"},
		{oneWarp("0000 ffffffff 1 R1 LDG 1 R2 4 1 0x10"), "the stride is missing"},
		{oneWarp("0000 ffffffff 1 R1 LDG 1 R2 4 1 0xzz 4"), "the base address is missing"},
		{oneWarp("0000 ffffffff 1 R1 LDG 1 R2 4 1 0x10 99999999999"),
			"the stride is missing or not a decimal number of 32 bits"},
		{oneWarp("0000 ffffffff 1 R1 LDG 1 R2 4 2 0x10 4 4 4"),
			"fewer address differences than active lanes (number 5 is missing"},
		{oneWarp("0000 00000003 1 R1 LDG 1 R2 4 0 0x10"), "fewer addresses than active lanes (number 2 is missing"},
		{oneWarp("0000 ffffffff 1 R1 LDG 1 R2 4 3 1 0x10"), "no bulk transfer"},
		{oneWarp("0000 ffffffff 0 UBLKCP 0 16 0x0 0 16 0 3 99999999 0x1"),
			"the number of addresses of the transfer is missing or too large"},
		{oneWarp("0000 ffffffff 0 UBLKCP 0 16 0x0 1"), "the CTA mask of the multicast is missing"},
		{oneWarp(strings.Repeat("0", maxLine+1)), "a line of more than 1048576 bytes"},
	} {
		_, err := convertText(t, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") ||
			len(err.Error()) > 300 {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

// A real kernel that ends anywhere is an error, but where it ends between CTAs:
// there those that miss are counted.
func TestCutAnywhere(t *testing.T) {
	text := readText(t, "accelsim-atax-v5v6/atax-v6/kernel-1.traceg")
	end := strings.LastIndex(text, "#END_TB") + len("#END_TB")
	begin := strings.Index(text, "#BEGIN_TB")
	for n := 0; n < end; n++ {
		if n > begin && n < end-300 && n%11 > 0 {
			continue
		}
		r, err := convertText(t, text[:n])
		if err == nil && (n >= begin+1 || r.Diag("missing_cta") != 1) {
			t.Errorf("cut to %d of %d bytes: no error", n, len(text))
		}
	}
}

func TestListErrors(t *testing.T) {
	kernel := oneWarp(good)
	for _, c := range []struct{ list, want string }{
		{"", "kernelslist.g: no copy and no kernel in the list"},
		{"MemcpyHtoD,0x10,4\nkernel-1.traceg\nkernel-9.traceg\n", "kernelslist.g:3: kernel-9.traceg is not there"},
		{"MemcpyHtoD,0x10\n", `kernelslist.g:1: "MemcpyHtoD,0x10" is not MemcpyHtoD,0xADDRESS,BYTES`},
		{"MemcpyHtoD,0x10,-4\n", "is not MemcpyHtoD"},
		{"MemcpyHtoD,0xffffffffffffffff,4\n", "is not MemcpyHtoD"},
		{"kernel-1.traceg\nkernel-2.traceg\n", "kernel-2.traceg:1: "},
	} {
		folder := mapFolder{"kernelslist.g": c.list, "kernel-1.traceg": kernel, "kernel-2.traceg": "cut"}
		err := Convert(context.Background(), folder, "kernelslist.g", &tracetest.Recording{}, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.list, err, c.want)
		}
	}
	err := Convert(context.Background(), mapFolder{}, "kernelslist.g", &tracetest.Recording{}, Options{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no list: %v", err)
	}
	if err := Convert(context.Background(), mapFolder{"a": ""}, "", &tracetest.Recording{}, Options{}); err == nil {
		t.Error("a folder without kernels converts")
	}
	if _, _, err := ListOf([]string{"kernelslist_ctx_0x1.g", "kernelslist_ctx_0x2.g", "kernel-1.traceg"}); err == nil ||
		!strings.Contains(err.Error(), "2 lists") {
		t.Errorf("two lists: %v", err)
	}
}

func TestListOddLines(t *testing.T) {
	folder := mapFolder{"kernelslist.g": "\nMemcpyDtoH,0x10,4\nkernel-2-ctx_0x5.traceg\nwhat\n\nkernel-1.traceg\n",
		"kernel-1.traceg":         oneWarp(good),
		"kernel-2-ctx_0x5.traceg": strings.Replace(oneWarp(good), "_Z1kv", "other", 1)}
	r := &tracetest.Recording{}
	if err := Convert(context.Background(), folder, "kernelslist.g", r, Options{}); err != nil {
		t.Fatal(err)
	}
	if len(r.Kernels) != 2 || r.Functions[0].Name != "other" || r.Diag("unknown_copy") != 1 ||
		r.Diag("unknown_list_line") != 1 {
		t.Errorf("kernels %+v, diagnostics %+v", r.Kernels, r.Diags)
	}
	// Without a list, the numbers in the names give the order.
	delete(folder, "kernelslist.g")
	r = &tracetest.Recording{}
	if err := Convert(context.Background(), folder, "", r, Options{}); err != nil || len(r.Kernels) != 2 ||
		r.Functions[0].Name != "_Z1kv" {
		t.Errorf("without a list: %v, %+v", err, r.Functions)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := ConvertKernel(ctx, strings.NewReader(oneWarp(good)), "k", &tracetest.Recording{}, Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
