package container

import (
	"bytes"
	"errors"
	"fmt"
	"gpureplay/trace"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Reading kernels in any order, each from any CTA on, gives the CTAs of a read in order.
func TestRandomAccess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := randomTrace(t).write(t, 1<<10)
		want := holdAll(t, openBytes(t, file))
		r := openBytes(t, file)
		if len(want.Kernels) == 0 {
			return
		}
		for range 4 {
			id := uint32(rapid.IntRange(0, len(want.Kernels)-1).Draw(t, "kernel"))
			first := uint32(rapid.IntRange(0, 9).Draw(t, "first"))
			var tail []trace.CTA
			for _, c := range want.CTAs[id] {
				if c.ID >= first {
					tail = append(tail, c)
				}
			}
			if d := cmp.Diff(tail, holdCTAs(t, r, id, first), equateEmpty()); d != "" {
				t.Fatalf("kernel %d from CTA %d on (-want +got):\n%s", id, first, d)
			}
		}
	})
}

// wideTrace has one kernel of many CTAs whose warps load, compute and store.
func wideTrace(t tester, ctas int) []byte {
	return encodeText(t, fmt.Sprintf(`
array a bytes=1G
launch k grid=%d block=128
cta 0..%d
 warp 0..3
  int x3
  load @a+4 cta=512 warp=128
  load mask=00ff00ff @0x10,0x20,0x50,0x60,0x64,0x68,0x70,0x78,0x80,0x90,0x98,0x99,0xa0,0xa4,0xaa,0xb0 cta=8 warp=64
  fp32 mask=ffffffff
  store @a+4 cta=512 warp=128
  exit
`, ctas, ctas-1))
}

// Next allocates nothing but the dictionaries of each block.
func TestNextDoesNotAllocate(t *testing.T) {
	const ctas = 20000
	r := openBytes(t, wideTrace(t, ctas))
	var c trace.CTA
	read := func() {
		cur, err := r.CTAs(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		for range ctas {
			if err := cur.Next(&c); err != nil {
				t.Fatal(err)
			}
		}
	}
	read()
	if n := testing.AllocsPerRun(2, read); n > ctas/100 {
		t.Errorf("%v allocations for %d CTAs in %d blocks", n, ctas, len(r.ctaBlocks))
	}
}

// A CTA that was read stays as it is while its cursor goes on with another.
func TestCTAOutlivesItsBlock(t *testing.T) {
	const ctas = 20000
	r := openBytes(t, wideTrace(t, ctas))
	first := holdCTAs(t, r, 0, 0)[:3]
	var kept [3]trace.CTA
	cur, err := r.CTAs(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range kept {
		if err := cur.Next(&kept[i]); err != nil {
			t.Fatal(err)
		}
	}
	var c trace.CTA
	for cur.Next(&c) == nil {
		runtime.KeepAlive(c)
	}
	r.Close()
	holdCTAs(t, openBytes(t, wideTrace(t, ctas)), 0, 0) // takes the memory that the first reader gave back
	if d := cmp.Diff(first, kept[:], equateEmpty()); d != "" {
		t.Errorf("the CTAs changed (-want +got):\n%s", d)
	}
}

// Several models replay one Reader at once, each with its own cursors.
func TestConcurrentCursors(t *testing.T) {
	r := openBytes(t, wideTrace(t, 6000))
	want := fmt.Sprint(holdCTAs(t, r, 0, 5990))
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			cur, err := r.CTAs(0, uint32(g*1000))
			if err != nil {
				t.Error(err)
				return
			}
			var c trace.CTA
			for cur.Next(&c) == nil && c.ID < 5000 {
				if n := len(c.Warps); n != 4 || c.Warps[3].Mem[0].Base != 1<<32+512*uint64(c.ID)+384 {
					t.Errorf("CTA %d: %+v", c.ID, c)
				}
			}
			if got := fmt.Sprint(holdCTAs(t, r, 0, 5990)); got != want {
				t.Errorf("goroutine %d reads something else", g)
			}
		})
	}
	wg.Wait()
}

// manyKernels writes a parent that launches n children of one CTA each.
func manyKernels(t tester, out io.Writer, n int) {
	t.Helper()
	w, err := NewWriter(out, Options{})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	fn := w.AddFunction("k")
	w.AddInst(fn, trace.Inst{Opcode: "LAUNCH", Class: trace.ClassLaunch})
	w.AddInst(fn, trace.Inst{Opcode: "LDG", Class: trace.ClassMemory, Space: trace.SpaceGlobal, Width: 4})
	w.AddInst(fn, trace.Inst{Opcode: "EXIT", Class: trace.ClassExit})
	const perCTA = 1024 // 32 warps of 32 lanes
	_, err = w.BeginKernel(&trace.Kernel{Fidelity: trace.FidelityWarp,
		Grid:  trace.Dim3{uint32((n + perCTA - 1) / perCTA), 1, 1},
		Block: trace.Dim3{1024, 1, 1}})
	check(err)
	check(w.Host(&trace.HostOp{Kind: trace.OpLaunch}))
	child := uint32(1)
	var c trace.CTA
	for ; int(child) <= n; c.ID++ {
		c.SM, c.Warps = -1, c.Warps[:0]
		for id := range uint32(32) {
			wp := trace.Warp{ID: id, Path: []uint32{0, 2}}
			for lane := uint8(0); lane < 32 && int(child) <= n; lane++ {
				wp.Launches = append(wp.Launches, trace.Launch{Lane: lane, Marked: child%3 == 0, Child: child, Workload: child % 97,
					ParamBytes: 64})
				child++
			}
			c.Warps = append(c.Warps, wp)
		}
		check(w.WriteCTA(&c))
	}
	check(w.EndKernel(0))
	c = trace.CTA{SM: -1, Warps: []trace.Warp{{Path: []uint32{1, 2}, Mem: make([]trace.Access, 1)}}}
	for i := 1; i <= n; i++ {
		lanes := uint32(1 + i%97%32)
		_, err := w.BeginKernel(&trace.Kernel{Fidelity: trace.FidelityWarp, Flags: trace.KernelChild,
			Grid:  trace.Dim3{1, 1, 1},
			Block: trace.Dim3{lanes, 1, 1}})
		check(err)
		c.Warps[0].Masks = []trace.MaskRun{{At: 0, Mask: uint32(1<<lanes - 1)}}
		c.Warps[0].Mem[0] = trace.Access{Base: uint64(i*i%1000003) * 4, Stride: 4, Count: lanes}
		check(w.WriteCTA(&c))
		check(w.EndKernel(0))
	}
	check(w.Close())
}

// A trace of very many one-CTA children stays small, and so do its writer and
// its reader.
func TestManyKernels(t *testing.T) {
	const n = 100_000
	var out bytes.Buffer
	out.Grow(8 << 20)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	manyKernels(t, &out, n)
	t.Logf("%d bytes, %.2f for each kernel", out.Len(), float64(out.Len())/n)
	if size := out.Len(); size > 12*n {
		t.Errorf("%d bytes, %.1f for each kernel", size, float64(size)/n)
	}
	r := openBytes(t, out.Bytes())
	var k trace.Kernel
	var c trace.CTA
	for i := range n {
		id := uint32(1 + i*7919%n) // all, in no order
		if i%10 > 0 {
			continue
		}
		if err := r.Kernel(id, &k); err != nil || k.ID != id || k.CTAs != 1 {
			t.Fatal(id, k, err)
		}
		cur, err := r.CTAs(id, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := cur.Next(&c); err != nil || c.Warps[0].Mem[0].Base != uint64(int(id)*int(id)%1000003)*4 {
			t.Fatal(id, c, err)
		}
		if err := cur.Next(&c); !errors.Is(err, io.EOF) {
			t.Fatal(id, err)
		}
	}
	if after := heap(); after > before+(96<<20) {
		t.Errorf("%d MB held", (after-before)>>20)
	}
	runtime.KeepAlive(r)
}

func TestWriterErrors(t *testing.T) {
	full := trace.Warp{Path: []uint32{0}}
	counts := func(c ...trace.Count) func(*Writer) error { return func(w *Writer) error { return counted(w, c...) } }
	for _, c := range []struct {
		name, want string
		do         func(w *Writer) error
	}{
		{"no function", "there is no function 5", func(w *Writer) error {
			_, err := w.BeginKernel(&trace.Kernel{Function: 5})
			return err
		}},
		{"open twice", "still open", func(w *Writer) error {
			begin(w)
			_, err := w.BeginKernel(&trace.Kernel{})
			return err
		}},
		{"no kernel", "belongs to no kernel", func(w *Writer) error { return w.WriteCTA(&trace.CTA{}) }},
		{"outside", "outside of its grid of 2", func(w *Writer) error { begin(w); return w.WriteCTA(&trace.CTA{ID: 2}) }},
		{"order", "comes after CTA 1", func(w *Writer) error {
			begin(w)
			w.WriteCTA(&trace.CTA{ID: 1})
			return w.WriteCTA(&trace.CTA{ID: 1})
		}},
		{"path", "step 0 is instruction 9", func(w *Writer) error { return cta(w, trace.Warp{Path: []uint32{9}}) }},
		{"warp", "ascending order", func(w *Writer) error { return cta(w, full, full) }},
		{"accesses", "0 accesses for 1 memory", func(w *Writer) error { return cta(w, trace.Warp{Path: []uint32{1}}) }},
		{"count", "3 addresses for 32 active lanes", func(w *Writer) error {
			return cta(w, trace.Warp{Path: []uint32{1}, Mem: []trace.Access{{Count: 3}}})
		}},
		{"list", "its list is 6..38 of 2", func(w *Writer) error {
			return cta(w, trace.Warp{Path: []uint32{1}, Mem: []trace.Access{{Count: 32, List: 7}}, Lists: []uint64{1, 2}})
		}},
		{"mask", "the first belongs at 0", func(w *Writer) error {
			return cta(w, trace.Warp{Path: []uint32{0, 0}, Masks: []trace.MaskRun{{At: 1, Mask: 1}}})
		}},
		{"mask end", "a mask at step 3 of 1", func(w *Writer) error {
			return cta(w, trace.Warp{Path: []uint32{0}, Masks: []trace.MaskRun{{At: 0, Mask: 1}, {At: 3, Mask: 1}}})
		}},
		{"warps and counts", "give one of them", func(w *Writer) error {
			begin(w)
			return w.WriteCTA(&trace.CTA{Warps: []trace.Warp{full}, Counts: []trace.Count{{Inst: 0, Times: 1}}})
		}},
		{"counts of a warp-level kernel", "fidelity warp and 64 threads", func(w *Writer) error {
			_, _ = w.BeginKernel(&trace.Kernel{Fidelity: trace.FidelityWarp, Grid: trace.Dim3{2, 1, 1},
				Block: trace.Dim3{64, 1, 1}})
			return w.WriteCTA(&trace.CTA{Counts: []trace.Count{{Inst: 0, Times: 1}}})
		}},
		{"count of nothing", "1 to 1099511627776", counts(trace.Count{Inst: 0, Times: 0})},
		{"count of too much", "1 to 1099511627776", counts(trace.Count{Inst: 0, Times: trace.MaxTimes + 1})},
		{"count out of order", "ascending order", counts(trace.Count{Inst: 1, Times: 1}, trace.Count{Inst: 0, Times: 1})},
		{"count of no instruction", "instruction 9; the function has 3", counts(trace.Count{Inst: 9, Times: 1})},
		{"count of launches", "requests of warps", counts(trace.Count{Inst: 2, Times: 1})},
		{"launch", "no launch instruction", func(w *Writer) error {
			return cta(w, trace.Warp{Path: []uint32{0}, Launches: []trace.Launch{{Child: 1}}})
		}},
		{"parent", "not after its parent", func(w *Writer) error {
			return cta(w, trace.Warp{Path: []uint32{2}, Launches: []trace.Launch{{Child: 0}}})
		}},
		{"child", "kernel 7 is named but not in the trace", func(w *Writer) error {
			cta(w, trace.Warp{Path: []uint32{2}, Launches: []trace.Launch{{Child: 7}}})
			w.EndKernel(0)
			return w.Close()
		}},
		{"unflagged", "not flagged as a child", func(w *Writer) error {
			cta(w, trace.Warp{Path: []uint32{2}, Launches: []trace.Launch{{Child: 1}}})
			w.EndKernel(0)
			begin(w)
			w.EndKernel(0)
			return w.Close()
		}},
		{"twice", "started a second time", func(w *Writer) error {
			w.Host(&trace.HostOp{Kind: trace.OpLaunch})
			return w.Host(&trace.HostOp{Kind: trace.OpLaunch})
		}},
		{"array beyond memory", "array 0 (a): 4097 bytes at 0xfffffffffffff000 end behind the last address",
			func(w *Writer) error {
				w.AddArray(trace.Array{Name: "a", Base: 1<<64 - 4096, Bytes: 4097})
				return w.Close()
			}},
		{"array", "array 3 is named but not defined", func(w *Writer) error {
			w.Host(&trace.HostOp{Kind: trace.OpCopyH2D, Array: 3})
			return w.Close()
		}},
		{"left open", "end it before closing", func(w *Writer) error { begin(w); return w.Close() }},
		{"width", "width was changed", func(w *Writer) error {
			cta(w, full)
			w.EndKernel(0)
			w.Inst(0, 0).Width = 4
			return w.Close()
		}},
		{"class", "there is no class 99", func(w *Writer) error { w.Inst(0, 0).Class = 99; return w.Close() }},
		{"closed", "closed already", func(w *Writer) error { w.Close(); return w.Close() }},
	} {
		w, err := NewWriter(io.Discard, Options{})
		if err != nil {
			t.Fatal(err)
		}
		fn := w.AddFunction("f")
		w.AddInst(fn, trace.Inst{Class: trace.ClassInt})
		w.AddInst(fn, trace.Inst{Class: trace.ClassMemory, Width: 4})
		w.AddInst(fn, trace.Inst{Class: trace.ClassLaunch})
		if err := c.do(w); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
	if _, err := NewWriter(io.Discard, Options{Level: 99}); err == nil {
		t.Error("level 99 is taken")
	}
}

func begin(w *Writer) {
	_, _ = w.BeginKernel(&trace.Kernel{Grid: trace.Dim3{2, 1, 1}, Block: trace.Dim3{64, 1, 1}})
}

func counted(w *Writer, counts ...trace.Count) error {
	_, _ = w.BeginKernel(&trace.Kernel{Fidelity: trace.FidelityCTA, Grid: trace.Dim3{2, 1, 1},
		Block: trace.Dim3{64, 1, 1}})
	return w.WriteCTA(&trace.CTA{Counts: counts})
}

func cta(w *Writer, warps ...trace.Warp) error {
	begin(w)
	return w.WriteCTA(&trace.CTA{Warps: warps})
}
