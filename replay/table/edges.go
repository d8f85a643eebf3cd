package table

import (
	"cmp"
	"slices"

	"gpureplay/model"
)

// Edge is two kernels of the host that follow each other in a stream, with times of a run.
type Edge struct {
	Stream                 uint64
	Predecessor, Successor uint32     // kernels
	Programmatic           bool       // the successor is launched with the attribute
	Ended                  model.Time // the predecessor
	Arrived                model.Time // the successor: at the KMU
	Entered, Began, End    model.Time // in the distributor, its first CTA, its end
	Gains                  *Gains     // nil: no other runs are known
}

// Gains are by how many cycles an edge's step is shorter in other runs of the trace.
type Gains struct {
	Graph      model.Time // under graph
	PDL        model.Time // in that graph, if it is programmatic as well, with the trigger at its best place
	Trigger    string     // that place: path, end, last-load or begin; "": no place gains
	Megakernel model.Time // under megakernel
	Bound      model.Time // under boundary-free

	NoPDL, NoMegakernel bool // the trace does not run so
}

// Gap is the time from the predecessor's end to the successor's first CTA, in cycles; 0: they overlap.
func (e *Edge) Gap() model.Time { return max(0, e.Began-e.Ended) }

// Late is the part of the gap until the successor is known to the KMU, in cycles: it waits for the host.
func (e *Edge) Late() model.Time { return max(0, min(e.Arrived, e.Began)-e.Ended) }

// Overlap is the time in which both run, in cycles.
func (e *Edge) Overlap() model.Time { return max(0, min(e.Ended, e.End)-e.Began) }

// Step is the time from the predecessor's end to the successor's end, in cycles: the part of the stream's time that the
// successor adds. It is negative where the successor ends first.
func (e *Edge) Step() model.Time { return e.End - e.Ended }

// EdgeBook finds the edges of a run from its kernels' records. It keeps some words for each kernel of the host.
type EdgeBook struct{ kernels []Edge }

// Kernel takes a record. Kernels of the device, and those that never ran, have no edges.
func (b *EdgeBook) Kernel(r *model.KernelRecord) {
	if r.Device || r.Dispatch == model.Unset || r.FirstCTA == model.Unset || r.Parent != model.NoKernel {
		return
	}
	b.kernels = append(b.kernels, Edge{Stream: r.Stream, Successor: r.ID, Programmatic: r.Programmatic,
		Arrived: r.Arrive, Entered: r.Dispatch, Began: r.FirstCTA, End: r.End})
}

// Edges returns the edges by stream, then in the order in which their kernels entered the GPU.
func (b *EdgeBook) Edges() []Edge {
	slices.SortStableFunc(b.kernels, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Entered, b.Entered), cmp.Compare(a.Began, b.Began))
	})
	var edges []Edge
	for i := 1; i < len(b.kernels); i++ {
		e, before := b.kernels[i], &b.kernels[i-1]
		if e.Stream == before.Stream {
			e.Predecessor, e.Ended = before.Successor, before.End
			edges = append(edges, e)
		}
	}
	return edges
}

// gain is a column of the edges with gains.
func gain(name, doc string, of func(*Gains) (model.Time, bool)) column[Edge] {
	return i64(name, doc, func(r *Edge) (int64, bool) {
		if r.Gains == nil {
			return 0, false
		}
		return of(r.Gains)
	})
}

func init() {
	register(table[Edge]{
		Name: "edges", Row: "two kernels of the host that follow each other in a stream",
		Order: "by stream, then as they entered the GPU", Place: 35,
		Columns: func() []column[Edge] {
			return []column[Edge]{
				count("stream", "Their stream.", func(r *Edge) uint64 { return r.Stream }),
				count("predecessor", "The kernel in front.", func(r *Edge) uint32 { return r.Predecessor }),
				count("successor", "The kernel behind it.", func(r *Edge) uint32 { return r.Successor }),
				boolean("programmatic", "The successor is launched with programmatic stream serialization.",
					func(r *Edge) bool { return r.Programmatic }),
				at("ended_cycles", "End of the predecessor.", func(r *Edge) model.Time { return r.Ended }),
				at("entered_cycles", "The successor is in the distributor: kmu.dispatch_latency behind the last trigger of "+
					"the predecessor where it is launched programmatically.", func(r *Edge) model.Time { return r.Entered }),
				at("began_cycles", "First CTA of the successor placed.", func(r *Edge) model.Time { return r.Began }),
				count("gap_cycles", "From the end to the first CTA; 0 where they overlap.", (*Edge).Gap),
				count("overlap_cycles", "Both run.", (*Edge).Overlap),
				i64("step_cycles", "From the end of the predecessor to the end of the successor. Summed over a stream, the "+
					"time of all its kernels behind the first; the gain of a policy is the difference to its baseline's row.",
					func(r *Edge) (int64, bool) { return r.Step(), true }),
				gain("graph_gain_cycles", "The step is so much shorter where a graph launches both. This column and those "+
					"that follow are NULL in a replay: replay explain --edges -o fills them in.",
					func(g *Gains) (model.Time, bool) { return g.Graph, true }),
				gain("pdl_gain_cycles", "So much shorter than in that graph if the edge is programmatic, with the "+
					"predecessor's trigger at its best place; 0: no place gains; NULL: the trace has no instructions.",
					func(g *Gains) (model.Time, bool) { return g.PDL, !g.NoPDL }),
				text("trigger", "That place: path (where the path has it), end or begin of a CTA, or last-load of each warp; "+
					"NULL: no place gains.", true, func(r *Edge) string {
					if r.Gains == nil {
						return ""
					}
					return r.Gains.Trigger
				}),
				gain("megakernel_gain_cycles", "So much shorter in a megakernel; NULL: its kernels cannot be tasks.",
					func(g *Gains) (model.Time, bool) { return g.Megakernel, !g.NoMegakernel }),
				gain("bound_gain_cycles", "So much shorter without launches and dispatch (boundary-free). Less the gain of "+
					"a policy it is the part of the boundary that the policy leaves.", func(g *Gains) (model.Time, bool) {
					return g.Bound, true
				}),
			}
		},
		From: func(f *feed, add func(*Edge)) {
			f.edges.to(add)
			book := EdgeBook{}
			f.kernels.to(book.Kernel)
			f.run.to(func(*Run) {
				for _, e := range book.Edges() {
					add(&e)
				}
			})
		},
	})
}
