package accelsim_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"gpureplay/convert/accelsim"
	"gpureplay/trace/container"
)

func Example() {
	const capture = `-kernel name = scale
-grid dim = (1,1,1)
-block dim = (32,1,1)
-accelsim tracer version = 5

#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] ` +
		`[mem_addresses] immediate

#BEGIN_TB
thread block = 0,0,0
warp = 0
insts = 2
0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000000000 4 0
0010 ffffffff 0 EXIT 0 0 0
#END_TB
`
	var file bytes.Buffer
	w, err := container.NewWriter(&file, container.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := accelsim.ConvertKernel(context.Background(), strings.NewReader(capture), "kernel-1.traceg", w,
		accelsim.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}
	r, err := container.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		fmt.Println(err)
		return
	}
	p := r.Program()
	fmt.Println(p.Functions[0].Name, p.Totals.WarpInsts, "instructions,", p.Totals.MemInsts, "of memory")
	for _, a := range p.Arrays {
		fmt.Printf("%s %#x %d bytes, %s\n", a.Name, a.Base, a.Bytes, p.Meta.ArraysFrom)
	}
	// Output:
	// scale 2 instructions, 1 of memory
	// touched0 0x7f0000000000 128 bytes, clustered
}
