package reproduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gpureplay/policies"
	"gpureplay/samples"
	_ "gpureplay/samples/all"
)

// A paper's declaration is whole: its names exist, every figure has its place in the paper, and no two entries
// share a name.
func TestPapersAreWhole(t *testing.T) {
	for _, p := range Papers() {
		if p.SecondsPerRun == 0 {
			t.Errorf("%s: its list has no times", p.Name)
		}
		for i := range p.Experiments {
			e := &p.Experiments[i]
			if e.Title == "" || e.Head == "" || len(e.Columns) == 0 || p.experiment(e.Name) != e {
				t.Errorf("%s/%s lacks a title, a head or columns, or its name is taken", p.Name, e.Name)
			}
			checkRows(t, p.Name+"/"+e.Name, e)
			for j := range e.Columns {
				c := &e.Columns[j]
				if e.column(c.Name) != c || c.Of == nil || (c.Published == nil) != (c.Where == "") {
					t.Errorf("%s/%s: column %q is there twice, has no figure, or a published one without its place", p.Name, e.Name,
						c.Name)
				}
				for row := range c.Published {
					if len(pick(e.Workloads, row)) != 1 {
						t.Errorf("%s/%s: published for %q, which is no row", p.Name, e.Name, row)
					}
				}
			}
		}
		for i := range p.Claims {
			checkClaim(t, p, &p.Claims[i])
		}
		for _, opt := range []Options{{}, {Quick: true}, {Large: true}} {
			plan, err := newPlan(p, &opt)
			if err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			if len(plan.units) == 0 {
				t.Errorf("%s: no runs", p.Name)
			}
			for _, e := range plan.tables {
				checkLabels(t, e)
			}
			for _, u := range plan.units { // all are audited but a decode step, for which memory is too small
				if u.audited == (u.from.sample == "llm-decode") {
					t.Errorf("%s: the run of %s is audited: %v", p.Name, u.name, u.audited)
				}
			}
		}
	}
}

// checkLabels checks that runs are known by the policies' names as the experiment
// writes them, whatever it sets for all.
func checkLabels(t *testing.T, e *planned) {
	t.Helper()
	choices, err := policies.Parse(e.Policies, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range choices {
		for _, r := range e.rows {
			if r.units[c.Label] == nil {
				t.Errorf("%s, %s: no run is known as %s", e.Name, r.workload.Name, c.Label)
			}
		}
	}
}

func checkRows(t *testing.T, name string, e *Experiment) {
	t.Helper()
	for i, w := range e.Workloads {
		g, err := samples.Get(w.Sample)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, v := range append([]Variant{{}}, e.Variants...) {
			if w.Fixed {
				v.Params = nil
			}
			for _, small := range [][]string{nil, w.Small} {
				if _, err := g.Parse(override(override(w.Params, small), v.Params)...); err != nil {
					t.Errorf("%s, %s: %v", name, w.Name, err)
				}
			}
		}
		if slices.ContainsFunc(e.Workloads[:i], func(o Workload) bool { return o.Name == w.Name }) {
			t.Errorf("%s: two rows %s", name, w.Name)
		}
	}
}

func checkClaim(t *testing.T, p *Paper, c *Claim) {
	t.Helper()
	if c.What == "" || c.Where == "" {
		t.Errorf("%s: a claim without words or place: %+v", p.Name, c)
	}
	if c.Of != nil {
		if v, err := c.Of(); err != nil || math.IsNaN(v) {
			t.Errorf("%s, %s: %v, %v", p.Name, c.What, v, err)
		}
		return
	}
	e := p.experiment(c.Experiment)
	if e == nil || e.column(c.Column) == nil {
		t.Fatalf("%s, %s: no experiment %q with a column %q", p.Name, c.What, c.Experiment, c.Column)
	}
	switch c.Row {
	case MeanRow:
		if e.Mean == NoMean {
			t.Errorf("%s, %s: %s has no mean", p.Name, c.What, e.Name)
		}
	case LeastRow, MostRow:
	default:
		if len(pick(e.Workloads, c.Row)) != 1 {
			t.Errorf("%s, %s: no row %s", p.Name, c.What, c.Row)
		}
	}
}

func TestReduce(t *testing.T) {
	for _, c := range []struct {
		values []float64
		row    string
		mean   Mean
		want   float64
		n      int
	}{
		{[]float64{2, 8}, MeanRow, Geometric, 4, 2},
		{[]float64{2, none, 8}, MeanRow, Geometric, 4, 2},
		{[]float64{2, 8}, MeanRow, Arithmetic, 5, 2},
		{[]float64{none, 3, 8, 2}, LeastRow, Geometric, 2, 3},
		{[]float64{none, 3, 8, 2}, MostRow, NoMean, 8, 3},
	} {
		if v, n := reduce(c.values, c.row, c.mean); math.Abs(v-c.want) > 1e-12 || n != c.n {
			t.Errorf("%s of %v is %v of %d, want %v of %d", c.row, c.values, v, n, c.want, c.n)
		}
	}
	if v, n := reduce([]float64{none}, MeanRow, Geometric); !math.IsNaN(v) || n != 0 {
		t.Errorf("a mean of nothing is %v of %d", v, n)
	}
}

func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		claim Claim
		ours  float64
		want  string
	}{
		{Claim{Published: 1.40}, 0.98, "-30.0 %"},
		{Claim{Published: 1.25}, 1.5, "+20.0 %"},
		{Claim{Published: 1.25}, 1.25, "none"},
		{Claim{Published: 98, Unit: "%"}, 99, "+1.0 points"},
		{Claim{Published: 98, Unit: "%"}, none, "-"},
		{Claim{Published: 50, Relation: Below, Unit: "%"}, 49.9, "holds"},
		{Claim{Published: 50, Relation: Below, Unit: "%"}, 50, "fails"},
		{Claim{Published: 1, Relation: Above}, 1.01, "holds"},
		{Claim{Published: 1, Relation: Above}, 1, "fails"},
		{Claim{Published: 1, Relation: Above}, none, "-"},
	} {
		if got := c.claim.verdict(c.ours).Text; got != c.want {
			t.Errorf("%v against %+v: %q, want %q", c.ours, c.claim, got, c.want)
		}
	}
}

// docs/results has a place for every table, filled by an experiment with these
// columns and rows.
func TestPoliciesShowsEveryTable(t *testing.T) {
	for _, p := range Papers() {
		src, err := os.ReadFile("../../docs/results/" + p.Name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Experiments {
			e := &p.Experiments[i]
			header := "| " + e.Head
			for _, c := range e.Columns {
				if header += " | " + c.Name; c.Published != nil {
					header += " | " + c.Name + ": " + c.Where + " | " + c.Name + ": difference"
				}
			}
			title, rows := e.Title+":\n", " | "
			if e.Counts != nil {
				title, rows = e.Title+" (*: its parents do not fill the GPU):\n", " "
			}
			want := []string{title, header + " |\n"}
			for _, w := range e.Workloads {
				want = append(want, "\n| "+w.Name+rows)
			}
			if e.Large { // or a line that says that it is still to be run
				want = nil
			}
			checkPlace(t, string(src), p.Name+"/"+e.Name, want)
		}
		want := []string{}
		for _, c := range p.Claims {
			want = append(want, "\n| "+c.What+" | "+c.Where+" | ")
		}
		checkPlace(t, string(src), p.Name+"/published", want)
	}
}

func checkPlace(t *testing.T, src, name string, want []string) {
	t.Helper()
	_, rest, ok := strings.Cut(src, "<!-- "+name+" -->\n")
	place, _, closed := strings.Cut(rest, "<!-- /"+name+" -->\n")
	if !ok || !closed {
		t.Errorf("docs/results has no place for %s", name)
		return
	}
	for _, w := range want {
		if !strings.Contains(place, w) {
			t.Errorf("docs/results, %s: no %q; make results writes it", name, w)
		}
	}
}

// Experiments that ask for the same run share it, and a trace is made once for
// all of its runs.
func TestRunsAreShared(t *testing.T) {
	plan, err := newPlan(spawn(), &Options{Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]*unit{}
	for _, e := range plan.tables {
		for _, r := range e.rows {
			for label, u := range r.units {
				key := fmt.Sprint(r.workload.Name, " ", label, " ", e.Set)
				if labels[key] != nil && labels[key] != u {
					t.Errorf("%s runs twice", key)
				}
				labels[key] = u
			}
		}
	}
	left := int64(0)
	for _, s := range plan.sources {
		left += s.left.Load()
	}
	if int(left) != len(plan.units) || len(labels) != len(plan.units) {
		t.Errorf("%d runs, %d of them named, traces wait for %d", len(plan.units), len(labels), left)
	}
}

// A flat program with code of its own is a trace of its own, in the order of streams;
// a variant may ask for the other.
func TestFlatProgramOfItsOwn(t *testing.T) {
	plan, err := newPlan(dtbl(), &Options{Only: []string{"flat"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range plan.tables[0].rows {
		for label, policy := range map[string]string{"flat": "hyperq", "flat@thread": "flat", "cdp": "cdp"} {
			u := r.units[label]
			if own := slices.Contains(u.from.params, "form=flat"); u.choice.Label != policy || own != (label == "flat") {
				t.Errorf("%s, %s: %s of %v", r.workload.Name, label, u.choice.Label, u.from.params)
			}
		}
	}
}

// A workload whose file is not there is left out and named once.
func TestMissingInput(t *testing.T) {
	plan, err := newPlan(dtbl(), &Options{Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"REGX-packets (packets-tcpdump/afs.pcap)", "SSSP-flight (graphs-openflights/routes.dat)"}
	if !slices.Equal(plan.missing, want) {
		t.Errorf("missing %q, want %q", plan.missing, want)
	}
}

// An interrupted call says so and leaves no trace behind.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	ctx, stop := context.WithCancel(context.Background())
	runs := 0
	_, err := Run(ctx, dtbl(), Options{Quick: true, Workers: 2, Done: func(done, total int, _ string) {
		runs = done
		stop()
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 || runs == 0 || runs > 3 {
		t.Errorf("after %d runs %d files are left", runs, len(left))
	}
}

func ExampleGet() {
	p, err := Get("pagoda")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range p.Claims {
		fmt.Printf("%s: %.2f (%s)\n", c.What, c.Published, c.Where)
	}
	// Output:
	// pagoda over pthreads, geometric mean, whole time of 32K tasks: 5.70 (abstract)
	// pagoda over hyperq, the same: 1.51 (abstract)
	// pagoda over gemtc, the same without tasks that synchronise: 1.69 (abstract)
	// pagoda over static fusion, irregular sizes without copies, the artifact's sides: 1.79 (section 6.3)
	// DCT with shared memory over hyperq: 1.35 (table 5)
	// DCT without shared memory over hyperq: 1.25 (table 5)
	// MM with shared memory over hyperq: 1.51 (table 5)
	// MM without shared memory over hyperq: 1.20 (table 5)
}

// Figures are of experiments and columns that there are.
func TestFigures(t *testing.T) {
	for _, p := range Papers() {
		for _, f := range p.Figures {
			e := p.experiment(f.Experiment)
			if e == nil {
				t.Errorf("%s, %s: no experiment %s", p.Name, f.Name, f.Experiment)
				continue
			}
			for _, c := range f.Columns {
				if e.column(c) == nil {
					t.Errorf("%s, %s: %s has no column %q", p.Name, f.Name, f.Experiment, c)
				}
			}
		}
	}
	table := Table{Name: "dtbl/speedup", Points: []Point{{Row: MeanRow, Column: "dtbl", Here: 2, Paper: none},
		{Row: "A", Column: "cdp", Here: none, Paper: none}}}
	table.publish(dtblClaims())
	some, without := (&Figure{Columns: []string{"dtbl", "cdp"}}).Of(&table)
	if len(some) != 1 || some[0].Paper != 1.21 || without != 1 {
		t.Errorf("%v and %d without, want the mean beside 1.21 and one without", some, without)
	}
}
