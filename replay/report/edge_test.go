package report

import (
	"context"
	"encoding/xml"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/replay/capture"
	"gpureplay/replay/table"
	"gpureplay/trace"
)

// Cells of a lane that are as busy as each other are one shape. Of 480 ns, 2 a cell: busy in the first quarter, half
// busy in each cell of the second one, idle in the rest.
func TestShadesOfALane(t *testing.T) {
	spans := []capture.Span{{From: 0, To: 120}}
	for from := int64(120); from < 240; from += 2 {
		spans = append(spans, capture.Span{From: from, To: from + 1})
	}
	l := (&lanePlot{end: 2 * laneCells, rows: []laneRow{{spans: spans}}}).draw()
	parts := l.Rows[0].Parts
	if len(parts) != 2 || parts[0].Shade != "1.0" || parts[1].Shade != "0.6" { // 3 of 5 shades: half, rounded up
		t.Fatalf("%+v", parts)
	}
	if parts[0].W != parts[1].W || parts[0].X == parts[1].X || parts[0].X != px(labelWidth) {
		t.Errorf("%+v", parts)
	}
}

// An axis whose largest number is 32 times its smallest or more is logarithmic.
func TestLogarithmicAxis(t *testing.T) {
	for top, want := range map[string]bool{"31": false, "32": true, "64": true} {
		c := covered{values: []string{"1", top}}
		for _, v := range c.values {
			c.runs = append(c.runs, &run{names: names{policy: "p", settings: []string{v}}, cycles: 10})
		}
		f := figure{}
		g := &group{policies: []string{"p"}, runs: c.runs}
		g.over(&f, &axis{name: "n", numeric: true}, 0, c, "cycles",
			func(r *run) number { return number{float64(r.cycles), true} }, decimalsOf)
		if f.Line == nil || f.Line.plot.Log != want {
			t.Errorf("from 1 to %s: %+v", top, f.Line)
		}
	}
}

// A setting with a word among its values is not numeric, wherever the word stands.
func TestWordsAreNoAxis(t *testing.T) {
	for _, c := range []struct {
		values  string
		numeric bool
	}{{"1 2", true}, {"1 x", false}, {"x 1", false}, {"x", false}, {"1e3 inf", false}} {
		s := source{}
		for _, v := range strings.Fields(c.values) {
			s.runs = append(s.runs, &run{names: names{settings: []string{v}}})
		}
		if a := s.newAxis("n", 0); a.numeric != c.numeric {
			t.Errorf("%s: numeric %v", c.values, a.numeric)
		}
	}
}

// A tenth of the time without a window has no mean.
func TestTenthsWithoutWindows(t *testing.T) {
	s := newSeries(10, 3)
	s.add(0, 10, &[len(sampled)]float64{4})
	s.add(20, 30, &[len(sampled)]float64{8})
	line, column := s.means(func(i int) float64 { return s.of[0][i] })
	if want := []point{{5, 4}, {25, 8}}; !slices.Equal(line, want) {
		t.Errorf("%v, want %v", line, want)
	}
	var want []string // of 3 parts the first is in tenth 0, the second in 3, the third in 6
	for i := range tenths {
		want = append(want, map[int]string{0: "4", 6: "8"}[i])
		if want[i] == "" {
			want[i] = "–"
		}
	}
	if !slices.Equal(column, want) {
		t.Errorf("%q, want %q", column, want)
	}
}

// A mean over traces is over two at least. Where the policies differ, it is of the ones that two traces ran, and a
// plot of two traces is not given up for others.
func TestMeanOverTwoTraces(t *testing.T) {
	of := func(trace string, policies ...string) *group {
		g := &group{trace: trace, gpu: "g", policies: policies}
		for i, p := range policies {
			g.runs = append(g.runs, &run{names: names{trace: trace, gpu: "g", policy: p}, cycles: int64(800 / (i + 1))})
		}
		g.compare("a")
		return g
	}
	three, two := []string{"a", "b", "c"}, []string{"a", "b"}
	for _, c := range []struct {
		groups []*group
		rows   int // policies of the plot; 0: there is none
		runs   string
	}{
		{[]*group{of("x", three...), of("y", three...), of("z", two...), of("w", two...)}, 3, "2"},
		{[]*group{of("x", three...), of("z", two...), of("w", two...)}, 2, "2"},
		{[]*group{of("x", three...), of("z", two...)}, 0, ""},
	} {
		f, ok := overTraces(c.groups)
		if ok != (c.rows > 0) || ok && (len(f.Table.Rows) != c.rows || f.Table.Rows[1][4] != c.runs) {
			t.Errorf("%d groups: %v, %v", len(c.groups), ok, f.Table.Rows)
		}
	}
}

// A capture of one kernel has plots, and one without a kernel has none.
func TestCaptureOfOneKernel(t *testing.T) {
	for kernels, want := range []int{0, 4, 4} {
		dir := t.TempDir()
		s, err := table.Open(table.Options{Dir: dir, Trace: "t", Policy: "p", GPU: "g", ClockMHz: 1000})
		if err != nil {
			t.Fatal(err)
		}
		s.Run(&table.Run{RecordedNs: 100, Summary: model.Summary{Cycles: 100}})
		for id := range uint32(kernels) {
			at := &trace.Recorded{HostNs: 0, StartNs: 10, DurationNs: 5}
			s.Call(&table.Call{Op: &trace.HostOp{Kind: trace.OpLaunch, Kernel: id}, Recorded: at})
			s.Observer().Kernel(&model.KernelRecord{ID: id, Parent: model.NoKernel, FirstCTA: 10, End: 15, Recorded: at})
		}
		at := &trace.Recorded{HostNs: 0, StartNs: 30, DurationNs: 5}
		s.Call(&table.Call{Op: &trace.HostOp{Kind: trace.OpCopyH2D, Bytes: 4}, Recorded: at})
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
		src, err := open(context.Background(), dir)
		if err == nil {
			err = src.readStories(context.Background(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := src.captures(src.groups(), nil); len(got) != want {
			t.Errorf("%d kernels: %d plots, want %d", kernels, len(got), want)
		}
	}
}

// The first lines name two machines, and count the others.
func TestMachinesAreNamed(t *testing.T) {
	for _, c := range []struct {
		described int
		want      string
	}{{0, ""}, {1, " Machine: m0."}, {2, " Machine: m0; m1."}, {3, " Machine: m0; m1; and 1 more."}} {
		dir := t.TempDir()
		for i := range max(1, c.described) {
			cfg, err := hardware.Preset("a100")
			if err != nil {
				t.Fatal(err)
			}
			cfg.Description = ""
			if i < c.described {
				cfg.Description = "m" + string(rune('0'+i))
			}
			name := string(rune('a' + i))
			s, err := table.Open(table.Options{Dir: dir, Trace: name, Policy: "p", GPU: "g" + name,
				Set: "machine=" + name, ClockMHz: 1000, Tables: []string{"runs"},
				Metadata: []table.KeyValue{{Key: "configuration", Value: cfg.TOML()}}})
			if err != nil {
				t.Fatal(err)
			}
			s.Run(&table.Run{Summary: model.Summary{Cycles: 10}})
			if err := s.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		p, _, err := build(context.Background(), dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(p.Lead, " Machine: ")
		if _, want, _ := strings.Cut(c.want, " Machine: "); got != want || (c.want == "") ==
			strings.Contains(p.Lead, " Machine: ") {
			t.Errorf("%d machines: %q, want %q", c.described, p.Lead, c.want)
		}
	}
}

// Circles and rectangles of a plot are on the PDF's page, in curves and as rectangles. Those without a colour are not.
func TestAreasOfAPDF(t *testing.T) {
	for _, c := range []struct{ element, operator string }{
		{`<circle cx="50" cy="50" r="10"/>`, " c\n"}, {`<rect x="5" y="5" width="10" height="20"/>`, " re "},
	} {
		for fill, drawn := range map[string]bool{"#ff0000": true, "none": false} {
			d := &drawing{}
			for _, e := range []string{`<svg width="100" height="100" viewBox="0 0 100 100">`, c.element} {
				token, err := xml.NewDecoder(strings.NewReader(e)).Token()
				if err != nil {
					t.Fatal(err)
				}
				d.begin(token.(xml.StartElement), "t")
				d.open[0].style["fill"] = fill
			}
			d.SetCompression(false)
			d.end()
			d.end()
			var out strings.Builder
			if err := d.Output(&out); err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(out.String(), c.operator); (got > 0) != drawn {
				t.Errorf("%s, fill %s: %d of %q", c.element, fill, got, c.operator)
			}
		}
	}
}
