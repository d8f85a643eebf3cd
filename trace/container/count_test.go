package container

import (
	"gpureplay/trace"
	"testing"
)

// Counts are totals of the kernel as the warps that share them would make them: a
// block of 70 threads has three warps, the last of six. Of 7 executions warp 0
// has 3 and the others 2: 5 x 32 + 2 x 6 lanes; of 2, warps 0 and 1 one each.
func TestCountsOfKernel(t *testing.T) {
	r := openBytes(t, encodeText(t, `
array a bytes=4K
launch k grid=2 block=70 fidelity=cta
cta 0
 touch a read 0..128
 count int x4
 count load x2
 count int x3
cta 1
 touch a read 0..128
`))
	var k trace.Kernel
	if err := r.Kernel(0, &k); err != nil {
		t.Fatal(err)
	}
	if k.CTAs != 2 || k.Warps != 3 || k.WarpInsts != 9 || k.MemInsts != 1*2 || k.ThreadInsts != 5*32+2*6+2*32 {
		t.Errorf("%+v", k)
	}
	list := holdCTAs(t, r, 0, 0)
	if c := list[0]; len(c.Counts) != 2 || c.Counts[0] != (trace.Count{Inst: 0, Times: 7}) ||
		c.Counts[1] != (trace.Count{Inst: 1, Times: 2}) {
		t.Errorf("%+v", c)
	}
	if c := list[1]; len(c.Counts) != 0 || len(c.Touches) != 1 {
		t.Errorf("%+v", c)
	}
}
