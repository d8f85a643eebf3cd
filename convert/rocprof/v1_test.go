package rocprof_test

import (
	"fmt"
	"strings"
	"testing"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
)

func TestRocprofV1JSON(t *testing.T) {
	in, err := convert.Open("-", strings.NewReader(converttest.RocprofV1JSON))
	if err != nil {
		t.Fatal(err)
	}
	if f, err := convert.Detect(in); err != nil || f.Name != "rocprof" {
		t.Errorf("%s, %v", f.Name, err)
	}
	r := converttest.Text(t, "rocprof", converttest.RocprofV1JSON)
	r.Check(t)
	var got []string
	for _, op := range r.Ops {
		got = append(got, fmt.Sprint(converttest.OpNames[op.Kind], op.Stream, *op.Recorded))
	}
	want := "[launch2{-1 0 5500} copy_h2d0{-1 9000 5000} launch2{-1 19000 1000}]"
	if strings.ReplaceAll(fmt.Sprint(got), " {", "{") != want && fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if k := &r.Kernels[1]; k.Grid.Count() != 16 || k.Block.Count() != 64 || k.Registers != 32 || k.SharedBytes != 512 {
		t.Errorf("%+v", k)
	}
	if name := r.Functions[r.Kernels[0].Function].Name; name != "void scale(float*)" ||
		r.Diag("kernel_without_grid") != 1 {
		t.Errorf("%q, %v", name, r.Diags)
	}
	if _, err := converttest.TryText(t, "rocprof", converttest.RocprofV1JSON[:900]); err == nil ||
		!strings.Contains(err.Error(), "the input ends inside a value") {
		t.Errorf("cut short: %v", err)
	}
}

func FuzzRocprofV1JSON(f *testing.F) {
	f.Add(converttest.RocprofV1JSON)
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := converttest.TryText(t, "rocprof", text); err == nil {
			r.Check(t)
		}
	})
}
