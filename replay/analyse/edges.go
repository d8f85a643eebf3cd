package analyse

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gpureplay/internal/workers"
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/replay/table"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// EdgeRun is a replay that shows the cost of the edges between kernels.
type EdgeRun struct {
	Policy  string
	Title   string
	Trigger string // of programmatic launches: their place, as pdl-trigger has it; "": there are none
	Lacks   string // why the policy does not run the trace; "": it does
	Cycles  model.Time
	edges   []table.Edge
}

// edgeRuns are the replays. A later place of a trigger stands before an earlier one: of two that gain as much it is
// the better one, since CTAs that wait hold an SM's room. The last run is the bound.
func edgeRuns() []EdgeRun {
	return []EdgeRun{
		{Policy: "hyperq", Title: "one call for each launch"},
		{Policy: "graph", Title: "one call for all between two waits"},
		{Policy: "pdl,trigger=none,edges=all", Trigger: "path", Title: "triggers of the paths alone"},
		{Policy: "pdl,trigger=end,edges=all", Trigger: "end", Title: "CTAs trigger at their end"},
		{Policy: "pdl,trigger=last-load,edges=all", Trigger: "last-load", Title: "warps trigger with their last load"},
		{Policy: "pdl,trigger=begin,edges=all", Trigger: "begin", Title: "CTAs trigger at their begin"},
		{Policy: "megakernel", Title: "CTAs are tasks of one kernel that stays"},
		{Policy: "boundary-free", Title: "launches and dispatch take no time"},
	}
}

// Edges replays a trace under streams, graphs and programmatic launches, jobs of them at a time (0: as many as fit). It
// returns the replays and the edges with their gains. The trigger of a kernel whose path has one stays there. A place
// of triggers is tried for all kernels at once, so an edge's gain is that of the run in which all trigger there. A nil
// timing is the default of the trace, and done may be nil. It returns an error where the first replay fails.
func Edges(ctx context.Context, tr *container.Reader, cfg *hardware.Config, timing *host.Timing, jobs int,
	done replay.Done) ([]EdgeRun, []table.Edge, error) {
	facts, err := policies.ProfileTrace(tr, host.NotTasks)
	if err != nil {
		return nil, nil, err
	}
	runs, times := edgeRuns(), timingOr(timing, facts)
	pool := workers.Pool{Workers: jobs, Done: done, Name: func(i int) string { return runs[i].Policy }}
	err = pool.Do(ctx, len(runs), func(ctx context.Context, i int) error {
		x := &runs[i]
		choices, err := policies.Parse(x.Policy, nil)
		if err != nil {
			return err
		}
		if x.Lacks = choices[0].MissingInput(facts); x.Lacks != "" {
			return nil
		}
		book := edgeWatch{}
		switch x.Cycles, err = watched(ctx, tr, cfg, choices[0], times, &book); {
		case err != nil && (i == 0 || ctx.Err() != nil):
			return fmt.Errorf("policy %s: %w", x.Policy, err)
		case err != nil:
			x.Lacks = err.Error()
			return nil
		}
		x.edges = book.Edges()
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return runs, gains(runs), nil
}

// edgeWatch is the observer of a run.
type edgeWatch struct {
	model.Discard
	table.EdgeBook
}

// Kernel is of [model.Observer].
func (w *edgeWatch) Kernel(r *model.KernelRecord) { w.EdgeBook.Kernel(r) }

// gains compares the steps of each edge with its steps in the first run.
func gains(runs []EdgeRun) []table.Edge {
	type pair struct{ from, to uint32 }
	all, index := slices.Clone(runs[0].edges), map[pair]int{}
	for i := range all {
		all[i].Gains, index[pair{all[i].Predecessor, all[i].Successor}] = &table.Gains{}, i
	}
	for i := range runs[1:] {
		x := &runs[1+i]
		for _, e := range x.edges {
			at, ok := index[pair{e.Predecessor, e.Successor}]
			if !ok {
				continue
			}
			gain, to := all[at].Step()-e.Step(), all[at].Gains
			switch {
			case x.Trigger != "":
				if gain > to.PDL {
					to.PDL, to.Trigger = gain, x.Trigger
				}
			case x.Policy == "graph":
				to.Graph = gain
			case x.Policy == "megakernel":
				to.Megakernel = gain
			case x.Policy == "boundary-free":
				to.Bound = gain
			}
		}
	}
	return all
}

// EdgeClass sums edges between kernels of the same two functions.
type EdgeClass struct {
	Predecessor, Successor string // short names
	Edges                  int
	Gap, Overlap           model.Time     // under hyperq
	Gains                  table.Gains    // summed; its trigger is the place at which those of most edges belong
	triggers               map[string]int // how many edges gain most by a trigger there
}

// EdgeClasses sums edges by the functions of their kernels, the greatest gain first, then the greatest gap. It returns
// an error if the trace cannot be read.
func EdgeClasses(tr *container.Reader, edges []table.Edge) ([]EdgeClass, error) {
	names := map[uint32]string{}
	var list []EdgeClass
	index := map[[2]string]int{}
	for i := range edges {
		e := &edges[i]
		for _, id := range [2]uint32{e.Predecessor, e.Successor} {
			if _, ok := names[id]; ok {
				continue
			}
			name, err := shortNameOf(tr, id)
			if err != nil {
				return nil, err
			}
			names[id] = name
		}
		key := [2]string{names[e.Predecessor], names[e.Successor]}
		at, ok := index[key]
		if !ok {
			at = len(list)
			index[key] = at
			list = append(list, EdgeClass{Predecessor: key[0], Successor: key[1], triggers: map[string]int{}})
		}
		list[at].add(e)
	}
	slices.SortStableFunc(list, func(a, b EdgeClass) int {
		return cmp.Or(cmp.Compare(b.Gains.PDL, a.Gains.PDL), cmp.Compare(b.Gap, a.Gap))
	})
	return list, nil
}

// shortNameOf is the short name of a kernel's function.
func shortNameOf(tr *container.Reader, id uint32) (string, error) {
	var k trace.Kernel
	err := tr.Kernel(id, &k)
	return tr.ShortName(k.Function), err
}

func (c *EdgeClass) add(e *table.Edge) {
	c.Edges++
	c.Gap, c.Overlap = c.Gap+e.Gap(), c.Overlap+e.Overlap()
	sum, of := &c.Gains, e.Gains
	sum.Graph, sum.PDL, sum.Megakernel, sum.Bound = sum.Graph+of.Graph, sum.PDL+of.PDL, sum.Megakernel+of.Megakernel,
		sum.Bound+of.Bound
	if of.Trigger == "" {
		return
	}
	c.triggers[of.Trigger]++
	sum.Trigger = ""
	for _, x := range edgeRuns() {
		if n := c.triggers[x.Trigger]; x.Trigger != "" && n > c.triggers[sum.Trigger] {
			sum.Trigger = x.Trigger
		}
	}
}
