package timeline

import (
	"fmt"
	"strings"

	"gpureplay/convert/spill"
	"gpureplay/trace"
)

const (
	maxNames     = 1 << 20  // distinct kernel names
	maxNameBytes = 64 << 20 // of all of them together
	maxName      = 64 << 10 // of one; longer ones are cut
	maxDevices   = 1 << 12
)

// Options say how a [Builder] works.
type Options struct {
	TempDir string // for sorting; "": the system's temporary folder
	Memory  int    // bytes for sorting; 0: spill.DefaultMemory
	Device  int    // which device to write; -1: the one with the most kernels, the first of equals
}

// Builder gathers a profiler's events, in any order, and writes it as a trace.
type Builder struct {
	opts    Options
	events  *spill.Sorter
	host    *spill.Sorter
	buf     []byte
	seq     uint64
	names   []string
	nameIDs map[string]uint32
	chars   int
	kernels map[uint32]uint64 // per device
	first   int64             // earliest time, from which the trace's count
	horizon int64             // latest begin of a call or an activity
	calling times             // of the host's calls
	working map[uint32]*work  // by device
	clocks  clocks
	calls   uint64
	waits   bool // the profiler explains waits
	counts  counts

	hostWaits hostWaits
}

// New returns an empty builder. Close removes its temporary files.
func New(opts Options) *Builder {
	if opts.Memory == 0 {
		opts.Memory = spill.DefaultMemory
	}
	return &Builder{
		opts:    opts,
		events:  spill.New(opts.TempDir, rowBytes, opts.Memory),
		host:    spill.New(opts.TempDir, rowBytes, opts.Memory),
		buf:     make([]byte, rowBytes),
		nameIDs: map[string]uint32{},
		kernels: map[uint32]uint64{},
		working: map[uint32]*work{},
	}
}

// Close frees memory and files.
func (b *Builder) Close() {
	b.events.Close()
	b.host.Close()
}

// Name interns the name of a kernel, given as bytes so that a known name costs
// no allocation.
func (b *Builder) Name(name []byte) (uint32, error) {
	if len(name) > maxName {
		b.counts.add(longName)
		name = name[:maxName]
	}
	if id, ok := b.nameIDs[string(name)]; ok {
		return id, nil
	}
	b.chars += len(name)
	if len(b.names) == maxNames || b.chars > maxNameBytes {
		return 0, fmt.Errorf("more than %d kernel names or %d bytes of them", maxNames, maxNameBytes)
	}
	key := string(name)
	id := uint32(len(b.names))
	b.names = append(b.names, strings.ToValidUTF8(key, "\uFFFD"))
	b.nameIDs[key] = id
	return id, nil
}

func (b *Builder) add(r *row) error {
	at := &b.calling
	if r.side == sideActivity {
		w := b.working[r.device]
		if w == nil {
			w = &work{stream: r.stream}
			b.working[r.device] = w
		}
		w.several = w.several || r.stream != w.stream
		at = &w.times
	}
	switch {
	case r.side == sideRecord, r.flags&flagUntimed != 0: // it has no time of its own
	case r.start == 0:
		r.set(flagZero, true)
		at.zero = true
	default:
		at.take(r.start)
	}
	r.seq = b.seq
	b.seq++
	r.encode(b.buf, r.joinKey())
	return b.events.Add(b.buf)
}

// work sums up a device: when its activities began, and in which streams.
type work struct {
	times
	stream  uint64
	several bool
}

// begin finds the earliest time of the capture.
func (b *Builder) begin() {
	var all times
	if b.calling.any {
		all.take(b.calling.first)
		all.take(b.calling.last)
	}
	for device, w := range b.working {
		if w.withZero(); w.any {
			all.take(w.first - b.clocks.ahead(device, w.first))
			all.take(w.last - b.clocks.ahead(device, w.last))
		}
	}
	b.first, b.horizon = all.first, all.last
}

// correct brings an activity to the clock of the host.
func (b *Builder) correct(r *row) {
	if r.flags&flagUntimed != 0 {
		return
	}
	if ahead := b.clocks.ahead(r.device, r.began); ahead != 0 {
		b.counts.add(clockOffset)
		r.began -= ahead
		r.start = r.began
	}
}

// waited notes a call that waits for all of a device, if it is one.
func (b *Builder) waited(r *row) {
	kind := CallKind(r.kind)
	if kind != CallSyncDevice && kind != CallSyncStream {
		return
	}
	for device := range b.kernels {
		if r.flags&flagDevice != 0 && r.device != device || r.flags&flagDevice == 0 && len(b.kernels) > 1 {
			continue
		}
		if w := b.working[device]; kind == CallSyncDevice || w != nil && !w.several {
			b.clocks.waited(device, r)
		}
	}
}

// Activity takes one activity. It is an error if there is no room to sort, or
// if the capture has absurdly many devices or names.
func (b *Builder) Activity(a *Activity) error {
	name := uint32(0)
	if a.Kind == Kernel {
		id, err := b.Name([]byte(a.Name))
		if err != nil {
			return err
		}
		name = id
	}
	return b.ActivityNamed(a, name)
}

// ActivityNamed is Activity with a name that [Builder.Name] has interned.
func (b *Builder) ActivityNamed(a *Activity, name uint32) error {
	start, duration := a.StartNs, a.DurationNs
	endless, untimed := duration == Unknown, start == Unknown || start == 0 && duration <= 0
	switch {
	case untimed:
		start, duration = 0, 0
	case endless:
		duration = 0
	case duration < 0:
		b.counts.add(negativeDuration)
		endless, duration = true, 0
	}
	r := row{
		process: a.Process, correlation: a.Correlation, side: sideActivity, kind: uint8(a.Kind), copy: a.Copy,
		start: start, duration: duration, device: a.Device, name: name, stream: a.Stream,
		grid: a.Grid, block: a.Block, cluster: a.Cluster,
		registers: a.Registers, shared: a.SharedBytes, local: a.LocalBytes,
		bytes: a.Bytes, addr: a.Addr, began: start, ran: duration, gridID: a.GridID,
		flags: flagStream | flagDevice,
	}
	r.set(flagUntimed, untimed)
	r.set(flagEndless, endless || untimed)
	r.set(flagSized, a.Sized)
	r.set(flagPageable, a.Pageable)
	r.set(flagAsync, a.Async)
	r.set(flagBlocking, a.Blocking)
	r.set(flagGraph, a.Graph)
	r.set(flagWhole, a.Whole)
	if a.Kind == Kernel {
		b.kernels[a.Device]++
	} else if _, ok := b.kernels[a.Device]; !ok {
		b.kernels[a.Device] = 0
	}
	if len(b.kernels) > maxDevices {
		return fmt.Errorf("more than %d devices", maxDevices)
	}
	return b.add(&r)
}

func (r *row) set(f flags, on bool) {
	if on {
		r.flags |= f
	}
}

// HostCopy counts a copy within the host, which is no operation of the device.
func (b *Builder) HostCopy() { b.counts.add(hostCopy) }

// Call takes one API call.
func (b *Builder) Call(c *Call) error {
	b.calls++
	if c.DurationNs < 0 {
		b.counts.add(negativeDuration)
		c.DurationNs = 0
	}
	r := row{
		process: c.Process, correlation: c.Correlation, side: sideCall, kind: uint8(c.Kind),
		start: c.StartNs, duration: c.DurationNs, host: c.Host, thread: c.Thread, bytes: c.Bytes,
		grid: c.Grid, block: c.Block, shared: c.SharedBytes, flags: flagHostTime,
	}
	r.set(flagSized, c.Sized)
	r.set(flagThreads, c.WorkItems)
	r.set(flagAsync, c.Async)
	return b.add(&r)
}

// Sync takes the profiler's record of a synchronising call.
func (b *Builder) Sync(s *Sync) error {
	r := row{
		process: s.Process, correlation: s.Correlation, side: sideSync, kind: uint8(s.Kind),
		start: s.StartNs, duration: max(s.DurationNs, 0),
		device: s.Device, stream: s.Stream, event: s.Event,
	}
	r.set(flagDevice, s.HasDevice)
	r.set(flagStream, s.HasStream)
	r.set(flagEvent, s.HasEvent)
	if s.Kind == CallRecord {
		r.side = sideRecord
	}
	b.waits = b.waits || s.Kind == CallWait
	if err := b.add(&r); err != nil || s.RecordCorrelation == 0 {
		return err
	}
	rec := row{
		process: s.Process, correlation: s.RecordCorrelation, side: sideRecord, kind: uint8(CallRecord),
		start: s.StartNs, device: s.Device, stream: s.RecordStream, event: s.Event,
		flags: flagStream | flagEvent,
	}
	rec.set(flagDevice, s.HasDevice)
	return b.add(&rec)
}

// Kernels returns how many kernels each device has, before duplicates are
// dropped.
func (b *Builder) Kernels() map[uint32]uint64 { return b.kernels }

// Calls returns how many API calls there are.
func (b *Builder) Calls() uint64 { return b.calls }

// Device returns the device that is written, and whether it is among those
// seen.
func (b *Builder) Device() (uint32, bool) {
	if b.opts.Device >= 0 {
		_, ok := b.kernels[uint32(b.opts.Device)]
		return uint32(b.opts.Device), ok
	}
	best, found := uint32(0), false
	for d, n := range b.kernels {
		if !found || n > b.kernels[best] || n == b.kernels[best] && d < best {
			best, found = d, true
		}
	}
	return best, found
}

// Diagnostics returns the counted oddities, in a fixed order.
func (b *Builder) Diagnostics() []trace.Diagnostic { return b.counts.list() }

// NameText returns the name that Name interned.
func (b *Builder) NameText(id uint32) string { return b.names[id] }
