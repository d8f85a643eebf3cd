package policies

import (
	"slices"

	"gpureplay/trace"
	"gpureplay/trace/container"
)

// Workloads are the sizes of a trace's requests for children: how many requests
// have each workload.
type Workloads struct {
	// Requests counts the trace's requests, Marked the ones that the program's own rule launches.
	Requests, Marked uint64
	// Warps are the warps of the host's kernel in which most of them ask.
	Warps uint64

	values []uint32 // ascending
	counts []uint64 // parallel
}

// WorkloadsOf reads them: the CTAs of all kernels whose code can launch. It returns an error if the trace cannot be
// read.
func WorkloadsOf(r *container.Reader) (*Workloads, error) {
	launches := make([]bool, len(r.Program().Functions))
	for i := range r.Program().Functions {
		launches[i] = slices.ContainsFunc(r.Program().Functions[i].Insts, func(in trace.Inst) bool {
			return in.Class == trace.ClassLaunch
		})
	}
	w := &Workloads{}
	counts := map[uint32]uint64{}
	var k trace.Kernel
	for id := range r.Program().Totals.Kernels {
		if err := r.Kernel(uint32(id), &k); err != nil {
			return nil, err
		}
		if !launches[k.Function] {
			continue
		}
		asking, err := w.count(r, k.ID, counts)
		if err != nil {
			return nil, err
		}
		if k.Flags&trace.KernelChild == 0 {
			w.Warps = max(w.Warps, asking)
		}
	}
	for v := range counts {
		w.values = append(w.values, v)
	}
	slices.Sort(w.values)
	for _, v := range w.values {
		w.counts = append(w.counts, counts[v])
	}
	return w, nil
}

// distinctWorkloads bounds the memory of [Workloads]: of more, the top bits count.
const distinctWorkloads = 1 << 20

// count adds the requests of one kernel, and returns how many of its warps ask.
func (w *Workloads) count(r *container.Reader, kernel uint32, counts map[uint32]uint64) (asking uint64, err error) {
	for cta, err := range trace.EachCTA(r, kernel) {
		if err != nil {
			return 0, err
		}
		for i := range cta.Warps {
			if len(cta.Warps[i].Launches) > 0 {
				asking++
			}
			for _, l := range cta.Warps[i].Launches {
				v := l.Workload
				if len(counts) >= distinctWorkloads {
					v &^= 1<<12 - 1
				}
				counts[v]++
				w.Requests++
				if l.Marked {
					w.Marked++
				}
			}
		}
	}
	return asking, nil
}

// Thresholds returns thresholds, ascending and without repeats, that leave about 100 %, then less in equal steps,
// then 0 % of all work to children. Children take requests of more items than the threshold (SPAWN paper, figure
// 5).
func (w *Workloads) Thresholds(steps int) []uint32 {
	var total float64
	for i, v := range w.values {
		total += float64(float64(v) * float64(w.counts[i]))
	}
	all := []uint32{0}
	i, above := 0, total
	for s := 1; s <= steps; s++ {
		most := total * float64(steps-s) / float64(steps)
		for i < len(w.values) && above > most {
			above -= float64(float64(w.values[i]) * float64(w.counts[i]))
			i++
		}
		if s == steps {
			i = len(w.values)
		}
		if i > 0 && w.values[i-1] > all[len(all)-1] {
			all = append(all, w.values[i-1])
		}
	}
	return all
}

// Share returns the share of all work, 0 to 1, that is in requests of more items
// than a threshold; 0 if there is no work.
func (w *Workloads) Share(threshold uint32) float64 {
	var above, all float64
	for i, v := range w.values {
		n := float64(float64(v) * float64(w.counts[i]))
		all += n
		if v > threshold {
			above += n
		}
	}
	if all == 0 {
		return 0
	}
	return above / all
}
