package report

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/replay/table"
	"gpureplay/trace"
)

// runAt writes the table runs of one replay on the preset a100, with its configuration.
func runAt(t *testing.T, dir, policy, set string, cycles model.Time) {
	t.Helper()
	cfg, err := hardware.Preset("a100")
	if err != nil {
		t.Fatal(err)
	}
	s, err := table.Open(table.Options{Dir: dir, Trace: "t", Policy: policy, GPU: "a100", Set: set, ClockMHz: 1410,
		Tables:   []string{"runs"},
		Metadata: []table.KeyValue{{Key: "configuration", Value: cfg.TOML()}}})
	if err != nil {
		t.Fatal(err)
	}
	s.Run(&table.Run{Baselines: "serial", Fidelity: trace.FidelityWarp, Summary: model.Summary{Cycles: cycles}})
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
}

// comparison writes a comparison of four policies on a preset and a range of launch latencies under three of them, as
// `replay --policy=...` and `replay --sensitivity=launch` leave them in one folder. Cycles are a straight line over
// the latency.
func comparison(t *testing.T) (dir string, preset float64) {
	t.Helper()
	dir = t.TempDir()
	cfg, err := hardware.Preset("a100")
	if err != nil {
		t.Fatal(err)
	}
	latency := cfg.Host.LaunchLatency
	of := map[string]int{"serial": 100_000, "hyperq": 80_000, "ppcs": 60_000, "oracle": 50_000}
	for policy, cycles := range of {
		runAt(t, dir, policy, "", model.Time(cycles+10*latency))
		if policy == "oracle" {
			continue
		}
		for _, l := range []int{0, 1000, 2000, 3500, 10000, 13500, 20000, 35000} {
			runAt(t, dir, policy, fmt.Sprintf("launch=%d", l), model.Time(cycles+10*l))
		}
	}
	return dir, float64(latency)
}

// The axis of a setting has numbers, with the preset at its own: a straight line stays one.
func TestPresetStandsAtItsNumber(t *testing.T) {
	dir, preset := comparison(t)
	s, err := open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	figures := s.sensitivities(s.groups(), nil)
	if len(figures) != 2 || figures[0].Title != "Cycles over launch: t on a100" {
		t.Fatalf("%d plots, the first %q", len(figures), figures[0].Title)
	}
	seen := false
	for _, line := range figures[0].Line.plot.Lines {
		base := map[string]float64{"serial": 100_000, "hyperq": 80_000, "ppcs": 60_000, "oracle": 50_000}[line.Name]
		if len(line.Points) != 9 || line.Name == "oracle" {
			t.Errorf("%s has %d points, want 9, and one point is no curve", line.Name, len(line.Points))
		}
		for i, p := range line.Points {
			if math.Abs(p.Y-base-10*p.X) > 0.5 || i > 0 && p.X <= line.Points[i-1].X {
				t.Errorf("%s: %v is not on the line", line.Name, p)
			}
			seen = seen || p.X == preset
		}
	}
	if !seen {
		t.Errorf("no point at the preset's %v", preset)
	}
	var rows []string
	for _, r := range figures[0].Table.Rows {
		rows = append(rows, r[0])
	}
	word := decimalsOf(preset) + " (preset)"
	at := slices.Index(rows, word)
	if at < 1 || !slices.Equal(slices.Delete(slices.Clone(rows), at, at+1),
		[]string{"0", "1000", "2000", "3500", "10000", "13500", "20000", "35000"}) {
		t.Errorf("rows %q", rows)
	}
	summary := s.summary(s.groups())
	if summary.Rows[0][0] != "0" || summary.Rows[len(summary.Rows)-1][0] != "35000" ||
		!strings.HasPrefix(summary.Caption, "28 rows, trace t, GPU a100") {
		t.Errorf("the summary begins %q and ends %q", summary.Rows[0], summary.Rows[len(summary.Rows)-1])
	}
}

// A bar is a mean over the settings that all policies of its plot ran: here the preset alone, so that no policy
// passes the oracle by the settings that it alone ran.
func TestBarsCompareLikeWithLike(t *testing.T) {
	dir, preset := comparison(t)
	s, err := open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	figures := s.speedups(s.groups(), nil)
	if len(figures) != 1 {
		t.Fatalf("%d plots, want 1", len(figures))
	}
	f := figures[0]
	for _, r := range f.Table.Rows {
		cycles := map[string]float64{"serial": 100_000, "hyperq": 80_000, "ppcs": 60_000, "oracle": 50_000}[r[0]]
		if want := decimals((100_000+10*preset)/(cycles+10*preset), 3); r[1] != want {
			t.Errorf("%s: %s, want %s", r[0], r[1], want)
		}
	}
	if len(f.Table.Rows) != 4 || !strings.HasSuffix(f.Title, ", launch = preset") {
		t.Errorf("%q with %v", f.Title, f.Table.Rows)
	}
}

// Policies that never ran at the same settings have a plot each, and a mean is over the traces that all of its
// policies ran.
func TestAlike(t *testing.T) {
	at := func(policies ...string) (runs []*run) {
		for i, p := range policies {
			runs = append(runs, &run{names: names{policy: p}, speedup: number{float64(i + 1), true}})
		}
		return runs
	}
	var got []string
	for _, c := range alike([][]*run{at("a", "b"), at("a", "c"), at("b", "a"), at("a", "b", "d")}, faster) {
		got = append(got, fmt.Sprint(c.policies, len(c.settings)))
	}
	if want := []string{"[a b d] 1", "[a b] 2", "[a c] 1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A value that is no number of the machine has no place among numbers; words stand one behind the other.
func TestPlaces(t *testing.T) {
	a := axis{name: "depth", numeric: true}
	if got := a.places([]string{table.Unset, "4"}); got[0].ok || got[1] != (number{4, true}) {
		t.Errorf("%v", got)
	}
	b := axis{name: "warp"}
	if got := b.places([]string{"gto", "lrr"}); got[1] != (number{1, true}) {
		t.Errorf("%v", got)
	}
	if b.compare("lrr", table.Unset) < 0 || a.compare("10", "9") < 0 || a.compare("9", "9") != 0 {
		t.Error("the order of values")
	}
}
