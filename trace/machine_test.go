package trace_test

import (
	"testing"

	"gpureplay/trace"
)

// A machine comes back as it was set, among other attributes, and a second one
// leaves nothing of the first.
func TestMachine(t *testing.T) {
	m := trace.Meta{Attrs: []trace.Attr{{Key: "rank", Value: "3"}, {Key: "device", Value: "1"}}}
	a := trace.Machine{Name: "A", Architecture: "gfx942", SMs: 304, ClockHz: 2100e6, WarpSize: 64, WarpsPerSM: 32,
		CTAsPerSM: 32, RegistersPerSM: 131072, SharedBytesPerSM: 65536, SharedBytesPerCTA: 65535,
		L2Bytes: 4 << 20, MemoryBytes: 192 << 30, MemoryBytesPerSecond: 5.3e12}
	b := trace.Machine{Name: "B", SMVersion: 90, SMs: 132, ClockHz: 1980e6}
	for _, g := range []trace.Machine{a, b, {}} {
		m.SetMachine(g)
		if got := m.Machine(); got != g {
			t.Errorf("%+v came back as %+v", g, got)
		}
	}
	if len(m.Attrs) != 2 || m.Attrs[0].Key != "device" || m.Attrs[1].Key != "rank" {
		t.Errorf("left: %v", m.Attrs)
	}
	m.Attrs = append(m.Attrs, trace.Attr{Key: "gpu_clock_hz", Value: "fast"})
	if m.Machine() != (trace.Machine{}) {
		t.Errorf("a value that is no number: %+v", m.Machine())
	}
}
