package report

import (
	"context"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/replay/table"
	"gpureplay/trace"
)

// full writes a run of 100 cycles of 2 ns with a row of every kind that sections are
// made of. A kernel known by its duration alone has CTAs without stalls.
func full(t *testing.T, dir, policy string, fidelity trace.Fidelity) {
	t.Helper()
	s, err := table.Open(table.Options{Dir: dir, Trace: "t", Policy: policy, GPU: "g", ClockMHz: 500})
	if err != nil {
		t.Fatal(err)
	}
	run := &table.Run{Fidelity: fidelity, Summary: model.Summary{Cycles: 100, Kernels: 3}}
	run.LaunchesRequested, run.LaunchesMade, run.LaunchesInlined, run.LaunchesCoalesced = 10, 6, 4, 3
	s.Run(run)
	config := hardware.Config{} // 2 channels of 8 B, twice a cycle at 3125 MHz, are 100 GB/s
	config.DRAM.Channels, config.DRAM.BusBytes, config.DRAM.DataRate, config.Clock.DRAMMHz = 2, 8, 2, 3125
	s.Machine(&table.Machine{Config: &config})
	o := s.Observer()
	kernel := func(id uint32, from, to model.Time) {
		o.Kernel(&model.KernelRecord{ID: id, Function: "void k<int>(int)", Parent: model.NoKernel, CTAs: 4, Arrive: from,
			Dispatch: from,
			FirstCTA: from, End: to})
	}
	kernel(0, 10, 50)
	kernel(1, 30, 100)
	kernel(2, 99, 100)
	for _, wait := range []model.Time{10, 20, 300} {
		o.Launch(&model.LaunchRecord{Parent: 0, Child: 9, Time: 5, Decision: model.DeviceKernel, Arrive: 6, FirstCTA: 5 +
			wait})
	}
	page := func(at model.Time, from, to uint32, ready bool) {
		o.Page(&model.PageRecord{Time: at, Page: 1, From: from, To: to, Ready: ready})
	}
	page(20, 0, 0, true)
	page(60, 0, 0, true)
	page(70, 0, 1, true)
	o.Task(&model.TaskRecord{Kernel: 0, Spawn: 10, Back: 30})
	o.Task(&model.TaskRecord{Kernel: 1, Spawn: 10, Back: 60})
	o.Sample(&model.SampleRecord{Start: 0, End: 40, ActiveWarps: 8, ParentCTAs: 2, WarpInsts: 80, L2Sectors: 10,
		DRAMReads: 5,
		Kernels:   []uint32{0, 1}, CTAsFinished: []uint32{3, 1}})
	o.Sample(&model.SampleRecord{Start: 40, End: 100, ActiveWarps: 4, ParentCTAs: 1, WarpInsts: 60, L2Sectors: 30,
		DRAMWrites: 15,
		Kernels:    []uint32{1}, CTAsFinished: []uint32{4}})
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
}

// figuresOf returns the plots of a page by their titles up to the colon.
func figuresOf(t *testing.T, dir string) map[string]*figure {
	t.Helper()
	p, _, err := build(context.Background(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*figure{}
	for i := range p.Sections {
		for j := range p.Sections[i].Figures {
			f := &p.Sections[i].Figures[j]
			title, _, _ := strings.Cut(f.Title, ":")
			all[title] = f
		}
	}
	return all
}

// A page has a section for each table, with figures worked out by hand.
func TestSections(t *testing.T) {
	dir := t.TempDir()
	full(t, dir, "a", trace.FidelityWarp)
	all := figuresOf(t, dir)
	for title, want := range map[string]string{
		// Of 10 launches 4 inlined, 3 kernels, 3 groups.
		"Outcome of child launches": "policy launches work of the parent % kernel of its own % group of a kernel " +
			"%|a 10 40.0 30.0 30.0",
		"Waiting of child launches": "policy number mean cycles median cycles 95th pct. cycles 99th pct. cycles " +
			"longest cycles|a 3 110 20 300 300 300",
		"Latency of tasks": "policy number mean µs median µs 95th pct. µs 99th pct. µs longest µs|a 2 0.07 " +
			"0.04 0.1 0.1 0.1",
		"Progress of kernels": "policy kernel CTAs first CTA, cycles end, cycles|a k #0 4 10 50|a k #1 4 30 " +
			"100|a k #2 4 99 100",
	} {
		f := all[title]
		if f == nil {
			t.Errorf("no plot %q", title)
			continue
		}
		got := strings.Join(f.Table.Header, " ")
		for _, row := range f.Table.Rows {
			got += "|" + strings.Join(row, " ")
		}
		if got != want {
			t.Errorf("%s:\n%s, want\n%s", title, got, want)
		}
	}
	// 160 bytes in 40 cycles of 2 ns are 2 GB/s, 480 in 60 are 4; the L2 has 320 and 960.
	for title, want := range map[string][2]string{"DRAM traffic over time": {"2", "4"}, "L2 traffic over time": {"4", "8"},
		"Resident CTAs over time": {"2", "1"}, "Instructions over time": {"2", "1"}} {
		if rows := all[title].Table.Rows; rows[0][1] != want[0] || rows[9][1] != want[1] {
			t.Errorf("%s: %v", title, rows)
		}
	}
	if !strings.Contains(all["DRAM traffic over time"].Note, "100 GB/s at most") {
		t.Errorf("the peak is not said: %s", all["DRAM traffic over time"].Note)
	}
	if rows := all["Pages on the device over time"].Table.Rows; rows[1][1] != "0" || rows[2][1] != "1" ||
		rows[9][1] != "2" {
		t.Errorf("pages %v", rows)
	}
	if rows := all["Pages handed on over time"].Table.Rows; rows[6][1] != "0" || rows[7][1] != "1" {
		t.Errorf("handed over %v", rows)
	}
	// Kernel 1 begins at 30, has finished 1 of 4 at 40, and ends at 100.
	want := []point{{30, 0}, {40, 25}, {100, 100}}
	if got := all["Progress of kernels"].Line.plot.Panels[0].Lines[1].Points; !slices.Equal(got, want) {
		t.Errorf("progress %v, want %v", got, want)
	}
	if all["What CTAs did"] != nil || all["Aggregated groups over time"] != nil {
		t.Error("a plot of what there is not")
	}
}

// Where all that is known of kernels is how long they took, the time is in ms: 100
// cycles of 2 ns are 0.0002.
func TestCapturesAreInMilliseconds(t *testing.T) {
	dir := t.TempDir()
	full(t, dir, "a", trace.FidelityKernel)
	all := figuresOf(t, dir)
	f := all["Resident warps over time"]
	if f.Table.Header[0] != "up to ms" || f.Table.Rows[9][0] != "0.0002" || f.Line.Panels[0].X != "ms" {
		t.Errorf("%v %v", f.Table.Header, f.Table.Rows[9])
	}
	if rows := all["Progress of kernels"].Table.Rows; rows[1][4] != "0.0002" {
		t.Errorf("%v", rows)
	}
}

// Figures that follow from inferred work are called estimates; CTAs without stalls are
// counted, and not shown as idle.
func TestInferredIsSaid(t *testing.T) {
	note := inferredNote([]*run{{kernels: 5}, {names: names{trace: "t"}, kernels: 5, inferred: 3}})
	if !strings.Contains(note, " 3 of 5 kernels of t have inferred work: ") {
		t.Error(note)
	}
	note = inferredNote([]*run{{names: names{trace: "t"}, kernels: 5, inferred: 3},
		{names: names{trace: "u"}, kernels: 4, inferred: 4}, {names: names{trace: "t"}, kernels: 5, inferred: 3}})
	if !strings.Contains(note, " 7 of 9 kernels of 2 traces have inferred work: ") {
		t.Error(note)
	}
	g := &group{
		trace: "t", gpu: "g", policies: []string{"a"},
		runs: []*run{{names: names{policy: "a"}, known: 1, unknown: 3, stalls: [len(stallReasons)]float64{40, 60}}},
	}
	f, ok := g.stalls()
	if !ok || !strings.Contains(f.Note, "Without 3 of 4 CTAs") || f.Table.Rows[0][1] != "40.0" {
		t.Errorf("%v, %q, %v", ok, f.Note, f.Table.Rows)
	}
	if g.runs[0] = (&run{names: names{policy: "a"}, unknown: 3}); true {
		if _, ok := g.stalls(); ok {
			t.Error("a plot of stalls that nothing is known of")
		}
	}
}

// Up to six curves share a plot; more have a panel each, with the baseline beside them.
func TestSmallMultiples(t *testing.T) {
	draw := func(n int) *chart {
		p := &linePlot{X: "x", Y: "y"}
		for i := range n {
			p.Lines = append(p.Lines, curve{Name: string(rune('a' + i)), Points: []point{{0, 1}, {10, float64(i)}}})
		}
		return p.draw()
	}
	if c := draw(6); len(c.Panels) != 1 || len(c.Panels[0].Curves) != 6 || len(c.Key) != 6 {
		t.Errorf("6 curves: %d panels", len(c.Panels))
	}
	c := draw(7)
	if len(c.Panels) != 7 || len(c.Panels[0].Curves) != 1 || len(c.Panels[6].Curves) != 2 || c.Panels[6].Title != "g" ||
		c.Panels[6].Curves[0].Name != "a" || len(c.Key) != 2 {
		t.Errorf("7 curves: %+v", c)
	}
	if c.Panels[1].YTicks[0] != c.Panels[6].YTicks[0] || c.Panels[6].AtX != "0.0" || c.Panels[4].AtX != "0.0" ||
		c.Panels[5].AtY != c.Panels[4].AtY {
		t.Errorf("panels have axes of their own, or lie elsewhere: %+v", c.Panels)
	}
}

// Percentiles are exact below 256, and within 0.4 % above.
func TestSpread(t *testing.T) {
	var s spread
	for v := range int64(100_000) {
		s.add(v)
	}
	for _, q := range []float64{0.001, 0.002, 0.5, 0.95, 0.999} {
		want := q*100_000 - 1
		if got := s.quantile(q); got < want*0.996 || got > want*1.004 || want < 256 && got != want {
			t.Errorf("%v: %v, want %v", q, got, want)
		}
	}
	if s.quantile(1) != 99_999 || s.low != 0 || s.high != 99_999 || len(s.counts) > 2048 {
		t.Errorf("%v to %v in %d counters", s.low, s.high, len(s.counts))
	}
	if line := s.points(1); line[0] != (point{1, 0}) || line[len(line)-1].Y != 100 || len(line) > 210 {
		t.Errorf("a curve of %d points from %v to %v", len(line), line[0], line[len(line)-1])
	}
	for _, c := range []struct {
		low, high float64
		want      []float64
	}{{3, 40, []float64{2, 5, 10, 20, 50}}, {10, 10, []float64{10}}, {0.04, 0.1, []float64{0.02, 0.05, 0.1}}} {
		got := decades(c.low, c.high)
		if len(got) != len(c.want) || got[0] < c.want[0]*0.999 || got[0] > c.want[0]*1.001 {
			t.Errorf("%v to %v: %v, want %v", c.low, c.high, got, c.want)
		}
	}
}

// The same figure gives the same PDF.
func TestPDFIsDeterministic(t *testing.T) {
	dir := t.TempDir()
	full(t, dir, "a", trace.FidelityWarp)
	var first, second []string
	for _, all := range []*[]string{&first, &second} {
		_, err := Figures(context.Background(), dir, Options{}, func(_ string, data []byte) error {
			*all = append(*all, string(data))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(first, second) || len(first) < 30 {
		t.Errorf("%d files, some of which differ", len(first))
	}
}
