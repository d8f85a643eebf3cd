package rocprof

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"gpureplay/convert/timeline"
	"gpureplay/trace"
)

// IsV1 reports whether head is from the table of kernels of rocprof, the tool
// before rocprofv3.
func IsV1(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	text := strings.ToLower(string(line))
	for _, column := range []string{"kernelname", "gpu-id", "beginns", "endns"} {
		if !strings.Contains(text, column) {
			return false
		}
	}
	return true
}

// ReadV1 adds the kernels of rocprof's results.csv to b. Its grids are in
// work-items, and its devices count among the GPUs in the order of their ids.
func ReadV1(in io.Reader, b *timeline.Builder) (*Info, error) {
	t := &tables{b: b, device: map[string]uint32{}}
	err := t.read(in, t.kernelV1)
	return &t.info, err
}

func (t *tables) kernelV1() error {
	d := dispatch{
		lds: t.small("lds"), scratch: t.small("scr"),
		registers: small(int64(t.small("arch_vgpr", "vgpr")) + int64(t.small("accum_vgpr"))),
		grid:      trace.Dim3{t.small("grd"), 1, 1}, group: trace.Dim3{t.small("wgr"), 1, 1},
	}
	var begun, ended bool
	if d.start, begun = t.number("BeginNs"); begun {
		d.end, ended = t.number("EndNs")
	}
	if !ended {
		t.info.Untimed++
		return nil
	}
	queue, _ := t.number("queue-id")
	d.stream = uint64(queue)
	var err error
	if d.device, err = t.deviceOf(t.text("gpu-id")); err != nil {
		return err
	}
	name := bytes.TrimSuffix(t.text("KernelName"), []byte(" [clone .kd]"))
	id, err := t.b.Name(bytes.TrimSuffix(name, []byte(".kd")))
	if err != nil {
		return fmt.Errorf("KernelName: %w", err)
	}
	a := d.activity()
	return t.b.ActivityNamed(&a, id)
}
