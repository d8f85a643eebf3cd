package pipelines

import (
	"testing"

	"gpureplay/samples/samplestest"
	"gpureplay/trace"
)

// mix counts a warp's instructions by class.
type mix struct{ integer, fp32, fp64, special, control, memory, barrier, exit int }

func (m mix) plus(n int, o mix) mix {
	return mix{
		m.integer + n*o.integer, m.fp32 + n*o.fp32, m.fp64 + n*o.fp64, m.special + n*o.special,
		m.control + n*o.control, m.memory + n*o.memory, m.barrier + n*o.barrier, m.exit + n*o.exit,
	}
}

func mixOf(t *testing.T, r *samplestest.Recording, kernel, cta, warp int) (m mix) {
	t.Helper()
	by := map[trace.Class]*int{
		trace.ClassInt: &m.integer, trace.ClassFP32: &m.fp32, trace.ClassFP64: &m.fp64, trace.ClassSFU: &m.special,
		trace.ClassControl: &m.control, trace.ClassMemory: &m.memory, trace.ClassBarrier: &m.barrier,
		trace.ClassExit: &m.exit,
	}
	for _, i := range r.CTAs[kernel][cta].Warps[warp].Path {
		class := r.Functions[r.Kernels[kernel].Function].Insts[i].Class
		if by[class] == nil {
			t.Fatalf("instruction of class %d", class)
		}
		*by[class]++
	}
	return m
}

// TestInstructionMixes checks a warp in the middle of each grid against counts
// taken by hand from the kernels' sources, as their doc comments say.
func TestInstructionMixes(t *testing.T) {
	for _, c := range []struct {
		name              string
		settings          []string
		kernel, cta, warp int
		want              mix
	}{
		{"vecadd", []string{"n=1000"}, 0, 1, 1, mix{integer: 7, fp32: 1, memory: 3, exit: 2}},
		{"3mm", []string{"n=64"}, 2, 3, 2,
			mix{integer: 8 + 7, memory: 1, exit: 2}. // index and addresses, zero
									plus(64, mix{integer: 1, fp32: 1, memory: 3}).
									plus(64/4, mix{integer: 3, control: 1})},
		{"stn", []string{"nx=192", "ny=12", "nz=7", "kernels=1"}, 0, 4, 2,
			mix{integer: 8 + 11 + 4, memory: 2 + 6, barrier: 2, exit: 1}.
				plus(2*5, mix{fp32: 7, memory: 1 + 6 + 2 + 1, control: 1}). // a column in a plane
				plus(5, mix{integer: 3, memory: 4, barrier: 2, control: 1})},
		{"stn", []string{"nx=128", "ny=12", "nz=6", "kernels=1", "version=base"}, 0, 12, 1,
			mix{integer: 6 + 5 + 1, fp32: 7, memory: 8, exit: 2}},
		{"hsp", []string{"n=64", "kernels=1", "pyramid=3"}, 0, 8, 3,
			mix{special: 4, fp32: 16, integer: 12 + 2 + 2 + 12 + 1, control: 1, memory: 4 + 2, barrier: 1, exit: 1}.
				plus(3, mix{integer: 8 + 7, fp32: 4, fp64: 6, memory: 7, control: 2, barrier: 1}).
				plus(2, mix{memory: 2, barrier: 1, control: 1})},
		{"lpc", []string{"n=64", "kernels=1"}, 0, 5, 3, mix{integer: 8 + 2 + 5 + 1, fp32: 4, memory: 5, control: 1, exit: 2}},
		{"conv", []string{"width=384", "height=128", "iterations=1"}, 0, 4, 1,
			mix{integer: 10 + 4 + 1, memory: 20, barrier: 1, exit: 1}.plus(8, mix{fp32: 17, memory: 18})},
		{"conv", []string{"width=384", "height=128", "iterations=1"}, 1, 4, 3,
			mix{integer: 10 + 4 + 1, memory: 20, barrier: 1, exit: 1}.plus(8, mix{fp32: 17, memory: 18})},
		{"path", []string{"cols=2000", "rows=6"}, 0, 3, 4,
			mix{integer: 9 + 1 + 10 + 1, control: 1, memory: 2 + 2, barrier: 1, exit: 1}.
				plus(5, mix{integer: 3 + 4 + 1, memory: 5, control: 2, barrier: 1}).
				plus(4, mix{integer: 2, memory: 2, control: 1, barrier: 1})},
	} {
		r := samplestest.Generate(t, c.name, c.settings...)
		if got := mixOf(t, r, c.kernel, c.cta, c.warp); got != c.want {
			t.Errorf("%s kernel %d: %+v, want %+v", c.name, c.kernel, got, c.want)
		}
	}
}

// TestBFSMixes checks the warp of the first node in the first level, which has one
// active lane, and one without a node in the mask.
func TestBFSMixes(t *testing.T) {
	g := rodiniaGraph(1500, 2)
	r := samplestest.Generate(t, "bfs", "nodes=1500")
	idle := mix{integer: 5 + 2 + 1, memory: 1, exit: 2}
	if got := mixOf(t, r, 0, 1, 0); got != idle {
		t.Errorf("a warp without work: %+v, want %+v", got, idle)
	}
	degree := int(g.start[1])
	edge := mix{integer: 3 + 1 + 5 + 5, memory: 2 + 1 + 2 + 2, control: 1}
	want := idle.plus(1, mix{integer: 1 + 1 + 3, memory: 3, exit: 2}).plus(degree, edge)
	if got := mixOf(t, r, 0, 0, 0); got != want {
		t.Errorf("the first node, of degree %d: %+v, want %+v", degree, got, want)
	}
	commit := mix{integer: 5 + 3 + 1, memory: 1, exit: 2}
	for warp := range r.CTAs[1][0].Warps {
		got := mixOf(t, r, 1, 0, warp)
		if got != commit && got != commit.plus(1, mix{integer: 5, memory: 4, exit: 1}) {
			t.Errorf("second kernel, warp %d: %+v", warp, got)
		}
	}
}
