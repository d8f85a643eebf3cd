package model

import (
	"cmp"
	"container/heap"
	"slices"

	"gpureplay/model/hardware"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Kernels are crowded that ran side by side in a capture although their CTAs together need more than
// the GPU: none of them had the GPU that its CTAs could fill. How they shared it was not recorded, so
// such a kernel runs as one CTA for each SM, which needs nothing of it (docs/model, choice 18).

// CrowdedCTAs is the number of CTAs by which a crowded kernel of so many runs.
func CrowdedCTAs(ctas uint64, on *hardware.Config) uint64 { return min(ctas, uint64(on.SM.Count)) }

// Crowded has a bit for each crowded kernel.
type Crowded []uint64

// Has reports whether a kernel is crowded.
func (c Crowded) Has(kernel uint32) bool {
	return int(kernel>>6) < len(c) && c[kernel>>6]>>(kernel&63)&1 != 0
}

// run is a kernel of a capture.
type run struct {
	kernel   uint32
	from, to int64   // ns
	share    float64 // of the GPU that its CTAs fill
}

// running are kernels that run at a time, the first to end in front.
type running []run

func (r running) Len() int           { return len(r) }
func (r running) Less(i, j int) bool { return r[i].to < r[j].to }
func (r running) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *running) Push(x any)        { *r = append(*r, x.(run)) }
func (r *running) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}

// CrowdedIn finds the crowded kernels of a capture that was made on a machine. A trace with
// more than grids has none, since its CTAs have work of their own.
func CrowdedIn(tr *container.Reader, on *hardware.Config) Crowded {
	if tr.Program().Meta.Fidelity > trace.FidelityKernel {
		return nil
	}
	runs := runsOf(tr, on)
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(a.from, b.from) })
	set := make(Crowded, (tr.Kernels()+63)/64)
	var active running
	full := 0.0
	for _, x := range runs {
		for len(active) > 0 && active[0].to <= x.from {
			full -= heap.Pop(&active).(run).share
		}
		if len(active) == 0 {
			full = 0 // no rounding is carried on
		}
		heap.Push(&active, x)
		if full += x.share; full <= fullGPU {
			continue
		}
		for _, a := range active {
			set[a.kernel>>6] |= 1 << (a.kernel & 63)
		}
	}
	return set
}

// fullGPU is the share that kernels side by side may fill, with room for rounding.
const fullGPU = 1 + 1e-9

// runsOf reads the kernels with a recorded start and duration. A damaged record ends the run when its
// kernel is launched.
func runsOf(tr *container.Reader, on *hardware.Config) (runs []run) {
	var k trace.Kernel
	for id := range uint32(tr.Kernels()) {
		if tr.Kernel(id, &k) != nil {
			return nil
		}
		r := k.Recorded
		if r == nil || r.StartNs < 0 || r.DurationNs <= 0 || k.Grid.Count() == 0 {
			continue
		}
		resident, _ := on.Residency(&k)
		room := float64(max(1, resident) * on.SM.Count)
		runs = append(runs, run{id, r.StartNs, r.StartNs + r.DurationNs, min(1, float64(k.Grid.Count())/room)})
	}
	return runs
}
