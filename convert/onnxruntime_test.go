package convert

import (
	"fmt"
	"strings"
	"testing"

	"gpureplay/trace"
)

// onnxSample is a profile of n launches, as ONNX Runtime writes it: without correlation ids, its extents as text.
func onnxSample(n int) string {
	var b strings.Builder
	b.WriteString(`[{"cat":"Session","pid":9,"tid":9,"dur":900,"ts":1,"ph":"X","name":"model_loading","args":{}}`)
	for i := range n {
		fmt.Fprintf(&b, `,{"cat":"Api","pid":9,"tid":9,"dur":5,"ts":%d,"ph":"X","name":"cudaLaunchKernel","args":{}}`,
			1000+100*i)
		fmt.Fprintf(&b, `,{"cat":"Kernel","pid":-1,"tid":-1,"dur":50,"ts":%d,"ph":"X","name":"conv","args":{"stream":"7",`+
			`"block_x":"128","block_y":"1","block_z":"1","grid_x":"64","grid_y":"2","grid_z":"1"}}`, 1010+100*i)
	}
	b.WriteString("]")
	return b.String()
}

// Launches of an ONNX Runtime profile have their grids, and the calls are theirs by their order.
func TestONNXRuntime(t *testing.T) {
	r := convertText(t, "onnxruntime", onnxSample(5))
	if len(r.kernels) != 5 || r.kernels[0].Grid != (trace.Dim3{64, 2, 1}) ||
		r.kernels[0].Block != (trace.Dim3{128, 1, 1}) {
		t.Errorf("%d kernels, the first %+v", len(r.kernels), r.kernels[0])
	}
	if r.diag("paired_by_order") != 5 || r.diag("bad_value") != 0 || r.diag("call_without_activity") != 0 {
		t.Errorf("%v", r.diags)
	}
}
