package convert

import (
	"fmt"
	"strings"
	"testing"
)

// The timeline of rocprof as its script writes it: labels of processes, rows with
// their columns as texts, calls of the host, and arrows between them.
const rocprofV1JSON = `{ "traceEvents":[{}
,{"args":{"name":"0 CPU HIP API"},"ph":"M","pid":2,"name":"process_name"}
,{"args":{"name":"1 COPY"},"ph":"M","pid":1,"name":"process_name"}
,{"args":{"name":"2 GPU0"},"ph":"M","pid":6,"name":"process_name"}
,{"ts":"0","dur":"10","ph":"X","name":"hipLaunchKernel","pid":2,"tid":77,"args":{"BeginNs":"1000","EndNs":"11000",` +
	`"pid":"5","tid":"77","Name":"hipLaunchKernel","Index":"1"}}
,{"ts":"20","dur":"5","ph":"X","name":"void scale(float*) [clone .kd]","pid":6,"tid":2,"args":{
      "BeginNs":"21000",
      "EndNs":"26500",
      "dev-id":"0",
      "queue-id":"2",
      "Name":"scale"
    }
  }
,{"ts":"40","dur":"5","ph":"X","name":"sum","pid":6,"tid":2,"args":{"Index":"1","gpu-id":"0","queue-id":"2",` +
	`"grd":"1000","wgr":"64","lds":"512","scr":"0","arch_vgpr":"24","accum_vgpr":"8","BeginNs":"40000","EndNs":"41000"}}
,{"ts":"30","dur":"5","ph":"X","name":"CopyHostToDevice","pid":1,"tid":0,"args":{"BeginNs":"30000","EndNs":"35000",` +
	`"dev-id":"0","queue-id":"0","Name":"CopyHostToDevice"}}
,{"ts":1,"ph":"s","cat":"DataFlow","id":1,"pid":2,"tid":77,"name":"dep"}
],
"otherData": { "VERSION": "1" } }
`

func TestRocprofV1JSON(t *testing.T) {
	in, err := Open("-", strings.NewReader(rocprofV1JSON))
	if err != nil {
		t.Fatal(err)
	}
	if f, err := Detect(in); err != nil || f.Name != "rocprof" {
		t.Errorf("%s, %v", f.Name, err)
	}
	r := convertText(t, "rocprof", rocprofV1JSON)
	r.check(t)
	var got []string
	for _, op := range r.ops {
		got = append(got, fmt.Sprint(opNames[op.Kind], op.Stream, *op.Recorded))
	}
	want := "[launch2{-1 0 5500} copy_h2d0{-1 9000 5000} launch2{-1 19000 1000}]"
	if strings.ReplaceAll(fmt.Sprint(got), " {", "{") != want && fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if k := &r.kernels[1]; k.Grid.Count() != 16 || k.Block.Count() != 64 || k.Registers != 32 || k.SharedBytes != 512 {
		t.Errorf("%+v", k)
	}
	if name := r.functions[r.kernels[0].Function].Name; name != "void scale(float*)" ||
		r.diag("kernel_without_grid") != 1 {
		t.Errorf("%q, %v", name, r.diags)
	}
	if _, err := tryText(t, "rocprof", rocprofV1JSON[:900]); err == nil ||
		!strings.Contains(err.Error(), "the input ends inside a value") {
		t.Errorf("cut short: %v", err)
	}
}

func FuzzRocprofV1JSON(f *testing.F) {
	f.Add(rocprofV1JSON)
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := tryText(t, "rocprof", text); err == nil {
			r.check(t)
		}
	})
}
