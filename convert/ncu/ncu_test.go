package ncu_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
	"gpureplay/trace"
)

func TestNcu(t *testing.T) {
	for name, text := range map[string]string{"details": converttest.NcuDetails, "raw": converttest.NcuRaw} {
		in, err := convert.Open("-", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if f, err := convert.Detect(in); err != nil || f.Name != "ncu" {
			t.Errorf("%s: %s, %v", name, f.Name, err)
		}
		r := converttest.Text(t, "ncu", text)
		r.Check(t)
		var got []string
		for i := range r.Kernels {
			k := &r.Kernels[i]
			got = append(got, fmt.Sprint(r.Functions[k.Function].Name, k.Grid, k.Block, k.Registers, k.SharedBytes, k.Stream,
				*k.Recorded,
				k.Flags&trace.KernelCollective != 0))
		}
		want := `[void f<int>(int*, "x")9x32 256x2 40 33280 7 {-1 -1 20000} false ncclKernel_AllReduce(int)1 32 0 0 13 ` +
			`{-1 -1 1205000} true]`
		if fmt.Sprint(got) != want {
			t.Errorf("%s: got\n%v\nwant\n%v", name, got, want)
		}
		gpu := trace.Machine{SMVersion: 86, SMs: 28, ClockHz: 1500e6} // 30,000 cycles in 20 us
		if name == "raw" {
			gpu.Name = "RTX 3060"
		}
		if m := r.Meta.Machine(); m != gpu || r.Meta.Fidelity != trace.FidelityKernel || r.Count(trace.OpLaunch) != 2 {
			t.Errorf("%s: %+v, %+v", name, m, r.Meta)
		}
		odd := map[string]uint64{"details": 1, "raw": 0}[name]
		if r.Diag("metric_left_out") != 1 || r.Diag("bad_value") != 0 || r.Diag("odd_line") != odd {
			t.Errorf("%s: %+v", name, r.Diags)
		}
	}
}

func TestNcuMalformed(t *testing.T) {
	row := func(metric, unit, value string) string {
		return converttest.NcuHead + `"Section Name","Metric Name","Metric Unit","Metric Value"` + "\n" +
			`"0","9","p","h","k","1","7","(256, 1, 1)","(9, 1, 1)","0","8.6","S","` + metric + `","` + unit + `","` + value +
			`"` + "\n"
	}
	for name, c := range map[string]struct{ text, err, diag string }{
		"another locale": {text: row("dram", "byte", "1.5") +
			`"0","9","p","h","k","1","7","(256, 1, 1)","(9, 1, 1)","0","8.6","S","Elapsed Cycles","cycle","27.595.520"`,
			diag: "bad_value"},
		"unit":      {text: row("Duration", "weeks", "2"), diag: "bad_value"},
		"registers": {text: row("Registers Per Thread", "", "many"), diag: "bad_value"},
		"block": {text: strings.Replace(row("Duration", "us", "1"), "(256, 1, 1)", "(256, 1)", 1),
			diag: "kernel_without_grid"},
		"no duration": {text: row("Registers Per Thread", "", "8"), diag: "kernel_without_duration"},
		"no header":   {text: "a,b\n", err: "there is no header"},
	} {
		r, err := converttest.TryText(t, "ncu", c.text)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case r.Diag(c.diag) == 0:
			t.Errorf("%s: no %s in %v", name, c.diag, r.Diags)
		}
	}
}

func TestNcuEmpty(t *testing.T) {
	in, err := convert.Open("-", strings.NewReader(converttest.NcuHead+`"Metric Name"`+"\n"))
	if err == nil {
		err = convert.Convert(t.Context(), in, "ncu", &converttest.Recording{}, convert.Options{Device: -1})
	}
	if !errors.Is(err, convert.ErrNoActivity) {
		t.Error(err)
	}
}

// Of several metrics with one meaning the first counts, also where the other is the larger or the smaller.
func TestNcuFirstOfSeveral(t *testing.T) {
	text := converttest.NcuHead + `"gpc__cycles_elapsed.max","sm__cycles_elapsed.avg","gpu__time_duration.sum",` +
		`"gpu__time_duration.max","launch__sm_count"` + "\n" +
		`"0","9","p","h","k","1","7","(32, 1, 1)","(1, 1, 1)","0","9.0","30,000","20,000","20,000","25,000","28"` + "\n"
	r := converttest.Text(t, "ncu", text)
	if got := r.Kernels[0].Recorded.DurationNs; got != 20000 {
		t.Errorf("%d ns, want the first, 20000", got)
	}
	if got := r.Meta.Machine().ClockHz; got != 1500e6 { // 30,000 cycles in 20 us
		t.Errorf("a clock of %v Hz, want that of the first of both, 1.5e9", got)
	}
}

// Without the columns of grid and block, launches have the extents of their metrics, or else the products. An amount
// may be 0; a stream that is no number is counted.
func TestNcuOlderVersions(t *testing.T) {
	const head = `"ID","Process ID","Process Name","Kernel Name","Stream","gpu__time_duration.sum",` +
		`"launch__shared_mem_per_block_static"`
	for metrics, want := range map[string]struct {
		values string
		block  trace.Dim3
	}{
		`"launch__block_size","launch__grid_size"`:                       {`"256","9"`, trace.Dim3{256, 1, 1}},
		`"launch__block_dim_x","launch__block_size","launch__grid_size"`: {`"32","256","9"`, trace.Dim3{32, 0, 0}},
	} {
		text := head + "," + metrics + "\n" + `"0","9","p","k","7","1,000","0",` + want.values + "\n"
		r := converttest.Text(t, "ncu", text)
		sized := want.block[1] > 0
		if k := r.Kernels[0]; sized && (k.Block != want.block || k.Grid != trace.Dim3{9, 1, 1}) ||
			(r.Diag("kernel_without_grid") == 0) != sized {
			t.Errorf("%s: grid %v, block %v, %+v", metrics, k.Grid, k.Block, r.Diags)
		}
		if r.Diag("bad_value") != 0 {
			t.Errorf("%s: %+v", metrics, r.Diags)
		}
		if r = converttest.Text(t, "ncu", strings.Replace(text, `"7"`, `"x"`, 1)); r.Diag("bad_value") != 1 {
			t.Errorf("%s, a stream x: %+v", metrics, r.Diags)
		}
	}
}

// The device with the most launches is converted, or the one requested.
func TestNcuDevices(t *testing.T) {
	text := converttest.NcuHead + `"gpu__time_duration.sum"` + "\n"
	for i, device := range []string{"1", "0", "1"} {
		text += fmt.Sprintf(`"%d","9","p","h","k","1","7","(32, 1, 1)","(1, 1, 1)","%s","9.0","5"`+"\n", i, device)
	}
	if r := converttest.Text(t, "ncu", text); len(r.Kernels) != 2 || r.Kernels[0].Device != 1 ||
		r.Diag("other_device") != 1 {
		t.Errorf("%+v %+v", r.Kernels, r.Diags)
	}
}

func FuzzNcu(f *testing.F) {
	f.Add(converttest.NcuDetails)
	f.Add(converttest.NcuRaw)
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := converttest.TryText(t, "ncu", text); err == nil {
			r.Check(t)
		}
	})
}
