package report

import (
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/replay/table"
	"gpureplay/trace"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		top  float64
		n    int
		want []float64
	}{
		{1.5, 6, []float64{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5}},
		{100, 5, []float64{0, 20, 40, 60, 80, 100}},
		{4_578_350, 6, []float64{0, 1e6, 2e6, 3e6, 4e6, 5e6}},
		{0, 5, []float64{0, 1}},
		{math.NaN(), 5, []float64{0, 1}},
		{math.Inf(1), 5, []float64{0, 1}},
	} {
		got := ticks(c.top, c.n)
		if len(got) != len(c.want) {
			t.Errorf("up to %v: %v, want %v", c.top, got, c.want)
			continue
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-9*c.want[len(c.want)-1] {
				t.Errorf("up to %v: %v, want %v", c.top, got, c.want)
			}
		}
	}
}

func TestScale(t *testing.T) {
	linear, log := scale{10, 20, 100, 200, false}, scale{1, 64, 0, 60, true}
	for _, c := range []struct{ got, want float64 }{
		{linear.at(10), 100}, {linear.at(15), 150}, {linear.at(20), 200}, {log.at(1), 0}, {log.at(8), 30}, {log.at(64), 60},
		{scale{3, 3, 0, 10, false}.at(3), 5}, {scale{3, 3, 0, 10, true}.at(3), 5},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

func TestNumbersAsText(t *testing.T) {
	for got, want := range map[string]string{
		significant(1234567.8): "1,234,568", significant(123.4): "123", significant(12.34): "12.3",
		significant(1.234):   "1.23",
		significant(0.01234): "0.0123", significant(0): "0", tick(2500): "2500", tick(13500): "13.5 k", tick(4e6): "4 M",
		tick(0.25):    "0.25",
		duration(999): "999 ns", duration(1_500_000): "1.500 ms",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestGeometricMean(t *testing.T) {
	var m mean
	for _, x := range []float64{2, 8, 4, 0, math.NaN()} { // values that are no speed-up do not count
		m.add(x)
	}
	if math.Abs(m.value()-4) > 1e-12 || m.low != 2 || m.high != 8 || m.n != 3 {
		t.Errorf("%v of %+v, want 4 of 2 to 8", m.value(), m)
	}
}

// A window is spread over the parts that it covers.
func TestSeries(t *testing.T) {
	s := newSeries(10, 3)
	add := func(from, to, warps, insts float64) { s.add(from, to, &[len(sampled)]float64{warps, insts}) }
	add(0, 15, 4, 30)   // 2 instructions a cycle
	add(15, 25, 10, 10) // 1 a cycle
	add(25, 60, 7, 70)  // beyond the end
	add(20, 20, 9, 9)   // empty
	line, _ := s.means(func(i int) float64 { return s.of[0][i] })
	if want := []point{{5, 4}, {15, 7}, {25, 8.5}}; !slices.Equal(line, want) {
		t.Errorf("warps %v, want %v", line, want)
	}
	line, _ = s.means(func(i int) float64 { return s.of[1][i] })
	if want := []point{{5, 2}, {15, 1.5}, {25, 1.5}}; !slices.Equal(line, want) {
		t.Errorf("instructions %v, want %v", line, want)
	}
}

// write writes the tables of a run with two CTAs.
func write(t *testing.T, dir, policy, set string, cycles model.Time) {
	t.Helper()
	s, err := table.Open(table.Options{Dir: dir, Trace: "t", Policy: policy, GPU: "g", Set: set, ClockMHz: 1000})
	if err != nil {
		t.Fatal(err)
	}
	s.Run(&table.Run{Baselines: "a", Fidelity: trace.FidelityWarp, Summary: model.Summary{Cycles: cycles}})
	s.Observer().CTA(&model.CTARecord{Dispatch: 0, Start: 0, End: 60, Active: 30})
	cta := &model.CTARecord{Dispatch: 0, Start: 0, End: 40, Active: 10}
	cta.StallTimes[exec.StallMemory] = 20
	cta.StallTimes[exec.StallBarrier] = 40
	s.Observer().CTA(cta)
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
}

// Stalls are shares of all CTAs' cycles: 40 of 100 issuing, 20 memory, 40 barrier.
func TestStalls(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a", "", 100)
	s, err := open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.readStalls(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	f, ok := s.groups()[0].stalls()
	if !ok || !slices.Equal(f.Table.Header, []string{"policy", "issuing %", "memory %", "barrier %"}) ||
		!slices.Equal(f.Table.Rows[0], []string{"a", "40.0", "20.0", "40.0"}) {
		t.Errorf("%v %v", f.Table.Header, f.Table.Rows)
	}
}

// A page lists the parts that it leaves out.
func TestLimitsOfAPage(t *testing.T) {
	var x section
	for range maxPlots + 3 {
		x.add(figure{})
	}
	if len(x.Figures) != maxPlots || x.More != 3 {
		t.Errorf("%d plots and %d more", len(x.Figures), x.More)
	}
	s := &source{byKey: map[string]*run{}}
	for i := range maxRows + 7 {
		s.runs = append(s.runs, &run{names: names{trace: strconv.Itoa(i), gpu: "g", policy: "p"}})
	}
	if g := s.summary(s.groups()); len(g.Rows) != maxRows || g.More != 7 {
		t.Errorf("%d rows and %d more", len(g.Rows), g.More)
	}
}

// It ends with its context, and an error of the writer is one of the report.
func TestWriteStops(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a", "", 100)
	write(t, dir, "b", "", 50)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Write(ctx, io.Discard, dir, Options{}); err != context.Canceled {
		t.Errorf("after the end: %v", err)
	}
	r, w := io.Pipe()
	r.Close()
	if _, err := Write(context.Background(), w, dir, Options{}); err == nil ||
		!strings.Contains(err.Error(), "closed pipe") {
		t.Errorf("a writer that fails: %v", err)
	}
	if stats, err := Write(context.Background(), io.Discard, dir, Options{}); err != nil || stats != (Stats{2, 2}) {
		t.Errorf("%+v, %v", stats, err)
	}
	// Runs with settings beside runs without: another baseline at each setting.
	write(t, dir, "a", "launch=3,l1.carveouts=0,8", 30)
	write(t, dir, "b", "launch=3,l1.carveouts=0,8", 40)
	src, err := open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	g := src.groups()[0]
	if !slices.Equal(src.axes, []string{"launch", "l1.carveouts"}) ||
		!slices.Equal(g.runs[2].settings, []string{"3", "0,8"}) && !slices.Equal(g.runs[1].settings, []string{"3", "0,8"}) {
		t.Errorf("settings %v, %v", src.axes, g.runs[1].settings)
	}
	for _, r := range g.of("b") {
		if want := map[string]float64{table.Unset: 2, "3": 0.75}[r.settings[0]]; r.speedup != (number{want, true}) {
			t.Errorf("b at %v: %v, want %v", r.settings, r.speedup, want)
		}
	}
	if base := g.baseline("none"); base != "" {
		t.Errorf("the baseline %s, which did not run", base)
	}
	os.RemoveAll(filepath.Join(dir, "runs"))
	if _, err := Write(context.Background(), io.Discard, dir, Options{}); err == nil {
		t.Error("a report without the table runs")
	}
}

// Text has the contrast that readers need in both themes and on paper (WCAG 2: 4.5 for text, 3 for marks of plots).
func TestContrast(t *testing.T) {
	themes := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(pageCSS, -1)
	if len(themes) != 3 {
		t.Fatalf("%d themes, want light, dark and print", len(themes))
	}
	for i, theme := range themes {
		color := map[string]string{}
		for _, m := range regexp.MustCompile(`--(\w+): #(\w{6})`).FindAllStringSubmatch(theme[1], -1) {
			color[m[1]] = m[2]
		}
		if len(color) != 6+palette {
			t.Errorf("theme %d has %d colours", i, len(color))
		}
		for name, least := range map[string]float64{"text": 7, "soft": 4.5, "link": 4.5, "c0": 3, "c1": 3, "c2": 3,
			"c3": 3, "c4": 3, "c5": 3,
			"c6": 3, "c7": 3} {
			a, b := luminance(t, color[name]), luminance(t, color["back"])
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < least {
				t.Errorf("theme %d: %s has a contrast of %.1f, want %.1f", i, name, ratio, least)
			}
		}
	}
}

// luminance is the relative luminance of a colour, by WCAG 2.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
