package children

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"gpureplay/samples"
	"gpureplay/samples/graph"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// small are settings under which every generator is quick.
var small = map[string][]string{
	"dp-amr":    {"side=4", "levels=3"},
	"dp-bfs":    {"scale=8", "input=graph500"},
	"dp-bht":    {"bodies=300", "steps=2"},
	"dp-gc":     {"scale=7"},
	"dp-join":   {"left=300", "right=300", "keys=2"},
	"dp-mandel": {"size=64", "iterations=32", "regions=8"},
	"dp-mm":     {"scale=6", "columns=40"},
	"dp-pre":    {"users=60", "items=50"},
	"dp-regx":   {"strings=40", "longest=200"},
	"dp-sa":     {"bases=3000", "count=50", "length=60", "word=4"},
	"dp-sssp":   {"scale=8"},
}

func generators(t *testing.T) (names []string) {
	for _, g := range samples.List() {
		if strings.HasPrefix(g.Name, "dp-") {
			if small[g.Name] == nil {
				t.Errorf("%s: no small settings", g.Name)
			}
			names = append(names, g.Name)
		}
	}
	if len(names) != len(small) {
		t.Fatalf("%d generators, want %d", len(names), len(small))
	}
	return names
}

// Every generator makes the same bytes of the same settings, others of another
// seed, some marked requests, and a host program that reads, copies, launches and
// copies back.
func TestGenerators(t *testing.T) {
	for _, name := range generators(t) {
		t.Run(name, func(t *testing.T) {
			r := samplestest.Generate(t, name, small[name]...)
			bytes1 := digest(t, r)
			if !bytes.Equal(bytes1, digest(t, samplestest.Generate(t, name, small[name]...))) {
				t.Error("two runs differ")
			}
			if name != "dp-mandel" {
				if bytes.Equal(bytes1, digest(t, samplestest.Generate(t, name, append(small[name], "seed=77")...))) {
					t.Error("the seed changes nothing")
				}
			}
			all, marked := sums(requests(t, r))
			if all == 0 || marked == 0 {
				t.Errorf("%d items asked for, %d marked", all, marked)
			}
			kinds := map[trace.OpKind]int{}
			for _, op := range r.Ops {
				kinds[op.Kind]++
			}
			if kinds[trace.OpLaunch] == 0 || kinds[trace.OpCopyD2H] == 0 || kinds[trace.OpFileWrite] == 0 ||
				name != "dp-mandel" && (kinds[trace.OpFileRead] == 0 || kinds[trace.OpCopyH2D] == 0) {
				t.Errorf("host operations %v", kinds)
			}
		})
	}
}

// The parameters of a launch reach every request and every child.
func TestLaunchParameters(t *testing.T) {
	for _, name := range generators(t) {
		plain := samplestest.Generate(t, name, small[name]...)
		block := "child-block=128"
		r := samplestest.Generate(t, name, append(small[name], block, "swq=cta", "param-bytes=99", "sync=yes")...)
		for _, l := range requests(t, r) {
			if !l.SharedSWQ || l.ParamBytes != 99 {
				t.Fatalf("%s: request %+v", name, l)
			}
			f := r.Functions[r.Kernels[l.Child].Function].Name
			if threads := r.Kernels[l.Child].Block[0]; threads != 128 && f != "region_child" {
				t.Fatalf("%s: a child %s of %d threads", name, f, threads)
			}
		}
		for id := range r.Kernels {
			waits := r.Classes(id)[trace.ClassDeviceSync] > 0
			asks := r.Classes(id)[trace.ClassLaunch] > 0
			if child := r.Kernels[id].Flags&trace.KernelChild != 0; asks && !child && !waits {
				t.Errorf("%s: parent %d does not wait", name, id)
			}
		}
		for id := range plain.Kernels {
			if plain.Classes(id)[trace.ClassDeviceSync] > 0 {
				t.Errorf("%s: parent %d waits unasked", name, id)
			}
		}
	}
}

// A rule changes the marks, never the work: the threads of the children are the
// same whoever launches them.
func TestRulesKeepTheWork(t *testing.T) {
	for _, name := range generators(t) {
		if g, _ := samples.Get(name); !strings.Contains(fmt.Sprint(g.Params), "rule") {
			continue
		}
		var all, marked [4]int
		for i, rule := range []string{"dragonli", "klap", "shownme", "dense"} {
			r := samplestest.Generate(t, name, append(small[name], "rule="+rule, "threshold=16")...)
			list := requests(t, r)
			all[i], marked[i] = sums(list)
			for _, l := range list {
				if whole := rule == "dragonli"; l.Marked != (l.Workload >= 16) && !whole ||
					whole && l.Marked && l.Workload%r.Kernels[l.Child].Block[0] != 0 {
					t.Fatalf("%s: rule %s: request %+v", name, rule, l)
				}
			}
		}
		if name == "dp-sssp" {
			continue // the order of relaxations, and with it their number, follows the children
		}
		if all[0] != all[1] || all[1] != all[2] || all[2] != all[3] || marked[1] != marked[2] || marked[2] != marked[3] ||
			marked[0] > marked[1] {
			t.Errorf("%s: items %v, marked %v", name, all, marked)
		}
	}
}

// Files are read, and errors name them.
func TestGeneratorsOnFiles(t *testing.T) {
	for _, c := range []struct{ name, param, folder, file string }{
		{"dp-bfs", "graph", "graphs-small-bench", "snap-as20graph.txt"},
		{"dp-sssp", "graph", "graphs-small-bench", "dragon_li-sample.gr"},
		{"dp-gc", "graph", "graphs-networkit", "celegans_metabolic.graph"},
		{"dp-mm", "graph", "graphs-small-bench", "dragon_li-sample.gr"},
		{"dp-sa", "reference", "genomes-small", "MT-orang.fa"},
	} {
		settings := append(small[c.name], c.param+"="+tracetest.Data(t, c.folder, c.file))
		if all, _ := sums(requests(t, samplestest.Generate(t, c.name, settings...))); all == 0 {
			t.Errorf("%s: no nested work", c.name)
		}
	}
	path := t.TempDir() + "/broken"
	if err := os.WriteFile(path, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"dp-bfs", "graph"}, {"dp-sssp", "graph"}, {"dp-gc", "graph"}, {"dp-mm", "graph"},
		{"dp-sa", "reference"}, {"dp-sa", "reads"}, {"dp-regx", "packets"}, {"dp-pre", "ratings"},
	} {
		if err := generate(c[0], c[1]+"="+path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", c[0], err)
		}
		if err := generate(c[0], c[1]+"="+path+"-absent"); err == nil {
			t.Errorf("%s: an absent file is no error", c[0])
		}
	}
}

func generate(name string, settings ...string) error {
	g, err := samples.Get(name)
	if err != nil {
		return err
	}
	p, err := g.Parse(settings...)
	if err != nil {
		return err
	}
	return g.Generate(&samplestest.Recording{}, p)
}

func TestParameterErrors(t *testing.T) {
	for _, c := range []struct{ name, setting, want string }{
		{"dp-bfs", "child-block=16", "child-block=16: want 0, or 32 to 256"},
		{"dp-bfs", "source=5000", "source=5000: the graph has 4096 vertices"},
		{"dp-mandel", "size=100", "size=100: want a power of two"},
		{"dp-mandel", "regions=256", "regions=256: regions of fewer"},
		{"dp-gc", "scale=22", ""},
		{"dp-join", "keys=1", ""},
		{"dp-sa", "length=10000", ""},
	} {
		settings := []string{c.setting}
		switch c.name {
		case "dp-join":
			settings, c.want = append(settings, "left=1000000", "right=1000000"), "1000000000000 pairs, more than the limit"
		case "dp-gc":
			settings, c.want = append(settings, "degree=64"), "268435456 arcs, more than the limit"
		case "dp-sa":
			settings, c.want = append(settings, "bases=100"), "reads longer than the reference"
		}
		if err := generate(c.name, settings...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: error %v, want %q", c.name, settings, err, c.want)
		}
	}
}

// counter is a writer that keeps nothing, as the trace's own writer keeps a block.
type counter struct {
	arrays, functions, insts, kernel uint32
	launches, steps                  int
	peak                             float64 // heap in use, MB
}

func (c *counter) AddArray(trace.Array) uint32       { c.arrays++; return c.arrays - 1 }
func (c *counter) AddFunction(string) uint32         { c.functions++; return c.functions - 1 }
func (c *counter) Host(*trace.HostOp) error          { return nil }
func (c *counter) NextKernel() uint32                { return c.kernel }
func (c *counter) EndKernel(trace.KernelFlags) error { return nil }
func (c *counter) Inst(uint32, uint32) *trace.Inst   { return &trace.Inst{} }
func (c *counter) AddInst(uint32, trace.Inst) uint32 {
	c.insts++
	return c.insts - 1
}
func (c *counter) BeginKernel(*trace.Kernel) (uint32, error) {
	if c.kernel++; c.kernel%(1<<14) == 0 {
		c.peak = max(c.peak, heapMB())
	}
	return c.kernel - 1, nil
}
func (c *counter) WriteCTA(cta *trace.CTA) error {
	for i := range cta.Warps {
		c.launches += len(cta.Warps[i].Launches)
		c.steps += len(cta.Warps[i].Path)
	}
	return nil
}

// BenchmarkMillionLaunches searches a citation-like graph of 2^20 vertices, which
// requests about a million children. peak-MB is the heap in use at its highest
// (sampled every 16384 kernels), the graph's graph-MB among it.
func BenchmarkMillionLaunches(b *testing.B) {
	g := graph.Preferential(1<<20, 7, 1)
	runtime.GC()
	base := heapMB()
	c := &counter{}
	for b.Loop() {
		*c = counter{peak: base}
		if _, err := runBFS(c, g, 240, []uint32{uint32(g.Hub())}, dragonli(shape{128, 128}), false); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(c.launches), "launches")
	b.ReportMetric(float64(c.launches)*float64(b.N)/b.Elapsed().Seconds(), "launches/s")
	b.ReportMetric(float64(c.steps)*float64(b.N)/b.Elapsed().Seconds(), "steps/s")
	b.ReportMetric(c.peak, "peak-MB")
	b.ReportMetric(base, "graph-MB")
}

func heapMB() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapInuse) / (1 << 20)
}

func Example() {
	r := &samplestest.Recording{}
	g, _ := samples.Get("dp-join")
	p, _ := g.Parse("left=64", "right=2000", "keys=10")
	if err := g.Generate(r, p); err != nil {
		fmt.Println(err)
		return
	}
	children := 0
	for _, k := range r.Kernels {
		if k.Flags&trace.KernelChild != 0 {
			children++
		}
	}
	fmt.Println(len(r.Kernels)-children, "kernels of the host,", children, "children")
	// Output: 2 kernels of the host, 64 children
}
