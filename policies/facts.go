package policies

import (
	"errors"
	"io"

	"gpureplay/model"
	"gpureplay/trace"
)

// Facts are what a trace holds, as far as a policy may need it.
type Facts struct {
	Fidelity      trace.Fidelity
	Kernels       uint64
	MemInsts      uint64
	ChildLaunches uint64
	Arrays        int
	FileReads     int
	Tasks         uint64
	TaskShared    uint32 // most shared memory of a threadblock of a task
	TaskSyncWarps uint32 // most warps of one that synchronises
	TaskSyncs     uint64 // tasks whose threadblocks synchronise
	TaskDeps      uint64 // tasks that wait for others
}

// FactsOf reads a trace's facts: its program and its host operations, launches
// taken for narrow tasks where they are run as such.
func FactsOf(r *trace.Reader, as model.AsTasks) (*Facts, error) {
	p := r.Program()
	f := &Facts{
		Fidelity: p.Meta.Fidelity, Kernels: p.Totals.Kernels, MemInsts: p.Totals.MemInsts,
		ChildLaunches: p.Totals.ChildLaunches, Arrays: len(p.Arrays),
	}
	ops := r.HostOps()
	var op trace.HostOp
	for {
		switch err := ops.Next(&op); {
		case errors.Is(err, io.EOF):
			return f, nil
		case err != nil:
			return nil, err
		}
		switch op.Kind {
		case trace.OpFileRead:
			f.FileReads++
		case trace.OpLaunch:
			if as == model.NotTasks {
				continue
			}
			fallthrough
		case trace.OpSpawn:
			if err := f.task(r, &op, as); err != nil {
				return nil, err
			}
		}
	}
}

// task adds a task to the facts.
func (f *Facts) task(r *trace.Reader, op *trace.HostOp, as model.AsTasks) error {
	var k trace.Kernel
	if err := r.Kernel(op.Kernel, &k); err != nil {
		return err
	}
	f.Tasks++
	f.TaskShared = max(f.TaskShared, k.SharedBytes)
	if op.Sync || op.Kind == trace.OpLaunch && model.Synchronises(&r.Program().Functions[k.Function]) {
		f.TaskSyncs++
		f.TaskSyncWarps = max(f.TaskSyncWarps, uint32(min((k.Block.Count()+model.WarpSize-1)/model.WarpSize, 1<<20)))
	}
	if len(op.Deps) > 0 || op.Kind == trace.OpLaunch && as == model.TasksInStreams {
		f.TaskDeps++
	}
	return nil
}
