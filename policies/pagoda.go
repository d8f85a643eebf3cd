package policies

import (
	"cmp"
	"fmt"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies/pagoda"
)

// pagodaParams are the parameters of Pagoda (sections 4 and 5 of the paper).
var pagodaParams = []Param{
	{"pagoda-rows", "32", "rows of the TaskTable per MTB, 1 to 64"},
	{"pagoda-mtbs", "0", "MasterKernel threadblocks (MTBs) per SM; 0: two, as in the paper, or one where two do not fit"},
	{"pagoda-executors", "31", "executor warps per MTB, beside the scheduler warp"},
	{"pagoda-shared", "32768", "bytes of shared memory per MTB that tasks get, a power of two"},
	{"pagoda-block", "512", "bytes of the smallest block of shared memory, a power of two"},
	{"pagoda-barriers", "16", "named barriers per MTB"},
	{"pagoda-registers", "32", "registers per thread of the MasterKernel, to which tasks are compiled"},
	{"pagoda-entry-bytes", "168", "bytes of an entry of the TaskTable: 168 in the artifact; the fields that the " +
		"paper lists fill 64"},
	{"pagoda-spawn-ns", "machine", "host time of a spawn, which copies an entry, in ns; machine: the time of a data " +
		"copy's call, host.copy_call_ns"},
	{"pagoda-scan", "warp", "warp: the scheduler warp reads 32 entries of its column at once, one a lane; entry: one " +
		"after another, as algorithm 1 is listed"},
	{"pagoda-release", "chain", "chain: a task's successor releases it to the scheduler warp of its own column " +
		"(algorithm 1); successor: the scheduler warp of the successor's column schedules it on its own MTB (the artifact)"},
}

func init() {
	Register(Policy{
		Name: "pagoda", Title: "a MasterKernel schedules tasks by the warp, spawned through a mirrored table",
		Source: "Pagoda paper (PPoPP 2017), sections 4 and 5",
		Doc: "Two MasterKernel threadblocks hold every SM. The host copies a task's entry to the TaskTable; the next " +
			"spawn releases the one before it. " +
			"The scheduler warp of the entry's column gives executor warps to the task's warps, with shared memory from a " +
			"buddy allocator and one of " +
			"16 barriers where the task needs them, and spends issue slots on it. An executor that ends is free at once. " +
			"The host learns of ended tasks " +
			"by copying the table back when it has no free entry, and its waits by small copies, one after another.",
		Baselines: []string{"hyperq"},
		Tasks:     true,
		Params:    append(append([]Param{}, pagodaParams...), taskParams...), Needs: needsTasks, CannotRun: cannotRunPagoda,
		Adjust:  adjustTasks,
		Compose: func(p *model.Policy, a Args) error { return composePagoda(p, a, 0) },
	})
	batched := append([]Param{{"pagoda-batch-size", "1536", "tasks of a batch; all end before the next " +
		"is spawned"}}, pagodaParams...)
	Register(Policy{
		Name: "pagoda-batch", Title: "pagoda without continuous spawning: no new spawn until the batch is done",
		Source:    "Pagoda paper, section 6 (the variant that batches spawns)",
		Doc:       "As pagoda; the host spawns as many tasks as a batch has, and then none until all of them have ended.",
		Baselines: []string{"hyperq"},
		Tasks:     true,
		Params:    append(batched, taskParams...), Needs: needsTasks, CannotRun: cannotRunPagoda, Adjust: adjustTasks,
		Compose: func(p *model.Policy, a Args) error {
			n, err := a.Integer("pagoda-batch-size", 1, 1<<30)
			if err != nil {
				return err
			}
			return composePagoda(p, a, int(n))
		},
	})
}

// cannotRunPagoda refuses traces with tasks that no MTB can run.
func cannotRunPagoda(f *TraceProfile, a Args) string {
	shared, err := a.Integer("pagoda-shared", 1, 1<<20)
	if err != nil {
		return "" // building the policy says it
	}
	executors, err := a.Integer("pagoda-executors", 1, 63)
	switch {
	case err != nil:
		return ""
	case int64(f.TaskShared) > shared:
		return fmt.Sprintf("a threadblock of a task needs %d bytes of shared memory, an MTB has %d (pagoda-shared)",
			f.TaskShared, shared)
	case f.TaskSyncs > 0 && int64(f.TaskSyncWarps) > executors:
		return fmt.Sprintf("a threadblock of a task that synchronises has %d warps, an MTB has %d executor warps "+
			"(pagoda-executors)", f.TaskSyncWarps, executors)
	}
	return ""
}

func composePagoda(p *model.Policy, a Args, batch int) error {
	s := pagoda.Shape{Batch: batch}
	var err error
	number := func(name string, low, high int64) int64 {
		n, e := a.Integer(name, low, high)
		if err == nil {
			err = e
		}
		return n
	}
	s.Rows = int(number("pagoda-rows", 1, 64))
	s.MTBs = int(number("pagoda-mtbs", 0, 64))
	s.MTB = pagoda.MTBConfig{
		Executors:     int(number("pagoda-executors", 1, 63)),
		Barriers:      int(number("pagoda-barriers", 1, 16)),
		SharedBytes:   int(number("pagoda-shared", 1, 1<<20)),
		SmallestBlock: int(number("pagoda-block", 1, 1<<20)),
	}
	s.Registers = uint32(number("pagoda-registers", 1, 255))
	s.EntryBytes = uint64(number("pagoda-entry-bytes", 16, 1<<16))
	s.SpawnNs = -1
	if err := cmp.Or(err, a.override("pagoda-spawn-ns", &s.SpawnNs)); err != nil {
		return err
	}
	switch scan := a.Text("pagoda-scan"); scan {
	case "entry":
	case "warp":
		s.MTB.ScanRows = hardware.WarpSize
	default:
		return fmt.Errorf("pagoda-scan=%s: want entry or warp", scan)
	}
	switch release := a.Text("pagoda-release"); release {
	case "chain", "successor":
		s.MTB.Successor = release == "successor"
	default:
		return fmt.Errorf("pagoda-release=%s: want chain or successor", release)
	}
	if s.Copies, err = a.taskCopies(); err != nil {
		return err
	}
	if _, err := pagoda.NewBuddy(s.MTB.SharedBytes, s.MTB.SmallestBlock); err != nil {
		return fmt.Errorf("pagoda-shared, pagoda-block: %w", err)
	}
	p.Tasks = pagoda.New(s)
	return nil
}
