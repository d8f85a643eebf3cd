package policies

import (
	"fmt"

	"gpureplay/model"
	"gpureplay/policies/crcs"
)

// boardParams are the parameters of the scoreboard and of the prelude.
var boardParams = []Param{
	{"crcs-counter-bits", "10", "bits of a page's reference counters; 0: unbounded"},
	{"crcs-profiler", "on", "on: the pre-profiler and the post-profiler take time; off: they do not"},
	{"prelude-order", "interleaved", "order in which the prelude fills pages: interleaved, sequential, random (any " +
		"page of any array) or random-arrays (arrays one by one, any page of each)"},
	{"prelude-seed", "1", "seed of the random orders"},
}

func init() {
	Dependencies.Register(Option[model.Dependency]{
		Name: "crcs", Title: "pages owned by the oldest kernel whose CTAs may still touch them, from conservative ranges",
		Source: "CRCS/PPCS paper, sections 4.1 and 4.2", Params: boardParams,
		New: func(a Args) (model.Dependency, error) { return newBoard(a, false) },
	})
	Dependencies.Register(Option[model.Dependency]{
		Name: "oracle", Title: "as crcs, from the pages that each CTA really touches, at no cost",
		Source: "in no paper: the upper bound",
		Params: append(boardParams[:len(boardParams):len(boardParams)],
			Param{"oracle-grain", "page", "unit of readiness, ownership and copies: page (host.page_bytes) or sector (32 B): " +
				"the result of exact dependences at a finer grain"}),
		New: newOracle,
	})
	Register(Policy{
		Name: "crcs", Title: "dependent kernels overlap under page reference counts, CTAs in order",
		Source: "CRCS/PPCS paper, sections 3 and 4.1",
		Doc: "Every kernel is launched before its input is there. A warp's global access goes ahead when each page that " +
			"it touches has been " +
			"transferred and is owned by its kernel: the oldest with CTAs left that may touch it. Pages go to the device " +
			"as the prelude " +
			"completes them, and come back when no kernel needs them. CTAs are scheduled first come, first served, an SM " +
			"at a time.",
		Baselines:  []string{"serial"},
		Dependency: "crcs", CTA: "fill", Needs: needsPages, Cost: crcsCost, CostOn: "gk110-ppcs",
	})
}

// needsPages requests the accesses by which a policy counts pages.
func needsPages(f *TraceProfile) string {
	switch {
	case f.Arrays == 0:
		return "it holds no arrays, so that no page is known"
	case f.MemInsts == 0 && f.Touching == 0 && f.TimedCTAs == 0:
		return "it holds no memory accesses"
	case f.Tasks > 0:
		return "it spawns tasks"
	case f.ChildLaunches > 0:
		return "its kernels launch children, whose pages no profile of the parent states"
	}
	return ""
}

var pageOrders = map[string]crcs.Order{
	"interleaved": crcs.Interleaved, "sequential": crcs.Sequential, "random": crcs.Random,
	"random-arrays": crcs.RandomArrays,
}

func newOracle(a Args) (model.Dependency, error) {
	d, err := newBoard(a, true)
	if err != nil {
		return nil, err
	}
	grain := a.Text("oracle-grain")
	if grain != "page" && grain != "sector" {
		return nil, fmt.Errorf("oracle-grain=%s: want page or sector", grain)
	}
	d.(*crcs.Board).Sectors = grain == "sector"
	return d, nil
}

func newBoard(a Args, exact bool) (model.Dependency, error) {
	bits, err := a.Integer("crcs-counter-bits", 0, 31)
	if err != nil {
		return nil, err
	}
	cost, err := a.Flag("crcs-profiler")
	if err != nil {
		return nil, err
	}
	seed, err := a.Integer("prelude-seed", 0, 1<<62)
	if err != nil {
		return nil, err
	}
	order, ok := pageOrders[a.Text("prelude-order")]
	if !ok {
		return nil, fmt.Errorf("prelude-order=%s: want interleaved, sequential, random or random-arrays",
			a.Text("prelude-order"))
	}
	if exact {
		bits, cost = 0, false
	}
	return &crcs.Board{Exact: exact, CounterBits: int(bits), ProfilerCost: cost, Order: order, Seed: uint64(seed)}, nil
}
