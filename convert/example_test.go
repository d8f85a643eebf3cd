package convert_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"gpureplay/convert"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// A capture is recognised by its contents.
func ExampleDetect() {
	in, err := convert.Open("-", strings.NewReader(`{"schemaVersion": 1, "traceEvents": []}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := convert.Detect(in)
	fmt.Println(f.Name, err)
	in, err = convert.Open("-", strings.NewReader("something else"))
	if err == nil {
		err = convert.Run(context.Background(), in, "", "none.trace.zst", convert.Options{Device: -1})
	}
	fmt.Println(strings.Contains(err.Error(), "--from="))
	// Output:
	// kineto <nil>
	// true
}

// A converter of one's own passes a profiler's rows to the builder. This one reads lines of a kernel's name, CTAs,
// start and duration in nanoseconds; [convert.Register] adds it to the command.
func ExampleFromTimeline() {
	lines := func(b *timeline.Builder) (convert.Profile, error) {
		for line := range strings.Lines("scale 64 1000 500\nadd 32 2000 250\n") {
			a := timeline.Activity{Kind: timeline.Kernel, Sized: true, Grid: trace.Dim3{1, 1, 1}, Block: trace.Dim3{256, 1, 1}}
			if _, err := fmt.Sscan(line, &a.Name, &a.Grid[0], &a.StartNs, &a.DurationNs); err != nil {
				return convert.Profile{}, err
			}
			if err := b.Activity(&a); err != nil {
				return convert.Profile{}, err
			}
		}
		gpu := func(uint32) trace.Machine { return trace.Machine{Name: "H100", SMs: 132} }
		return convert.Profile{Source: "lines", Machine: gpu, Absent: "write a line a kernel"}, nil
	}
	var file bytes.Buffer
	w, err := container.NewWriter(&file, container.Options{})
	if err == nil {
		err = convert.FromTimeline(w, convert.Options{Device: -1}, lines)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := container.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		fmt.Println(err)
		return
	}
	p := r.Program()
	fmt.Println(p.Meta.Source, p.Meta.Fidelity, p.Totals.Kernels, p.Functions[1].Name)
	// Output:
	// lines kernel 2 add
}
