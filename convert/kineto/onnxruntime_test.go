package kineto_test

import (
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/trace"
)

// Launches of an ONNX Runtime profile have their grids, and the calls are theirs by their order.
func TestONNXRuntime(t *testing.T) {
	r := converttest.Text(t, "onnxruntime", converttest.OnnxSample(5))
	if len(r.Kernels) != 5 || r.Kernels[0].Grid != (trace.Dim3{64, 2, 1}) ||
		r.Kernels[0].Block != (trace.Dim3{128, 1, 1}) {
		t.Errorf("%d kernels, the first %+v", len(r.Kernels), r.Kernels[0])
	}
	if r.Diag("paired_by_order") != 5 || r.Diag("bad_value") != 0 || r.Diag("call_without_activity") != 0 {
		t.Errorf("%v", r.Diags)
	}
}
