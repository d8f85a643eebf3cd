package kineto_test

import (
	"fmt"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// edgesOf lists the operations of a capture with their graphs, and programmatic launches with a star.
func edgesOf(r *converttest.Recording) string {
	var list []string
	for _, op := range r.Ops {
		if op.Recorded == nil {
			continue
		}
		mark := ""
		if op.Kind == trace.OpLaunch && r.Kernels[op.Kernel].Flags&trace.KernelProgrammatic != 0 {
			mark = "*"
		}
		list = append(list, fmt.Sprintf("%v%s of %d", op.Kind, mark, op.Graph))
	}
	return strings.Join(list, ", ")
}

// Activities that share the call of a graph are one launch of it, and the next call is another launch. A kernel that
// began before the one before it in its stream had ended was launched programmatically; behind a copy none is.
func TestKinetoEdges(t *testing.T) {
	r := converttest.Text(t, "kineto", `{"traceEvents":[
{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,"ts":10,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":20,"dur":10,
 "args":{"correlation":1,"stream":7,"graph id":3,"graph node id":12}},
{"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":29,"dur":10,"args":{"correlation":1,"stream":7,"graph id":3}},
{"ph":"X","cat":"gpu_memset","name":"Memset","pid":0,"tid":7,"ts":38,"dur":4,
 "args":{"correlation":1,"stream":7,"bytes":4,"graph node id":14}},
{"ph":"X","cat":"kernel","name":"c","pid":0,"tid":7,"ts":41,"dur":10,"args":{"correlation":1,"stream":7,"graph id":3}},
{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,"ts":60,"dur":5,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":70,"dur":10,"args":{"correlation":2,"stream":7,"graph id":3}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":72,"dur":2,"args":{"correlation":3}},
{"ph":"X","cat":"kernel","name":"d","pid":0,"tid":7,"ts":80,"dur":10,"args":{"correlation":3,"stream":7}}]}`)
	want := "launch of 1, launch* of 1, memset of 1, launch of 1, launch of 2, launch of 0"
	if got := edgesOf(r); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A capture of a B200 has 74 kernels that began before the one before them had ended.
func TestKinetoProgrammatic(t *testing.T) {
	r := converttest.Read(t, tracetest.Data(t, "kineto-tracelens/b200__eager_trace.json.gz"), converttest.AnyDevice)
	if n := r.Flagged(trace.KernelProgrammatic); n != 74 || len(r.Kernels) != 768 {
		t.Errorf("%d of %d kernels are programmatic launches, want 74 of 768", n, len(r.Kernels))
	}
}
