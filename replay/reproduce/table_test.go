package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/replay"
	"gpureplay/trace/tracetest"
)

// A published figure that is a bound is shown as one. A figure of ours that is not there is left out and counted.
func TestClaims(t *testing.T) {
	ours := func(x float64) func() (float64, error) { return func() (float64, error) { return x, nil } }
	p := &Paper{Name: "p", Claims: []Claim{
		{What: "equal", Published: 2, Digits: 1, Of: ours(2)}, {What: "below", Published: 3, Relation: Below, Of: ours(2)},
		{What: "above", Published: 1, Relation: Above, Of: ours(2)}, {What: "none", Published: 1, Of: ours(math.NaN())},
		{What: "of another experiment", Published: 1, Experiment: "not-run"},
	}}
	got, err := p.claims(nil, nil, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, r := range got.Rows {
		texts = append(texts, r[0].Text+" "+r[2].Text)
	}
	if want := []string{"equal 2.0", "below < 3", "above > 1"}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
	want := "Published figures beside ours, over the rows that ran (1 whose rows did not run are left out)"
	if got.Title != want {
		t.Errorf("the title is %q, want %q", got.Title, want)
	}
}

// The last result of a run has its label. The results before it are its tries, each with the variant.
func TestRowOfRuns(t *testing.T) {
	results := func(names ...string) *unit {
		u := &unit{}
		for _, name := range names {
			u.results = append(u.results, &replay.Result{Policy: name})
		}
		return u
	}
	row := (&planned{}).row(&plannedRow{work: &source{}, units: map[string]*unit{
		"offline-search": results("threshold=1", "threshold=2"), "cdp@small": results("flat", "cdp"),
	}})
	for label, policy := range map[string]string{
		"threshold=1": "threshold=1", "offline-search": "threshold=2", "flat@small": "flat", "cdp@small": "cdp",
	} {
		if x := row.runs[label]; x == nil || x.Policy != policy {
			t.Errorf("%s is the run of %+v, want %s", label, x, policy)
		}
	}
	if len(row.runs) != 4 {
		t.Errorf("%d runs, want 4", len(row.runs))
	}
}

// A policy's own figure is found by its name.
func TestMetric(t *testing.T) {
	x := &replay.Result{}
	x.Run.Extra = []model.Metric{{Name: "other", Value: 7}, {Name: "tasks", Value: 3}, {Name: "third", Value: 9}}
	row := &Row{Workload: &Workload{}, runs: map[string]*replay.Result{"pagoda": x}}
	if a, b := metric("pagoda", "tasks", 2)(row), metric("pagoda", "none", 2)(row); a != 6 || b != 0 {
		t.Errorf("%v and %v, want 6 and 0", a, b)
	}
}

// The straight line has a column for each policy, empty for a workload of a fixed number of tasks.
func TestLines(t *testing.T) {
	var names []string
	for _, c := range lines("pagoda", "hyperq") {
		names = append(names, c.Name)
		if x := c.Of(&Row{Workload: &Workload{Fixed: true}}); !math.IsNaN(x) {
			t.Errorf("%s of a fixed workload: %v", c.Name, x)
		}
	}
	if want := []string{"line over run, pagoda", "line over run, hyperq"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// CTAs of child kernels count, and so do CTAs launched within a kernel. CTAs of the host's kernels do not.
func TestChildEnded(t *testing.T) {
	u := &unit{took: map[model.Time]float64{}}
	ended := u.childEnded(tracetest.FromText(t, "launch parent grid=1 block=32\nkernel k child grid=1 block=32\n"))
	ended(&model.CTARecord{Kernel: 0, Child: model.NoKernel, Dispatch: 5, End: 15})
	ended(&model.CTARecord{Kernel: 1, Child: model.NoKernel, Dispatch: 5, End: 25})
	ended(&model.CTARecord{Kernel: 0, Child: 1, Dispatch: 5, End: 35})
	if len(u.took) != 2 || u.took[20] != 1 || u.took[30] != 1 {
		t.Errorf("times of children's CTAs: %v, want one of 20 and one of 30", u.took)
	}
}

// A paper is found by its name, and the error for another name lists all.
func TestGet(t *testing.T) {
	for _, p := range Papers() {
		if got, err := Get(p.Name); err != nil || got != p {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if _, err := Get("ppsc"); err == nil || !strings.Contains(err.Error(), `no paper "ppsc"`) ||
		!strings.Contains(err.Error(), "ppcs, spawn") {
		t.Errorf("an unknown name: %v", err)
	}
}

// An experiment without a row in the small set has no table there.
func TestSmallSetHasNoEmptyTable(t *testing.T) {
	p, err := Get("ppcs")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := newPlan(p, &Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range plan.tables {
		if len(x.rows) == 0 {
			t.Errorf("%s has no row", x.Name)
		}
	}
	if len(plan.tables) == 0 || len(plan.tables) >= len(p.Experiments) {
		t.Errorf("%d tables of %d experiments", len(plan.tables), len(p.Experiments))
	}
}

// The small set of no paper needs a real input.
func TestSmallSetNeedsNoFile(t *testing.T) {
	for _, p := range Papers() {
		plan, err := newPlan(p, &Options{Quick: true, Data: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if len(plan.missing) > 0 {
			t.Errorf("%s: not at hand: %q", p.Name, plan.missing)
		}
	}
}

// A chart is as high as its bars: 14 pixels and 4 between rows, 14 more for a published figure.
func TestChartHeight(t *testing.T) {
	table := &Table{Name: "p/e", Points: []Point{{Row: "A", Column: "x", Here: 2, Paper: 3},
		{Row: "B", Column: "x", Here: 1, Paper: none}}}
	var b strings.Builder
	if err := (&Figure{}).WriteSVG(&b, table); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("height=\"%d\" font-family", headRoom+2*18+14+8); !strings.Contains(b.String(), want) {
		t.Errorf("no %s in\n%s", want, b.String())
	}
}
