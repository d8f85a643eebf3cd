package trace_test

import (
	"strings"
	"testing"

	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

const vecadd = `
# c = a + b, two CTAs of 64 threads, then the copy back
array a bytes=512 input
array b bytes=512 input
array c bytes=512 output
h2d a
h2d b async stream=1
launch vecadd grid=2 block=64 regs=16
cta 0..1
 warp 0..1
  load R2 <- R1 @a+4 cta=256 warp=128
  load R3 <- R1 @b+4 cta=256 warp=128
  fp32 R4 <- R2 R3
  store <- R1 R4 @c+4 cta=256 warp=128
  int x3
  exit
d2h c
`

func write(t *testing.T, r *trace.Reader) string {
	t.Helper()
	var b strings.Builder
	if err := trace.WriteText(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextVecadd(t *testing.T) {
	text := write(t, tracetest.FromText(t, vecadd))
	want := `trace 1
meta source="" version="" gpu="" sm=0 sms=0 fidelity=warp arrays=""
array a base=0x100000000 bytes=512 input
array b base=0x100010000 bytes=512 input
array c base=0x100020000 bytes=512 output
function vecadd
  0000: LOAD memory global load w4 R2 <- R1
  0010: LOAD memory global load w4 R3 <- R1
  0020: FP32 fp32 R4 <- R2 R3
  0030: STORE memory global store w4 <- R1 R4
  0040: INT int
  0050: EXIT exit
h2d a bytes=512 addr=0x100000000
h2d b bytes=512 addr=0x100010000 stream=1 async
launch 0
d2h c bytes=512 addr=0x100020000
kernel vecadd id=0 grid=2 block=64 regs=16 shared=0 stream=0
`
	if got := text[:strings.Index(text, "cta")]; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if again := write(t, tracetest.FromText(t, text)); again != text {
		t.Errorf("the text changes when read and written again:\n%s\n%s", text, again)
	}
	if !strings.Contains(text, "cta 1\n warp 0\n  0000 @0x100000100+4\n  0010 @0x100010100+4\n  0020\n  0030 @0x100020100+4\n  0040 x3\n  0050\n") {
		t.Errorf("CTA 1 is wrong:\n%s", text)
	}
}
