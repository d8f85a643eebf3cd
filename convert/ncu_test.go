package convert

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gpureplay/trace"
)

const ncuHead = `"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid ` +
	`Size","Device","CC",`

// Two launches of the page of details, as printed: lines of the program and the tool before and between, a rule
// without a metric, a metric without a place in traces, sizes in Kbyte.
const ncuDetails = `wrote 7 rows to somewhere
==PROF== Connected to process 371693 (/opt/gemm)
` + ncuHead + `"Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description"
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","GPU Speed Of Light ` +
	`Throughput","SM Frequency","hz","1,410,000,000.50","","",""
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","GPU Speed Of Light ` +
	`Throughput","Elapsed Cycles","cycle","30,000","","",""
==PROF== Profiling "g" - 1: 0%....50%....100% - 9 passes
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","GPU Speed Of Light ` +
	`Throughput","Duration","us","20.00","","",""
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","SpeedOfLight","","","",` +
	`"SOLBottleneck","OPT","Memory is more heavily utilized, than Compute"
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","Launch Statistics",` +
	`"Registers Per Thread","register/thread","40"
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","Launch Statistics",` +
	`"Static Shared Memory Per Block","byte/block","512"
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","Launch Statistics",` +
	`"Dynamic Shared Memory Per Block","Kbyte/block","32.77"
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","Launch Statistics","# ` +
	`SMs","SM","28"
loss 0.25, step 3
"1","9","gemm","h","ncclKernel_AllReduce(int)","1","13","(32, 1, 1)","(1, 1, 1)","0","8.6","GPU Speed Of Light ` +
	`Throughput","Duration","ms","1.205"
"1","9","gemm","h","ncclKernel_AllReduce(int)","1","13","(32, 1, 1)","(1, 1, 1)","0","8.6","GPU Speed Of Light ` +
	`Throughput","Elapsed Cycles","cycle","n/a"
`

// The same launches of the raw page, units in a row of their own.
const ncuRaw = ncuHead + `"device__attribute_display_name","gpc__cycles_elapsed.max","gpu__time_duration.sum",` +
	`"launch__registers_per_thread","launch__shared_mem_per_block_dynamic","launch__shared_mem_per_block_static",` +
	`"launch__sm_count","dram__bytes.sum"
"","","","","","","","","","","","","cycle","ns","register/thread","byte/block","byte/block","SM","byte"
"0","9","gemm","h","void f<int>(int*, ""x"")","1","7","(256, 2, 1)","(9, 32, 1)","0","8.6","RTX 3060","30,000","20,` +
	`000","40","32,768","512","28","10,240,000"
"1","9","gemm","h","ncclKernel_AllReduce(int)","1","13","(32, 1, 1)","(1, 1, 1)","0","8.6","RTX 3060","","1,205,` +
	`000","","","","28",""
`

func TestNcu(t *testing.T) {
	for name, text := range map[string]string{"details": ncuDetails, "raw": ncuRaw} {
		in, err := Open("-", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if f, err := Detect(in); err != nil || f.Name != "ncu" {
			t.Errorf("%s: %s, %v", name, f.Name, err)
		}
		r := convertText(t, "ncu", text)
		r.check(t)
		var got []string
		for i := range r.kernels {
			k := &r.kernels[i]
			got = append(got, fmt.Sprint(r.functions[k.Function].Name, k.Grid, k.Block, k.Registers, k.SharedBytes, k.Stream,
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
		if m := r.meta.Machine(); m != gpu || r.meta.Fidelity != trace.FidelityKernel || r.count(trace.OpLaunch) != 2 {
			t.Errorf("%s: %+v, %+v", name, m, r.meta)
		}
		odd := map[string]uint64{"details": 1, "raw": 0}[name]
		if r.diag("metric_left_out") != 1 || r.diag("bad_value") != 0 || r.diag("odd_line") != odd {
			t.Errorf("%s: %+v", name, r.diags)
		}
	}
}

func TestNcuMalformed(t *testing.T) {
	row := func(metric, unit, value string) string {
		return ncuHead + `"Section Name","Metric Name","Metric Unit","Metric Value"` + "\n" +
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
		r, err := tryText(t, "ncu", c.text)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case r.diag(c.diag) == 0:
			t.Errorf("%s: no %s in %v", name, c.diag, r.diags)
		}
	}
}

func TestNcuEmpty(t *testing.T) {
	in, err := Open("-", strings.NewReader(ncuHead+`"Metric Name"`+"\n"))
	if err == nil {
		err = Convert(t.Context(), in, "ncu", &recording{}, Options{Device: -1})
	}
	if !errors.Is(err, ErrNoActivity) {
		t.Error(err)
	}
}

// The device with the most launches is converted, or the one requested.
func TestNcuDevices(t *testing.T) {
	text := ncuHead + `"gpu__time_duration.sum"` + "\n"
	for i, device := range []string{"1", "0", "1"} {
		text += fmt.Sprintf(`"%d","9","p","h","k","1","7","(32, 1, 1)","(1, 1, 1)","%s","9.0","5"`+"\n", i, device)
	}
	if r := convertText(t, "ncu", text); len(r.kernels) != 2 || r.kernels[0].Device != 1 || r.diag("other_device") != 1 {
		t.Errorf("%+v %+v", r.kernels, r.diags)
	}
}

func FuzzNcu(f *testing.F) {
	f.Add(ncuDetails)
	f.Add(ncuRaw)
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := tryText(t, "ncu", text); err == nil {
			r.check(t)
		}
	})
}
