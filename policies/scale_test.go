package policies_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// chain is a program of kernels that each read and write the same pages in place:
// CTA n touches page n, so that every page goes from kernel to kernel.
func chain(kernels, ctas int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "array P bytes=%d input output\nread P\nh2d P\n", ctas*4096)
	for range kernels {
		fmt.Fprintf(&b, "launch stage grid=%d block=32 regs=16\ncta 0..%d\n warp 0\n  load R2 <- R1 @P+4 cta=4096\n  "+
			"store <- R1 R2 @P+4 cta=4096\n  exit\n", ctas, ctas-1)
	}
	return b.String() + "d2h P\n"
}

// wide is tiny with room for many kernels at once.
func wide(b testing.TB, kernels int) *hardware.Config {
	c := tiny(b, 64, 8)
	c.KMU.Entries, c.KMU.HWQs = kernels, kernels
	c.Host.StorageMBs = 0 // all pages come at once
	return c
}

// 1,024 kernels overlap, and each owns the pages in turn.
func TestManyKernelsOverlap(t *testing.T) {
	cfg := wide(t, 1024)
	cfg.Host.StorageMBs = 500
	l, _ := run(t, chain(1024, 8), cfg, "ppcs")
	if got := strings.Count(owners(l, 0x100000), " "); got != 1024 {
		t.Errorf("page 0 changed hands %d times, want 1024: from kernel to kernel and to nobody", got)
	}
	for _, k := range l.kernels {
		if k.Dispatch > 1_000_000 { // two pages of the prelude
			t.Fatalf("kernel %d enters at %d only", k.ID, k.Dispatch)
		}
	}
}

// timed counts the decisions of a CTA scheduler.
type timed struct {
	model.CTAScheduler
	calls int
}

func (s *timed) Place(v *model.CTAView) (int, int, bool) {
	s.calls++
	return s.CTAScheduler.Place(v)
}

// BenchmarkPPCS runs chains of 100,000 hand-overs with 10, 100 and 1,000 kernels in the distributor. ns/handover is
// the whole run over its hand-overs (two accesses, a CTA placed and ended, a page given on), ns/decision over the
// scheduler's calls.
func BenchmarkPPCS(b *testing.B) {
	for _, kernels := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("kernels=%d", kernels), func(b *testing.B) {
			benchmarkChain(b, chain(kernels, 100_000/kernels), kernels, 100_000)
		})
	}
}

// BenchmarkPages runs two kernels over ten thousand, a hundred thousand and a
// million pages.
func BenchmarkPages(b *testing.B) {
	for _, pages := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			benchmarkChain(b, chain(2, pages), 2, 2*pages)
		})
	}
}

func benchmarkChain(b *testing.B, text string, kernels, handovers int) {
	r := tracetest.FromText(b, text)
	b.ResetTimer()
	calls := 0
	for range b.N {
		calls += chainRun(b, r, kernels)
	}
	ns := float64(b.Elapsed().Nanoseconds())
	b.ReportMetric(ns/float64(b.N)/float64(handovers), "ns/handover")
	b.ReportMetric(ns/float64(max(1, calls)), "ns/decision")
}

func chainRun(b *testing.B, r *container.Reader, kernels int) int {
	cs, err := policies.Parse("ppcs,switch=off", nil)
	if err != nil {
		b.Fatal(err)
	}
	p, cfg, err := cs[0].Build(wide(b, kernels))
	if err != nil {
		b.Fatal(err)
	}
	s := &timed{CTAScheduler: p.CTA}
	p.CTA = s
	m, err := model.New(r, model.Options{Config: cfg, Policy: p})
	if err == nil {
		_, err = m.Run(context.Background())
	}
	if err != nil {
		b.Fatal(err)
	}
	return s.calls
}
