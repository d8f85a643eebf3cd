package policies

import (
	"fmt"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies/producers"
)

func init() {
	Dependencies.Register(Option[model.Dependency]{
		Name: "blockmaestro", Title: "a CTA may be placed when those CTAs of the kernels before it have ended that its " +
			"ranges depend on", Source: "BlockMaestro paper, section III",
		Params: []Param{
			{"blockmaestro-deps", "all", "all: a CTA waits for data that it reads (RAW) or overwrites (WAR, WAW); raw: for " +
				"data that it reads alone, as the paper derives; kernel: for all of every kernel before, which leaves " +
				"pre-launching"},
			{"blockmaestro-window", "2", "kernels of a stream that are on the GPU at once (2 to 4 in the paper)"},
			{"blockmaestro-parents", "64", "CTAs that a CTA may wait for, of one kernel; one with more waits for all of " +
				"the kernel"},
		},
		New: newBlockMaestro,
	})
	CTASchedulers.Register(Option[model.CTAScheduler]{
		Name: "blockmaestro", Title: "CTAs of the older kernel first, all of them, or ready CTAs of the younger one",
		Source: "BlockMaestro paper, section III.D",
		Params: []Param{{"blockmaestro-priority", "producer",
			"producer: CTAs of a kernel only when all CTAs of those before it have been placed; consumer: ready CTAs of " +
				"the youngest kernel first"}},
		New: func(a Args) (model.CTAScheduler, error) {
			consumer, err := a.Either("blockmaestro-priority", "producer", "consumer")
			return &byPriority{consumer: consumer}, err
		},
	})
	Register(Policy{
		Name: "blockmaestro", Title: "dependent kernels of a stream overlap CTA by CTA, launched ahead",
		Source: "BlockMaestro paper, section III",
		Doc: "The next kernels of a stream are launched while those before them run. A CTA is placed when the CTAs have " +
			"ended whose stores its conservative ranges may read, and, with deps=all, " +
			"whose loads and stores it may overwrite. Kernels complete in order; copies and other operations between " +
			"kernels are in order too.",
		Baselines:  []string{"serial", "hyperq"},
		Dependency: "blockmaestro", CTA: "blockmaestro", Needs: needsRanges, Cost: costOfBlockMaestro,
	})
}

// needsRanges requests the ranges by which a policy orders CTAs.
func needsRanges(f *TraceProfile) string {
	switch {
	case f.Arrays == 0:
		return "it has no arrays, so the bytes that CTAs may touch are unknown"
	case f.Tasks > 0:
		return "it spawns tasks"
	case f.ChildLaunches > 0:
		return "its kernels launch children, whose ranges no analysis of the parent states"
	}
	return ""
}

// The storage that BlockMaestro adds on chip (paper, section IV.C), for places of CTAs.
const (
	maestroListBits    = 4 * 32
	maestroIndexBits   = 32 + 2
	maestroCounterBits = 6
)

// costOfBlockMaestro is the on-chip memory that BlockMaestro adds.
func costOfBlockMaestro(cfg *hardware.Config, _ Args) []CostLine {
	const source = "BlockMaestro paper, section IV.C"
	places := cfg.SM.Count * cfg.SM.MaxCTAs
	lists, counters := float64(places*(maestroListBits+maestroIndexBits)/8),
		float64(places*(maestroIndexBits+maestroCounterBits)/8)
	return []CostLine{
		{fmt.Sprintf("dependency list buffer, %d entries of 4 children", places), lists, "bytes", source},
		{fmt.Sprintf("parent counter buffer, %d counters", places), counters, "bytes", source},
		{"sum", lists + counters, "bytes", "the paper's sum is about 22 KB for 28 SMs of 32 CTAs"},
	}
}

// byPriority places CTAs of the oldest kernel or of the youngest.
type byPriority struct {
	consumer bool
	turns    fifo
}

// Place is of [model.CTAScheduler].
func (p *byPriority) Place(v *model.CTAView) (kernel, sm int, ok bool) {
	if p.consumer {
		for k := len(v.Kernels) - 1; k >= 0; k-- {
			if sm, ok = p.turns.sm(v, k); ok {
				return k, sm, true
			}
		}
		return 0, 0, false
	}
	for _, x := range v.Held { // a kernel before has CTAs to place that must wait
		if x.Stream == v.Kernels[0].Stream && x.Order < v.Kernels[0].Order {
			return 0, 0, false
		}
	}
	sm, ok = p.turns.sm(v, 0)
	return 0, sm, ok
}

// maestro is BlockMaestro's dependency unit. Choices (docs/policies, "BlockMaestro").
type maestro struct {
	*producers.Graph
	window int
}

func newBlockMaestro(a Args) (model.Dependency, error) {
	r := producers.Rules{Spans: producers.Ranges, Count: "blockmaestro_fully_connected"}
	switch deps := a.Text("blockmaestro-deps"); deps {
	case "all":
	case "raw":
		r.ReadsAlone = true
	case "kernel":
		r.Kernels = true
	default:
		return nil, fmt.Errorf("blockmaestro-deps=%s: want all, raw or kernel", deps)
	}
	window, err := a.Integer("blockmaestro-window", 1, 64)
	if err != nil {
		return nil, err
	}
	parents, err := a.Integer("blockmaestro-parents", 1, 1<<30)
	r.Parents = int(parents)
	return &maestro{producers.New(r), int(window)}, err
}

// Window is of [model.Dependency].
func (d *maestro) Window() int { return d.window }

// Waits is of [model.CTADependency]: the host copies the arrays that it reads, and copies wait.
func (d *maestro) Waits() bool { return false }
