package command

import (
	"fmt"
	"slices"
	"strings"

	"gpureplay/model"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/trace"
)

// printNotes adds to the table of runs where its numbers come from, how much of the runs
// is inferred, and the known faults of their data.
func (a *app) printNotes(rows []map[string]any, results []*replay.Result) {
	a.printLaunchNotes(results)
	if line := recordedLine(results); line != "" {
		fmt.Fprintln(a.out, line)
	}
	var said []string
	for _, r := range results {
		if note := r.SamplingNote(); note != "" {
			fmt.Fprintf(a.out, "%s: %s\n", r.Policy, note)
		}
	}
	for i, r := range results {
		for _, note := range surprises(r, rows[i]) {
			if !slices.Contains(said, note) {
				said = append(said, note)
				fmt.Fprintln(a.out, note)
			}
		}
	}
	a.printStops(results)
	if key := withoutEffect(results); key != "" {
		fmt.Fprintf(a.out, "%s changes nothing: each policy takes the same cycles with all values\n", key)
	}
	if best, base := fastest(results); best != nil {
		fmt.Fprintln(a.out, difference(best.Policy, base.Policy, base.Parts, best.Parts))
	}
	for i, m := range rows {
		sampled := results[i].Sampling != nil && results[i].Sampling.WholeSince == "" // its own note says how many
		if n, ok := m["kernels_inferred"].(int64); ok && n > 0 && !sampled {
			fmt.Fprintf(a.out, "the work of %s of %s kernels is inferred, in part or whole: \"replay inspect\" lists the "+
				"inferred parts\n",
				commas(n), commas(m["kernels"]))
			break
		}
	}
	for i, r := range results {
		if i > 0 && r.Trace == results[i-1].Trace {
			continue // the warnings are of the trace
		}
		for _, d := range r.Warnings {
			fmt.Fprintf(a.out, "%s (%s): %s %s\n", d.Name, d.Severity, commas(d.Count), d.Help)
		}
	}
}

// surprises explain numbers of a run that look like a fault of the model and are none.
func surprises(r *replay.Result, row map[string]any) (notes []string) {
	is := func(key string, value float64) bool { x, ok := row[key].(float64); return ok && x == value }
	m := r.Machine
	if r.Run.Fidelity < trace.FidelityWarp {
		return nil // its accesses are inferred
	}
	if is("l2_hit_pct", 100) && m.L2.CopiesWarm {
		notes = append(notes, "L2 hit 100 %: copies to the device leave their data in the L2, so nothing is read from DRAM "+
			"(--set l2.copies_warm=false: DRAM alone)")
	}
	if is("l1_hit_pct", 0) && !m.L1.GlobalLoads {
		notes = append(notes, "L1 hit 0 %: loads of global memory bypass the L1 of "+m.Name+" (l1.global_loads=false)")
	}
	if r.OneStream && is("speedup", 1) && r.Policy != r.Baseline && ordersStreams(r.Policy) {
		notes = append(notes, r.Policy+" takes as long as "+r.Baseline+
			": all kernels are in one stream, which keeps their order")
	}
	return notes
}

// withoutEffect is the key whose values differ between the runs, if it alone does and no
// policy's cycles depend on it.
func withoutEffect(results []*replay.Result) string {
	key, cycles, sets := "", map[string]model.Time{}, map[string]bool{}
	for _, r := range results {
		words := strings.Split(r.Set, ",")
		name, _, _ := strings.Cut(words[len(words)-1], "=")
		if r.Run.Incomplete || name == "" || key != "" && name != key {
			return ""
		}
		key, sets[r.Set] = name, true
		policy := r.Trace + "\x00" + r.Policy
		if was, ok := cycles[policy]; ok && was != r.Run.Cycles {
			return ""
		}
		cycles[policy] = r.Run.Cycles
	}
	if len(sets) < 2 {
		return ""
	}
	return key
}

// recordedLine sets the runs of a capture beside the recorded time.
func recordedLine(results []*replay.Result) string {
	if len(results) == 0 || results[0].RecordedNs == 0 {
		return ""
	}
	line := "recorded " + duration(results[0].RecordedNs)
	for _, r := range results {
		m, err := r.Row()
		if err != nil {
			return ""
		}
		line += ", " + r.Policy
		if r.Run.Incomplete {
			line += " cut off at"
		}
		line += " " + duration(m["time_ns"])
	}
	if results[0].NoCalls {
		line += "; the capture has no calls of the host: launches follow as fast as the host can make them"
	}
	return line
}

// ordersStreams reports whether the order of streams alone says when a policy's kernels begin.
func ordersStreams(policy string) bool {
	p, err := policies.Get(policy)
	return err == nil && (p.Dependency == "" || p.Dependency == "barrier") &&
		(p.Host == host.Streams || p.Host == host.AtOnce)
}
