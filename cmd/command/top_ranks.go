package command

import (
	"context"
	"fmt"

	"gpureplay/replay"
	recorded "gpureplay/replay/capture"
	"gpureplay/trace"
)

var topRanks = rowsOf("top_ranks", "a capture of a folder of captures, such as the ranks of a job", `
rank string: name of the capture
kernels integer: kernels
time_ns integer: end to end
compute_ns integer: with a kernel that is no collective
collectives_ns integer: with a collective of NCCL or RCCL and no other kernel
copies_ns integer: with a copy and no kernel
nothing_ns integer: with none of them
slowest boolean: the others wait for it: it spends the least time in collectives`)

// ranks shows the captures of a folder side by side; of a folder that is itself a capture,
// or has one, it does nothing.
func (a *app) ranks(ctx context.Context, part *chooser, path string) (done bool, err error) {
	list, remove, err := capturesOf(ctx, path, "", "")
	defer remove()
	if err != nil || len(list) < 2 {
		return false, err
	}
	var all []recorded.Rank
	for _, c := range list {
		r, err := part.open(ctx, a, c.path)
		if err != nil {
			return true, err
		}
		x, err := recorded.RecordedActivity(r, c.within)
		r.Close()
		if err != nil {
			return true, fmt.Errorf("%s: %w", c.name, err)
		}
		all = append(all, recorded.RankOf(replay.TraceName(c.within), x))
	}
	return true, a.printRanks(all)
}

func (a *app) printRanks(all []recorded.Rank) error {
	slow := recorded.Slowest(all)
	rows := []map[string]any{}
	g := newGrid(a.out, "rank", "kernels", "time", "compute", "collectives", "copies", "nothing")
	g.right(2, 3, 4, 5, 6, 7)
	for _, r := range all {
		share := func(ns int64) string { return fmt.Sprintf("%.1f %%", 100*float64(ns)/float64(max(1, r.Ns))) }
		g.row(trace.ShortenMiddle(r.Name, widestName/2), commas(int64(r.Kernels)), duration(r.Ns), duration(r.Compute),
			duration(r.Collectives),
			share(r.Copies), share(r.Idle))
		rows = append(rows, map[string]any{"rank": r.Name, "kernels": r.Kernels, "time_ns": r.Ns, "compute_ns": r.Compute,
			"collectives_ns": r.Collectives, "copies_ns": r.Copies, "nothing_ns": r.Idle, "slowest": slow != nil &&
				slow.Name == r.Name})
	}
	if a.asJSON {
		return a.printRows(topRanks, rows)
	}
	g.print()
	if slow != nil {
		fmt.Fprintf(a.out, "the others wait for %s: it computes %s and waits least in collectives, %s\n", slow.Name,
			duration(slow.Compute),
			duration(slow.Collectives))
	}
	return nil
}
