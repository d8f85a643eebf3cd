package neutral_test

import (
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/trace/tracetest"
)

// Counts of classes, with the bytes that CTAs touch, as a profiler may have them.
func TestTablesOfCounts(t *testing.T) {
	dir := converttest.HandMade(t, map[string]string{
		"kernels": "name,grid_x,block_x\nscale,2,64\n",
		"arrays":  "name,address,bytes\na,0x1000,512\n",
		"ranges":  "kernel,cta,kind,array,mode,first_byte,end_byte\n0,0,touched,0,readwrite,0,256\n",
		"counts": "kernel,cta,class,operation,executions\n0,0,fp32,,10\n0,0,memory,load,2\n" +
			"0,0,memory,store,2\n0,0,fp32,,6\n0,0,int,,0\n" +
			"0,1,,,3\n",
	})
	r, err := fromTables(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	const want = `function scale
  0000: FP32 fp32
  0010: load.global.4 memory global load w4
  0020: store.global.4 memory global store w4
  0030: INT int
  0040: OTHER other
launch 0
kernel scale id=0 grid=2 block=64 regs=0 shared=0 stream=0 fidelity=cta
cta 0
 touch a readwrite 0..256
 count 0000 x16
 count 0010 x2
 count 0020 x2
cta 1
 count 0040 x3
`
	if got := tracetest.Text(t, r); !strings.HasSuffix(got, want) {
		t.Errorf("%s", got)
	}
}

func TestTablesOfCountsErrors(t *testing.T) {
	for _, c := range []struct{ counts, want string }{
		{"kernel,cta,class,executions\n0,0,int,1099511627777\n",
			"counts.csv, row 0: 1099511627777 executions, more than 1099511627776"},
		{"kernel,cta,class,width_bytes,executions\n0,0,memory,0,1\n",
			"counts.csv, row 0: column width_bytes: an access has at least one byte"},
		{"kernel,cta,instruction,executions\n0,0,3,1\n", "counts.csv, row 0: instruction 3, but the function has 0"},
		{"kernel,cta,class,executions\n0,1,int,1\n0,0,int,1\n", "sort the table by kernel, cta and warp"},
		{"kernel,cta,class,executions\n0,0,devlaunch,1\n", "child launches are requests of warps"},
		{"kernel,cta,class,executions\n7,0,int,1\n", "it names kernel 7, but the table kernels has 1"},
		{"kernel,cta,class\n0,0,int\n", "executions"},
	} {
		dir := converttest.HandMade(t, map[string]string{"kernels": "name,grid_x,block_x\nscale,2,64\n", "counts": c.counts})
		if _, err := fromTables(t, dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
}
