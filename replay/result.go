package replay

import (
	"cmp"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/replay/table"
)

// Result is the outcome of one policy.
type Result struct {
	Trace       string // its name in the tables
	GPU         string
	Set         string // settings of the machine and the trace; "": none
	Policy      string // as it was requested
	Run         table.Run
	Performance table.Performance
	Baseline    string  // the policy that Speedup refers to; "": none
	Speedup     float64 // the baseline's cycles over this run's; not a number: there is none
	Violations  []table.Audit
	RecordedNs  int64                       // how long the program of a capture took; 0: it is none
	NoCalls     bool                        // the capture has no calls of the host
	Warnings    []table.Diagnostic          // of the run, beside the trace's own
	Stages      [model.NumStages]model.Time // sum of the intervals of each stage, cycles; they may overlap
	Output      table.Outcome
	Parts       Parts            // of its cycles
	Machine     *hardware.Config // that ran it, with the changes of the policy
	OneStream   bool             // all kernels of the host are in one stream
	Sampling    *Sampling        // nil: no kernel was to be skipped
	classes     []table.Class
}

// label names a run for people.
func (r *Result) label() string { return labelOf(r.Policy, r.Set) }

func labelOf(policy, set string) string {
	if words := table.Words(set); words != "" {
		return policy + " with " + words
	}
	return policy
}

// Row is one row as a program reads it: a value per column, nil where the table
// has NULL.
func (r *Result) Row() (map[string]any, error) {
	m := map[string]any{"trace": r.Trace, "gpu": r.GPU, "set": cmp.Or(r.Set, table.Unset), "policy": r.Policy,
		"baseline": nil, "speedup": nil}
	if r.Baseline != "" {
		m["baseline"], m["speedup"] = r.Baseline, r.Speedup
	}
	cells, err := table.RunRow(&r.Run, r.Machine.Clock.CoreMHz)
	if err != nil {
		return nil, err
	}
	more, err := table.PerformanceRow(&r.Performance)
	for _, c := range append(cells, more...) {
		m[c.Column] = c.Value
	}
	return m, err
}
