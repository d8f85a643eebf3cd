package host

import (
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/trace"
)

// A nanosecond at 1,411 MHz is 1.411 cycles: durations round up to whole cycles, and times
// beyond the horizon are the horizon.
func TestCyclesRoundUp(t *testing.T) {
	c := &hardware.Config{Clock: hardware.ClockConfig{CoreMHz: 1411}}
	for ns, want := range map[int64]Time{-1: 0, 0: 0, 1: 2, 1000: 1411, 1001: 1413, 1 << 62: Horizon} {
		if got := Cycles(ns, c); got != want {
			t.Errorf("%d ns: %d cycles, want %d", ns, got, want)
		}
	}
}

// At 12 GB/s and 1,000 MHz a cycle moves 12 bytes. A link of no bandwidth is free, and one
// of less than a byte a second moves one.
func TestTransfersRoundUp(t *testing.T) {
	for _, x := range []struct {
		bytesPerSecond float64
		bytes          uint64
		want           Time
	}{{12e9, 0, 0}, {12e9, 12, 1}, {12e9, 13, 2}, {12e9, 1 << 20, 87382}, {0, 1 << 40, 0},
		{0.1, 3, 3e9}, {1, 1 << 63, Horizon}} {
		if got := newRate(x.bytesPerSecond, 1000).Cycles(x.bytes); got != x.want {
			t.Errorf("%d bytes at %g a second: %d cycles, want %d", x.bytes, x.bytesPerSecond, got, x.want)
		}
	}
}

// copyAt is a copy that is called, begins and takes a number of nanoseconds.
func copyAt(call, start, takes int64) *trace.Recorded {
	return &trace.Recorded{HostNs: call, StartNs: start, DurationNs: takes}
}

// A copy to the host that is called while one to the device runs, and begins at its end,
// shows one engine for both directions. A later copy beside one of the other direction
// shows two.
func TestCopiesShowTheirEngines(t *testing.T) {
	var e engines
	e.copied(trace.OpCopyH2D, copyAt(0, 10, 90))
	if e.one() {
		t.Error("one copy shows that both directions share an engine")
	}
	if e.free(trace.OpCopyD2H, 99) || !e.free(trace.OpCopyD2H, 100) {
		t.Error("the engine of the other direction is free at 99 ns, or not at 100")
	}
	e.copied(trace.OpCopyD2H, copyAt(50, 100, 40))
	if !e.one() {
		t.Error("a copy that waited for the other direction shows two engines")
	}
	e.copied(trace.OpCopyH2D, copyAt(120, 130, 40))
	if e.one() || e.abreast != [3]bool{} {
		t.Errorf("copies of both directions side by side show one engine, or two of a direction: %v", e.abreast)
	}
	e.copied(trace.OpCopyH2D, copyAt(125, 140, 40))
	if e.abreast != [3]bool{true, false, false} {
		t.Errorf("copies to the device side by side show %v", e.abreast)
	}
}
