package analyse

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/replay/table"
)

// write makes a file under dir and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Four kernels, errors +10, -20, 0 and +50 per cent: mean 20, median (the upper
// of the middle two) 20, nine in ten 50; total 460 / 430.
func TestCorrelateFigures(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "csv/kernels/trace=a/gpu=k20c/set=preset/policy=serial/part-0.csv",
		"kernel,function,duration_cycles,duration_ns,recorded_duration_ns\n"+
			"0,f,110,11,100\n1,f,80,8,\n2,f,120,12,10\n3,g,150,15,10\n4,g,,,\n5,g,7,7,\n")
	measured := write(t, dir, "m.csv", "trace,kernel,cycles\na,0,100\na,1,100\na,2,120\na,3,100\nb,5,1\n")
	all, err := Correlate(dir, measured, 0)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	c := all[0]
	got := fmt.Sprintf("%d %d %.1f %.1f %.1f %.3f", c.Kernels, c.Unmeasured, c.MeanPct, c.MedianPct, c.P90Pct, c.TotalPct)
	if want := "4 1 20.0 20.0 50.0 9.524"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// predicted 110 80 120 150 (mean 115), measured 100 100 120 100 (mean 105):
	// 25 + 175 + 75 - 175 = 100 over the root of (25+1225+25+1225) (25+25+225+25)
	if want := 100 / math.Sqrt(2500*300); math.Abs(c.Pearson-want) > 1e-12 {
		t.Errorf("correlation %v, want %v", c.Pearson, want)
	}
	all, err = Correlate(dir, "", 1)
	if err != nil || all[0].Kernels != 3 || all[0].Rows[0].ErrorPct != 100*(12./100-1) {
		t.Errorf("recorded durations: %+v, %v", all, err)
	}
}

func TestCorrelateErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Correlate(dir, "", 0); err == nil || !strings.Contains(err.Error(), "no kernels table") {
		t.Errorf("an empty folder: %v", err)
	}
	write(t, dir, "csv/kernels/trace=a/gpu=k20c/set=preset/policy=serial/part-0.csv",
		"kernel,function,duration_cycles,duration_ns,recorded_duration_ns\n0,f,110,11,\n")
	for text, want := range map[string]string{
		"kernel,time\n0,1\n":           "no column cycles or ns",
		"id,cycles\n0,1\n":             "lacks the column kernel",
		"kernel,cycles\n0,0\n":         "row 0: cycles of kernel 0 is no number above 0",
		"kernel,cycles\n0,NaN\n":       "row 0: cycles of kernel 0 is no number above 0",
		"kernel,cycles\n0,1\n0,2\n":    "row 1: kernel 0 stands there twice",
		"kernel,cycles\n-1,1\n":        "row 0: kernel is no id",
		"kernel,cycles\n":              "has no rows",
		"kernel,cycles\n7,1\n":         "no kernel of",
		"kernel,trace,ns\n0,other,1\n": "no kernel of",
	} {
		if _, err := Correlate(dir, write(t, t.TempDir(), "m.csv", text), 0); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, add := range []float64{math.NaN(), math.Inf(1), -1e300} {
		if _, err := Correlate(dir, "", add); err == nil || !strings.Contains(err.Error(), "want a time") {
			t.Errorf("%v added: %v", add, err)
		}
	}
	if _, err := Correlate(dir, "", 0); err == nil || !strings.Contains(err.Error(), "recorded no durations") {
		t.Errorf("no durations: %v", err)
	}
}

// A kernel's bytes of DRAM are its reads and writes, if the table has both and the measurement has some.
func TestCorrelateBytes(t *testing.T) {
	column := func(name string) table.Column { return table.Column{Name: name, Type: table.Float64} }
	value := func(x float64) table.Values {
		return table.Values{Type: table.Float64, Null: []bool{false}, Floats: []float64{x}}
	}
	both := &table.Batch{Rows: 1, Columns: []table.Column{column("dram_read_bytes"), column("dram_write_bytes")},
		Values: []table.Values{value(300), value(20)}}
	reads := &table.Batch{Rows: 1, Columns: both.Columns[:1], Values: both.Values[:1]}
	writes := &table.Batch{Rows: 1, Columns: both.Columns[1:], Values: both.Values[1:]}
	for _, c := range []struct {
		b    *table.Batch
		was  float64
		want [2]float64
	}{
		{both, 400, [2]float64{320, 400}}, {both, 0, [2]float64{320, 0}}, {both, -1, [2]float64{-1, -1}},
		{reads, 400, [2]float64{-1, -1}}, {writes, 400, [2]float64{-1, -1}},
	} {
		x := Comparison{Bytes: -1, MeasuredBytes: -1}
		x.bytes(c.b, 0, c.was)
		if got := [2]float64{x.Bytes, x.MeasuredBytes}; got != c.want {
			t.Errorf("%d columns, measured %v: %v, want %v", len(c.b.Columns), c.was, got, c.want)
		}
	}
}
