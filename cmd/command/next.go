package command

import (
	"os"
	"path/filepath"
	"strings"

	"gpureplay/policies"
	"gpureplay/replay"
)

// noteNext says where the tables are and which commands go on from there: the report, as
// long as the folder has none, and why the fastest policy is faster.
func (a *app) noteNext(f *replayFlags, all []*replay.Result, paths []string) {
	a.note("tables under %s", f.output)
	if _, err := os.Stat(filepath.Join(f.output, "report.html")); err != nil {
		a.note("next: replay report %s", f.output)
	}
	if best, base := fastest(all); best != nil && len(paths) == 1 {
		a.note("why:  replay explain --policy=%s --against=%s%s %s", best.Policy, base.Policy, gpuFlags(f), paths[0])
	}
}

// gpuFlags are the flags that choose the machine and the work of the runs.
func gpuFlags(f *replayFlags) (words string) {
	if f.gpu != "" {
		words += " --gpu=" + f.gpu
	}
	for _, s := range f.set {
		words += " --set " + s
	}
	for _, x := range []struct{ name, value string }{{"host", f.host}, {"copies", f.copies}} {
		if x.value != "" {
			words += " --" + x.name + "=" + x.value
		}
	}
	if chosen := f.chooser.flags(); len(chosen) > 0 {
		words += " " + strings.Join(chosen, " ")
	}
	return words
}

// fastest is the run that is the furthest ahead of its baseline, and that one; nil: none
// is ahead. A bound, which no machine reaches, counts only where nothing else ran.
func fastest(all []*replay.Result) (best, base *replay.Result) {
	for _, bounds := range []bool{false, true} {
		for _, r := range all {
			if r.Speedup > 1 && (best == nil || r.Speedup > best.Speedup) && (bounds || !isBound(r)) {
				best = r
			}
		}
		if best != nil {
			break
		}
	}
	for _, r := range all {
		if best != nil && r.Policy == best.Baseline && r.Trace == best.Trace && r.GPU == best.GPU && r.Set == best.Set {
			return best, r
		}
	}
	return nil, nil
}

// isBound reports whether no machine works as a run's policy does.
func isBound(r *replay.Result) bool {
	name, _, _ := strings.Cut(r.Policy, ",")
	p, err := policies.Get(name)
	return err == nil && p.Bound
}
