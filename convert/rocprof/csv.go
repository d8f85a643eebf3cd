package rocprof

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"gpureplay/convert/decimal"
	"gpureplay/convert/delimited"
	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// KernelSuffix is how the names of kernel tables end; the tables of the same
// run differ in it only.
const KernelSuffix = "kernel_trace.csv"

// IsCSV reports whether head is from a rocprofv3 table of kernels.
func IsCSV(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	text := strings.ToLower(string(line))
	for _, column := range []string{"kind", "agent_id", "kernel_name", "start_timestamp", "workgroup_size_x",
		"grid_size_x"} {
		if !strings.Contains(text, column) {
			return false
		}
	}
	return true
}

// tables reads the tables of one run.
type tables struct {
	b      *timeline.Builder
	passes passes
	info   Info
	device map[string]uint32 // GPUs by their names in the tables
	r      *delimited.Reader
	cols   delimited.Columns
	fields [][]byte
	api    timeline.API
}

// ReadCSV adds the events of a kernel table, and of the tables of copies, HIP
// calls and agents beside it, to b. Open is given the end of a table's name
// (KernelSuffix, "memory_copy_trace.csv", ...); it returns fs.ErrNotExist for
// those that are not there.
func ReadCSV(open func(suffix string) (io.ReadCloser, error), b *timeline.Builder) (*Info, error) {
	t := &tables{b: b, device: map[string]uint32{}}
	for _, table := range []struct {
		suffix string
		row    func() error
	}{
		{"agent_info.csv", t.agent},
		{KernelSuffix, t.kernel},
		{"memory_copy_trace.csv", t.copy},
		{"hip_api_trace.csv", t.call},
	} {
		in, err := open(table.suffix)
		if errors.Is(err, fs.ErrNotExist) && table.suffix != KernelSuffix {
			continue
		}
		if err == nil {
			err = t.read(in, table.row)
			in.Close()
		}
		if err != nil {
			return &t.info, fmt.Errorf("%s: %w", table.suffix, err)
		}
	}
	return &t.info, nil
}

func (t *tables) read(in io.Reader, row func() error) error {
	t.r, t.cols = delimited.NewReader(in), nil
	for {
		line, err := t.r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if t.fields, err = t.r.Fields(line); err != nil {
			return err
		}
		if t.cols == nil {
			t.cols = delimited.NewColumns(t.fields)
			continue
		}
		if err := row(); err != nil {
			return fmt.Errorf("line %d: %w", t.r.Line(), err)
		}
	}
}

func (t *tables) text(names ...string) []byte {
	return delimited.Get(t.fields, t.cols.Index(names...))
}

func (t *tables) number(names ...string) (int64, bool) {
	text := t.text(names...)
	if len(text) == 0 {
		return 0, false
	}
	v, ok := decimal.Scale(text, 1)
	if !ok || v < 0 {
		t.info.BadValues++
		return 0, false
	}
	return v, true
}

func (t *tables) small(names ...string) uint32 {
	v, _ := t.number(names...)
	return small(v)
}

// agent reads agent_info.csv.
func (t *tables) agent() error {
	if string(t.text("Agent_Type")) != "GPU" || len(t.info.GPUs) == maxAgents {
		return nil
	}
	g := gpu{arch: clip(t.text("Name")), name: clip(t.text("Product_Name")), values: map[string]int64{}}
	for _, key := range properties {
		g.values[key], _ = t.number(key)
	}
	device := uint32(len(t.info.GPUs))
	t.info.GPUs = append(t.info.GPUs, g.machine())
	// Tables name an agent by its node, alone or behind "Agent".
	for _, name := range []string{"Node_Id", "Logical_Node_Id"} {
		if node := string(t.text(name)); node != "" {
			t.device["Agent "+node] = device
			if _, taken := t.device[node]; !taken {
				t.device[node] = device
			}
		}
	}
	return nil
}

func clip(text []byte) string { return string(text[:min(len(text), maxName)]) }

// deviceOf returns the device of an agent. Without a table of agents, devices
// count from 0 in the order in which kernels name them.
func (t *tables) deviceOf(agent []byte) (uint32, error) {
	if d, ok := t.device[string(agent)]; ok {
		return d, nil
	}
	if len(t.device) >= maxAgents {
		return 0, fmt.Errorf("more than %d agents", maxAgents)
	}
	d := uint32(len(t.device))
	t.device[string(agent)] = d
	return d, nil
}

func (t *tables) times() (start, end int64, ok bool) {
	start, ok = t.number("Start_Timestamp")
	if ok {
		end, ok = t.number("End_Timestamp")
	}
	if !ok {
		t.info.Untimed++
	}
	return start, end, ok
}

func (t *tables) correlation() uint64 {
	v, _ := t.number("Correlation_Id")
	return uint64(v)
}

func (t *tables) stream() uint64 {
	if v, ok := t.number("Stream_Id"); ok {
		return uint64(v)
	}
	v, _ := t.number("Queue_Id")
	return uint64(v)
}

func (t *tables) dim(name string) trace.Dim3 {
	return trace.Dim3{t.small(name + "_X"), t.small(name + "_Y"), t.small(name + "_Z")}
}

func (t *tables) kernel() error {
	d := dispatch{correlation: t.correlation(), stream: t.stream(), group: t.dim("Workgroup_Size"),
		grid: t.dim("Grid_Size")}
	var ok bool
	if d.start, d.end, ok = t.times(); !ok {
		return nil
	}
	var err error
	if d.device, err = t.deviceOf(t.text("Agent_Id")); err != nil {
		return err
	}
	d.lds = t.small("LDS_Block_Size", "Group_Segment_Size")
	d.scratch = t.small("Scratch_Size", "Private_Segment_Size")
	d.registers = small(int64(t.small("VGPR_Count")) + int64(t.small("Accum_VGPR_Count")))
	if number, ok := t.number("Dispatch_Id"); ok && number >= 0 {
		d.number = uint64(number) + 1
	}
	if t.passes.again(&d) {
		t.info.Replayed++
		return nil
	}
	name, err := t.b.Name(t.text("Kernel_Name"))
	if err != nil {
		return err
	}
	a := d.activity()
	return t.b.ActivityNamed(&a, name)
}

func (t *tables) copy() error {
	start, end, ok := t.times()
	if !ok {
		return nil
	}
	a := timeline.Activity{Kind: timeline.Copy, StartNs: start, DurationNs: end - start, Correlation: t.correlation(),
		Stream: t.stream()}
	size, _ := t.number("Bytes", "Size")
	a.Bytes = uint64(size)
	from, to := t.text("Source_Agent_Id"), t.text("Destination_Agent_Id")
	direction := string(bytes.TrimPrefix(t.text("Direction"), []byte("MEMORY_COPY_")))
	var err error
	switch direction {
	case "HOST_TO_DEVICE":
		a.Copy = trace.OpCopyH2D
		a.Device, err = t.deviceOf(to)
	case "DEVICE_TO_HOST":
		a.Copy = trace.OpCopyD2H
		a.Device, err = t.deviceOf(from)
	case "DEVICE_TO_DEVICE":
		a.Copy = trace.OpCopyD2D
		if !bytes.Equal(from, to) {
			a.Copy = trace.OpCopyP2P
		}
		a.Device, err = t.deviceOf(from)
	default:
		t.b.HostCopy()
		return nil
	}
	if err != nil {
		return err
	}
	return t.b.ActivityNamed(&a, 0)
}

func (t *tables) call() error {
	start, end, ok := t.times()
	if !ok {
		return nil
	}
	c := timeline.Call{StartNs: start, DurationNs: end - start, Correlation: t.correlation()}
	if c.Kind, c.Async = t.api.Classify(t.text("Function")); c.Kind == timeline.CallNone {
		return nil
	}
	process, _ := t.number("Process_Id")
	thread, _ := t.number("Thread_Id")
	c.Host, c.Thread = uint64(process), uint64(thread)
	return t.b.Call(&c)
}
