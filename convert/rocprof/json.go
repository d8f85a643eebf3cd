package rocprof

import (
	"io"
	"strconv"
	"strings"

	"gpureplay/convert/decimal"
	"gpureplay/convert/jsonscan"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// jsonKey is the one member of a results file.
const jsonKey = "rocprofiler-sdk-tool"

// IsJSON reports whether head is from a rocprofv3 results file.
func IsJSON(head []byte) bool {
	return strings.Contains(string(head), `"`+jsonKey+`"`)
}

// agent is a CPU or GPU.
type agent struct {
	handle, kind, node int64
	index              int64 // among GPUs; -1: not said
	gpu                gpu
}

const gpuAgent = 2

// symbol is a kernel's code.
type symbol struct {
	name      uint32
	registers uint32
}

// results reads a JSON file twice: first the names that records refer to, then the records.
type results struct {
	passes   passes
	s        *jsonscan.Scanner
	b        *timeline.Builder
	info     Info
	path     []byte
	agents   []agent
	device   map[int64]uint32 // by handle
	cpus     map[int64]bool
	symbols  map[int64]symbol
	kinds    map[int64]*operations
	nextKind int64
	api      timeline.API
}

// operations are the names of one kind of record.
type operations struct {
	kind  string
	names []string
}

// ReadJSON adds the events of a results file to b. It reads the file twice:
// open is called for each time.
func ReadJSON(open func() (io.ReadCloser, error), b *timeline.Builder) (*Info, error) {
	r := &results{
		b: b, device: map[int64]uint32{}, cpus: map[int64]bool{}, symbols: map[int64]symbol{}, kinds: map[int64]*operations{},
	}
	for _, member := range []func(string) error{r.reference, r.records} {
		in, err := open()
		if err != nil {
			return &r.info, err
		}
		r.s = jsonscan.New(in)
		err = r.file(member)
		in.Close()
		r.info.Repaired = r.s.Repaired
		if err != nil {
			return &r.info, err
		}
		r.number()
	}
	return &r.info, nil
}

// file finds the members of the tool object.
func (r *results) file(member func(key string) error) error {
	return r.object(func(key string) error {
		if key != jsonKey {
			return r.s.Skip()
		}
		return r.array(func() error { return r.s.Members(member) })
	})
}

// object reads the object that comes next; other values are skipped.
func (r *results) object(member func(key string) error) error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.BeginObject {
		return r.drop(kind)
	}
	return r.s.Members(member)
}

// array calls element for each object of the array that comes next, with its
// brace taken.
func (r *results) array(element func() error) error {
	return r.elements(jsonscan.BeginObject, element)
}

// elements calls element for each value of a kind in the array that comes next;
// others are skipped.
func (r *results) elements(of jsonscan.Kind, element func() error) error {
	kind, err := r.s.Next()
	if err != nil {
		return err
	}
	if kind != jsonscan.BeginArray {
		return r.drop(kind)
	}
	for {
		kind, err := r.s.Next()
		if err != nil || kind == jsonscan.EndArray {
			return err
		}
		if kind != of {
			err = r.drop(kind)
		} else {
			err = element()
		}
		if err != nil {
			return err
		}
	}
}

func (r *results) drop(kind jsonscan.Kind) error {
	r.info.BadValues++
	if kind == jsonscan.BeginObject || kind == jsonscan.BeginArray {
		return r.s.SkipRest()
	}
	return nil
}

// flatten calls visit for each number and string of an object whose brace was
// taken, with the path to it: "dispatch_info.grid_size.x". Arrays are skipped.
func (r *results) flatten(visit func(path string, number int64, text []byte)) error {
	base := len(r.path)
	for {
		kind, err := r.s.Next()
		if err != nil || kind == jsonscan.EndObject {
			r.path = r.path[:base]
			return err
		}
		r.path = append(r.path[:base], r.s.Raw()...)
		kind, err = r.s.Next()
		if err != nil {
			return err
		}
		switch kind {
		case jsonscan.BeginObject:
			r.path = append(r.path, '.')
			err = r.flatten(visit)
		case jsonscan.BeginArray:
			err = r.s.SkipRest()
		case jsonscan.Number:
			v, ok := decimal.Scale(r.s.Raw(), 1)
			if !ok { // handles of 2^63 and more
				u, _ := strconv.ParseUint(string(r.s.Raw()), 10, 64)
				v = int64(u)
			}
			visit(string(r.path), v, nil)
		case jsonscan.String:
			visit(string(r.path), 0, r.s.Text())
		}
		if err != nil {
			return err
		}
	}
}

// records reads the events.
func (r *results) records(key string) error {
	if key != "buffer_records" {
		return r.s.Skip()
	}
	return r.object(func(key string) error {
		switch key {
		case "kernel_dispatch":
			return r.array(r.dispatch)
		case "memory_copy":
			return r.array(r.copy)
		case "hip_api", "hip_runtime_api":
			return r.array(r.call)
		case "kfd_page_fault", "kfd_page_migrate":
			return r.array(func() error {
				r.info.Faults++
				return r.s.SkipRest()
			})
		}
		return r.s.Skip()
	})
}

func (r *results) dispatch() error {
	var d dispatch
	var kernel, agent, queue int64
	var stream int64
	timed, streamed := 0, false
	err := r.flatten(func(path string, v int64, _ []byte) {
		switch path {
		case "start_timestamp":
			d.start, timed = v, timed+1
		case "end_timestamp":
			d.end, timed = v, timed+1
		case "correlation_id.internal":
			d.correlation = uint64(v)
		case "stream_id.handle":
			stream, streamed = v, true
		case "dispatch_info.agent_id.handle":
			agent = v
		case "dispatch_info.queue_id.handle":
			queue = v
		case "dispatch_info.dispatch_id":
			d.number = uint64(v) + 1
		case "dispatch_info.kernel_id":
			kernel = v
		case "dispatch_info.group_segment_size":
			d.lds = small(v)
		case "dispatch_info.private_segment_size":
			d.scratch = small(v)
		default:
			dimension(path, "dispatch_info.workgroup_size.", v, &d.group)
			dimension(path, "dispatch_info.grid_size.", v, &d.grid)
		}
	})
	if err != nil {
		return err
	}
	if timed != 2 {
		r.info.Untimed++
		return nil
	}
	if d.device = r.device[agent]; r.passes.again(&d) {
		r.info.Replayed++
		return nil
	}
	sym, ok := r.symbols[kernel]
	if !ok {
		r.info.Unnamed++
		if sym.name, err = r.b.Name(nil); err != nil {
			return err
		}
	}
	if !streamed {
		stream = queue
	}
	d.stream, d.registers = uint64(stream), sym.registers
	a := d.activity()
	return r.b.ActivityNamed(&a, sym.name)
}

func dimension(path, prefix string, v int64, d *trace.Dim3) {
	if axis, ok := strings.CutPrefix(path, prefix); ok && len(axis) == 1 {
		if i := int(axis[0]) - 'x'; i >= 0 && i < 3 {
			d[i] = small(v)
		}
	}
}

func (r *results) copy() error {
	a := timeline.Activity{Kind: timeline.Copy}
	var src, dst, end int64
	timed := 0
	err := r.flatten(func(path string, v int64, _ []byte) {
		switch path {
		case "start_timestamp":
			a.StartNs, timed = v, timed+1
		case "end_timestamp":
			end, timed = v, timed+1
		case "correlation_id.internal":
			a.Correlation = uint64(v)
		case "stream_id.handle":
			a.Stream = uint64(v)
		case "src_agent_id.handle":
			src = v
		case "dst_agent_id.handle":
			dst = v
		case "bytes":
			a.Bytes = uint64(max(v, 0))
		}
	})
	if err != nil {
		return err
	}
	if timed != 2 {
		r.info.Untimed++
		return nil
	}
	a.DurationNs = end - a.StartNs
	from, fromGPU := r.device[src]
	to, toGPU := r.device[dst]
	if !place(&a, from, fromGPU, to, toGPU) {
		r.b.HostCopy()
		return nil
	}
	return r.b.ActivityNamed(&a, 0)
}

// place gives a copy its direction and device; false: it stays on the host.
func place(a *timeline.Activity, from uint32, fromGPU bool, to uint32, toGPU bool) bool {
	switch {
	case fromGPU && toGPU && from == to:
		a.Copy, a.Device = trace.OpCopyD2D, from
	case fromGPU && toGPU:
		a.Copy, a.Device = trace.OpCopyP2P, from
	case fromGPU:
		a.Copy, a.Device = trace.OpCopyD2H, from
	case toGPU:
		a.Copy, a.Device = trace.OpCopyH2D, to
	default:
		return false
	}
	return true
}

func (r *results) call() error {
	var c timeline.Call
	var kind, op, end int64
	timed := 0
	err := r.flatten(func(path string, v int64, _ []byte) {
		switch path {
		case "kind":
			kind = v
		case "operation":
			op = v
		case "thread_id":
			c.Thread, c.Host = uint64(v), 1
		case "correlation_id.internal":
			c.Correlation = uint64(v)
		case "start_timestamp":
			c.StartNs, timed = v, timed+1
		case "end_timestamp":
			end, timed = v, timed+1
		}
	})
	if err != nil {
		return err
	}
	if timed != 2 {
		r.info.Untimed++
		return nil
	}
	c.DurationNs = end - c.StartNs
	name := r.operation(kind, op)
	if name == "" {
		c.Kind = timeline.CallOther
	} else if c.Kind, c.Async = r.api.Classify([]byte(name)); c.Kind == timeline.CallNone {
		return nil
	}
	return r.b.Call(&c)
}
