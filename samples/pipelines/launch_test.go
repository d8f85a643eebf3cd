package pipelines

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gpureplay/samples"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
)

// launches are the launch configurations of table 2's programs at the paper's sizes, as the suites have them. An
// entry has the program in one line, then each kernel in turn until they repeat.
var launches = []struct {
	name     string
	settings []string
	kernels  int
	each     []trace.Kernel
	input    uint64 // bytes read from files
	output   uint64 // bytes written to files
}{
	{"vecadd", nil, 2, []trace.Kernel{
		{Grid: trace.Dim3{1024, 1, 1}, Block: trace.Dim3{256, 1, 1}, Registers: 12},
	}, 2 << 20, 1 << 20},
	{"3mm", nil, 3, []trace.Kernel{
		{Grid: trace.Dim3{8, 32, 1}, Block: trace.Dim3{32, 8, 1}, Registers: 19},
	}, 4 * 256 * 256 * 4, 256 * 256 * 4},
	{"stn", nil, 50, []trace.Kernel{
		{Grid: trace.Dim3{2, 32, 1}, Block: trace.Dim3{32, 4, 1}, Registers: 29, SharedBytes: 1024},
	}, 128 * 128 * 32 * 4, 128 * 128 * 32 * 4},
	{"stn", []string{"version=base", "kernels=3"}, 3, []trace.Kernel{
		{Grid: trace.Dim3{126, 30, 1}, Block: trace.Dim3{127, 1, 1}, Registers: 18},
	}, 128 * 128 * 32 * 4, 128 * 128 * 32 * 4},
	{"hsp", nil, 10, []trace.Kernel{
		{Grid: trace.Dim3{37, 37, 1}, Block: trace.Dim3{16, 16, 1}, Registers: 37, SharedBytes: 3072},
	}, 2 * 512 * 512 * 4, 512 * 512 * 4},
	{"hsp", []string{"pyramid=2", "kernels=5"}, 5, []trace.Kernel{
		{Grid: trace.Dim3{43, 43, 1}, Block: trace.Dim3{16, 16, 1}, Registers: 37, SharedBytes: 3072},
	}, 2 * 512 * 512 * 4, 512 * 512 * 4},
	{"bfs", nil, 16, []trace.Kernel{
		{Grid: trace.Dim3{32, 1, 1}, Block: trace.Dim3{512, 1, 1}, Registers: 21, Flags: trace.KernelIrregular},
		{Grid: trace.Dim3{32, 1, 1}, Block: trace.Dim3{512, 1, 1}, Registers: 14},
	}, 16384*8 + 4*uint64(len(rodiniaGraph(16384, 2).edges)), 16384 * 4},
	{"lpc", nil, 10, []trace.Kernel{
		{Grid: trace.Dim3{16, 16, 1}, Block: trace.Dim3{16, 16, 1}, Registers: 12},
	}, 256 * 256 * 4, 256 * 256 * 4},
	{"conv", nil, 6, []trace.Kernel{
		{Grid: trace.Dim3{4, 128, 1}, Block: trace.Dim3{16, 4, 1}, Registers: 30, SharedBytes: 2560},
		{Grid: trace.Dim3{32, 8, 1}, Block: trace.Dim3{16, 8, 1}, Registers: 31, SharedBytes: 5184},
	}, 512*512*4 + 17*4, 512 * 512 * 4},
	{"path", nil, 20, []trace.Kernel{
		{Grid: trace.Dim3{407, 1, 1}, Block: trace.Dim3{256, 1, 1}, Registers: 13, SharedBytes: 2048},
	}, 100_000 * 100 * 4, 100_000 * 4},
	{"path", []string{"pyramid=20"}, 5, []trace.Kernel{
		{Grid: trace.Dim3{463, 1, 1}, Block: trace.Dim3{256, 1, 1}, Registers: 13, SharedBytes: 2048},
	}, 100_000 * 100 * 4, 100_000 * 4},
}

func TestLaunchConfigurations(t *testing.T) {
	if testing.Short() {
		t.Skip("generates every program at the paper's size")
	}
	for _, l := range launches {
		t.Run(fmt.Sprint(l.name, l.settings), func(t *testing.T) {
			r := samplestest.Count(t, l.name, l.settings...)
			if len(r.Kernels) != l.kernels {
				t.Fatalf("%d kernels, want %d", len(r.Kernels), l.kernels)
			}
			for i, k := range r.Kernels {
				got := trace.Kernel{Grid: k.Grid, Block: k.Block, Registers: k.Registers, SharedBytes: k.SharedBytes,
					Flags: k.Flags}
				if want := l.each[i%len(l.each)]; !reflect.DeepEqual(got, want) {
					t.Errorf("kernel %d: %+v, want %+v", i, got, want)
				}
				if uint64(k.CTAs) != k.Grid.Count() || k.Fidelity != trace.FidelityWarp {
					t.Errorf("kernel %d: %d CTAs of grid %v, fidelity %v", i, k.CTAs, k.Grid, k.Fidelity)
				}
			}
			if in, out := moved(r, trace.OpFileRead), moved(r, trace.OpFileWrite); in != l.input || out != l.output {
				t.Errorf("%d bytes read, %d written; want %d and %d", in, out, l.input, l.output)
			}
		})
	}
}

func moved(r *samplestest.Recording, kind trace.OpKind) (bytes uint64) {
	for _, op := range r.Ops {
		if op.Kind == kind {
			bytes += op.Bytes
		}
	}
	return bytes
}

// TestHostOrder checks the order of figure 4(a): files, copies in, kernels, copies
// out, synchronisation, file.
func TestHostOrder(t *testing.T) {
	var got []trace.OpKind
	for _, op := range samplestest.Generate(t, "vecadd", "n=100").Ops {
		got = append(got, op.Kind)
	}
	want := []trace.OpKind{
		trace.OpFileRead, trace.OpFileRead, trace.OpCopyH2D, trace.OpCopyH2D, trace.OpLaunch, trace.OpLaunch,
		trace.OpCopyD2H, trace.OpSyncDevice, trace.OpFileWrite,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestBFSHostWaitsEveryLevel checks that each level is between a copy of the stop
// flag to the device and one back for which the host waits.
func TestBFSHostWaitsEveryLevel(t *testing.T) {
	r := samplestest.Generate(t, "bfs", "nodes=600")
	levels := 0
	for i, op := range r.Ops {
		if op.Kind != trace.OpLaunch || op.Kernel%2 == 1 {
			continue
		}
		levels++
		put, second, get := r.Ops[i-1], r.Ops[i+1], r.Ops[i+2]
		if put.Kind != trace.OpCopyH2D || put.Bytes != 1 || put.Async || second.Kind != trace.OpLaunch ||
			get.Kind != trace.OpCopyD2H || get.Bytes != 1 || get.Async || get.Array != put.Array {
			t.Fatalf("level %d: %+v, kernel, %+v, %+v", levels, put, second, get)
		}
	}
	if levels < 3 || 2*levels != len(r.Kernels) {
		t.Errorf("%d levels for %d kernels", levels, len(r.Kernels))
	}
}

// TestImpossibleShapesAreErrors names parameters that are allowed one by one and
// not together.
func TestImpossibleShapesAreErrors(t *testing.T) {
	for name, settings := range map[string][]string{
		"conv": {"width=200", "height=64"},
		"path": {"cols=4194304", "rows=1000"},
		"stn":  {"nx=1024", "ny=1024", "nz=512"},
	} {
		g, err := samples.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.Parse(settings...)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(settings[0], "=")
		if err := g.Generate(&samplestest.Recording{}, p); err == nil || !strings.Contains(err.Error(), first) {
			t.Errorf("%s %v: %v", name, settings, err)
		}
	}
}

// TestBFSIsLikeTheCapture compares with an instruction trace of Rodinia's binary on an A100 and a graph of the same
// generator with 4,096 nodes. It has 16 kernels, 159,509 warp instructions, 38,584 of them memory accesses. The
// compiler adds moves, uniform loads and halves of 64-bit addresses; the accesses are the source's, on another
// random graph.
func TestBFSIsLikeTheCapture(t *testing.T) {
	var insts, mem uint64
	r := samplestest.Count(t, "bfs", "nodes=4096")
	for _, k := range r.Kernels {
		insts, mem = insts+k.WarpInsts, mem+k.MemInsts
	}
	if len(r.Kernels) != 16 || insts < 159_509*75/100 || insts > 159_509 || mem < 38_584*9/10 || mem > 38_584*11/10 {
		t.Errorf("%d kernels, %d warp instructions, %d memory accesses", len(r.Kernels), insts, mem)
	}
}
