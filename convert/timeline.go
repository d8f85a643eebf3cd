package convert

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// timelineSink writes a profiler's timeline into a trace.
type timelineSink struct {
	w         Writer
	opt       Options
	functions map[string]uint32
	flags     []trace.KernelFlags // by function
	least     trace.Fidelity
	kernels   uint64
	copies    uint64
	children  childrenOf
}

// childrenOf writes a kernel with its children and returns its id, or false for a kernel without any.
type childrenOf func(s *timelineSink, gridID uint64, k *trace.Kernel, function uint32) (uint32, bool, error)

// collectives are kernels that move data between devices: NCCL's, which RCCL names
// alike, by the beginning of their names, after a return type and namespaces.
var collectives = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:void |\w+::)*(?:ncclKernel|ncclDevKernel|ncclSymDevKernel|ncclSymkDevKernel|` +
		`rccl\w*[kK]ernel|msccl\w*[kK]ernel)`)
})

func collective(name string) trace.KernelFlags {
	if collectives().MatchString(name) {
		return trace.KernelCollective
	}
	return 0
}

func (s *timelineSink) function(name string) uint32 {
	f, ok := s.functions[name]
	if !ok {
		f = s.w.AddFunction(name)
		s.functions[name] = f
		s.flags = append(s.flags, s.opt.flags(name)|collective(name))
	}
	return f
}

// flagsOf are the flags of a function's kernels; the sink adds all functions.
func (s *timelineSink) flagsOf(function uint32) trace.KernelFlags {
	if int(function) < len(s.flags) {
		return s.flags[function]
	}
	return 0
}

// kernel writes a kernel without CTAs.
func (s *timelineSink) kernel(k *trace.Kernel, flags trace.KernelFlags) (uint32, error) {
	s.least = min(s.least, k.Fidelity)
	s.kernels++
	id, err := s.w.BeginKernel(k)
	if err != nil {
		return 0, err
	}
	return id, s.w.EndKernel(flags | s.flagsOf(k.Function))
}

// Launch writes a kernel and the host's launch of it.
func (s *timelineSink) Launch(name string, k *trace.Kernel, op *trace.HostOp, gridID uint64) error {
	k.Function = s.function(name)
	if s.children != nil && gridID != 0 {
		id, done, err := s.children(s, gridID, k, k.Function)
		if err != nil {
			return err
		}
		if done {
			op.Kernel = id
			return s.w.Host(op)
		}
	}
	id, err := s.kernel(k, 0)
	if err != nil {
		return err
	}
	op.Kernel = id
	return s.w.Host(op)
}

// Scope defines a scope.
func (s *timelineSink) Scope(scope trace.Scope) uint32 { return s.w.AddScope(scope) }

// Op writes any other operation.
func (s *timelineSink) Op(op *trace.HostOp) error {
	if op.Kind >= trace.OpCopyH2D && op.Kind <= trace.OpMemset {
		s.copies++
	}
	return s.w.Host(op)
}

// ErrNoActivity says that a profiler's capture has no kernel.
var ErrNoActivity = errors.New("no_activity: the capture has no kernel")

// DevicesAttr names the devices of a capture that ran kernels, where there are
// several; its trace is of one of them.
const DevicesAttr = "devices"

func devicesWithKernels(b *timeline.Builder) (out []string) {
	kernels := b.Kernels()
	for _, d := range slices.Sorted(maps.Keys(kernels)) {
		if kernels[d] > 0 {
			out = append(out, strconv.FormatUint(uint64(d), 10))
		}
	}
	return out
}

// noActivity is the error of a capture without kernels: its records and a remedy.
func noActivity(b *timeline.Builder, device uint32, sink *timelineSink, absent string) error {
	if others := devicesWithKernels(b); len(others) > 0 {
		return fmt.Errorf("%w of device %d; there are kernels of %s: choose with --device=, or keep the empty trace "+
			"with --allow-empty",
			ErrNoActivity, device, strings.Join(others, ", "))
	}
	return fmt.Errorf("%w (calls that launch, copy or wait: %d; copies and memory sets: %d); %s, or keep the empty "+
		"trace with --allow-empty", ErrNoActivity, b.Calls(), sink.copies, absent)
}

// Profile describes the capture that [FromTimeline] writes.
type Profile struct {
	Source, Version string                            // of the profiler
	Machine         func(device uint32) trace.Machine // the GPU of the capture
	Attrs           []trace.Attr                      // of the trace, beside the attributes of every profiler
	Absent          string                            // remedy for a capture without kernels
	children        childrenOf
}

// FromTimeline writes the trace of a profiler's capture. read hands the profiler's activities and calls to the
// builder, in any order. FromTimeline returns [ErrNoActivity], wrapped, where there is no kernel, and the errors
// of read and of the writer.
func FromTimeline(w Writer, opt Options, read func(*timeline.Builder) (Profile, error)) error {
	b := timeline.New(timeline.Options{TempDir: opt.TempDir, Memory: opt.Memory, Device: opt.Device})
	defer b.Close()
	p, err := read(b)
	if err != nil {
		return err
	}
	sink := &timelineSink{w: w, opt: opt, functions: map[string]uint32{}, least: trace.FidelityWarp, children: p.children}
	if err := b.Write(sink); err != nil {
		return err
	}
	device, _ := b.Device()
	if sink.kernels == 0 && !opt.AllowEmpty {
		return noActivity(b, device, sink, p.Absent)
	}
	m := metaOf(p.Source, p.Version, device, p.Machine(device))
	m.Attrs = append(m.Attrs, p.Attrs...)
	if sink.kernels > 0 {
		m.Fidelity = sink.least
	}
	if devices := devicesWithKernels(b); len(devices) > 1 {
		m.Attrs = append(m.Attrs, trace.Attr{Key: DevicesAttr, Value: strings.Join(devices, " ")})
	}
	slices.SortFunc(m.Attrs, func(a, b trace.Attr) int { return cmp.Compare(a.Key, b.Key) })
	w.SetMeta(m)
	for _, d := range b.Diagnostics() {
		w.Diagnose(d)
	}
	return nil
}

// metaOf says where a profiler's trace comes from, and on which machine it was
// captured.
func metaOf(source, version string, device uint32, gpu trace.Machine) trace.Meta {
	m := trace.Meta{Source: source, SourceVersion: version}
	m.Attrs = append(m.Attrs, trace.Attr{Key: "device", Value: strconv.FormatUint(uint64(device), 10)})
	m.SetMachine(gpu)
	return m
}

// diagnose adds a counter to the trace if it counted anything.
func diagnose(w Writer, name string, severity trace.Severity, count uint64, help string) {
	if count > 0 {
		w.Diagnose(trace.Diagnostic{Name: name, Severity: severity, Count: count, Help: help})
	}
}
