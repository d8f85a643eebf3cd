package pipelines

import (
	"math/rand/v2"

	"gpureplay/samples"
	"gpureplay/trace"
)

func init() { samples.Register(bfsGenerator) }

func bfsGenerator() samples.Generator {
	return samples.Generator{
		Name:    "bfs",
		Machine: "gk110-ppcs",
		Title:   "breadth-first search of a random graph, two kernels a level",
		Source:  "CRCS and PPCS paper, table 2 (BFS); Rodinia bfs and its graph generator",
		Params: []samples.Param{
			samples.Int("nodes", 16384, 20, 1<<22, "nodes of the random graph"),
			samples.Int("seed", 2, 0, 1<<62, "seed of the graph; with 16384 nodes, 2 gives the paper's 16 kernels"),
			samples.Choice("numbering", "of the nodes: as drawn, without order, or as the search comes to them, which "+
				"reads the graph's file from its beginning on", "drawn", "search"),
		},
		Generate: func(w samples.Writer, p samples.Params) error {
			g := rodiniaGraph(p.Int("nodes"), p.Seed())
			if p.Text("numbering") == "search" {
				g = numberedBySearch(g)
			}
			_, err := newBFS(g).run(w)
			return err
		},
	}
}

// bfsBlock is the suite's number of threads of a CTA.
const bfsBlock = 512

// csr is a graph: the neighbours of v are edges[start[v]:start[v+1]].
type csr struct{ start, edges []int32 }

// rodiniaGraph generates a random graph as the suite's generator does: every node draws two to four edges to random
// nodes, and each edge is entered both ways.
func rodiniaGraph(nodes int, seed uint64) csr {
	const minEdges, maxEdges = 2, 4
	r := rand.New(rand.NewPCG(seed, 0))
	lists := make([][]int32, nodes)
	for v := range int32(nodes) {
		for range minEdges + r.IntN(maxEdges-minEdges+1) {
			u := r.Int32N(int32(nodes))
			lists[v] = append(lists[v], u)
			lists[u] = append(lists[u], v)
		}
	}
	g := csr{start: make([]int32, 1, nodes+1)}
	for _, list := range lists {
		g.edges = append(g.edges, list...)
		g.start = append(g.start, int32(len(g.edges)))
	}
	return g
}

// numberedBySearch numbers nodes in the order in which a search from node 0 comes to
// them; those that it does not reach are last, as they were.
func numberedBySearch(g csr) csr {
	n := len(g.start) - 1
	number, order := make([]int32, n), make([]int32, 0, n)
	for v := range number {
		number[v] = -1
	}
	see := func(v int32) {
		if number[v] < 0 {
			number[v] = int32(len(order))
			order = append(order, v)
		}
	}
	see(0)
	for i := 0; i < len(order); i++ {
		for _, u := range g.edges[g.start[order[i]]:g.start[order[i]+1]] {
			see(u)
		}
	}
	for v := range int32(n) {
		see(v)
	}
	h := csr{start: make([]int32, 1, n+1), edges: make([]int32, 0, len(g.edges))}
	for _, v := range order {
		for _, u := range g.edges[g.start[v]:g.start[v+1]] {
			h.edges = append(h.edges, number[u])
		}
		h.start = append(h.start, int32(len(h.edges)))
	}
	return h
}

// bfs is the program, from node 0. The flags and costs are initialised by the
// host; the graph comes from a file. In every level the host clears the stop flag
// on the device, launches the two kernels, and waits for the flag to come back.
type bfs struct {
	graph                  csr
	expand                 *bfsExpand
	commit                 *bfsCommit
	nodes, edges           samples.Array
	mask, updating         samples.Array
	visited, costs, over   samples.Array
	inMask, inUpdate, seen []bool
	cost                   []int32
	again                  bool
}

func newBFS(g csr) *bfs {
	n := len(g.start) - 1
	s := &bfs{graph: g, inMask: make([]bool, n), inUpdate: make([]bool, n), seen: make([]bool, n), cost: make([]int32, n)}
	for v := range s.cost {
		s.cost[v] = -1
	}
	s.inMask[0], s.seen[0], s.cost[0] = true, true, 0
	return s
}

func (s *bfs) run(w samples.Writer) (cost []int32, err error) {
	p := samples.NewProgram(w)
	p.Align = samples.Page
	n, in := len(s.cost), trace.ArrayInput
	s.nodes, s.edges = p.Array("graph_nodes", n, 8, in), p.Array("graph_edges", len(s.graph.edges), 4, in)
	s.mask, s.updating = p.Array("graph_mask", n, 1, in), p.Array("updating_graph_mask", n, 1, in)
	s.visited, s.costs = p.Array("graph_visited", n, 1, in), p.Array("cost", n, 4, in|trace.ArrayOutput)
	s.over = p.Array("over", 1, 1, in|trace.ArrayOutput)
	s.expand, s.commit = newBFSExpand(p), newBFSCommit(p)

	p.FileRead(s.nodes, s.edges)
	p.CopyH2D(s.nodes, s.edges, s.mask, s.updating, s.visited, s.costs)
	for s.again = true; s.again; {
		s.again = false
		p.Put(s.over)
		s.launch(p, s.expand.Function, 21, trace.KernelIrregular, s.expandCTA)
		s.launch(p, s.commit.Function, 14, 0, s.commitCTA)
		p.Get(s.over)
	}
	p.CopyD2H(s.costs)
	p.Sync()
	p.FileWrite(s.costs)
	return s.cost, p.Err()
}

func (s *bfs) launch(p *samples.Program, function, registers uint32, flags trace.KernelFlags,
	body func(b *samples.Block)) {
	block := min(len(s.cost), bfsBlock)
	p.Launch(trace.Kernel{
		Function: function, Fidelity: trace.FidelityWarp, Registers: registers, Flags: flags,
		Grid: trace.Dim3{ceil(len(s.cost), block), 1, 1}, Block: trace.Dim3{uint32(block), 1, 1},
	}, body)
}

// node returns the node of lane 0 of a warp.
func (s *bfs) node(b *samples.Block, w *samples.Warp) int {
	return b.X()*int(b.Dim[0]) + w.ID*samples.WarpSize
}
