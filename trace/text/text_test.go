package text_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/text"
	"gpureplay/trace/tracetest"
)

func TestTextVecadd(t *testing.T) {
	text := tracetest.Text(t, tracetest.FromText(t, tracetest.Vecadd))
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
	if again := tracetest.Text(t, tracetest.FromText(t, text)); again != text {
		t.Errorf("the text changes when read and written again:\n%s\n%s", text, again)
	}
	if !strings.Contains(text, "cta 1\n warp 0\n  0000 @0x100000100+4\n  0010 @0x100010100+4\n  0020\n  0030 "+
		"@0x100020100+4\n  0040 x3\n  0050\n") {
		t.Errorf("CTA 1 is wrong:\n%s", text)
	}
}

// A scope's path names those around it first; no scope has none.
func TestScopePath(t *testing.T) {
	p := trace.Program{Scopes: []trace.Scope{{Name: "step#1"}, {Name: "step#2"}, {Name: "forward", In: 2}}}
	for scope, want := range []string{"", "step#1", "step#2", "step#2/forward", ""} {
		if got := strings.Join(p.ScopePath(uint32(scope)), "/"); got != want {
			t.Errorf("scope %d: %q, want %q", scope, got, want)
		}
	}
}

// Errors of a text have the place of the fault and a remedy.
func TestTextErrors(t *testing.T) {
	const head = "array a bytes=64\nlaunch k grid=2 block=64\n"
	for _, c := range []struct{ text, want string }{
		{"trace 9", `text:1: this version reads "trace 1"`},
		{"bogus", `text:1: a line cannot begin with "bogus" here; begin with array`},
		{"\n# x\nmeta colour=red", `text:3: "colour=red" has no meaning here; this line takes source=`},
		{"meta fidelity=best", `fidelity: "best" is unknown; it is one of none, kernel, cta, warp`},
		{"attr key", `write: attr "key" "value"`},
		{"attr \"key", `a quoted name does not end on its line`},
		{"array", "write: array NAME bytes=4K"},
		{"array a bytes=-1", `bytes: "-1" is not a number`},
		{"array a bytes=99999999999G", `is not a number`},
		{"h2d b", `there is no array "b"; define it above`},
		{"h2d 0", `there is no array 0: 0 are defined above`},
		{"array a\narray a\nh2d a", `several have the name "a"; name the array by its index`},
		{"h2d a\rlaunch k", "text:1: lines end in carriage returns alone"},
		{"array a\x00b", "text:1: the line is not UTF-8, or holds a zero byte"},
		{"array a\xffb", "text:1: the line is not UTF-8"},
		{"launch", `kernel 0 is named but not in the trace`},
		{"launch 3\nlaunch 3", "text:2: kernel 3 is started a second time"},
		{"h2d stream=2 start=30\nh2d start=20\nmemset stream=2 start=29",
			"text:3: host operation 2 (memset) of stream 2 is recorded to start at 29 ns, operation 0 before it at 30 ns"},
		{"launch k port=begun", "text:1: host operation launch: port begun; a record has a port"},
		{"record 1 port=late", `port: "late" is unknown; it is one of completed, programmatic, begun`},
		{"sync graph=1", "text:1: host operation sync of graph 1: a graph has launches, async copies"},
		{"h2d bytes=4 graph=1", "text:1: host operation h2d of graph 1"},
		{"launch k graph=2", "text:1: graph 2 of thread 0: graph launches are numbered from 1 in their order, and this is " +
			"number 1"},
		{"launch k graph=1\nlaunch k graph=1 thread=1", "text:2: graph 1 of thread 1"},
		{"scope a\nlaunch k scope=1", "text:2: there is no scope 1: 1 are defined above this line"},
		{"scope a in=0", "text:1: there is no scope 0: 0 are"},
		{"kernel 5 grid=1", "there is no function 5: 0 are defined"},
		{"kernel k grid=1x2x3x4", `"1x2x3x4" is not an extent`},
		{"kernel k id=7", "this is kernel 0, not 7"},
		{"cta 0", "a CTA belongs to a kernel; begin one"},
		{head + "cta 2", "cta 2 is outside of the grid, which has 2"},
		{head + "cta 1..0", "1..0 runs backwards; write 0..1"},
		{head + "warp 0", "a warp belongs to a CTA; begin one"},
		{head + "cta 0\nwarp 2", "warp 2 is outside of the block, which has 2"},
		{head + "cta 0\nrange a read 5", "write the span as FIRST..END: 0..5"},
		{head + "cta 0\nrange a often 0..5", `mode: "often" is unknown`},
		{head + "cta 0\nwarp 0\nint frobnicate", `"frobnicate" has no meaning here; this line takes a class`},
		{head + "cta 0\nwarp 0\n00a0", "text:5: the function has no instruction 00a0"},
		{head + "cta 0\nwarp 0\nint @0x10", "addresses belong to one memory instruction"},
		{head + "cta 0\nwarp 0\nload @b+4", `there is no array "b"`},
		{head + "cta 0\nwarp 0\nload @a+zz", `stride "+zz" is not a number`},
		{head + "cta 0\nwarp 0\nload @1,2", "2 addresses for 32 active lanes"},
		{head + "cta 0\nwarp 0\nint mask=xyz", `mask "xyz" is not eight hexadecimal digits`},
		{head + "cta 0\nwarp 0\nrepeat 2\nint\ncta 1", "text:7: a repeat above has no end"},
		{head + "cta 0\nwarp 0\nend", "end without a repeat"},
		{head + "cta 0\nwarp 0\nint\nchild 1", "a child belongs to the step above it, of class devlaunch"},
		{head + "cta 0\nwarp 0\nint x99999999999", "is more than"},
		{head + "cta 0\ncount x7", "write: count LABEL x40"},
		{head + "cta 0\ncount load", "write: count LABEL x40"},
		{head + "cta 0\ncount load 7", "a count ends with how often the instruction is executed: x40"},
		{head + "cta 0\ncount load \"x7\"", "a count ends with how often the instruction is executed: x40"},
		{head + "cta 0\nwarp 0\ncount load x7", "a count belongs to a CTA that has no warps"},
		{"function f\n0010: int\n0010: int", "the function has an instruction 0010 already; call this one 0010/2"},
		{"function f\nx: ", "the instruction has no opcode"},
	} {
		w, err := container.NewWriter(io.Discard, container.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err = text.Parse("text", strings.NewReader(c.text), w); err == nil {
			err = w.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want %q", c.text, err, c.want)
		}
	}
}

// Kernels in scopes, with counts, and with times that are all unknown, keep them.
func TestTextOfKernels(t *testing.T) {
	r := tracetest.FromText(t, `scope step
scope forward in=0
launch k grid=2 block=64 scope=1 fidelity=cta host=-1 start=-1 duration=-1
cta 0..1
count load x7
count int x2
launch k grid=1 block=32 scope=0 fidelity=kernel host=4 start=-5
`)
	var k trace.Kernel
	for id, want := range []struct {
		scope    uint32
		recorded *trace.Recorded
	}{{2, nil}, {1, &trace.Recorded{HostNs: 4, StartNs: -1, DurationNs: -1}}} {
		if err := r.Kernel(uint32(id), &k); err != nil {
			t.Fatal(err)
		}
		if k.Scope != want.scope || (k.Recorded == nil) != (want.recorded == nil) ||
			k.Recorded != nil && *k.Recorded != *want.recorded {
			t.Errorf("kernel %d: scope %d, times %+v, want %+v", id, k.Scope, k.Recorded, want)
		}
	}
	lines := tracetest.Text(t, r)
	for _, want := range []string{"count 0000 x7\n", "count 0010 x2\n", " scope=1\n", " host=4 scope=0\n"} {
		if !strings.Contains(lines, want) {
			t.Errorf("no %q in\n%s", want, lines)
		}
	}
	if again := tracetest.Text(t, tracetest.FromText(t, lines)); again != lines {
		t.Errorf("the text changes when read and written again:\n%s\n%s", lines, again)
	}
}

// Each step counts, and each pass of a repeat, up to a limit of a CTA.
func TestTextOfTooManySteps(t *testing.T) {
	defer text.LowerLimits()()
	for passes, want := range map[int]string{8192: "", 8193: "text:5: the CTA has more than 16384 steps; repeat less"} {
		w, err := container.NewWriter(io.Discard, container.Options{})
		if err != nil {
			t.Fatal(err)
		}
		lines := fmt.Sprintf("launch k grid=1 block=64\ncta 0\nwarp 0\nrepeat %d\nint\nend\n", passes)
		if err = text.Parse("text", strings.NewReader(lines), w); err == nil {
			err = w.Close()
		}
		if want == "" && err != nil || want != "" && fmt.Sprint(err) != want {
			t.Errorf("%d passes of a step: %v, want %q", passes, err, want)
		}
	}
}
