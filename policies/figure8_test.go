package policies_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/policies"
	"gpureplay/policies/crcs"
	"gpureplay/trace/tracetest"
)

// figure8 is the program of figure 8 of the CRCS/PPCS paper: kernels 0 to 3 of 8 CTAs. CTA n of every kernel
// depends on page n alone, which the prelude makes ready at t_n. A CTA runs for one time unit once its page is
// there and owned.
//
// The text leaves one choice open, and the tests fix it. At an instant t_n running CTAs end first and then the page
// comes, since "at t2 ... only page 0 and 1 are available" when SM 0 has become idle. So a CTA here runs for a
// little less than a unit. An SM whose CTAs the scheduler started at t_n is done at t_n+1 before one whose CTAs
// waited for the page of t_n.
func figure8() string {
	var b strings.Builder
	b.WriteString("array P bytes=32K input output\nread P\nh2d P\n")
	for range 4 {
		b.WriteString(`launch stage grid=8 block=32 regs=16
cta 0..7
 warp 0
  load R2 <- R1 @P+4 cta=4096
  int R2 <- R2 x93
  store <- R1 R2 @P+4 cta=4096
  exit
`)
	}
	b.WriteString("d2h P\nwrite P\n")
	return b.String()
}

// interval is when the CTAs of a kernel run, in units from t0 on, and where.
type interval struct {
	kernel, first, last uint32
	sm                  int // -1: the text does not say
	start, end          int
}

func checkFigure(t *testing.T, policy string, want []interval, kernelsEnd, postludeEnd int) {
	t.Helper()
	l, _ := run(t, figure8(), tiny(t, 2, 2), policy)
	// The prelude begins one unit before t0.
	at := func(x model.Time) string { return fmt.Sprintf("%.1f", float64(x)/unit-1) }
	near := func(x model.Time, u int) bool {
		d := x - model.Time(u+1)*unit
		return d > -unit/2 && d < unit/2
	}
	seen := 0
	for _, w := range want {
		for n := w.first; n <= w.last; n++ {
			r := l.cta(t, w.kernel, n)
			seen++
			// The first instruction is the load: it issues when the page is there and owned.
			if !near(r.Start, w.start) || !near(r.End, w.end) || w.sm >= 0 && int(r.SM) != w.sm {
				t.Errorf("%s: CTA %d of kernel %d runs on SM %d from t%s to t%s, want SM %d, t%d to t%d",
					policy, n, w.kernel, r.SM, at(r.Start), at(r.End), w.sm, w.start, w.end)
			}
		}
	}
	if seen != 32 || len(l.ctas) != 32 {
		t.Fatalf("%d CTAs expected, %d ran", seen, len(l.ctas))
	}
	if end := l.kernels[len(l.kernels)-1].End; !near(end, kernelsEnd) {
		t.Errorf("%s: the last kernel ends at t%s, want t%d", policy, at(end), kernelsEnd)
	}
	var post model.Time
	for _, s := range l.stages {
		if s.Stage == model.StagePostlude {
			post = max(post, s.End)
		}
	}
	if !near(post, postludeEnd) {
		t.Errorf("%s: the postlude ends at t%s, want t%d", policy, at(post), postludeEnd)
	}
}

// (a): the prelude ends at t7. Four CTAs run at a time, so that each kernel takes
// two units; then come the eight pages of the postlude.
func TestFigure8aBaseline(t *testing.T) {
	var want []interval
	for k := range 4 {
		start := 7 + 2*k
		want = append(want,
			interval{uint32(k), 0, 3, -1, start, start + 1},
			interval{uint32(k), 4, 7, -1, start + 1, start + 2})
	}
	checkFigure(t, "serial", want, 15, 23)
}

// (b): the first two CTAs of kernel 0 are on SM 0, the next two on SM 1, before t0. CTA 0 ends at t1, and CTA 4
// takes its place and waits until t4 for its page. CTA 5 takes the place of CTA 1 at t2; CTAs 6 and 7 follow 2 and
// 3 on SM 1. CTA 5 ends at t6, and only then is SM 0 free for kernel 1, which overlaps with kernel 0 until t8. From
// then on all pages are there, and kernels follow one another two units each.
func TestFigure8bCRCS(t *testing.T) {
	checkFigure(t, "crcs,profiler=off", []interval{
		{0, 0, 0, 0, 0, 1}, {0, 1, 1, 0, 1, 2}, {0, 2, 2, 1, 2, 3}, {0, 3, 3, 1, 3, 4},
		{0, 4, 4, 0, 4, 5}, {0, 5, 5, 0, 5, 6}, {0, 6, 6, 1, 6, 7}, {0, 7, 7, 1, 7, 8},
		{1, 0, 1, 0, 6, 7}, {1, 2, 3, 0, 7, 8}, {1, 4, 5, 0, 8, 9}, {1, 6, 7, 1, 8, 9},
		{2, 0, 3, -1, 9, 10}, {2, 4, 7, -1, 10, 11},
		{3, 0, 3, -1, 11, 12}, {3, 4, 7, -1, 12, 13},
	}, 13, 20)
}

// (c), the text as it stands (no guard). Shares are (page - SM) of kernels 0 to 3.
//
//	t2  SM 0 idle; pages 0, 1 there, both of kernel 1; kernel 0 on SM 1:
//	    0-1/2, 1-0, 0, 0: kernel 1 on SM 0 with CTAs 0, 1
//	t3  SM 0 idle while CTA 2 of kernel 0 ends on SM 1; pages 0, 1 of kernel 2:
//	    1/3-1/2, 0, 2/3, 0: kernel 2 on SM 0
//	t4  SM 0 idle while CTA 3 of kernel 0 ends on SM 1: 1/4-1/2, 1/4, 0, 2/4:
//	    kernel 3 on SM 0. SM 1 idle: 0, 2/4, 0, 2/4-1/2: kernel 1, CTAs 2, 3, on SM 1
//	t5  pages 0, 1 are done with; page 4 there. SM 0 idle: 1/5, 2/5-1/2, 0, 0: kernel 0,
//	    CTAs 4, 5, on SM 0. SM 1 idle: 1/5-1/2, 0, 2/5, 0: kernel 2, CTAs 2, 3
//	t6  page 5 there. SM 1 idle while CTA 5 of kernel 0 ends: 1/6-1/2, 1/6, 0, 2/6:
//	    kernel 3, CTAs 2, 3, on SM 1. SM 0 idle: 0, 2/6, 0, 2/6-1/2: kernel 1,
//	    CTAs 4, 5
//	t7  page 6 there. SM 1 idle: 1/7, 2/7-1/2, 0, 0: kernel 0, CTAs 6, 7, on SM 1.
//	    SM 0 idle: 1/7-1/2, 0, 2/7, 0: kernel 2, CTAs 4, 5. Page 7 comes, the prelude
//	    ends: first come, first served from here
//	t8  SM 0 idle: kernel 1 is the oldest with CTAs left: 6, 7. SM 1 idle: kernel 2,
//	    CTAs 6, 7, which wait for kernel 1 until t9
//	t9  SM 0 idle: kernel 3, CTAs 4, 5
//	t10 kernel 3, CTAs 6, 7
//
// The postlude writes pages 0, 1 from t5, pages 2, 3 from t7, pages 4, 5 from t10
// and pages 6, 7 from t12.
func TestFigure8cPPCS(t *testing.T) {
	for _, pages := range []string{"ready", "text"} { // nothing but the prelude's pages is there: they are alike
		figure8c(t, "ppcs,crcs-profiler=off,guard=off,pages="+pages)
	}
}

func figure8c(t *testing.T, policy string) {
	t.Helper()
	checkFigure(t, policy, []interval{
		{0, 0, 0, 0, 0, 1}, {0, 1, 1, 0, 1, 2}, {0, 2, 2, 1, 2, 3}, {0, 3, 3, 1, 3, 4},
		{1, 0, 1, 0, 2, 3}, {2, 0, 1, 0, 3, 4}, {3, 0, 1, 0, 4, 5}, {1, 2, 3, 1, 4, 5},
		{0, 4, 5, 0, 5, 6}, {2, 2, 3, 1, 5, 6}, {3, 2, 3, 1, 6, 7}, {1, 4, 5, 0, 6, 7},
		{0, 6, 7, 1, 7, 8}, {2, 4, 5, 0, 7, 8}, {1, 6, 7, 0, 8, 9}, {2, 6, 7, 1, 9, 10},
		{3, 4, 5, 0, 9, 10}, {3, 6, 7, -1, 10, 11},
	}, 11, 14)
}

// spy notes the shares that a CTA scheduler sees when it gives an SM to another
// kernel than before.
type spy struct {
	model.CTAScheduler
	seen []string
	last uint64
}

func (s *spy) Place(v *model.CTAView) (kernel, sm int, ok bool) {
	if kernel, sm, ok = s.CTAScheduler.Place(v); ok && v.Kernels[kernel].Order != s.last {
		s.last = v.Kernels[kernel].Order
		line := fmt.Sprintf("kernel %d on SM %d:", v.Kernels[kernel].ID, sm)
		for k, x := range v.Kernels {
			pages := 0.0
			if x := crcs.ViewOf(v); x.Available > 0 {
				owned, _ := x.Owned(k)
				pages = float64(owned) / float64(x.Available)
			}
			line += fmt.Sprintf(" %d %.2f-%.2f", x.ID, pages, float64(x.SMs)/float64(v.SMs()))
		}
		s.seen = append(s.seen, line)
	}
	return kernel, sm, ok
}

// The worked example: when SM 0 first becomes idle, pages 0 and 1 are available
// and of kernel 1, and kernel 0 is on SM 1: differences -0.5 and 1.0. The shares
// at t3 to t5 are those that the comment of figure 8(c) derives.
func TestFigure8Shares(t *testing.T) {
	cs, err := policies.Parse("ppcs,crcs-profiler=off,guard=off", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, cfg, err := cs[0].Build(tiny(t, 2, 2))
	if err != nil {
		t.Fatal(err)
	}
	s := &spy{CTAScheduler: p.CTA}
	p.CTA = s
	m, err := model.New(tracetest.FromText(t, figure8()), model.Options{Config: cfg, Policy: p})
	if err == nil {
		_, err = m.Run(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"kernel 0 on SM 0: 0 0.00-0.00 1 0.00-0.00 2 0.00-0.00 3 0.00-0.00",
		"kernel 1 on SM 0: 0 0.00-0.50 1 1.00-0.00 2 0.00-0.00 3 0.00-0.00", // t2
		"kernel 2 on SM 0: 0 0.33-0.50 1 0.00-0.00 2 0.67-0.00 3 0.00-0.00", // t3
		"kernel 3 on SM 0: 0 0.25-0.50 1 0.25-0.00 2 0.00-0.00 3 0.50-0.00", // t4
		"kernel 1 on SM 1: 0 0.00-0.00 1 0.50-0.00 2 0.00-0.00 3 0.50-0.50",
		"kernel 0 on SM 0: 0 0.20-0.00 1 0.40-0.50 2 0.00-0.00 3 0.00-0.00", // t5
		"kernel 2 on SM 1: 0 0.20-0.50 1 0.00-0.00 2 0.40-0.00 3 0.00-0.00",
	}
	for i, w := range want {
		if i >= len(s.seen) || s.seen[i] != w {
			t.Fatalf("decision %d:\n got %s\nwant %s", i, strings.Join(s.seen, "\n     "), w)
		}
	}
}
