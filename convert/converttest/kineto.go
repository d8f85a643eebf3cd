package converttest

import (
	"fmt"
	"strings"
)

// KinetoSample has keys of several spellings, and times with fractions of a
// nanosecond.
const KinetoSample = `{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"GPU","numSms":10,"computeMajor":8,` +
	`"computeMinor":6}],
"traceEvents":[{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":5,"tid":"thread 5","ts":1000.0004,` +
	`"dur":2,"args":{"Correlation":7}},
{"ph":"X","cat":"kernel","name":"a kernel","pid":"0","tid":"stream 7","ts":"1005.5","dur":1.25,` +
	`"args":{"correlation":"7","Grid":[4,2,1],"block":[64],"Registers_Per_Thread":20,"shared memory":1024}},
{"ph":"M","name":"process_name","args":{"name":"python3 on secret-host"}},{"ph":"X","cat":"cpu_op",` +
	`"name":"aten::add","ts":1,"dur":1}],
"traceName":"/home/someone/trace.json"}`

// OnnxSample is a profile of n launches, as ONNX Runtime writes it: without correlation ids, its extents as text.
func OnnxSample(n int) string {
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

// SmallKineto has one kernel.
const SmallKineto = `{"schemaVersion": 1, "traceEvents": [
	{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2,
	 "args": {"device": 0, "stream": 7, "correlation": 1, "grid": [1,1,1], "block": [32,1,1], "registers per thread": ` +
	`16, "shared memory": 0}}]}`
