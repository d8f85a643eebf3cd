package policies_test

import (
	"math"
	"strings"
	"testing"

	"gpureplay/model/hardware"
)

// A task's warp that has exited counts at the task's barrier: the other, which has
// come to it before, goes on.
func TestPagodaExitedWarpsCountAtBarriers(t *testing.T) {
	text := "spawn work grid=1 block=64 syncs\ncta 0\n warp 0\n  int x200 R2 <- R2\n  exit\n warp 1\n  barrier\n  " +
		"int x100 R2 <- R2\n  exit\nsync\n"
	l, _ := run(t, text, narrow(t, 1), "pagoda,rows=2,mtbs=1")
	if r := tasks(t, l, 1)[0]; r.End-r.FirstWarp < 300*9 {
		t.Errorf("300 instructions of 9 cycles, one after another, from %d to %d", r.FirstWarp, r.End)
	}
}

// Tasks one after another on the one MTB, each spawned when the one before has been seen done: blocks of ended
// tasks are in no task's way. Nine warps run, three of 64 at a time; the MTB's own warps are no task's.
func TestPagodaTasksOneByOne(t *testing.T) {
	task := "work 5000\nspawn work grid=1 block=96\n" + work(3, 3000) + "sync\n"
	l, sum := run(t, strings.Repeat(task, 3), narrow(t, 1), "pagoda,rows=2,mtbs=1")
	r := tasks(t, l, 3)
	for i := 1; i < 3; i++ {
		if r[i].Spawn < r[i-1].Back {
			t.Errorf("task %d is spawned at %d, task %d is back at %d", i, r[i].Spawn, i-1, r[i-1].Back)
		}
	}
	if sum.Warps != 9 {
		t.Errorf("%d warps have run, want 9", sum.Warps)
	}
	if got, want := metric(sum, "tasks_end_to_end_cycles"), float64(r[2].Back-r[0].Spawn); r[0].Spawn < 5000 ||
		got != want {
		t.Errorf("the tasks take %g cycles, want %g from %d to %d", got, want, r[0].Spawn, r[2].Back)
	}
	if got, want := metric(sum, "gpu_occupancy_mean_pct"), 100*3.0/64; math.Abs(got-want) > want/50 {
		t.Errorf("3 of 64 warps at a time are %g %%, want %g", got, want)
	}
}

// slowTable is a machine on which a read of the table takes 10,000 cycles, and all else little.
func slowTable(t *testing.T, pipeline, engine string) *hardware.Config {
	cfg := narrow(t, 1)
	cfg.L2.Latency, cfg.SM.Pipeline, cfg.SM.RegisterBanks, cfg.Memory.Engine = 10_000, pipeline, 8, engine
	return cfg
}

// pipelinesAndEngines are the pairs of a pipeline and a memory engine.
var pipelinesAndEngines = [][2]string{{"direct", "reserve"}, {"direct", "cycle"}, {"collector", "reserve"},
	{"collector", "cycle"}}

// The fence of the last warp to leave a task also waits for accesses that the warp issued before the task. Here
// that is the second half of the entry, which a task of one instruction does not wait for.
func TestPagodaFenceWaitsForTheEntry(t *testing.T) {
	for _, x := range pipelinesAndEngines {
		l, _ := run(t, "spawn work grid=1 block=32\n"+work(1, 1)+"sync\n", slowTable(t, x[0], x[1]), "pagoda,rows=2,mtbs=1")
		if r := tasks(t, l, 1)[0]; r.End-r.FirstWarp < 20_000 || r.End-r.FirstWarp > 21_000 {
			t.Errorf("%s: the first warp begins at %d, the task ends at %d", x, r.FirstWarp, r.End)
		}
	}
}

// An executor leaves a task with only a known duration when that is over, though its own read of the entry is on
// its way. The other warp of the threadblock has the executor after 10,000 cycles and reads both halves in 20,000.
func TestPagodaLeavesInferredTasks(t *testing.T) {
	text := "meta fidelity=kernel\nspawn work grid=1 block=64 fidelity=kernel start=0 duration=1\nsync\n"
	for _, x := range pipelinesAndEngines {
		l, _ := run(t, text, slowTable(t, x[0], x[1]), "pagoda,rows=2,mtbs=1,executors=1")
		if r := tasks(t, l, 1)[0]; r.End-r.FirstWarp < 30_000 || r.End-r.FirstWarp > 31_000 {
			t.Errorf("%s: the first warp begins at %d, the task ends at %d", x, r.FirstWarp, r.End)
		}
	}
}
