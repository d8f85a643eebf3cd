package convert

import (
	"bytes"
	"context"
	"regexp"
	"sync"
)

func init() {
	Register(Format{
		Name:  "onnxruntime",
		Title: "ONNX Runtime profile (enable_profiling) as Chrome JSON",
		Reads: []Capture{
			{Give: "the JSON of one session", Fidelity: "kernel", Order: "calls, in their order: they have no ids",
				Dependences: "streams", Placement: "no"},
		},
		Sniff: sniffONNX,
		Convert: func(ctx context.Context, in *Input, w Writer, opt Options) error {
			return convertEvents(ctx, in, w, opt, "onnxruntime",
				"profile a session on the CUDA or ROCm provider of a build with GPU profiling (onnxruntime_ENABLE_CUDA_PROFILING)")
		},
	})
}

// onnxMarks are categories and arguments of ONNX Runtime's events.
var onnxMarks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"cat"\s*:\s*"(Session|Node|Api)"|"(op_name|thread_scheduling_stats)"\s*:`)
})

func sniffONNX(in *Input) bool {
	head := bytes.TrimLeft(in.Head(), " \t\r\n")
	return len(head) > 0 && head[0] == '[' && onnxMarks().Match(head)
}
