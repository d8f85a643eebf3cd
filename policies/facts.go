package policies

import (
	"errors"
	"io"

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
}

// FactsOf reads a trace's facts: its program and its host operations.
func FactsOf(r *trace.Reader) (*Facts, error) {
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
		case trace.OpSpawn:
			f.Tasks++
		}
	}
}
