package tasks

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"gpureplay/samples"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
)

// small makes each workload in a few milliseconds, with edges that do not divide.
var small = map[string][]string{
	"tasks-mb":   {"tasks=20", "side=24", "iterations=40"},
	"tasks-fb":   {"tasks=20", "width=200", "taps=9"},
	"tasks-bf":   {"tasks=20", "width=200", "taps=9"},
	"tasks-conv": {"tasks=20", "side=24", "radius=3"},
	"tasks-dct":  {"tasks=20", "side=40"},
	"tasks-mm":   {"tasks=20", "n=44"},
	"tasks-3des": {"tasks=20", "min-bytes=64", "max-bytes=2000"},
	"tasks-mpe": {"tasks=20", "side=24", "iterations=40", "width=200", "taps=9", "n=44", "min-bytes=64",
		"max-bytes=2000"},
	"tasks-slud": {"tiles=6"},
}

// with returns a workload's small settings and more.
func with(name string, more ...string) []string {
	return append(slices.Clone(small[name]), more...)
}

func names() []string {
	var list []string
	for _, g := range samples.List() {
		if _, ok := small[g.Name]; ok {
			list = append(list, g.Name)
		}
	}
	return list
}

// Every workload, in every form: addresses inside arrays, shared addresses
// inside the CTA's, masks inside the warps, every kernel spawned once.
func TestEveryFormIsSound(t *testing.T) {
	if got := len(names()); got != len(small) {
		t.Fatalf("%d workloads registered, %d tested", got, len(small))
	}
	for _, name := range names() {
		for _, more := range [][]string{{}, {"threads=32"}, {"threads=96", "seed=7"}, {"threads=512"}} {
			samplestest.Generate(t, name, with(name, more...)...).Check(t)
		}
		if name == "tasks-slud" {
			continue
		}
		for _, more := range [][]string{{"blocks=3"}, {"buffers=2", "inputs=3"}, {"rate=1000000"}} {
			samplestest.Generate(t, name, with(name, more...)...).Check(t)
		}
	}
	for _, form := range [][]string{with("tasks-dct", "shared=on"), with("tasks-dct", "sizes=irregular"),
		with("tasks-dct", "shared=on", "sizes=irregular", "blocks=2")} {
		samplestest.Generate(t, "tasks-dct", form...).Check(t)
	}
	for _, form := range [][]string{with("tasks-mm", "tiles=device", "threads=64"),
		with("tasks-mm", "tiles=device", "sizes=irregular"), with("tasks-mm", "tiles=shared", "sizes=irregular",
			"blocks=2")} {
		samplestest.Generate(t, "tasks-mm", form...).Check(t)
	}
	for _, name := range []string{"tasks-mb", "tasks-fb", "tasks-bf", "tasks-conv", "tasks-3des", "tasks-mpe"} {
		samplestest.Generate(t, name, with(name, "sizes=irregular")...).Check(t)
	}
}

// Table 3: registers, shared memory, and whether threadblocks synchronise; the
// bytes of an input and an output of the paper's size.
func TestFactsOfTable3(t *testing.T) {
	for _, c := range []struct {
		name         string
		registers    uint32
		shared, sync bool
		in, out      uint64
		copies       uint32
	}{
		{"tasks-mb", 28, false, false, 0, 64 * 64 * 4, 0},
		{"tasks-fb", 21, false, true, 4*2048*4 + 2*64*4, 2048 * 4, 6},
		{"tasks-bf", 34, false, false, 2048*8 + 4*256*8, 2048 / 2 * 8, 5},
		{"tasks-conv", 25, false, false, 128*128*4 + 17*4, 128 * 128 * 4, 2},
		{"tasks-dct", 33, false, false, 2 * 128 * 128 * 4, 128 * 128 * 4, 2},
		{"tasks-mm", 30, false, false, 2 * 64 * 64 * 4, 64 * 64 * 4, 2},
		{"tasks-slud", 17, false, false, 0, 0, 0},
		{"tasks-3des", 26, false, false, 16384, 16384, 0},
	} {
		settings := []string{"tasks=2", "inputs=1"}
		if c.name == "tasks-slud" {
			settings = nil
		}
		r := samplestest.Generate(t, c.name, settings...)
		for i := range r.Kernels {
			k := &r.Kernels[i]
			if k.Registers != c.registers || (k.SharedBytes > 0) != c.shared || k.Flags&trace.KernelTask == 0 {
				t.Errorf("%s: kernel with %d registers, %d shared bytes, flags %d", c.name, k.Registers, k.SharedBytes, k.Flags)
			}
			if k.Block.Count() > 512 || k.Block.Count()%32 != 0 {
				t.Errorf("%s: %d threads", c.name, k.Block.Count())
			}
		}
		// The first task's first pass and the last one's second.
		first, last := &r.Ops[0], &r.Ops[len(r.Ops)-2]
		if first.Sync != c.sync || first.InBytes != c.in || first.InCopies != c.copies ||
			c.name != "tasks-slud" && last.Kind != trace.OpSpawn || last.OutBytes != c.out {
			t.Errorf("%s: spawned with sync %v, %d bytes in by %d copies, %d out", c.name, first.Sync, first.InBytes,
				first.InCopies, last.OutBytes)
		}
		if barriers(r) != c.sync {
			t.Errorf("%s: barriers %v, sync %v", c.name, barriers(r), c.sync)
		}
	}
}

// barriers reports whether any kernel executes one.
func barriers(r *samplestest.Recording) bool {
	for i := range r.Kernels {
		if r.Classes(i)[trace.ClassBarrier] > 0 {
			return true
		}
	}
	return false
}

// With shared memory the two kernels that may use it wait at barriers (table 3).
func TestFormsWithSharedMemory(t *testing.T) {
	for name, on := range map[string]string{"tasks-dct": "shared=on", "tasks-mm": "tiles=shared"} {
		r := samplestest.Generate(t, name, with(name, on)...)
		if r.Kernels[0].SharedBytes == 0 || !barriers(r) || !r.Ops[0].Sync {
			t.Errorf("%s: %d shared bytes, barriers %v", name, r.Kernels[0].SharedBytes, barriers(r))
		}
	}
}

// Two passes: all first ones, a wait, all second ones in the same slots, which read the first ones' results.
func TestTwoPasses(t *testing.T) {
	for _, name := range []string{"tasks-bf", "tasks-conv"} {
		r := samplestest.Generate(t, name, with(name)...)
		if len(r.Kernels) != 40 || len(r.Ops) != 42 || r.Ops[20].Kind != trace.OpSyncDevice ||
			r.Ops[41].Kind != trace.OpSyncDevice {
			t.Fatalf("%s: %d kernels, %d operations", name, len(r.Kernels), len(r.Ops))
		}
		for i := range 20 {
			if first, second := r.Ops[i], r.Ops[21+i]; first.InBytes == 0 || first.OutBytes != 0 || second.InBytes != 0 ||
				second.OutBytes == 0 || first.Stream != second.Stream {
				t.Errorf("%s: passes %+v and %+v", name, first, second)
			}
		}
	}
}

// digest writes a trace as text and hashes it.
func digest(t *testing.T, name string, settings ...string) uint64 {
	t.Helper()
	r := samplestest.Generate(t, name, settings...)
	h := fnv.New64a()
	fmt.Fprintf(h, "%v%v%v%v", r.Arrays, r.Functions, r.Kernels, r.CTAs)
	for _, op := range r.Ops {
		fmt.Fprintf(h, "%+v", op)
	}
	return h.Sum64()
}

func TestEqualSettingsGiveEqualTraces(t *testing.T) {
	for _, name := range names() {
		settings := with(name)
		if name != "tasks-slud" {
			settings = append(settings, "rate=5000")
		}
		first := digest(t, name, settings...)
		if digest(t, name, settings...) != first {
			t.Errorf("%s: two runs differ", name)
		}
		// A factorisation's trace does not depend on the values of its tiles.
		if name != "tasks-slud" && digest(t, name, append(settings, "seed=2")...) == first {
			t.Errorf("%s: another seed changes nothing", name)
		}
	}
}

// The multiply-adds of a product follow from its algorithm: n³/32 a warp, in whole tiles of 32 through shared
// memory.
func TestMatrixProductWork(t *testing.T) {
	for form, want := range map[string]int{"tiles=shared": 64 * 64 * 64 / 32, "tiles=device": 64 * 64 * 64 / 32} {
		r := samplestest.Generate(t, "tasks-mm", "tasks=1", form)
		if got := r.Classes(0)[trace.ClassFP32]; got != want {
			t.Errorf("%s: %d multiply-adds, want %d", form, got, want)
		}
	}
}

// The same task in another slot differs by its buffers' shift alone.
func TestSlotsShiftAddresses(t *testing.T) {
	r := samplestest.Generate(t, "tasks-conv", "side=24", "tasks=5", "inputs=1", "buffers=2")
	last := func(kernel int) uint64 { m := r.CTAs[kernel][0].Warps[0].Mem; return m[len(m)-1].Base }
	slot := r.Arrays[1].Bytes / 2
	for i, want := range []uint64{0, slot, 0, slot, 0} {
		if got := last(i) - last(0); got != want {
			t.Errorf("task %d ends %d bytes after task 0, want %d", i, got, want)
		}
		if !slices.Equal(r.CTAs[i][0].Warps[1].Path, r.CTAs[0][0].Warps[1].Path) {
			t.Errorf("task %d takes another path", i)
		}
	}
}

// A Poisson process: times rise, the mean gap is the rate's, and about 63 % of the gaps are below it.
func TestArrivals(t *testing.T) {
	const n = 20000
	a := newArrivals(1e6, 3)
	last, below := int64(0), 0
	for range n {
		now := a.next()
		if now < last {
			t.Fatalf("time falls from %d to %d", last, now)
		}
		if now-last < 1000 {
			below++
		}
		last = now
	}
	if mean := float64(last) / n; math.Abs(mean-1000) > 30 {
		t.Errorf("mean gap %.1f ns, want 1000", mean)
	}
	if share := float64(below) / n; math.Abs(share-0.632) > 0.02 {
		t.Errorf("%.3f of the gaps are below the mean, want 0.632", share)
	}
	if now := newArrivals(0, 3).next(); now != 0 {
		t.Errorf("without a rate a task arrives at %d", now)
	}
}

// Irregular sizes: threads of 32, 64, 128 and 256, sides in proportion, lengths in
// proportion to their squares.
func TestIrregularSizesScaleThreads(t *testing.T) {
	seen := map[uint64]bool{}
	r := samplestest.Generate(t, "tasks-mb", "tasks=64", "side=32", "iterations=4", "sizes=irregular")
	for _, op := range r.Ops[:64] {
		threads := uint64(r.Kernels[op.Kernel].Block[0])
		if seen[threads] = true; op.OutBytes != 4*(threads/4)*(threads/4) {
			t.Errorf("an image of %d bytes has %d threads", op.OutBytes, threads)
		}
	}
	if len(seen) != 4 {
		t.Errorf("%d sizes among 64 tasks, want 4", len(seen))
	}
	r = samplestest.Generate(t, "tasks-fb", "tasks=64", "taps=1", "width=1024", "sizes=irregular")
	for _, op := range r.Ops[:64] {
		if threads := uint64(r.Kernels[op.Kernel].Block[0]); op.OutBytes != 4*threads*threads/16 {
			t.Errorf("a signal of %d bytes has %d threads", op.OutBytes, threads)
		}
	}
}

func TestMixTakesTurns(t *testing.T) {
	r := samplestest.Generate(t, "tasks-mpe", with("tasks-mpe")...)
	for i, k := range r.Kernels {
		if k.Stream != uint64(i%32+1) || r.Ops[i].Stream != k.Stream {
			t.Errorf("task %d is in stream %d, its spawn in %d", i, k.Stream, r.Ops[i].Stream)
		}
		if want := []uint32{30, 28, 21, 26}[i%4]; k.Registers != want {
			t.Errorf("task %d has %d registers, want %d", i, k.Registers, want)
		}
	}
}

func TestBadSettings(t *testing.T) {
	for _, c := range []struct {
		name, want string
		settings   []string
	}{
		{"tasks-mb", "multiple of 32", []string{"threads=100"}},
		{"tasks-slud", "multiple of 32", []string{"threads=33"}},
		{"tasks-3des", "min-bytes=64", []string{"min-bytes=64", "max-bytes=32"}},
		{"tasks-3des", "no such file", []string{"pcap=testdata/none"}},
		{"tasks-conv", "fewer buffers", []string{"side=1024", "radius=1", "tasks=1048576", "buffers=1048576"}},
		{"tasks-mb", "smaller size", []string{"side=1024", "iterations=65536"}},
	} {
		g, _ := samples.Get(c.name)
		p, err := g.Parse(c.settings...)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Generate(discard{}, p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %q", c.name, c.settings, err, c.want)
		}
	}
}

// The bodies of all inputs together are bounded too.
func TestTooManyInputs(t *testing.T) {
	g, _ := samples.Get("tasks-fb")
	p, err := g.Parse(small["tasks-fb"]...)
	if err != nil {
		t.Fatal(err)
	}
	steps := maxSteps - 1000
	if _, err := newSet(discard{}, filterbankKind, p, 0, 1, &steps); err == nil ||
		!strings.Contains(err.Error(), "fewer inputs") {
		t.Errorf("the last thousand instructions took all inputs: %v", err)
	}
}

// The bound on a task's instructions, by which too large ones are refused before
// they are recorded, holds.
func TestBoundsHold(t *testing.T) {
	kinds := map[string]*kind{"tasks-mb": mandelbrotKind, "tasks-fb": filterbankKind, "tasks-bf": beamformerKind,
		"tasks-conv": convolutionKind, "tasks-dct": dctKind, "tasks-mm": matmulKind, "tasks-3des": tripleDESKind}
	for name, k := range kinds {
		g, _ := samples.Get(name)
		for _, settings := range [][]string{{"tasks=2"}, with(name), with(name, "threads=32")} {
			p, err := g.Parse(settings...)
			if err != nil {
				t.Fatal(err)
			}
			r := samplestest.Generate(t, name, settings...)
			most := uint64(0)
			for i := range r.Kernels {
				most = max(most, r.Kernels[i].WarpInsts)
			}
			if most > uint64(k.most(p)) {
				t.Errorf("%s %v: a task has %d instructions, the bound is %d", name, settings, most, k.most(p))
			}
		}
	}
}

// discard is a writer that keeps nothing.
type discard struct{ fail error }

func (discard) AddArray(trace.Array) uint32               { return 0 }
func (discard) AddFunction(string) uint32                 { return 0 }
func (discard) Inst(uint32, uint32) *trace.Inst           { return &trace.Inst{} }
func (discard) AddInst(uint32, trace.Inst) uint32         { return 0 }
func (d discard) Host(*trace.HostOp) error                { return d.fail }
func (discard) NextKernel() uint32                        { return 0 }
func (discard) BeginKernel(*trace.Kernel) (uint32, error) { return 0, nil }
func (discard) WriteCTA(*trace.CTA) error                 { return nil }
func (discard) EndKernel(trace.KernelFlags) error         { return nil }

// An error of the writer ends the generation.
func TestWriterErrorIsReturned(t *testing.T) {
	for _, name := range names() {
		g, _ := samples.Get(name)
		p, err := g.Parse(small[name]...)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Generate(discard{fail: io.ErrShortWrite}, p); err != io.ErrShortWrite {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkTasks generates 32 thousand narrow tasks into nothing.
func BenchmarkTasks(b *testing.B) {
	for _, c := range [][]string{
		{"tasks-mb", "side=16", "threads=64"}, {"tasks-mm", "n=16", "threads=64"}, {"tasks-fb", "width=256", "threads=64"},
	} {
		b.Run(c[0], func(b *testing.B) {
			g, _ := samples.Get(c[0])
			p, err := g.Parse(append(c[1:], "tasks=32768")...)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := g.Generate(discard{}, p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(32768*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
		})
	}
}

// A task keeps to its own slot of every array that has slots, lists of addresses
// included.
func TestTasksKeepToTheirSlots(t *testing.T) {
	coefficients := map[string]bool{"filterbank_h": true, "filterbank_f": true}
	for _, form := range [][]string{{"tasks-dct", "shared=on"}, {"tasks-dct"}, {"tasks-conv", "side=20"},
		{"tasks-mm", "tiles=device"},
		{"tasks-mm", "n=44", "tiles=shared"}, {"tasks-fb"}, {"tasks-bf"}, {"tasks-mb"},
		{"tasks-3des", "max-bytes=512", "min-bytes=512"}} {
		r := samplestest.Generate(t, form[0], append(form[1:], "tasks=7", "buffers=3", "inputs=1")...)
		lists := 0
		for task := range r.Kernels {
			insts := r.Functions[r.Kernels[task].Function].Insts
			for _, c := range r.CTAs[task] {
				for i := range c.Warps {
					w := &c.Warps[i]
					for in, a := range w.Accesses(insts) {
						if in.Space != trace.SpaceGlobal {
							continue
						}
						lists += int(a.List)
						for addr := range a.Addresses(w.Lists) {
							array := r.Arrays[r.Array(addr)]
							if coefficients[array.Name] {
								continue
							}
							if slot := (addr - array.Base) / (array.Bytes / 3); int(slot) != task%7%3 {
								t.Fatalf("%v: task %d accesses slot %d of %s", form, task, slot, array.Name)
							}
						}
					}
				}
			}
		}
		if form[0] == "tasks-mb" && lists == 0 {
			t.Errorf("%v has no list of addresses to be moved", form)
		}
	}
}
