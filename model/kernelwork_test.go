package model_test

import (
	"fmt"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/memory"
	"gpureplay/policies/policiestest"
	"gpureplay/trace/tracetest"
)

// works keeps the sums of each kernel, and the windows of the timeline.
type works struct {
	eventLog
	kernels []model.KernelRecord
	ctas    []model.CTARecord
}

func (w *works) Inst(*exec.InstRecord)        {}
func (w *works) CTA(r *model.CTARecord)       { w.ctas = append(w.ctas, *r) }
func (w *works) Kernel(r *model.KernelRecord) { w.kernels = append(w.kernels, *r) }

// A warp loads 128 bytes, 4 sectors, twice: 4 misses of the L1, which DRAM serves,
// then 4 hits. A second kernel finds its L1 flushed and the sectors in the L2. One
// warp is resident from its placement to its end.
func TestWorkOfKernels(t *testing.T) {
	const kernel = "launch k grid=1 block=32\ncta 0\nwarp 0\nload R1 <- @0x1000+4\nload R2 <- R1 @0x1000+4\nexit\n"
	c, policy := tiny(t)
	w := &works{}
	replay(t, tracetest.FromText(t, kernel+kernel), c, policy, w)
	if len(w.kernels) != 2 || len(w.ctas) != 2 {
		t.Fatalf("%d kernels, %d CTAs", len(w.kernels), len(w.ctas))
	}
	for i, want := range []model.KernelWork{
		{Traffic: memory.Traffic{L1Accesses: 8, L1Hits: 4, L2Accesses: 4, DRAMReads: 4}},
		{Traffic: memory.Traffic{L1Accesses: 8, L1Hits: 4, L2Accesses: 4, L2Hits: 4}},
	} {
		cta := &w.ctas[i]
		want.ActiveSMCycles = uint64(cta.End - cta.Dispatch)
		want.WarpCycles = want.ActiveSMCycles
		want.PlaceCycles = want.ActiveSMCycles * uint64(c.SM.MaxWarps)
		want.StallTimes = cta.StallTimes
		if got := w.kernels[i].Work; got != want {
			t.Errorf("kernel %d: %+v, want %+v", i, got, want)
		}
	}
}

// A kernel writes 8 lines of 4 sectors; another reads eight times the size
// of the L2 and drives them out: DRAM takes 32 sectors because of the second, and none because of the first.
func TestWritesToDRAMAreOfWhoDrivesThemOut(t *testing.T) {
	walk := func(what string, lines int) string {
		text := "launch k grid=1 block=32\ncta 0\nwarp 0\n"
		for i := range lines {
			text += fmt.Sprintf("%s @%#x+4\n", what, 0x10000+128*i)
		}
		return text + "exit\n"
	}
	c, policy := tiny(t)
	w := &works{}
	sum := replay(t, tracetest.FromText(t, walk("store", 8)+strings.ReplaceAll(walk("load R1 <-", 512), "@0x1",
		"@0x2")), c, policy, w)
	if len(w.kernels) != 2 {
		t.Fatalf("%d kernels", len(w.kernels))
	}
	if a, b := w.kernels[0].Work.DRAMWrites, w.kernels[1].Work.DRAMWrites; a != 0 || b != 32 ||
		sum.Memory[2].WriteSectors != 32 {
		t.Errorf("%d sectors written because of the first, %d of the second; DRAM has %+v", a, b, sum.Memory[2])
	}
}

// A run that is cut off ends in the cycle that was requested, with its sums until then; one that ends before is
// whole.
func TestCutShort(t *testing.T) {
	const text = "launch k grid=1 block=32\ncta 0\nwarp 0\nrepeat 1000\nint R1 <- R1\nend\nexit\n"
	c, policy := tiny(t)
	run := func(most model.Time) *model.Summary {
		p, machine := policiestest.Build(t, policy, c)
		m, err := model.New(tracetest.FromText(t, text), model.Options{Config: machine, Policy: p, MaxCycles: most})
		if err != nil {
			t.Fatal(err)
		}
		sum, err := m.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	whole := run(0)
	if whole.Cut || whole.Kernels != 1 || whole.WarpInsts != 1001 {
		t.Fatalf("%+v", whole)
	}
	if same := run(whole.Cycles); same.Cut || same.Cycles != whole.Cycles {
		t.Errorf("at its last cycle: %+v", same)
	}
	if half := run(whole.Cycles / 2); !half.Cut || half.Cycles != whole.Cycles/2 || half.Kernels != 0 {
		t.Errorf("half of it: %+v", half)
	}
}
