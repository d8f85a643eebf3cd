package analyse

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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
	Gap     model.Time // summed over its edges
	Late    model.Time // the parts of its gaps in which the next kernel has not arrived
	Overlap model.Time
	Busy    model.Time // from the first CTA to the end of each kernel, summed

	Overlaps int // edges whose kernels overlap
	edges    []table.Edge
}

// Boundaries is what the boundaries between the kernels of a trace cost.
type Boundaries struct {
	Streams, Graph, Megakernel, Free EdgeRun
	Programmatic                     []EdgeRun // graphs whose edges are programmatic, the latest place of triggers first
	Alone                            EdgeRun   // programmatic launches in streams; its policy is "": a graph gains nothing
	Edges                            []table.Edge
	Calls                            Calls
}

// Runs lists the replays, the first one in streams.
func (b *Boundaries) Runs() []*EdgeRun {
	list := []*EdgeRun{&b.Streams, &b.Graph}
	for i := range b.Programmatic {
		list = append(list, &b.Programmatic[i])
	}
	if b.Alone.Policy != "" {
		list = append(list, &b.Alone)
	}
	return append(list, &b.Megakernel, &b.Free)
}

// Best is the fastest replay with programmatic launches in a graph; nil: there is none.
func (b *Boundaries) Best() (best *EdgeRun) {
	for i := range b.Programmatic {
		if x := &b.Programmatic[i]; x.Lacks == "" && (best == nil || x.Cycles < best.Cycles) {
			best = x
		}
	}
	return best
}

// programmatic are the places of triggers. A later place stands before an earlier one: of two that gain as much it is
// the better one, since CTAs that wait hold an SM's room. Triggers of the paths are moved by an argument, if there are
// any.
func programmatic(moved string) (list []EdgeRun) {
	for _, x := range [][2]string{
		{"path", "as graph, with the triggers of the paths"}, {"end", "as graph, CTAs trigger at their end"},
		{"last-load", "as graph, warps trigger with their last load"}, {"begin", "as graph, CTAs trigger at their begin"},
	} {
		place := ",trigger=" + x[0] + moved
		if x[0] == "path" {
			place = ""
		}
		list = append(list, EdgeRun{Policy: "graph,dependency=pdl,edges=all" + place, Title: x[1], Trigger: x[0]})
	}
	return list
}

// Edges replays a trace in streams, as graphs, as graphs with programmatic edges, as a megakernel and without
// boundaries, jobs of them at a time (0: as many as fit). A place of triggers is tried for all kernels at once, so an
// edge's gain is the one in the run in which all trigger there. A nil timing is the default of the trace, and done may
// be nil. It returns an error where the replay in streams fails.
func Edges(ctx context.Context, tr *container.Reader, cfg *hardware.Config, timing *host.Timing, jobs int,
	done replay.Done) (*Boundaries, error) {
	facts, err := policies.ProfileTrace(tr, host.NotTasks)
	if err != nil {
		return nil, err
	}
	b := &Boundaries{
		Streams:    EdgeRun{Policy: "hyperq", Title: "one call for each launch"},
		Graph:      EdgeRun{Policy: "graph", Title: "one call for all between two waits"},
		Megakernel: EdgeRun{Policy: "megakernel", Title: "CTAs are tasks of one kernel that stays"},
		Free:       EdgeRun{Policy: "boundary-free", Title: "launches and dispatch take no time"},
	}
	moved := ""
	if triggers(tr.Program()) {
		moved = ",own=moved"
	}
	b.Programmatic = programmatic(moved)
	if b.Calls, err = callsOf(tr); err != nil {
		return nil, err
	}
	b.lacks(facts, moved != "")
	d := edgeRunner{tr: tr, cfg: cfg, timing: timingOr(timing, facts), facts: facts, jobs: jobs, done: done}
	if err := d.run(ctx, b.Runs()); err != nil {
		return nil, err
	}
	if best := b.Best(); best != nil && b.Graph.Cycles < b.Streams.Cycles {
		b.Alone = EdgeRun{Policy: strings.Replace(best.Policy, "graph,dependency=pdl", "pdl", 1),
			Title: "in streams, and no graph"}
		if err := d.run(ctx, []*EdgeRun{&b.Alone}); err != nil {
			return nil, err
		}
	}
	b.gains()
	return b, nil
}

// lacks says why programmatic launches do not run, before they are tried.
func (b *Boundaries) lacks(facts *policies.TraceProfile, triggers bool) {
	pdl, err := policies.Parse("pdl", nil)
	if err != nil {
		panic(err)
	}
	why := pdl[0].MissingInput(facts)
	for i := range b.Programmatic {
		x := &b.Programmatic[i]
		if x.Lacks = why; why == "" && x.Trigger == "path" && !triggers {
			x.Lacks = "no kernel has a trigger (PREEXIT) in its path"
		}
	}
}

// triggers reports whether a function of the program says where it triggers.
func triggers(p *trace.Program) bool {
	for i := range p.Functions {
		for j := range p.Functions[i].Insts {
			if op, _, _ := strings.Cut(p.Functions[i].Insts[j].Opcode, "."); op == "PREEXIT" {
				return true
			}
		}
	}
	return false
}

// edgeRunner replays a trace.
type edgeRunner struct {
	tr     *container.Reader
	cfg    *hardware.Config
	timing host.Timing
	facts  *policies.TraceProfile
	jobs   int
	done   replay.Done
}

func (d *edgeRunner) run(ctx context.Context, runs []*EdgeRun) error {
	runs = slices.DeleteFunc(runs, func(x *EdgeRun) bool { return x.Lacks != "" })
	pool := workers.Pool{Workers: d.jobs, Done: d.done, Name: func(i int) string { return runs[i].Policy }}
	return pool.Do(ctx, len(runs), func(ctx context.Context, i int) error {
		x := runs[i]
		choices, err := policies.Parse(x.Policy, nil)
		if err != nil {
			return err
		}
		if x.Lacks = choices[0].MissingInput(d.facts); x.Lacks != "" {
			return nil
		}
		book := edgeWatch{}
		switch x.Cycles, err = watched(ctx, d.tr, d.cfg, choices[0], d.timing, &book); {
		case err != nil && (x.Policy == "hyperq" || ctx.Err() != nil):
			return fmt.Errorf("policy %s: %w", x.Policy, err)
		case err != nil:
			x.Lacks = err.Error()
			return nil
		}
		x.Busy = book.busy
		x.sum(book.Edges())
		return nil
	})
}

// sum takes the edges of a run.
func (x *EdgeRun) sum(edges []table.Edge) {
	x.edges = edges
	for i := range edges {
		e := &edges[i]
		x.Gap, x.Late, x.Overlap = x.Gap+e.Gap(), x.Late+e.Late(), x.Overlap+e.Overlap()
		if e.Overlap() > 0 {
			x.Overlaps++
		}
	}
}

// edgeWatch is the observer of a run.
type edgeWatch struct {
	model.Discard
	table.EdgeBook
	busy model.Time
}

// Kernel is of [model.Observer].
func (w *edgeWatch) Kernel(r *model.KernelRecord) {
	w.EdgeBook.Kernel(r)
	if r.FirstCTA != model.Unset {
		w.busy += r.End - r.FirstCTA
	}
}

// kernelPair is an edge.
type kernelPair struct{ from, to uint32 }

// stepsOf are the steps of a run's edges.
func stepsOf(x *EdgeRun) map[kernelPair]model.Time {
	steps := map[kernelPair]model.Time{}
	for _, e := range x.edges {
		steps[kernelPair{e.Predecessor, e.Successor}] = e.Step()
	}
	return steps
}

// gains compares the steps of each edge.
func (b *Boundaries) gains() {
	graph, mega, free := stepsOf(&b.Graph), stepsOf(&b.Megakernel), stepsOf(&b.Free)
	var places []map[kernelPair]model.Time
	for i := range b.Programmatic {
		places = append(places, stepsOf(&b.Programmatic[i]))
	}
	b.Edges = slices.Clone(b.Streams.edges)
	for i := range b.Edges {
		e := &b.Edges[i]
		at := kernelPair{e.Predecessor, e.Successor}
		g := &table.Gains{NoPDL: b.Best() == nil, NoMegakernel: b.Megakernel.Lacks != ""}
		less := func(from model.Time, steps map[kernelPair]model.Time) model.Time {
			if step, ok := steps[at]; ok {
				return from - step
			}
			return 0
		}
		g.Graph, g.Megakernel, g.Bound = less(e.Step(), graph), less(e.Step(), mega), less(e.Step(), free)
		for j, steps := range places {
			if gain := less(e.Step()-g.Graph, steps); gain > g.PDL {
				g.PDL, g.Trigger = gain, b.Programmatic[j].Trigger
			}
		}
		e.Gains = g
	}
}

// EdgeClass sums edges between kernels of the same two functions.
type EdgeClass struct {
	Predecessor, Successor string // short names
	Edges                  int
	Gap, Late, Overlap     model.Time     // under hyperq
	Gains                  table.Gains    // summed; its trigger is the place at which those of most edges belong
	triggers               map[string]int // how many edges gain most by a trigger there
}

// EdgeClasses sums edges by the functions of their kernels: the greatest gain of a programmatic launch first, then of a
// graph, then the greatest gap and overlap. It returns an error if the trace cannot be read.
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
		return cmp.Or(cmp.Compare(b.Gains.PDL, a.Gains.PDL), cmp.Compare(b.Gains.Graph, a.Gains.Graph),
			cmp.Compare(b.Gap, a.Gap), cmp.Compare(b.Overlap, a.Overlap))
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
	c.Gap, c.Late, c.Overlap = c.Gap+e.Gap(), c.Late+e.Late(), c.Overlap+e.Overlap()
	sum, of := &c.Gains, e.Gains
	sum.Graph, sum.PDL, sum.Megakernel, sum.Bound = sum.Graph+of.Graph, sum.PDL+of.PDL, sum.Megakernel+of.Megakernel,
		sum.Bound+of.Bound
	if of.Trigger == "" {
		return
	}
	c.triggers[of.Trigger]++
	sum.Trigger = ""
	for _, x := range programmatic("") {
		if n := c.triggers[x.Trigger]; n > c.triggers[sum.Trigger] {
			sum.Trigger = x.Trigger
		}
	}
}
