package reproduce

import (
	"math"
	"testing"

	"gpureplay/model"
	"gpureplay/replay"
)

// A sample shows the end of its cycles, so one that ends with a window is of it.
func TestOverTime(t *testing.T) {
	u := &unit{}
	for _, s := range []model.SampleRecord{
		{End: 1000, ParentCTAs: 2, ChildCTAs: 7}, {End: windowCycles, ParentCTAs: 4, ChildCTAs: 8},
		{End: windowCycles + 1000, ParentCTAs: 9},
	} {
		u.sampled(&s)
	}
	row := func(name string) *Row {
		return &Row{Workload: &Workload{Name: name}, times: map[string][]window{"spawn": u.times}}
	}
	parents := resident("spawn", func(w *window) float64 { return w.parents })
	children := resident("spawn", func(w *window) float64 { return w.children })
	if p, c := parents(row("0")), children(row("0")); p != 3 || c != 7.5 {
		t.Errorf("from 0: %v parents, %v children; want 3 and 7.5", p, c)
	}
	if p := parents(row("200")); p != 9 {
		t.Errorf("from 200: %v parents, want 9", p)
	}
	for _, beyond := range []*Row{row("400"), {Workload: &Workload{Name: "0"}}} {
		if p := parents(beyond); !math.IsNaN(p) {
			t.Errorf("behind the end, or of another policy: %v", p)
		}
	}
}

// The rows of a table over time are of the same runs, which are made once.
func TestOverTimeShares(t *testing.T) {
	plan, err := newPlan(spawn(), &Options{Only: []string{"bfs-time"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.units) != 3 || len(plan.tables[0].rows) != 13 {
		t.Errorf("%d runs for %d rows, want 3 for 13", len(plan.units), len(plan.tables[0].rows))
	}
	for _, u := range plan.units {
		if !u.timed {
			t.Errorf("%s: not over time", u.name)
		}
	}
}

func TestSeconds(t *testing.T) {
	result := func(s float64) *unit {
		r := &replay.Result{}
		r.Performance.WallSeconds = s
		return &unit{results: []*replay.Result{r}}
	}
	p := &planned{rows: []plannedRow{
		{workload: &Workload{Name: "A"}, units: map[string]*unit{"x": result(1), "y": result(0.5)}},
		{workload: &Workload{Name: "B"}, units: map[string]*unit{"x": {}}},
	}}
	if got, want := p.seconds(), "1.5 s of runs: A 1.5; B 0.0"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
