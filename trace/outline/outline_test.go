package outline_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies/policiestest"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/outline"
	"gpureplay/trace/text"
	"gpureplay/trace/tracetest"
)

// sums is a kernel of one warp whose lanes 0 to 2 run a loop once, twice and so many times. The loop has a load, an
// addition, the pointer, a comparison and a branch back.
func sums(most int) string {
	var b strings.Builder
	b.WriteString(`array a base=0x10000 bytes=64K input
function k
0000: S2R int R1
0010: LDG memory load global w4 R2 <- R4
0020: IADD3 int R3 <- R3 R2
0030: IADD3 int R4 <- R4
0040: ISETP int P0 <- R4 R5
0050: BRA control <- P0
0060: STG memory store global w4 <- R6 R3
0070: EXIT exit
launch k grid=1 block=32
cta 0
warp 0
0000 mask=7
`)
	for i := range most {
		switch {
		case i == 0:
			b.WriteString("0010 mask=7 @0x10000,0x11000,0x12000\n")
		case i == 1:
			b.WriteString("0010 mask=6 @0x11004,0x12004\n")
		default:
			b.WriteString("0010 mask=4 @0x12000+" + "0\n")
		}
		b.WriteString("0020..0050\n")
	}
	b.WriteString("0060 mask=7 @0x14000+4\n0070\n")
	return b.String()
}

func TestLoopByHand(t *testing.T) {
	r := tracetest.FromText(t, sums(35))
	loops, err := outline.Find(context.Background(), r)
	if err != nil || len(loops) != 1 {
		t.Fatalf("%d loops, %v; want 1", len(loops), err)
	}
	// Of 35 passes with 3 lanes, 1 + 2 + 35 iterations.
	l := loops[0]
	if l.Header != 0x10 || l.Latch != 0x50 || !l.Divergent || l.Why != "" {
		t.Errorf("the loop is %+v", l)
	}
	if l.Runs != 1 || l.Passes != 35 || l.Iterations != 38 || l.Lanes != 3 || l.Longest != 35 || l.Slots != 105 {
		t.Errorf("its figures are %+v", l)
	}
	if l.Carried != 2 { // R3, the sum, and R4, the pointer
		t.Errorf("%d registers are carried, want 2", l.Carried)
	}
	made := write(t, r, &outline.Options{Loops: loops, Threshold: 2, Block: 64})
	checkParent(t, made)
	checkChild(t, made)
	w, _ := container.NewWriter(io.Discard, container.Options{})
	_, err = outline.Write(context.Background(), made, w, &outline.Options{Threshold: 2, Block: 64})
	if err == nil || !strings.Contains(err.Error(), "3 child launches of its own") {
		t.Errorf("a trace with launches is outlined with %v", err)
	}
}

// checkParent: a launch before the loop, with three requests; the ones of 2 and 35 iterations are marked. The body
// reads R4, R3 and R5 first: 12 bytes.
func checkParent(t *testing.T, r *container.Reader) {
	t.Helper()
	w := ctas(t, r, 0)[0].Warps[0]
	want0 := []uint32{0, 8}
	for range 35 {
		want0 = append(want0, 1, 2, 3, 4, 5)
	}
	if want0 = append(want0, 6, 7); !slices.Equal(w.Path, want0) {
		t.Errorf("the parent's path is %v, want %v", w.Path, want0)
	}
	want := []trace.Launch{
		{At: 1, Lane: 0, Child: 1, Workload: 1, ParamBytes: 12},
		{At: 1, Lane: 1, Child: 2, Workload: 2, ParamBytes: 12, Marked: true},
		{At: 1, Lane: 2, Child: 3, Workload: 35, ParamBytes: 12, Marked: true},
	}
	if !slices.Equal(w.Launches, want) {
		t.Errorf("its requests are %v, want %v", w.Launches, want)
	}
	in := r.Program().Functions[0].Insts[8]
	if in.Class != trace.ClassLaunch || !slices.Equal(in.Src, []trace.Reg{4, 3, 5}) || in.FlatLast != 6 {
		t.Errorf("its launch is %+v", in)
	}
	if len(w.Mem) != 36 || w.Mem[35].Base != 0x14000 {
		t.Errorf("its accesses are %v", w.Mem)
	}
}

// checkChild: lane 2's child has 35 threads in a CTA of 64, 3 of them in its second warp.
func checkChild(t *testing.T, r *container.Reader) {
	t.Helper()
	var k trace.Kernel
	if err := r.Kernel(3, &k); err != nil {
		t.Fatal(err)
	}
	if k.Flags != trace.KernelChild || k.Grid != (trace.Dim3{1, 1, 1}) || k.Block != (trace.Dim3{64, 1, 1}) {
		t.Errorf("the child is %+v", k)
	}
	f := r.Program().Functions[k.Function]
	if f.Name != "k@0x10" {
		t.Errorf("its function is %s", f.Name)
	}
	warps := ctas(t, r, 3)[0].Warps
	if len(warps) != 2 {
		t.Fatalf("it has %d warps", len(warps))
	}
	// Four of the prologue, the exit of those beyond the last, five of the loop, the exit.
	var ops []string
	for _, i := range warps[1].Path {
		ops = append(ops, f.Insts[i].Opcode)
	}
	if got := strings.Join(ops, " "); got != "S2R S2R IMAD ISETP.GE EXIT LDG IADD3 IADD3 ISETP BRA EXIT" {
		t.Errorf("its second warp runs %s", got)
	}
	if want := []trace.MaskRun{{At: 0, Mask: ^uint32(0)}, {At: 4, Mask: ^uint32(7)},
		{At: 5, Mask: 7}}; !slices.Equal(warps[1].Masks, want) {
		t.Errorf("with masks %v", warps[1].Masks)
	}
	if len(warps[0].Path) != 11 || len(warps[0].Masks) != 3 || warps[0].Masks[1].Mask != 0 {
		t.Errorf("its first warp has path %v, masks %v", warps[0].Path, warps[0].Masks)
	}
	a := warps[0].Mem[0]
	if a.Count != 32 || a.List == 0 || !slices.Equal(warps[0].Lists[a.List-1:][:3], []uint64{0x12000, 0x12004, 0x12000}) {
		t.Errorf("its first loads are %+v of %v", a, warps[0].Lists)
	}
}

// A child has as many CTAs as its threads fill, in whole or in part.
func TestCTAsOfAChild(t *testing.T) {
	for most, want := range map[int]uint32{32: 1, 63: 1, 64: 1, 65: 2, 128: 2, 129: 3} {
		r := tracetest.FromText(t, sums(most))
		loops, err := outline.Find(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		made := write(t, r, &outline.Options{Loops: loops, Threshold: 2, Block: 64})
		var k trace.Kernel
		if err := made.Kernel(3, &k); err != nil {
			t.Fatal(err)
		}
		if k.Grid[0] != want {
			t.Errorf("%d threads in %d CTAs of 64, want %d", most, k.Grid[0], want)
		}
	}
}

// Under flat the program is the one that was captured, to the cycle. A threshold that no lane
// reaches runs the loop behind its launch; one that lanes 0 and 1 do not reach runs it for them.
func TestFlatIsTheLoopAgain(t *testing.T) {
	r := tracetest.FromText(t, sums(35))
	loops, err := outline.Find(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range []uint32{32, 96} {
		made := write(t, r, &outline.Options{Loops: loops, Threshold: 1, Block: block})
		was, is := run(t, r, "hyperq"), run(t, made, "flat")
		if is.Cycles != was.Cycles || is.WarpInsts != was.WarpInsts || is.ThreadInsts != was.ThreadInsts ||
			accesses(is) != accesses(was) || accesses(is) == 0 {
			t.Errorf("%d cycles, %d instructions of warps and %d of threads, %d accesses; want %d, %d, %d and %d", is.Cycles,
				is.WarpInsts, is.ThreadInsts, accesses(is),
				was.Cycles, was.WarpInsts, was.ThreadInsts, accesses(was))
		}
		none := run(t, made, "threshold=35")
		if none.WarpInsts != was.WarpInsts+1 || none.ThreadInsts != was.ThreadInsts+3 || accesses(none) != accesses(was) {
			t.Errorf("without launches %d instructions of warps and %d of threads, want %d and %d and the launch",
				none.WarpInsts, none.ThreadInsts, was.WarpInsts, was.ThreadInsts)
		}
		// Lanes 0 and 1 run two passes of five. Lane 2's child has 35 threads in two warps of
		// eleven instructions; a third warp of its CTA leaves after five.
		some := run(t, made, "threshold=2")
		warps := 2 * uint64(11)
		if block == 96 {
			warps += 5
		}
		if want := was.WarpInsts - 33*5 + 1 + warps; some.WarpInsts != want {
			t.Errorf("with one child in CTAs of %d: %d instructions of warps, want %d", block, some.WarpInsts, want)
		}
	}
}

// A loop that cannot become a child says why.
func TestObstacles(t *testing.T) {
	for inst, want := range map[string]string{
		"BAR.SYNC barrier":                        "barrier",
		"LDS memory load shared w4 R2 @0x10+4":    "shared memory",
		"STL memory store local w4 @0x10+4":       "local memory",
		"SHFL.IDX int R2":                         "lanes exchange data",
		"HMMA tensor R2":                          "lanes exchange data",
		"LAUNCH devlaunch":                        "launches",
		"CALL.REL control":                        "calls",
		"IADD3 int R2":                            "",
		"LDG memory load global w4 R2 @0x20000+4": "",
	} {
		const head = "launch k grid=1 block=32\ncta 0\nwarp 0\nrepeat 3\nint R1\n"
		r := tracetest.FromText(t, head+inst+"\nBRA control\nend\nexit\n")
		loops, err := outline.Find(context.Background(), r)
		if err != nil || len(loops) != 1 || loops[0].Why != want || loops[0].Passes != 3 {
			t.Errorf("%s: %+v, %v; want 3 passes and %q", inst, loops, err, want)
			continue
		}
		var out bytes.Buffer
		w, _ := container.NewWriter(&out, container.Options{})
		_, err = outline.Write(context.Background(), r, w, &outline.Options{Loops: loops, Threshold: 1, Block: 32})
		if (err != nil) != (want != "") {
			t.Errorf("%s: it is written with %v", inst, err)
		}
	}
}

// Of two loops, one in the other, the inner one counts; code without addresses has none; a
// lane that comes in behind the header is no iteration.
func TestWhichLoops(t *testing.T) {
	for text, want := range map[string]int{
		"repeat 2\nint R1\nrepeat 3\nint R2\nBRA control R8\nend\nBRA control R9\nend\nexit\n": 1,
		"repeat 2\nint R1 pc=0\nBRA control pc=0\nend\nexit pc=0\n":                            0,
		"int R1\nint R2\nexit\n": 0,
	} {
		r := tracetest.FromText(t, "launch k grid=1 block=32\ncta 0\nwarp 0\n"+text)
		loops, err := outline.Find(context.Background(), r)
		if err != nil || len(loops) != want {
			t.Fatalf("%s: %d loops, %v; want %d", text, len(loops), err, want)
		}
		if want == 1 && (loops[0].Runs != 2 || loops[0].Passes != 6 || loops[0].Divergent) {
			t.Errorf("the inner loop is %+v", loops[0])
		}
	}
	r := tracetest.FromText(t, "function k\n0000: int R1\n0010: int R2\n0020: BRA control\n0030: exit\n"+
		"launch k grid=1 block=32\ncta 0\nwarp 0\n0000 mask=1\n0010 mask=3\n0020 mask=3\n0000 mask=3\n0010..0030\n")
	loops, err := outline.Find(context.Background(), r)
	if err != nil || len(loops) != 1 || loops[0].Why != "entered midway" {
		t.Errorf("a loop that lane 1 enters behind its header is %+v, %v", loops, err)
	}
}

// Rodinia's BFS, captured without launches: children replay under dtbl with every audit,
// and flat is the capture, to the cycle.
func TestCapturedSearch(t *testing.T) {
	if testing.Short() {
		t.Skip("a capture")
	}
	r := converttest.Trace(t, tracetest.Data(t, "accelsim-rodinia-bfs-a100"))
	loops, err := outline.Find(context.Background(), r)
	if err != nil || len(loops) != 1 || !loops[0].Divergent || loops[0].Why != "" {
		t.Fatalf("%+v, %v; want its loop over a node's edges", loops, err)
	}
	made := write(t, r, &outline.Options{Loops: loops, Threshold: 4, Block: 32})
	if got := made.Program().Totals.ChildLaunches; got != loops[0].Lanes {
		t.Errorf("%d children of %d lanes", got, loops[0].Lanes)
	}
	was, flat := run(t, r, "hyperq"), run(t, made, "flat")
	if flat.Cycles != was.Cycles || flat.WarpInsts != was.WarpInsts || flat.ThreadInsts != was.ThreadInsts {
		t.Errorf("flat takes %d cycles and runs %d instructions of warps and %d of threads, the capture %d, %d and %d",
			flat.Cycles, flat.WarpInsts, flat.ThreadInsts, was.Cycles, was.WarpInsts, was.ThreadInsts)
	}
	if dtbl := run(t, made, "dtbl"); dtbl.ThreadInsts <= flat.ThreadInsts {
		t.Errorf("dtbl runs %d instructions of threads, flat %d: children have a prologue", dtbl.ThreadInsts,
			flat.ThreadInsts)
	}
}

// write returns the trace with children.
func write(t *testing.T, r *container.Reader, opt *outline.Options) *container.Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := container.NewWriter(&out, container.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = outline.Write(context.Background(), r, w, opt); err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	made := tracetest.Read(t, out.Bytes())
	if err := container.Verify(context.Background(), made, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	return made
}

// accesses counts accesses to the L1.
func accesses(s *model.Summary) (n uint64) {
	for i := range s.Memory {
		if s.Memory[i].Level == "l1" {
			n += s.Memory[i].Accesses
		}
	}
	return n
}

func ctas(t *testing.T, r *container.Reader, kernel uint32) (all []trace.CTA) {
	t.Helper()
	cur, err := r.CTAs(kernel, 0)
	for err == nil {
		var c trace.CTA
		if err = cur.Next(&c); err == nil {
			all = append(all, c)
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return all
}

func run(t *testing.T, r *container.Reader, policy string) *model.Summary {
	t.Helper()
	cfg, err := hardware.Preset("rtx3070")
	if err != nil {
		t.Fatal(err)
	}
	p, cfg := policiestest.Build(t, policy, cfg)
	m, err := model.New(r, model.Options{Config: cfg, Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := m.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// A launch names a loop that ends behind its address with an instruction of the function, and
// replaces nothing.
func TestLoopOfALaunchIsChecked(t *testing.T) {
	for attrs, want := range map[string]string{
		"pc=0x10 last=9":        "its loop ends with instruction 9; want one of 3",
		"pc=0x10 last=1":        "want one of 3 that is no launch",
		"pc=0x30 last=2":        "ends at address 0x20, before it begins (0x30)",
		"pc=0x10 each=2 last=2": "no flat_each",
	} {
		lines := "function k\n0000: int R1\na: LAUNCH devlaunch " + attrs +
			"\n0020: int R2\nlaunch k grid=1 block=32\ncta 0\nwarp 0\n0000\n"
		w, err := container.NewWriter(io.Discard, container.Options{})
		if err == nil {
			if err = text.Parse("text", strings.NewReader(lines), w); err == nil {
				err = w.Close()
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", attrs, err, want)
		}
	}
}
