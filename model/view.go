package model

import (
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/trace"
)

// View is the part of a machine that every decision of a policy may use. Each decision's
// own handle ([DependencyMachine], [AccessMachine], [LaunchMachine], [GroupMachine], [TaskMachine],
// [CTAView]) embeds it and adds the actions of that decision.
type View struct{ m *Machine }

// Config is the machine's configuration, to be read only.
func (v View) Config() *hardware.Config { return v.m.cfg }

// Program is the trace's program, to be read only.
func (v View) Program() *trace.Program { return v.m.prog }

// Now is the current cycle.
func (v View) Now() Time { return v.m.now }

// Cycles converts nanoseconds of the host to cycles, rounding up.
func (v View) Cycles(ns int64) Time { return host.Cycles(ns, v.m.cfg) }

// Copy moves bytes to the device (in) or back, requested at t. The copy starts when its
// engine is free and takes a fixed latency plus the bytes at the link's bandwidth. Copy
// returns the interval, which becomes a stage of the run.
func (v View) Copy(in bool, bytes uint64, t Time) (start, end Time) {
	return v.m.host.Transfer(in, bytes, t)
}

// Count adds 1 to a figure of the run's summary.
func (v View) Count(name string) { v.m.metrics.count(name) }

// Set sets a figure of the run's summary.
func (v View) Set(name string, x float64) { v.m.metrics.set(name, x) }

// Fail ends the run with an error after the current cycle.
func (v View) Fail(err error) { v.m.fail(err) }
