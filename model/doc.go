// Package model is the machine: an event-driven timing model of a GPU and its
// host at warp granularity, driven by a trace.
//
// [New] builds a [Machine] from a trace and [Options], and [Machine.Run] replays the trace
// once. Three kinds of part are kept apart:
//
//   - A policy decides. [Policy] holds the five decisions: [Admission], [Dependency],
//     [CTAScheduler], exec.WarpScheduler and [LaunchControl]. A decision with state also
//     implements optional interfaces, such as [ChildWatcher] or [LaunchKeeper].
//   - A unit acts in time: KMU, CTA scheduler, launches, tasks. The host, SMs, caches and
//     DRAM are packages of their own.
//   - An [Observer] takes a record of each kernel, CTA, launch, page and task, and changes
//     nothing.
//
// Time is integer cycles of the SM clock. A cycle has three phases: the units that act on
// events (host, KMU, distributor, links), then the CTA scheduler, then the SMs in index
// order. An SM's actions reach the other units in the next cycle. So the order within a
// phase is the only order, and it is fixed: same trace, policy and configuration, same run.
//
// docs/model states every stage with its equation or source, the choices and the known
// deviations.
package model
