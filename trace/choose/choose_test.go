package choose_test

import (
	"bytes"
	"strings"
	"testing"

	"gpureplay/trace"
	"gpureplay/trace/choose"
	"gpureplay/trace/container"
	"gpureplay/trace/text"
	"gpureplay/trace/tracetest"
)

// criteria are the values of a choice's flags.
type criteria struct{ kernels, from, to, steps, ranges string }

func (c criteria) parse(t testing.TB) *choose.Choice {
	t.Helper()
	choice, err := choose.Parse(c.kernels, c.from, c.to, c.steps, c.ranges)
	if err != nil {
		t.Fatal(err)
	}
	return choice
}

// chosen returns the trace that a choice makes from a text, and the selection.
func chosen(t *testing.T, text string, c criteria) (*container.Reader, *choose.Selection) {
	t.Helper()
	r := tracetest.FromText(t, text)
	s, err := choose.Select(t.Context(), r, c.parse(t))
	if err != nil {
		t.Fatal(err)
	}
	return written(t, s), s
}

func written(t *testing.T, s *choose.Selection) *container.Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := container.NewWriter(&out, container.Options{})
	if err == nil {
		err = s.Write(t.Context(), w)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r := tracetest.Read(t, out.Bytes())
	if err := container.Verify(t.Context(), r, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	return r
}

// lines are the lines of a trace's text that begin with a word, less some of their fields.
func lines(t *testing.T, r *container.Reader, words ...string) string {
	t.Helper()
	var out, b strings.Builder
	if err := text.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		for _, w := range words {
			if strings.HasPrefix(strings.TrimSpace(line), w+" ") || strings.TrimSpace(line) == w {
				b.WriteString(strings.TrimSpace(strings.NewReplacer(" grid=1 block=32 regs=0 shared=0 stream=0", "",
					" regs=0 shared=0", "").Replace(line)) + "\n")
			}
		}
	}
	return b.String()
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimLeft(strings.ReplaceAll(want, "\t", ""), "\n"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

var hostWords = []string{"read", "write", "h2d", "d2h", "d2d", "memset", "launch", "spawn", "waittask", "record",
	"wait", "syncstream", "syncevent", "sync", "work"}

// Four kernels, each with its copies in and back.
const four = `
array a bytes=64
read a
h2d a
work 10
launch f grid=1 block=32
d2h a
sync
work 20
h2d a
launch g grid=1 block=32
record 1 stream=0
d2h a
syncevent 1
work 30
h2d a
launch h<int> grid=1 block=32
work 40
wait 1 stream=2
launch g grid=1 block=32 stream=2
d2h a
work 50
write a
sync
`

// By the rules: kernel 1 takes its copy to the device and the copy back (rule 3), the record and the
// synchronisation behind it (5). It begins with its first call, and nothing is another kernel's.
func TestOneKernel(t *testing.T) {
	r, s := chosen(t, four, criteria{kernels: "1"})
	same(t, lines(t, r, hostWords...), `
		h2d a bytes=64 addr=0x100000000
		launch 0
		record 1
		d2h a bytes=64 addr=0x100000000
		syncevent 1
		`)
	if s.Kernels != 1 || s.Ops != 5 || s.All() || s.Origin != -1 {
		t.Errorf("%+v", s)
	}
	same(t, lines(t, r, "kernel"), "kernel g id=0\n")
	for _, a := range r.Program().Meta.Attrs {
		switch a.Key {
		case "chosen":
			same(t, a.Value, "--kernels=1")
		case "chosen_kernels":
			same(t, a.Value, "1")
		case "chosen_of":
			same(t, a.Value, tracetest.FromText(t, four).Hash())
		default:
			t.Errorf("attribute %s", a.Key)
		}
	}
}

// Kernels 0 and 2 by name and by pattern: the record that kernel 1 was recorded by
// stays, since it lies between chosen ones, and so does each synchronisation.
func TestNames(t *testing.T) {
	want := `
		read a bytes=64
		h2d a bytes=64 addr=0x100000000
		work 10
		launch 0
		d2h a bytes=64 addr=0x100000000
		sync
		record 1
		syncevent 1
		work 30
		h2d a bytes=64 addr=0x100000000
		launch 1
		wait 1 stream=2
		`
	for _, list := range []string{"0,2", "f,h", "f,/^h<.*>$/", "0-0, 2-2", "/h<int>/,f"} {
		r, _ := chosen(t, four, criteria{kernels: list})
		same(t, lines(t, r, hostWords...), want)
	}
}

// Graph launches are numbered anew. A kernel whose predecessor in its stream is left out is no programmatic launch.
func TestGraphs(t *testing.T) {
	const text = `
		launch a programmatic graph=1
		launch b programmatic stream=1 graph=2
		launch c programmatic graph=2
		launch d programmatic graph=3
		record 1 port=programmatic graph=3
		launch e programmatic graph=3
	`
	r, _ := chosen(t, text, criteria{kernels: "0,3-4"})
	same(t, lines(t, r, "launch", "record"), `
		launch 0 graph=1
		launch 1 graph=2
		record 1 graph=2 port=programmatic
		launch 2 graph=2
		`)
	want := []trace.KernelFlags{trace.KernelProgrammatic, 0, trace.KernelProgrammatic}
	for id, want := range want {
		var k trace.Kernel
		if err := r.Kernel(uint32(id), &k); err != nil || k.Flags != want {
			t.Errorf("kernel %d has flags %d, want %d: %v", id, k.Flags, want, err)
		}
	}
}

// A choice of everything leaves nothing out, however it is said.
func TestEverything(t *testing.T) {
	for _, c := range []criteria{{kernels: "0-3"}, {kernels: "/./"}, {kernels: "f,g,h"}, {kernels: "3,2,1,0"}} {
		if r, s := chosen(t, four, c); !s.All() || lines(t, r, hostWords...) != lines(t, tracetest.FromText(t, four),
			hostWords...) {
			t.Errorf("%+v: %d kernels, %d operations", c, s.Kernels, s.Ops)
		}
	}
}

// Times: kernel 1 begins at 300, in the queue since 120, behind kernel 0 and a copy,
// which ends at 290. From 300 on that is the zero; kernel 2, called at 310, keeps its
// distance to its call.
const timed = `
scope ProfilerStep#1
scope forward in=0
scope ProfilerStep#2
scope forward in=2
h2d addr=0x10 bytes=8 async stream=0 host=0 start=20 duration=30 scope=0
launch f grid=1 block=32 host=100 start=110 duration=150 scope=1
h2d addr=0x10 bytes=8 async stream=0 host=110 start=270 duration=20 scope=1
launch f grid=1 block=32 host=120 start=300 duration=10 scope=3
h2d addr=0x10 bytes=8 async stream=0 host=130 start=310 duration=10 scope=2
launch g grid=1 block=32 host=310 start=340 duration=60 scope=2
`

func TestTimes(t *testing.T) {
	want := `
		h2d bytes=8 addr=0x10 async host=0 start=20 duration=10 scope=2
		kernel f id=0 host=0 start=10 duration=10 scope=3
		kernel g id=1 host=20 start=50 duration=60 scope=2
		`
	for _, c := range []criteria{{from: "300ns"}, {from: "75%"}, {from: "291ns", to: "100%"},
		{from: "0.271us", to: "1ms"}, {steps: "2"},
		{from: "271ns", steps: "1-2"}} {
		r, s := chosen(t, timed, c)
		same(t, lines(t, r, "h2d", "kernel"), want)
		if s.Origin != 290 {
			t.Errorf("%+v: time 0 is %d ns", c, s.Origin)
		}
	}
	// Work that begins at the end of the window is out, by that alone.
	r, _ := chosen(t, timed, criteria{to: "300ns"})
	same(t, lines(t, r, "h2d", "kernel"), `
		h2d bytes=8 addr=0x10 async host=0 start=20 duration=30 scope=0
		h2d bytes=8 addr=0x10 async host=110 start=270 duration=20 scope=1
		kernel f id=0 host=100 start=110 duration=150 scope=1
		`)
	r, _ = chosen(t, timed, criteria{to: "300ns", steps: "1", ranges: "forward"})
	same(t, lines(t, r, "h2d", "kernel"), `
		h2d bytes=8 addr=0x10 async host=10 start=170 duration=20 scope=1
		kernel f id=0 host=0 start=10 duration=150 scope=1
		`)
	r, _ = chosen(t, timed, criteria{ranges: "/^for/"})
	same(t, lines(t, r, "kernel"), `
		kernel f id=0 host=0 start=10 duration=150 scope=1
		kernel f id=1 host=20 start=200 duration=10 scope=3
		`)
}

// A family is chosen by any of it: kernel 3 is a child of 2, which is one of 1.
const families = `
launch f block=32
launch f block=32
cta 0
  warp 0
    devlaunch
      child 2 lane=0 work=1
      child 4 lane=1 work=1
kernel g block=32 child
cta 0
  warp 0
    devlaunch
      child 3 lane=5 work=1
kernel h block=32 child
kernel h block=32 child
launch f block=32
`

func TestFamilies(t *testing.T) {
	want := `
		kernel f id=0
		child 1 lane=0 work=1 params=0
		child 3 lane=1 work=1 params=0
		kernel g id=1 child
		child 2 lane=5 work=1 params=0
		kernel h id=2 child
		kernel h id=3 child
		`
	for _, list := range []string{"1", "2", "3", "4", "g", "1-4"} {
		r, _ := chosen(t, families, criteria{kernels: list})
		same(t, lines(t, r, "kernel", "child"), want)
		same(t, lines(t, r, hostWords...), "launch 0\n")
	}
	if r, _ := chosen(t, families, criteria{kernels: "0,5"}); r.Kernels() != 2 || r.Program().Totals.ChildLaunches != 0 {
		t.Error("the kernels without children have some")
	}
}

// Tasks arrive as long after the first that stays; dependences on the others are met.
func TestTasks(t *testing.T) {
	r, _ := chosen(t, `
spawn f block=32 arrival=5
spawn f block=32 arrival=10 deps=0
spawn f block=32 arrival=30 deps=0,1
waittask 0
waittask 2
`, criteria{kernels: "1-2"})
	same(t, lines(t, r, hostWords...), `
		spawn 0
		spawn 1 arrival=20 deps=0
		waittask 1
		`)
}

func TestUnknown(t *testing.T) {
	for _, c := range []struct {
		text string
		criteria
		want string
	}{
		{four, criteria{kernels: "2-4"}, "--kernels: there is no kernel 4; the trace has those from 0 to 3"},
		{four, criteria{kernels: "i"}, "--kernels=i: no kernel of 3 has this name; near are h, f, g"},
		{four, criteria{kernels: "/^int/"}, "no kernel of 3 has this name"},
		{four, criteria{from: "1ms"}, "no recorded times"},
		{four, criteria{steps: "1"}, "--steps: the trace has no step"},
		{four, criteria{ranges: "x"}, "--ranges=x: the trace has no range with a name"},
		{timed, criteria{steps: "1-3"}, "--steps=1-3: the trace has those from 1 to 2"},
		{timed, criteria{ranges: "forwards"}, "near are forward, ProfilerStep#1"},
		{timed, criteria{from: "50%", to: "200ns"}, "the window is empty"},
		{timed, criteria{from: "1s"}, "leaves no kernel of 3"},
		{timed, criteria{kernels: "2", steps: "1"}, "--kernels=2 --steps=1 leaves no kernel of 3"},
	} {
		_, err := choose.Select(t.Context(), tracetest.FromText(t, c.text), c.parse(t))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.criteria, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "3,5-9", "/a,b/,gemm", "/", "1e9%", "25%", "1.5ms", "9-3", ",", "-1ns", "/[/"} {
		f.Add(s, s)
	}
	r := tracetest.FromText(f, timed)
	f.Fuzz(func(t *testing.T, list, instant string) {
		c, err := choose.Parse(list, instant, instant, "", list)
		if err != nil {
			return
		}
		if s, err := choose.Select(t.Context(), r, c); err == nil && !s.All() && s.Kernels == 0 {
			t.Error("nothing is chosen")
		}
	})
}

// Work left out kept the device until 300. Host time of calls before that does not count: all of the first call and
// of the work behind it, 140 of the second call.
func TestTimeGoneBy(t *testing.T) {
	r, s := chosen(t, `
function f
function g
launch f grid=1 block=32 host=0 start=200 duration=100 ns=100
launch g grid=1 block=32 host=110 start=310 duration=50 ns=30
work 20
launch g grid=1 block=32 host=160 start=570 duration=10 ns=400
work 40
launch g grid=1 block=32 host=600 start=620 duration=10 ns=10
`, criteria{from: "310ns"})
	if s.Origin != 300 {
		t.Errorf("time 0 is %d ns", s.Origin)
	}
	same(t, lines(t, r, "launch", "work"), `
		launch 0
		work 0
		launch 1 ns=260
		work 40
		launch 2 ns=10
		`)
}

// Work left out of another stream runs until 1100. The chosen work begins at 400, and its calls count as made then at
// the latest, not when the other stream was free.
func TestLeftOutWorkOfAnotherStream(t *testing.T) {
	r, s := chosen(t, `
launch f grid=1 block=32 stream=1 host=0 start=100 duration=1000
launch g grid=1 block=32 stream=2 host=50 start=400 duration=100
launch g grid=1 block=32 stream=2 host=600 start=700 duration=100
`, criteria{kernels: "1-2"})
	if s.Origin != 400 {
		t.Errorf("time 0 is %d ns", s.Origin)
	}
	same(t, lines(t, r, "kernel"), `
		kernel g id=0 grid=1 block=32 stream=2 host=0 start=0 duration=100
		kernel g id=1 grid=1 block=32 stream=2 host=200 start=300 duration=100
		`)
}

// A launch that loaded code, which stands before it as work, keeps the rest of it: of 500 from 100 on, 200 went by
// until 300.
func TestLoadingGoneBy(t *testing.T) {
	r, _ := chosen(t, `
function f
function g
launch f grid=1 block=32 host=0 start=200 duration=100 ns=100
work 500
launch g grid=1 block=32 host=100 start=610 duration=50
work 40
launch g grid=1 block=32 host=640 start=700 duration=10 ns=10
`, criteria{kernels: "1-2"})
	same(t, lines(t, r, "launch", "work"), `
		work 300
		launch 0
		work 40
		launch 1 ns=10
		`)
}

// The host's clock goes on through waits and launches without a recorded call. The call of f ends at 10, the work
// behind it at 510, the wait at 1120, 20 after the end of f. So the work of 300 begins then, and 30 of it had gone
// by when g began.
func TestTimeGoneByWithoutCalls(t *testing.T) {
	r, s := chosen(t, `
function f
function g
launch f grid=1 block=32 host=0 start=1000 duration=100 ns=10
work 500
sync ns=20
launch g grid=1 block=32 start=1150 duration=50
work 300
sync ns=20
work 5
launch g grid=1 block=32 host=1445 start=1500 duration=10 ns=10
`, criteria{from: "1150ns"})
	if s.Origin != 1150 {
		t.Errorf("time 0 is %d ns", s.Origin)
	}
	same(t, lines(t, r, "launch", "work", "sync"), `
		launch 0
		work 270
		sync ns=20
		work 5
		launch 1 ns=10
		`)
}
