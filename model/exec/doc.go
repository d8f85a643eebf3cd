// Package exec is an SM: its CTAs and warps, warp schedulers, barriers and persistent CTAs. It
// knows no kernel management, no launches and no policy but the choice of a warp. Its
// machine is a [Device].
//
// A warp instruction passes these stages:
//
//	fetch      fetch.go, fetches: the warp gets its next two instructions (collector pipeline)
//	prepare    issue.go, prepare: its unit, mask, and the time of its operands
//	schedule   scheduler.go, step: one ready warp of each scheduler
//	issue      issue.go, issueOne: to the [Pipeline] (packages direct and collector)
//	memory     access.go, timed: the load/store unit ([memory.Port]) times the access
//	resolve    unresolved.go, answer: a completion time that issue did not know
//	complete   sm.go, exit; end.go, finishCTAs: the warp, then its CTA, leaves the SM
//
// A cycle of an SM has these phases (ahead.go): the schedulers issue in turn,
// close moves fetches, the pipeline and results of memory, and CTAs end.
package exec
