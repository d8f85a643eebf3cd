package kineto

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"gpureplay/convert/jsonscan"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// Info has a trace's facts about itself, apart from its events.
type Info struct {
	GPUs      []GPU
	Versions  map[string]string // of CUPTI, ROCm and the runtimes
	Rank      int64             // -1: not said
	Untimed   uint64            // events without a time, left out
	Unended   uint64            // events that begin without an end, or end without a begin, left out
	BadValues uint64            // values of a wrong type or out of range, taken as absent
	Skipped   map[string]uint64 // events by category, of those that are not read
	Repaired  uint64            // characters that JSON does not allow, accepted
}

// Others lists the categories of events that are not read, as the beginning of a
// sentence.
func (i *Info) Others() string {
	var list []string
	for category, n := range i.Skipped {
		list = append(list, fmt.Sprintf("%d %s", n, category))
	}
	if len(list) == 0 {
		return ""
	}
	slices.Sort(list)
	return "events of other kinds are " + strings.Join(list, ", ") + "; "
}

const (
	maxSkipped  = 32 // categories that are told apart
	maxCategory = 64 // bytes of a name
	maxGPUs     = 1 << 12
	maxGPUName  = 256
	maxVersions = 32
)

type reader struct {
	s     *jsonscan.Scanner
	b     *timeline.Builder
	info  Info
	event event
	key   []byte
	api   timeline.API
	begun map[place][]event // events that have begun and not ended, innermost last
	open  int               // of them
}

// Read adds the device's and the host's events of the trace in in to b. Errors
// carry the offset in the unpacked text.
func Read(in io.Reader, b *timeline.Builder) (*Info, error) {
	r := &reader{s: jsonscan.New(in), b: b, info: Info{Rank: -1, Versions: map[string]string{},
		Skipped: map[string]uint64{}}}
	err := r.file()
	r.info.Unended += uint64(r.open)
	r.info.Repaired = r.s.Repaired
	return &r.info, err
}

// file reads the object that Kineto writes, or a bare array of events.
func (r *reader) file() error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	switch kind {
	case jsonscan.BeginArray:
		err = r.events()
	case jsonscan.BeginObject:
		err = r.object()
	default:
		return &jsonscan.SyntaxError{Offset: r.s.Offset(), Reason: "a trace is a JSON object or array"}
	}
	if err != nil {
		return err
	}
	_, err = r.s.Next()
	return err
}

func (r *reader) object() error {
	for {
		kind, err := r.s.Next()
		if err != nil || kind == jsonscan.EndObject {
			return err
		}
		switch key := string(r.s.Text()); key {
		case "traceEvents":
			if kind, err = r.s.Next(); err == nil {
				if kind == jsonscan.BeginArray {
					err = r.events()
				} else {
					err = r.wrongType(kind)
				}
			}
		case "deviceProperties":
			err = r.devices()
		case "distributedInfo":
			err = r.distributed()
		case "cupti_version", "cuda_runtime_version", "cuda_driver_version",
			"roctracer_version", "hip_runtime_version", "hip_driver_version":
			err = r.version(key)
		default:
			err = r.s.Skip()
		}
		if err != nil {
			return err
		}
	}
}

func (r *reader) version(key string) error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.Number || len(r.info.Versions) == maxVersions {
		return r.wrongType(kind)
	}
	r.info.Versions[key] = string(r.s.Raw())
	return nil
}

// members calls member for each key of an object.
func (r *reader) members(member func(key string) error) error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.BeginObject {
		return r.wrongType(kind)
	}
	return r.s.Members(member)
}

func (r *reader) distributed() error {
	return r.members(func(key string) (err error) {
		switch key {
		case "rank":
			r.info.Rank, _, err = r.number(1)
		case "world_size":
			_, _, err = r.number(1)
		default:
			err = r.s.Skip()
		}
		return err
	})
}

// events reads the array of events, whose bracket was taken.
func (r *reader) events() error {
	for {
		kind, err := r.s.Next()
		if err != nil || kind == jsonscan.EndArray {
			return err
		}
		if kind != jsonscan.BeginObject {
			if err := r.wrongType(kind); err != nil {
				return err
			}
			continue
		}
		keep, err := r.read()
		if err != nil {
			return err
		}
		if !keep || !r.paired() {
			continue
		}
		if !r.event.timed {
			r.info.Untimed++
			continue
		}
		if err := r.take(); err != nil {
			return err
		}
	}
}

// take hands the event that was read to the builder.
func (r *reader) take() error {
	e := &r.event
	switch e.cat {
	case catCall:
		kind, async := r.api.Classify(e.name)
		if kind == timeline.CallNone {
			return nil
		}
		return r.b.Call(&timeline.Call{
			Kind: kind, Correlation: e.correlation, Host: e.pid.hash, Thread: e.tid.hash,
			StartNs: e.start, DurationNs: e.duration, Async: async, Bytes: e.bytes,
			Sized: e.sized(), Grid: e.grid, Block: e.block, SharedBytes: e.shared,
			WorkItems: timeline.InThreads(e.name),
		})
	case catSync:
		return r.sync()
	case catRange:
		return r.b.Range(&timeline.Range{
			Name: e.name, Host: e.pid.hash, Thread: e.tid.hash, AnyThread: bytes.HasPrefix(e.name, []byte("ProfilerStep#")),
			StartNs: e.start, DurationNs: e.duration,
		})
	}
	return r.activity()
}

// sized reports whether the event states a grid and a block.
func (e *event) sized() bool {
	return e.hasGrid && e.hasBlock && timeline.Sized(e.grid, e.block)
}

// lasting is the duration, or that it is unknown.
func (e *event) lasting() int64 {
	if !e.lasts {
		return timeline.Unknown
	}
	return e.duration
}

func (r *reader) device() uint32 {
	e := &r.event
	if e.hasDevice && e.device >= 0 && e.device < 1<<32 {
		return uint32(e.device)
	}
	if e.pid.valid && e.pid.number >= 0 && e.pid.number < 1<<32 {
		return uint32(e.pid.number)
	}
	if !e.pid.valid || e.pid.number != -1 { // -1: ONNX Runtime does not say
		r.info.BadValues++
	}
	return 0
}

func (r *reader) activity() error {
	e := &r.event
	a := timeline.Activity{
		Correlation: e.correlation, Device: r.device(), StartNs: e.start, DurationNs: e.lasting(),
		Graph: e.graph, Bytes: e.bytes,
	}
	switch {
	case e.hasStream:
		a.Stream = uint64(e.stream)
	case e.tid.valid:
		a.Stream = uint64(e.tid.number)
	}
	switch e.cat {
	case catKernel:
		name, err := r.b.Name(e.name)
		if err != nil {
			return err
		}
		a.Kind, a.Sized = timeline.Kernel, e.sized()
		a.Grid, a.Block, a.Cluster = e.grid, e.block, e.cluster
		a.Registers, a.SharedBytes = e.registers, e.shared
		return r.b.ActivityNamed(&a, name)
	case catMemset:
		a.Kind = timeline.Memset
	default:
		if bytes.Contains(e.name, []byte("HtoH")) {
			r.b.HostCopy()
			return nil
		}
		a.Kind = timeline.Copy
		a.Copy = copyKind(e.name, e.kind)
		a.Pageable = bytes.Contains(e.name, []byte("Pageable"))
	}
	return r.b.ActivityNamed(&a, 0)
}

// copyKind tells the direction from a name such as "Memcpy HtoD (Pageable ->
// Device)" or, on AMD, from the kind "HtoD". Arrays count as device memory.
func copyKind(name, kind []byte) trace.OpKind {
	for _, text := range [][]byte{name, kind} {
		for _, d := range []struct {
			mark string
			op   trace.OpKind
		}{
			{"HtoD", trace.OpCopyH2D}, {"HtoA", trace.OpCopyH2D},
			{"DtoH", trace.OpCopyD2H}, {"AtoH", trace.OpCopyD2H},
			{"PtoP", trace.OpCopyP2P},
		} {
			if bytes.Contains(text, []byte(d.mark)) {
				return d.op
			}
		}
	}
	return trace.OpCopyD2D
}

// sync reads CUPTI's record of a synchronising call.
func (r *reader) sync() error {
	e := &r.event
	text := e.kind
	if len(text) == 0 {
		text = e.name
	}
	s := timeline.Sync{
		Correlation: e.correlation, Device: r.device(), HasDevice: true, StartNs: e.start, DurationNs: e.duration,
		HasStream: e.hasStream && e.stream >= 0, Stream: uint64(e.stream),
		HasEvent: e.hasWaitEvent && e.waitEvent >= 0, Event: uint64(e.waitEvent),
	}
	switch string(text) {
	case "Stream Sync":
		s.Kind = timeline.CallSyncStream
	case "Context Sync", "Device Sync":
		s.Kind = timeline.CallSyncDevice
	case "Event Sync":
		s.Kind = timeline.CallSyncEvent
	case "Stream Wait Event":
		s.Kind = timeline.CallWait
	default:
		r.info.BadValues++
		return nil
	}
	if s.HasEvent && e.waitRecord > 0 && e.hasWaitStream && e.waitStream >= 0 {
		s.RecordCorrelation, s.RecordStream = uint64(e.waitRecord), uint64(e.waitStream)
	}
	return r.b.Sync(&s)
}
