package convert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"sync"

	"gpureplay/convert/kineto"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

func init() {
	Register(Format{
		Name:  "kineto",
		Title: "PyTorch profiler (Kineto) Chrome JSON, plain, .gz or .zst",
		Reads: []Capture{
			{Give: "the JSON of one rank", Fidelity: "kernel", Order: "calls, by correlation id",
				Dependences: "streams, events, waits, synchronisation", Placement: "no"},
		},
		Sniff:   sniffKineto,
		Convert: convertKineto,
	})
}

// kinetoMarks are keys that stand near the front of Kineto's files and of no
// other Chrome trace.
var kinetoMarks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(schemaVersion|deviceProperties|distributedInfo|cupti_version|roctracer_version)"\s*:` +
		`|"cat"\s*:\s*"(cpu_op|kernel|gpu_memcpy|gpu_memset|cuda_runtime|cuda_driver|cuda_sync|Kernel|Memcpy|Runtime|ac2g|` +
		`user_annotation|python_function)"`)
})

func sniffKineto(in *Input) bool {
	head := bytes.TrimLeft(in.Head(), "\xef\xbb\xbf \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[') && kinetoMarks().Match(head) && !sniffONNX(in)
}

func convertKineto(ctx context.Context, in *Input, w Writer, opt Options) error {
	return convertEvents(ctx, in, w, opt, "kineto",
		"profile with ProfilerActivity.CUDA, which stands for AMD too, while kernels run")
}

// convertEvents converts a Chrome trace of a profiler; advice says how to capture kernels.
func convertEvents(ctx context.Context, in *Input, w Writer, opt Options, source, advice string) error {
	r, err := in.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	var info *kineto.Info
	cut := uint64(0)
	err = FromTimeline(w, opt, func(b *timeline.Builder) (p Profile, err error) {
		info, err = kineto.Read(r, b)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			if !opt.Partial {
				return p, fmt.Errorf("%w; --partial keeps the complete records", err)
			}
			cut, err = 1, nil
		}
		if err != nil {
			return p, err
		}
		return kinetoProfile(info, source, advice), nil
	})
	if err != nil {
		return err
	}
	diagnose(w, "cut_short", trace.DataLoss, cut,
		"the capture ends in the middle (its writer was stopped, or the copy is not whole); complete records are kept")
	diagnose(w, "json_repaired", trace.Info, info.Repaired,
		"control characters, escapes, commas and zero bytes that JSON does not allow, accepted as they stand")
	diagnose(w, "bad_value", trace.Error, info.BadValues,
		"values of a wrong type or out of range; they are taken as absent")
	diagnose(w, "event_without_end", trace.Error, info.Unended,
		"events that begin without an end, or end without a begin (ph B and E); they are left out")
	diagnose(w, "event_without_time", trace.Error, info.Untimed,
		"events of the GPU or its API without a time stamp; they are left out")
	return nil
}

func kinetoProfile(info *kineto.Info, source, advice string) Profile {
	p := Profile{Source: source,
		Machine: func(device uint32) trace.Machine {
			gpu, _ := gpuOf(info.GPUs, device)
			return gpu.Machine()
		},
		Absent: info.Others() + advice}
	for _, key := range []string{"cupti_version", "roctracer_version"} {
		if v := info.Versions[key]; v != "" && p.Version == "" {
			p.Version = key + " " + v
		}
	}
	if info.Rank >= 0 {
		p.Attrs = append(p.Attrs, trace.Attr{Key: "rank", Value: strconv.FormatInt(info.Rank, 10)})
	}
	return p
}

// gpuOf finds the properties of a device. Where the list does not have it (AMD
// numbers devices differently there), any entry will do if all are alike.
func gpuOf(gpus []kineto.GPU, device uint32) (kineto.GPU, bool) {
	for _, g := range gpus {
		if g.ID == int64(device) {
			return g, true
		}
	}
	if len(gpus) == 0 {
		return kineto.GPU{}, false
	}
	for _, g := range gpus[1:] {
		if g.ID = gpus[0].ID; g != gpus[0] {
			return kineto.GPU{}, false
		}
	}
	return gpus[0], true
}
