// Package model is the machine: an event-driven timing model of a GPU and its
// host at warp granularity, driven by a trace.
//
// Time is integer cycles of the SM clock. A cycle has three phases: the units
// that act on events (host, KMU, distributor, links), then the CTA scheduler,
// then the SMs in index order. An SM's actions reach the other units in the next
// cycle, so the order within a phase is the only order there is, and it is fixed:
// same trace, policy and configuration, same run.
//
// Three kinds of part are kept apart. A policy decides ([Policy] holds the five
// decisions, each an interface beside whom it decides for). A unit acts in time (KMU,
// CTA scheduler, launches, tasks; the host, SMs, caches and DRAM in rooms of their
// own). An [Observer] watches and can change nothing.
//
// docs/model states every stage with its equation or source, the choices made
// where these are silent, and the known deviations.
package model
