package rocprof

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gpureplay/convert/jsonscan"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// v1Label is one of the processes of rocprof's timeline: Chrome's JSON, whose events
// are rows of its tables with their columns as args.
var v1Label = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"name"\s*:\s*"(\d+ )?(CPU HIP API|CPU HSA API|Markers and Ranges|COPY)"`)
})

// IsV1JSON reports whether head is from the timeline of rocprof, the tool before
// rocprofv3.
func IsV1JSON(head []byte) bool {
	return bytes.Contains(head, []byte(`"traceEvents"`)) && v1Label().Match(head)
}

// The processes of the timeline: rocprof numbers them so.
const (
	v1Copies = 1
	v1GPUs   = 6 // of the first GPU; above its own number
)

// ReadV1JSON adds the kernels and copies of rocprof's results.json to b. Its calls have
// no numbers that activities share, so an activity is issued when it began.
func ReadV1JSON(in io.Reader, b *timeline.Builder) (*Info, error) {
	r := &results{b: b, s: jsonscan.New(in)}
	err := r.object(func(key string) error {
		if key != "traceEvents" {
			return r.s.Skip()
		}
		return r.array(r.eventV1)
	})
	r.info.Repaired = r.s.Repaired
	return &r.info, err
}

// rowV1 is an event with the columns of its row.
type rowV1 struct {
	ph, name           string
	process            int64
	device, queue      int64
	start, end         int64
	begun, ended, onIt bool // the device
	dispatch
}

func (r *results) eventV1() error {
	var e rowV1
	err := r.flatten(func(path string, v int64, text []byte) {
		if text != nil {
			n, err := strconv.ParseInt(string(text), 10, 64)
			if err != nil {
				e.text(path, text)
				return
			}
			v = n
		}
		e.number(path, v)
	})
	if err != nil || e.ph != "X" || !e.onIt || e.process != v1Copies && e.process < v1GPUs {
		return err
	}
	if !e.begun || !e.ended {
		r.info.Untimed++
		return nil
	}
	d := &e.dispatch
	d.start, d.end, d.device, d.stream = e.start, e.end, small(e.device), uint64(small(e.queue))
	if d.device >= maxAgents {
		return fmt.Errorf("a device %d; there are fewer than %d", d.device, maxAgents)
	}
	name, err := r.b.Name([]byte(strings.TrimSuffix(strings.TrimSuffix(e.name, " [clone .kd]"), ".kd")))
	if err != nil {
		return err
	}
	a := d.activity()
	if e.process == v1Copies {
		a = timeline.Activity{
			Kind: timeline.Copy, Copy: copyV1(e.name), StartNs: d.start, DurationNs: d.end - d.start, Device: d.device,
			Stream: d.stream,
		}
	}
	return r.b.ActivityNamed(&a, name)
}

func copyV1(name string) trace.OpKind {
	switch {
	case strings.Contains(name, "HostToDevice"):
		return trace.OpCopyH2D
	case strings.Contains(name, "DeviceToHost"):
		return trace.OpCopyD2H
	}
	return trace.OpCopyD2D
}

func (e *rowV1) text(path string, text []byte) {
	switch path {
	case "ph":
		e.ph = string(text)
	case "name":
		e.name = string(text[:min(len(text), 1<<16)])
	}
}

func (e *rowV1) number(path string, v int64) {
	switch path {
	case "pid":
		e.process = v
	case "args.BeginNs":
		e.start, e.begun = v, true
	case "args.EndNs":
		e.end, e.ended = v, true
	case "args.dev-id", "args.gpu-id":
		e.device, e.onIt = v, true
	case "args.queue-id":
		e.queue = v
	case "args.grd":
		e.grid = trace.Dim3{small(v), 1, 1}
	case "args.wgr":
		e.group = trace.Dim3{small(v), 1, 1}
	case "args.lds":
		e.lds = small(v)
	case "args.scr":
		e.scratch = small(v)
	case "args.arch_vgpr", "args.vgpr", "args.accum_vgpr":
		e.registers = small(int64(e.registers) + v)
	}
}
