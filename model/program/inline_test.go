package program

import (
	"fmt"
	"strings"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

const inlineText = `
array a bytes=65536 input
launch parent grid=1 block=32
cta 0
 warp 0
  devlaunch
  child 1 lane=1 work=3 params=64
  child 2 lane=5 work=1 params=64
  child 3 lane=9 work=2 params=64
  child 4 lane=12 work=40 params=64
  exit
kernel work grid=2 block=2 child
cta 0..1
 warp 0
  int
  load R2 <- R1 @a+4 cta=8
  exit
kernel work grid=1 block=2 child
cta 0
 warp 0
  int
  store <- R1 R2 @a[4096]+4
  exit
kernel work grid=1 block=2 child
cta 0
 warp 0
  int
  load R2 <- R1 @a[1024]+4
  exit
kernel work grid=1 block=64 child
cta 0
 warp 0
  int mask=0x8
  exit
 warp 1
  int
  load R2 <- R1 @a[8192]+4
  exit
`

// steps writes a frame as "opcode:mask:addresses", a word a step.
func (f *Frame) steps(fn *trace.Function) string {
	var out []string
	mem, run := 0, 0
	for i, inst := range f.Path {
		for run+1 < len(f.masks) && int(f.masks[run+1].At) <= i {
			run++
		}
		word := fmt.Sprintf("%s:%x", strings.ToLower(fn.Insts[inst].Opcode), f.masks[run].Mask)
		if fn.Insts[inst].Mem() {
			a := f.Mem[mem]
			for _, x := range f.Lists[a.List-1:][:a.Count] {
				word += fmt.Sprintf(":%d", x&0xffff)
			}
			mem++
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

// Lane l performs thread t of its child as iteration t. Lanes 1, 5, 9 and 12 have 3,
// 1, 2 and 40 items. In iteration 0 lanes 1 and 9 take one path (mask 0x202) and load
// a[0] and a[1024] as one access, lane 5 takes another; lane 12's thread 0 is masked
// off. In iteration 1 lane 5 is done, in iteration 2 lane 1 goes on with its child's
// second CTA alone. Lane 12's thread 3 has an instruction; then its child's second
// warp, threads 32 to 39.
func TestInlineForm(t *testing.T) {
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	tr := tracetest.FromText(t, inlineText)
	u := NewLibrary(tr, cfg)
	cursor, err := tr.CTAs(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var cta trace.CTA
	if err := cursor.Next(&cta); err != nil {
		t.Fatal(err)
	}
	want := "int:202 load:202:0:1024 int:20 store:20:4096 " +
		"int:202 load:202:4:1028 " +
		"int:2 load:2:8 " +
		"int:1000"
	for i := range 8 {
		want += fmt.Sprintf(" int:1000 load:1000:%d", 8192+4*(32+i)-4*32)
	}
	fn := &tr.Program().Functions[1]
	for range 2 { // the second call uses the memory of the first
		w := &Stack{}
		if err := w.Call(u, cta.Warps[0].Launches); err != nil {
			t.Fatal(err)
		}
		if got := w.steps(fn); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if more, err := w.refill(); more || err != nil {
			t.Errorf("the body goes on: %v", err)
		}
		if len(w.Callers) != 1 {
			t.Errorf("%d programs to return to, want 1", len(w.Callers))
		}
		u.inlined(&w.Frame)
	}
}

// A call without memory of its own allocates for its cursors alone.
func BenchmarkInline(b *testing.B) {
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		b.Fatal(err)
	}
	tr := tracetest.FromText(b, inlineText)
	u := NewLibrary(tr, cfg)
	cursor, err := tr.CTAs(0, 0)
	if err != nil {
		b.Fatal(err)
	}
	var cta trace.CTA
	if err := cursor.Next(&cta); err != nil {
		b.Fatal(err)
	}
	w := &Stack{}
	b.ReportAllocs()
	for b.Loop() {
		w.Callers = w.Callers[:0]
		if err := w.Call(u, cta.Warps[0].Launches); err != nil {
			b.Fatal(err)
		}
		u.inlined(&w.Frame)
	}
}
