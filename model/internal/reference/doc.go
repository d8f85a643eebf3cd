// Package reference is the reference model of the tests: the machine of docs/model once more,
// made to be read and not to be fast. It steps every cycle, looks at every warp, keeps ports
// as sets of taken cycles and caches as slices. Random traces compare it with package model.
//
// A cycle has these steps, in order:
//
//	events     machine.go, due: host.go, launch.go, child.go, tasks.go, overlap.go
//	placement  machine.go, place: policy.go, gate.go, laperm.go, mega.go
//	issue      machine.go, step: issue.go, collect.go, ports.go
//	memory     lsu.go, head.go, hits.go, inturn.go, waiters.go, memory.go, dram.go, frfcfs.go
//	results    writeback.go
package reference
