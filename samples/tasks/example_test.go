package tasks_test

import (
	"fmt"

	"gpureplay/samples"
	"gpureplay/samples/samplestest"
	_ "gpureplay/samples/tasks"
	"gpureplay/trace"
)

// Four products of small matrices, spawned as they arrive.
func Example() {
	g, err := samples.Get("tasks-mm")
	if err != nil {
		panic(err)
	}
	settings, err := g.Parse("tasks=4", "n=16", "threads=64", "tiles=shared")
	if err != nil {
		panic(err)
	}
	var r samplestest.Recording
	if err := g.Generate(&r, settings); err != nil {
		panic(err)
	}
	for _, op := range r.Ops {
		if op.Kind == trace.OpSpawn {
			k := r.Kernels[op.Kernel]
			fmt.Printf("task %d: %d threads, %d shared bytes, %d bytes in, %d out\n", k.ID, k.Block.Count(), k.SharedBytes,
				op.InBytes, op.OutBytes)
		}
	}
	// Output:
	// task 0: 64 threads, 6144 shared bytes, 2048 bytes in, 1024 out
	// task 1: 64 threads, 6144 shared bytes, 2048 bytes in, 1024 out
	// task 2: 64 threads, 6144 shared bytes, 2048 bytes in, 1024 out
	// task 3: 64 threads, 6144 shared bytes, 2048 bytes in, 1024 out
}
